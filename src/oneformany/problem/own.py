"""Own values: what a model reads of each row, where cells are coarser than that."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.plain import Plain

NO_TARGET = -1


@dataclass(frozen=True, eq=False)
class OwnValues(Plain):
    """The values that a model tells apart, the cell of each, and the value that a cell sends rows to.

    Attributes
    ----------
    values : (n, p) integer array
        Each row's own value of each feature, as a code that the oracle reads.
    cell_of : tuple of p integer arrays
        ``cell_of[l][value]``: the cell that a value lies in.
    targets : tuple of p integer arrays
        ``targets[l][cell]``: the value that a row takes when it moves to a cell, or ``NO_TARGET``.

    Examples
    --------
    >>> import numpy as np
    >>> own = OwnValues(np.array([[0], [2]]), (np.array([0, 0, 1]),), (np.array([1, 2]),))
    >>> own.cell_of[0][own.values[:, 0]].tolist()
    [0, 1]
    """

    values: IntArray
    cell_of: tuple[IntArray, ...]
    targets: tuple[IntArray, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _integers(self.values))
        for name in ("cell_of", "targets"):
            object.__setattr__(self, name, tuple(map(_integers, getattr(self, name))))
        sizes = [len(cells) for cells in self.cell_of]
        if self.values.ndim != 2 or not self.values.shape[1] == len(sizes) == len(self.targets):
            raise InputError("own values need a table of rows, and cells and targets for each of its columns")
        for row, feature in np.argwhere((self.values < 0) | (self.values >= sizes))[:1].tolist():
            value = self.values[row, feature]
            raise InputError(
                f"row {row}, feature {feature}: there are {sizes[feature]} values, and none is {value}"
            )
        for feature, (cells, targets) in enumerate(zip(self.cell_of, self.targets, strict=True)):
            for cell, value in enumerate(targets.tolist()):
                if value != NO_TARGET and (not 0 <= value < len(cells) or cells[value] != cell):
                    raise InputError(f"feature {feature}: the target {value} does not lie in cell {cell}")

    @property
    def cells(self) -> IntArray:
        """The cells of the rows, ``(n, p)``."""
        return np.stack([of[self.values[:, f]] for f, of in enumerate(self.cell_of)], axis=1)

    def follow(self, values: IntArray, cells: IntArray, changed: BoolArray) -> IntArray:
        """Move ``(m, p)`` own values to target cells; a row that is in the cell already keeps its own value.

        Where the rows go, and which features may change, is one row for all or one for each; cells are read
        in changed features only.
        """
        cells = np.broadcast_to(cells, values.shape)
        changed = np.broadcast_to(changed, values.shape)
        moved = values.copy()
        for feature, (of, targets) in enumerate(zip(self.cell_of, self.targets, strict=True)):
            moves = changed[:, feature] & (of[values[:, feature]] != cells[:, feature])
            moved[moves, feature] = targets[cells[moves, feature]]
        return moved


def _integers(given: ArrayLike) -> IntArray:
    """Take integers of any kind, truth values among them."""
    array = np.asarray(given)
    if array.dtype.kind not in "iub":
        raise InputError(f"own values, their cells and targets must be integers, not {array.dtype}")
    return array.astype(np.int64) if array.dtype.kind == "b" else array
