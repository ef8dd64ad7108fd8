"""What holds for every move between two cells of a feature, written without saying the same line twice."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray

SMALL = 64  # levels whose moves are written one by one


class Square(NamedTuple):
    """Numbers of moves, as a file holds them; what it says of staying does not count."""

    line_of: IntArray  # (levels,) the line of each level that rows move from
    lines: NDArray[Any]  # (d, levels) different ones: a number for each level that rows move to

    @classmethod
    def read(cls, data: AnyValue, dtype: DTypeLike = np.int64) -> "Square":
        """Read what :func:`written_square` wrote."""
        if not isinstance(data, dict):
            return cls(np.arange(len(data)), np.array(data, dtype=dtype))
        line_of = np.array(data["line_of"])
        lines = np.zeros((len(data["lines"]), len(line_of)), dtype=dtype)
        for line, (starts, numbers) in zip(lines, data["lines"], strict=True):
            line[:] = np.repeat(numbers, np.diff(starts, append=len(line)))
        return cls(line_of, lines)

    def at(self, before: IntArray, after: IntArray) -> NDArray[Any]:
        """Look up moves."""
        return np.asarray(self.lines[self.line_of[before], after])


def written_square(matrix: NDArray[Any]) -> AnyValue:
    """Write a matrix ``[from, to]``: as it is, or its different lines in steps where that is shorter."""
    n, square = len(matrix), matrix.astype(np.int8) if matrix.dtype == np.bool_ else matrix
    if n <= SMALL:
        return square.tolist()
    # Of staying the same is said as of the move that the level before makes, so that lines are alike.
    filled = square.copy()
    np.fill_diagonal(filled, np.append(square[1, 0], np.diagonal(square, 1)))
    number_of: dict[bytes, int] = {}
    line_of = [number_of.setdefault(line.tobytes(), len(number_of)) for line in filled]
    lines, size = [], n
    for text in number_of:
        line = np.frombuffer(text, dtype=filled.dtype)
        starts = np.flatnonzero(np.diff(line, prepend=line[0] - 1))
        lines.append([starts.tolist(), line[starts].tolist()])
        size += 2 * len(starts)
    return {"line_of": line_of, "lines": lines} if size < n * n else square.tolist()
