"""What is known at one moment of a run: an answer and what is proved; a better one is a new object."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.table.table import ColumnTable


@dataclass(frozen=True, eq=False)
class TreeProof:
    """No ``budget`` columns of a table reach a goal: a tree over all that could be among them.

    The ``target`` are people that they do not cover, the cost that they exceed, or the columns that do not
    cover everybody. Weights or prices exclude all columns of the table but these ``columns``; the tree is
    over indices into them, and row number i of the tree is the distinct row ``rows[i]``.
    """

    budget: int
    target: int
    columns: ColumnTable
    tree: dict[str, Any]
    rows: IntArray


@dataclass(frozen=True, eq=False)
class Standing:
    """Columns that were chosen, the people that they cover, and what is proved.

    The proof speaks of rows, and holds its own columns: it stays valid where the table changes.

    Attributes
    ----------
    table : ColumnTable
        The columns that were known.
    chosen : array of int
        The best of them, by index.
    covered : int
        People that they cover.
    bound : int
        No so many columns cover more people than this; or, where columns count, no fewer cover as many.
    weights : RowWeights
        Weights of the rows and a capacity that no column exceeds: they say why.
    exclusion : TreeProof or None
        Where the bound is better than the weights say: why, for columns that they do not exclude.
    open : array of int
        Columns that may not be chosen, as nobody asked the classifier about them, but that something better
        could use; the likeliest first.
    """

    table: ColumnTable
    chosen: IntArray
    covered: int
    bound: int
    weights: RowWeights
    exclusion: TreeProof | None
    open: IntArray

    @property
    def columns(self) -> ColumnTable:
        """The chosen columns by themselves."""
        return self.table.take(self.chosen)

    @property
    def capacity(self) -> int:
        """No column weighs more."""
        return self.weights.capacity

    def proved_by(self, other: Self) -> Self:
        """The same columns, with what is proved in another standing."""
        return replace(self, bound=other.bound, weights=other.weights, exclusion=other.exclusion)

    def choosing(self, columns: ColumnTable, covered: int) -> Self:
        """The same proof about other columns."""
        return replace(
            self, table=columns, chosen=np.arange(len(columns)), covered=covered, open=self.open[:0]
        )
