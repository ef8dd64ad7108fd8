"""A problem as listing reads it: what each row gains and pays by going to each cell of each feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.listing.kernels import NO_MOVE, Gains, number
from oneformany.exceptions import Argument, InputError
from oneformany.problem import Problem

MOST_MOVES = 2**27  # of one feature: pairs of cells
LARGEST_WORD = 2**62  # cells of several features are one number, as long as it stays within 64 bits
Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Ground:
    """Gains and prices, by the cell a row comes from and the cell it goes to: no table has rows times cells.

    A *slot* is a cell of a feature, all features one after the other. In the cell that it comes from a row
    gains and pays nothing, whatever the tables say: so cells from which rows may go to the same others share
    a line of them.
    """

    problem: Problem
    which: IntArray  # (n,): which of the distinct rows these are
    rows: IntArray  # (n, p): their cells
    values: IntArray  # (n, p): their own values
    offsets: IntArray  # feature l owns the slots from offsets[l] to offsets[l + 1]
    units: IntArray  # what the score, or its bound, gets from a target; NO_MOVE where rows may not go
    price: IntArray  # what going there costs
    begin: IntArray  # (n, p): where the cells of each feature begin in units and price, for each row
    own: IntArray  # (n, p): what the score gets from the value that each row has
    deficit: IntArray  # (n,): a row is accepted only if it gains at least this; with exact exactly then
    potential: IntArray  # (n, p): the largest gain of each feature
    changeable: IntArray  # features in which some row may move
    reached: BoolArray  # slots where some row is or may go
    goals: BoolArray  # slots where some row may go
    exact: bool  # whether gains decide

    @classmethod
    def of(cls, problem: Problem, only: IntArray | None = None) -> Self:
        """Work out the tables of some distinct rows; ``None``: of all."""
        relaxation = problem.oracle.relaxation()
        some = np.arange(len(problem.rows)) if only is None else only
        rows, values = problem.rows[some], problem.values[some]
        begin, own, potential = np.zeros((3, *rows.shape), dtype=np.int64)
        units, price, reached, goals, size = [], [], [], [], 0
        for feature, n_cells in enumerate(problem.levels):
            targets = np.arange(n_cells) if problem.own is None else problem.own.targets[feature]
            cells, where = np.unique(rows[:, feature], return_inverse=True)
            may, line = _lines(problem, feature, cells, targets >= 0)
            goal = np.where(may, np.int64(0), NO_MOVE)
            if relaxation is not None:
                score = np.asarray(relaxation.units[feature], dtype=np.int64)
                goal = np.where(may, score[targets], NO_MOVE)
                own[:, feature] = score[values[:, feature]]
            first = goal.argmax(axis=1)  # the most that rows can get in another cell
            rest = np.where(np.arange(n_cells) == first[:, None], NO_MOVE, goal).max(axis=1)
            best = np.where(first[line] == cells, rest[line], goal.max(axis=1)[line])[where.ravel()]
            potential[:, feature] = np.where(best == NO_MOVE, 0, np.maximum(best - own[:, feature], 0))
            begin[:, feature] = size + n_cells * line[where.ravel()]
            units.append(goal.ravel())
            table = np.ones(goal.shape) if problem.costs is None else problem.costs.tables[feature][cells]
            price.append(table.ravel())
            elsewhere = may.copy()
            single = np.bincount(line)[line] == 1
            elsewhere[line[single], cells[single]] = False
            goals.append(elsewhere.any(axis=0))
            reached.append(may.any(axis=0) | np.isin(np.arange(n_cells), cells))
            size += goal.size
        needed = 0 if relaxation is None else relaxation.threshold - relaxation.intercept
        offsets = np.append(0, np.cumsum(problem.levels)).astype(np.int64)
        tables = np.concatenate(units), np.concatenate(price).astype(np.int64), begin, own
        changeable = np.flatnonzero([some.any() for some in goals])
        slots = np.concatenate(reached), np.concatenate(goals)
        exact = relaxation is not None and relaxation.exact
        deficit = needed - own.sum(axis=1)
        return cls(
            problem, some, rows, values, offsets, *tables, deficit, potential, changeable, *slots, exact
        )

    @property
    def gains(self) -> Gains:
        """What kernels read to tell gains and prices."""
        rows = self.begin, self.own, self.units, self.price, self.deficit
        return Gains(*rows, self.offsets, self.potential, self.rows)

    @property
    def decided(self) -> bool:
        """Whether gains alone say who joins: nothing has to be asked."""
        return self.exact and not self.problem.restricted

    @property
    def size(self) -> int:
        """How many features a full set changes."""
        return min(self.problem.max_changes, len(self.changeable))

    @cached_property
    def least_price(self) -> int:
        """No move costs less."""
        costs = self.problem.costs
        moves = (
            [] if costs is None else [table[~np.eye(len(table), dtype=np.bool_)] for table in costs.tables]
        )
        return min((int(some.min()) for some in moves if len(some)), default=1)

    def gain(self, feature: int, rows: Indices, cells: Indices | None = None) -> IntArray:
        """What rows gain at some cells of a feature, or at each, ``NO_MOVE`` where they may not go."""
        cells = np.arange(self.problem.levels[feature]) if cells is None else cells
        units = self.units[self.begin[rows, feature][:, None] + cells]
        gain = np.where(units == NO_MOVE, NO_MOVE, units - self.own[rows, feature][:, None])
        return np.where(cells == self.rows[rows, feature][:, None], 0, gain)

    def paid(self, rows: Indices, cells: IntArray) -> IntArray:
        """What each of some rows pays for going to its cells ``(rows, p)``."""
        prices = self.price[self.begin[rows] + cells]
        return np.asarray(np.where(cells != self.rows[rows], prices, 0).sum(axis=1))

    def values_at(self, rows: Indices, cells: IntArray) -> IntArray:
        """Values of rows that move to cells."""
        own = self.problem.own
        if own is None:
            return cells
        return own.follow(self.values[rows], cells, np.ones(cells.shape, dtype=np.bool_))

    @property
    def most_calls(self) -> float:
        """How many points the classifier may be asked about in all."""
        most = getattr(self.problem.oracle, "max_calls", None)
        return np.inf if most is None else most

    @property
    def calls_left(self) -> float:
        """How many of them it was not asked about so far."""
        return max(0, self.most_calls - getattr(self.problem.oracle, "asked", 0))

    def counts(self, slots: BoolArray) -> FloatArray:
        """How many of some slots each changeable feature has."""
        return np.add.reduceat(slots.astype(np.float64), self.offsets[:-1])[self.changeable]

    def ways(self, slots: BoolArray) -> FloatArray:
        """Ways to choose no feature, one, two and so on up to full size, and a slot of each."""
        lines = [np.array([1.0, count]) for count in self.counts(slots)]
        return reduce(np.convolve, lines, np.ones(1))[: self.size + 1]

    def hopeless(self) -> BoolArray:
        """Rows that no ``max_changes`` moves can help, by their gains alone: a proof for any classifier.

        And those of which that was proved before.
        """
        best = np.sort(self.potential, axis=1)[:, ::-1][:, : self.problem.max_changes]
        alone = self.problem.alone
        return np.asarray(best.sum(axis=1) < self.deficit) | (alone is not None and alone.beyond[self.which])

    def choices(self, features: Sequence[int], slots: BoolArray) -> IntArray:
        """All combinations of the cells at these slots, of some features: ``(m, features)``."""
        cells = [np.flatnonzero(slots[self.offsets[f] : self.offsets[f + 1]]) for f in features]
        if not cells:
            return np.zeros((1, 0), dtype=np.int64)
        return np.stack([axis.ravel() for axis in np.meshgrid(*cells, indexing="ij")], axis=1)


def _lines(problem: Problem, feature: int, cells: IntArray, offered: BoolArray) -> tuple[BoolArray, IntArray]:
    """Where rows may go from some cells of a feature: lines of cells, and the line of each."""
    rule, priced = problem.moves[feature], problem.costs is not None
    if rule is None and not priced:
        return offered[None], np.zeros(len(cells), dtype=np.int64)
    lines: list[BoolArray] = []
    known: dict[bytes, int] = {}
    of = np.empty(len(cells), dtype=np.int64)
    for index, cell in enumerate(cells.tolist()):
        line = offered.copy()
        if rule is not None:
            line &= rule[cell]
            line[cell] = offered[cell] & rule[cell - 1, cell]  # as of its neighbour, so that lines are alike
        of[index] = known.setdefault(bytes(str(cell), "ascii") if priced else line.tobytes(), len(lines))
        if of[index] == len(lines):
            lines.append(line)
        if len(lines) * len(line) > MOST_MOVES:
            raise InputError(
                f"feature {feature} has {len(line):,} cells, and where rows may go differs from cell to "
                "cell: that is too much to list; give it fewer cells (",
                Argument("cells"),
                ")",
            )
    return np.array(lines), of


def word_factors(levels: tuple[int, ...]) -> IntArray:
    """Factors ``(p, words)`` that turn a row of levels into a few integers, different for different rows."""
    columns = [np.zeros(len(levels), dtype=np.int64)]
    size = 1
    for feature, n in enumerate(levels):
        if size * n > LARGEST_WORD:
            columns.append(np.zeros(len(levels), dtype=np.int64))
            size = 1
        columns[-1][feature] = size
        size *= n
    return np.stack(columns, axis=1)


def numbered(words: IntArray) -> tuple[NDArray[np.int32], IntArray]:
    """Number distinct lines of words as they first appear: the number of each line, and the first of each."""
    n = len(words)
    numbers, slots = np.empty(n, dtype=np.int32), np.full(1 << (2 * n).bit_length(), -1, dtype=np.int32)
    count = number(words, np.empty_like(words), slots, 0, numbers)
    first = np.empty(count, dtype=np.int64)
    first[numbers[::-1]] = np.arange(n)[::-1]
    return numbers, first


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Cells of rows, also as a few integers each: sums over features, so that some are easily left out."""

    cells: IntArray
    factors: IntArray
    words: IntArray

    @classmethod
    def of(cls, ground: Ground, only: IntArray | None = None) -> Self:
        """Code some rows of a problem; ``None``: all."""
        cells = ground.rows if only is None else ground.rows[only]
        factors = word_factors(ground.problem.levels)
        return cls(cells, factors, cells @ factors)

    def agreeing(self, features: IntArray) -> tuple[NDArray[np.int32], IntArray]:
        """Sets of two or more rows that agree outside of some features: their rows, and where each begins."""
        bucket, first = numbered(self.words - self.cells[:, features] @ self.factors[features])
        rows = np.arange(len(bucket) + 1, dtype=np.int32)
        by_bucket = sparse.csc_matrix((rows[:-1], bucket, rows), shape=(len(first), len(bucket))).tocsr()
        sizes = np.diff(by_bucket.indptr)
        several = sizes >= 2
        starts = np.concatenate([[0], np.cumsum(sizes[several], dtype=np.int64)])
        return by_bucket.data[np.repeat(several, sizes)], starts
