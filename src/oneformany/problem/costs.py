"""What a change costs a row, in integers."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.plain import Plain

LARGEST_COST = 2**30  # of one move, in integers: what a result file carries


@dataclass(frozen=True, eq=False)
class Costs(Plain):
    """A non-negative integer per move between two cells of a feature; staying costs nothing.

    Attributes
    ----------
    tables : tuple of p integer arrays
        ``tables[l][from, to]``; given as any sequence of square tables.
    scale : int
        What one unit of the user's own cost is here: 1 unless costs with fractions were scaled up.
    measure : str or None
        The distance that all of them tell, such as "percentile"; ``None``: costs of the user's own.

    Examples
    --------
    >>> costs = Costs([[[0, 2], [1, 0]]])
    >>> costs.tables[0].tolist()
    [[0, 2], [1, 0]]
    """

    tables: tuple[IntArray, ...]
    scale: int = 1
    measure: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(np.asarray(table) for table in self.tables))
        for feature, table in enumerate(self.tables):
            square = table.ndim == 2 and table.shape[0] == table.shape[1]
            if not square or not np.issubdtype(table.dtype, np.integer):
                raise InputError(f"costs of feature {feature} must be a square table of integers")
            if (table < 0).any() or np.diagonal(table).any():
                raise InputError(f"costs of feature {feature}: no move may cost less than 0, staying costs 0")
            if table.max(initial=0) > LARGEST_COST:
                raise InputError(
                    f"costs of feature {feature} go up to {table.max():,}, and {LARGEST_COST:,} is the most; "
                    "give all costs in larger units"
                )

    @classmethod
    def changes(cls, levels: tuple[int, ...]) -> Self:
        """One per changed feature, for features with so many cells each."""
        return cls(tuple(1 - np.eye(n, dtype=np.int64) for n in levels))

    def of(self, before: IntArray, after: IntArray) -> IntArray:
        """Cost of moving each row of ``(n, p)`` cells to its cells afterwards."""
        return np.asarray(sum(table[before[:, f], after[:, f]] for f, table in enumerate(self.tables)))
