"""A problem as listing reads it: what each row gains and pays by going to each cell of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.problem import Problem

FORBIDDEN = np.iinfo(np.int64).min
MOST_MOVES = 2**27  # of one feature: pairs of cells
LARGEST_WORD = 2**62
Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Ground:
    """Gains and prices, by the cell a row comes from and the cell it goes to: no table has rows times cells.

    A *slot* is a cell of a feature, all features one after the other. In the cell that it comes from a row
    gains and pays nothing, whatever the tables say: so cells from which rows may go to the same others share
    a line of them.

    Attributes
    ----------
    rows, values : (n, p) arrays
        Cells and own values of the distinct rows.
    offsets : (p + 1,) array
        Feature ``l`` owns the slots ``offsets[l]`` to ``offsets[l + 1]``.
    units, price : arrays
        What the score (or the bound on it) gets from a target, ``FORBIDDEN`` where rows may not go or a cell
        offers none; and what going there costs.
    begin : (n, p) array
        Where the cells of each feature begin in ``units`` and ``price``, for each row.
    own : (n, p) array
        What the score gets from the value that each row has.
    deficit : (n,) array
        A row is accepted only if it gains at least this; with ``exact`` exactly then.
    potential : (n, p) array
        The largest gain of each feature.
    changeable : array
        Features in which some row may move.
    reached, goals : (slots,) boolean arrays
        Slots where some row is or may go; where some row may go.
    exact : bool
        Whether gains decide.
    """

    problem: Problem
    rows: IntArray
    values: IntArray
    offsets: IntArray
    units: IntArray
    price: IntArray
    begin: IntArray
    own: IntArray
    deficit: IntArray
    potential: IntArray
    changeable: IntArray
    reached: BoolArray
    goals: BoolArray
    exact: bool

    @classmethod
    def of(cls, problem: Problem, only: IntArray | None = None) -> Ground:
        """Work out the tables of some distinct rows; ``None``: of all."""
        relaxation = problem.oracle.relaxation()
        rows = problem.rows if only is None else problem.rows[only]
        values = problem.values if only is None else problem.values[only]
        begin, own, potential = np.zeros((3, *rows.shape), dtype=np.int64)
        units, price, reached, goals, size = [], [], [], [], 0
        for feature, n_cells in enumerate(problem.levels):
            targets = np.arange(n_cells) if problem.own is None else problem.own.targets[feature]
            cells, where = np.unique(rows[:, feature], return_inverse=True)
            may, line = _lines(problem, feature, cells, targets >= 0)
            goal = np.where(may, np.int64(0), FORBIDDEN)
            if relaxation is not None:
                score = np.asarray(relaxation.units[feature], dtype=np.int64)
                goal = np.where(may, score[targets], FORBIDDEN)
                own[:, feature] = score[values[:, feature]]
            best = _best_elsewhere(goal, line, cells)[where.ravel()]
            potential[:, feature] = np.where(best == FORBIDDEN, 0, np.maximum(best - own[:, feature], 0))
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
        return cls(
            problem=problem,
            rows=rows,
            values=values,
            offsets=np.concatenate([[0], np.cumsum(problem.levels)]).astype(np.int64),
            units=np.concatenate(units),
            price=np.concatenate(price).astype(np.int64),
            begin=begin,
            own=own,
            deficit=needed - own.sum(axis=1),
            potential=potential,
            changeable=np.flatnonzero([some.any() for some in goals]),
            reached=np.concatenate(reached),
            goals=np.concatenate(goals),
            exact=relaxation is not None and relaxation.exact,
        )

    @property
    def tables(self) -> tuple[IntArray, ...]:
        """What kernels read to tell gains and prices."""
        rows = self.begin, self.own, self.units, self.price, self.deficit
        return *rows, self.offsets, self.potential, self.rows

    @property
    def decided(self) -> bool:
        """Whether gains alone say who joins: nothing has to be asked."""
        return self.exact and not self.problem.restrictions

    @property
    def size(self) -> int:
        """How many features a full set changes."""
        return min(self.problem.max_changes, len(self.changeable))

    def gain(self, feature: int, rows: Indices, cells: Indices | None = None) -> IntArray:
        """What rows gain at some cells of a feature, or at each, ``FORBIDDEN`` where they may not go."""
        cells = np.arange(self.problem.levels[feature]) if cells is None else cells
        units = self.units[self.begin[rows, feature][:, None] + cells]
        gain = np.where(units == FORBIDDEN, FORBIDDEN, units - self.own[rows, feature][:, None])
        return np.where(cells == self.rows[rows, feature][:, None], 0, gain)

    def paid(self, feature: int, rows: Indices, cells: Indices) -> IntArray:
        """What rows pay in a feature for going to cells."""
        price = self.price[self.begin[rows, feature] + cells]
        return np.where(self.rows[rows, feature] == cells, 0, price)

    def hopeless(self) -> BoolArray:
        """Rows that no ``max_changes`` moves can help, by their gains alone: a proof for any classifier."""
        best = np.sort(self.potential, axis=1)[:, ::-1][:, : self.problem.max_changes]
        return np.asarray(best.sum(axis=1) < self.deficit)

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
            line[cell] = False
        of[index] = known.setdefault(np.int64(cell).tobytes() if priced else line.tobytes(), len(lines))
        if of[index] == len(lines):
            lines.append(line)
        if len(lines) * len(line) > MOST_MOVES:
            raise InputError(
                f"feature {feature} has {len(line):,} cells, and where rows may go differs from cell to "
                "cell: that is too much to list; give it fewer cells (of a frame with bins= or edges=)"
            )
    return np.array(lines), of


def _best_elsewhere(goal: IntArray, line: IntArray, cells: IntArray) -> IntArray:
    """The most that rows of each cell can get in another one, by the lines of the cells."""
    each, first = np.arange(len(goal)), goal.argmax(axis=1)
    best, rest = goal.max(axis=1), goal.copy()
    rest[each, first] = FORBIDDEN
    second: IntArray = rest.max(axis=1)
    return np.where(first[line] == cells, second[line], best[line])


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
