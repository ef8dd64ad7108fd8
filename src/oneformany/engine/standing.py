"""What is known at one moment of a run: an answer and what is proved; a better one is a new object."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.table.table import ColumnTable
from oneformany.result.proof import Cost


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
    weights : RowWeights or None
        Weights of the rows and a capacity that no column exceeds: they say why; ``None`` where nothing but
        common sense is proved, such as that nobody is helped by no explanation.
    exclusion : TreeProof or None
        Where the bound is better than the weights say: why, for columns that they do not exclude.
    open : array of int
        Columns that may not be chosen, as nobody asked the classifier about them, but that something better
        could use; the likeliest first.
    scope : array of int or None
        The rows that the weights and the exclusion speak of, where these are not all.
    cases : Cases or None
        Where the bound comes from a distinction of cases instead: these.
    """

    table: ColumnTable
    chosen: IntArray
    covered: int
    bound: int
    weights: RowWeights | None
    exclusion: TreeProof | None
    open: IntArray
    scope: IntArray | None = None
    cases: "Cases | None" = None

    @property
    def columns(self) -> ColumnTable:
        """The chosen columns by themselves."""
        return self.table.take(self.chosen)

    @property
    def duals(self) -> FloatArray | None:
        """The weights in parts of the capacity, if there are any."""
        return None if self.weights is None else self.weights.duals

    def proved_by(self, other: Self) -> Self:
        """The same columns, with what is proved in another standing."""
        names = "bound", "weights", "exclusion", "scope", "cases"
        return replace(self, **{name: getattr(other, name) for name in names})

    def by_cases(self, cases: "Cases") -> Self:
        """The same columns, with what a distinction of cases proves."""
        return replace(self, bound=cases.bound, weights=None, exclusion=None, cases=cases)

    def by_weights(self, weights: RowWeights) -> Self:
        """The same columns, with what some weights prove about everybody."""
        return replace(self, bound=weights.fewest(spare=0), weights=weights, exclusion=None)

    def excluding(self, exclusion: TreeProof) -> Self:
        """The same weights, with a tree that proves that a number of columns does not suffice."""
        return replace(self, bound=exclusion.target + 1, exclusion=exclusion)

    @property
    def closed(self) -> Self:
        """The same, with nothing left to ask about columns."""
        return replace(self, open=self.open[:0])


@dataclass(frozen=True, eq=False)
class Cases:
    """Two distinct rows share a column, or they do not; what is proved in each case."""

    pair: tuple[int, int]
    together: Standing
    apart: Standing

    @property
    def bound(self) -> int:
        """What holds in both."""
        return min(self.together.bound, self.apart.bound)


@dataclass(frozen=True, eq=False)
class CostStanding:
    """Columns at the least cost, who is served by which, and what it is proved to cost at least.

    ``owner`` holds for each row the index in ``chosen`` of the column that serves it, -1: none, or it is left
    out. The cost counts each row with its people.
    """

    table: ColumnTable
    chosen: IntArray
    owner: IntArray
    cost: int
    proof: Cost | None

    @property
    def columns(self) -> tuple[ColumnTable, IntArray, IntArray]:
        """The table, which of its columns were chosen, and which of these each row has."""
        return self.table, self.chosen, self.owner

    @property
    def proved(self) -> bool:
        """Whether no choice costs less."""
        return self.proof is not None and self.proof.bound >= self.cost


def nothing_known(table: ColumnTable) -> Standing:
    """Where a run stands before anything is chosen or proved."""
    nothing = np.zeros(0, dtype=np.int64)
    return Standing(table, nothing, 0, 0, None, None, nothing)
