"""What a source of columns is: known columns, and what it can prove about all others.

``choose`` and ``cheapen`` work on any source and do not know which. To add one:

1. write a class with the members below in a file of its own beside this one;
2. add a line for it to the decision table in ``opening.py``, with the estimate that speaks for it;
3. add it to the contract suite, ``tests/engine/sources/test_contract.py``, which holds it against brute
   force: what it calls proved is proved, and ``choose`` and ``cheapen`` reach the optimum.

A source may look at some rows only: rows outside are in none of its columns and have weight 0, so that a
proof about the rows inside holds for everybody, and ``settle`` finds out whom a choice leaves out.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.context import Context
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.standing import CostStanding, Standing
from oneformany.engine.table.table import ColumnTable
from oneformany.result.build import Group


@dataclass(frozen=True)
class Shortfall:
    """Why there may be columns that nobody looked for.

    ``columns`` says so for the number of explanations, ``cost`` for their cost; ``by_time``: more time would
    have helped.
    """

    columns: str = ""
    cost: str = ""
    by_time: bool = False


NOTHING_LACKS = Shortfall()  # of a source that has all columns


class Halves(NamedTuple):
    """Two sources for two cases: the distinct rows of the pair share a column, or they do not."""

    pair: tuple[int, int]
    sources: "tuple[ColumnSource, ColumnSource]"


class ColumnSource(Protocol):
    """Where columns come from.

    Rows are distinct rows of the problem, columns are named by their index in the table of that moment.
    """

    @property
    def table(self) -> ColumnTable:
        """The columns that are known, with what each row pays there.

        It is ``complete`` where each column that exists is part of one of these, so that a bound over the
        table is a bound.
        """
        ...

    @property
    def usable(self) -> int:
        """Columns from this one on may not be chosen: nobody asked about them yet, they count for bounds."""
        ...

    @property
    def reachable(self) -> BoolArray:
        """The rows that are known to be helpable."""
        ...

    @property
    def unreachable(self) -> BoolArray:
        """The rows that are proved to be beyond help; of all others nothing is known."""
        ...

    @property
    def shortfall(self) -> Shortfall:
        """Why there may be columns that nobody looked for; told where the answer is not proved."""
        ...

    @property
    def known(self) -> RowWeights | None:
        """Weights, and a capacity that no column exceeds, that were proved when the source was opened."""
        ...

    def price(self, weights: IntArray, /) -> int | None:
        """A capacity: no column at all weighs more, known or not; ``None`` where nobody knows."""
        ...

    def heavy(self, weights: IntArray, floor: int, /) -> ColumnTable | None:
        """Columns that hold, together, every column that weighs so much; ``None`` where nobody knows."""
        ...

    def savings(self, prices: IntArray, /) -> IntArray | None:
        """What groups save at most against prices per person, greatest first; ``None``: nobody knows.

        Any k groups of an answer save together at most what the first k of these add up to.
        """
        ...

    def settle(self, standing: Standing, run: Context, /) -> IntArray | None:
        """Ask the classifier about what a better answer would use; ``None`` where that changed nothing.

        Otherwise it returns columns, of the table of now, that cover at least whom the standing covers.
        """
        ...

    def split(self, run: Context, /) -> Halves | None:
        """Tell two cases apart, so that each has a better bound; ``None`` where that is not possible."""
        ...

    def better(self, run: Context, before: Standing, known: IntArray, /, *, hasty: bool) -> Standing:
        """Choose columns for the goal of the run, from known ones on: one of the masters does that.

        What was proved before is kept where it is better. ``hasty``: without what takes long, as columns may
        turn out not to exist.
        """
        ...

    def cheaper(self, run: Context, first: Standing, /) -> CostStanding | None:
        """Choose as many columns for as many people at the least cost; ``None`` where that is too much."""
        ...

    def groups(self, table: ColumnTable, chosen: IntArray, owner: IntArray, /) -> list[Group]:
        """The explanations: where the rows of each chosen column go; ``owner``: which of these a row has."""
        ...
