"""How codes become the numeric columns a model was fitted on: the bridge between schema and readers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError


def as_table(given: ArrayLike, what: str) -> IntArray:
    """Make an array; lines of different lengths are refused."""
    try:
        return np.asarray(given)
    except ValueError as error:
        raise InputError(f"{what} must be a table whose lines are equally long: {error}") from error


def code_faults(codes: IntArray, levels: Sequence[int], names: Sequence[object]) -> Iterator[str]:
    """Say why a table is not one of codes of features with so many levels."""
    if not levels:
        yield "at least one feature is needed"
    yield from (f"feature {name!r} has {n} levels" for name, n in zip(names, levels, strict=True) if n < 1)
    if codes.ndim != 2 or codes.shape[0] == 0:
        yield f"codes must be a table with at least one row, not of shape {codes.shape}"
    if codes.shape[1] != len(levels):
        yield f"codes have {codes.shape[1]} features, there are {len(levels)}"
    if codes.dtype.kind not in "biu" and not (codes.dtype.kind == "f" and (codes == np.floor(codes)).all()):
        yield f"codes must be integers, not {codes.dtype}; encode the frame first"
    for row, feature in np.argwhere((codes < 0) | (codes >= np.array(levels))).tolist():
        code, last = int(codes[row, feature]), levels[feature] - 1
        yield f"row {row} has code {code} in feature {names[feature]!r}, which has levels 0 to {last}"


@dataclass(frozen=True, eq=False)
class Encoding:
    """Each feature fills model columns of its own with one row of values per level.

    Parameters
    ----------
    columns : sequence of integer arrays
        ``columns[l]``: the model columns that feature ``l`` fills.
    values : sequence of (levels, columns) arrays
        ``values[l][v]``: what level ``v`` of feature ``l`` puts there.
    constants : (width,) array
        What stands in each model column before features fill theirs.
    names : sequence of str
        Names of the model columns, for messages; may be empty.

    Examples
    --------
    >>> import numpy as np
    >>> encoding = Encoding((np.array([0]),), (np.array([[1.0], [2.0]]),), np.zeros(1))
    >>> encoding.encode(np.array([[1], [0]])).tolist()
    [[2.0], [1.0]]
    """

    columns: tuple[IntArray, ...]
    values: tuple[FloatArray, ...]
    constants: FloatArray
    names: tuple[str, ...] = ()

    @classmethod
    def from_blocks(cls, values: Sequence[ArrayLike], names: Sequence[str] = ()) -> Self:
        """Put the features' columns one after the other."""
        blocks = tuple(np.asarray(block, dtype=np.float64) for block in values)
        edges = np.cumsum([0, *(block.shape[1] for block in blocks)])
        columns = tuple(np.arange(start, end) for start, end in pairwise(edges.tolist()))
        return cls(columns, blocks, np.zeros(int(edges[-1])), tuple(names))

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return tuple(len(block) for block in self.values)

    @property
    def width(self) -> int:
        """Number of model columns."""
        return len(self.constants)

    def encode(self, codes: IntArray) -> FloatArray:
        """Turn an ``(n, p)`` array of codes into the ``(n, width)`` input of the model."""
        codes = np.atleast_2d(codes)
        matrix = np.tile(self.constants, (len(codes), 1))
        for feature, (columns, block) in enumerate(zip(self.columns, self.values, strict=True)):
            matrix[:, columns] = block[codes[:, feature]]
        return matrix

    def tables(self, weights: FloatArray) -> tuple[FloatArray, ...]:
        """Per-feature shares of the linear map ``encode(codes) @ weights``, without the constants.

        ``weights`` may be a vector or a ``(width, outputs)`` matrix; each share has one row per level.
        """
        return tuple(
            block @ weights[columns] for columns, block in zip(self.columns, self.values, strict=True)
        )

    def constant_share(self, weights: FloatArray) -> FloatArray:
        """What the columns that no feature fills add to ``encode(codes) @ weights``."""
        filled = np.isin(np.arange(self.width), np.concatenate(self.columns))
        return np.asarray(np.where(filled, 0.0, self.constants) @ weights)

    def check_width(self, expected: int, model: str) -> None:
        """Refuse a model that was fitted on another number of columns."""
        if expected != self.width:
            raise InputError(
                f"{model} was fitted on {expected} columns, the schema gives {self.width}; "
                "fit it on the schema's one-hot columns or pass the schema it was fitted with"
            )
