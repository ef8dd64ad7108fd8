"""A problem as listing reads it: what each row gains and pays by going to each cell of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.problem import Problem

FORBIDDEN = np.iinfo(np.int64).min
STAYS = FORBIDDEN + 1
LARGEST_WORD = 2**62
Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Ground:
    """Gains and prices, by the cell a row comes from and the cell it goes to: no table has rows times cells.

    A *slot* is a cell of a feature, all features one after the other.

    Attributes
    ----------
    rows, values : (n, p) arrays
        Cells and own values of the distinct rows.
    offsets : (p + 1,) array
        Feature ``l`` owns the slots ``offsets[l]`` to ``offsets[l + 1]``.
    units, price : arrays
        What the score (or the bound on it) gets from a target, ``STAYS`` in the cell that a row comes from,
        ``FORBIDDEN`` where it may not go or there is no target; and what going there costs.
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
            cells, line = np.unique(rows[:, feature], return_inverse=True)
            stays = np.arange(n_cells) == cells[:, None]
            may = np.tile(targets >= 0, (len(cells), 1))
            rule = problem.moves[feature]
            if rule is not None:
                may &= rule[cells]
            goal = np.zeros((len(cells), n_cells), dtype=np.int64)
            if relaxation is not None:
                score = np.asarray(relaxation.units[feature], dtype=np.int64)
                goal[:] = score[targets]
                own[:, feature] = score[values[:, feature]]
            goal[~may] = FORBIDDEN
            goal[stays] = STAYS
            best = goal.max(axis=1)[line.ravel()]
            potential[:, feature] = np.where(best == STAYS, 0, np.maximum(best - own[:, feature], 0))
            begin[:, feature] = size + n_cells * line.ravel()
            units.append(goal.ravel())
            price.append((~stays if problem.costs is None else problem.costs.tables[feature][cells]).ravel())
            reached.append((may | stays).any(axis=0))
            goals.append((may & ~stays).any(axis=0))
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
        return *rows, self.offsets, self.potential

    @property
    def decided(self) -> bool:
        """Whether gains alone say who joins: nothing has to be asked."""
        return self.exact and not self.problem.restrictions

    @property
    def size(self) -> int:
        """How many features a full set changes."""
        return min(self.problem.max_changes, len(self.changeable))

    def gain(self, feature: int, rows: Indices) -> IntArray:
        """What rows gain at each cell of a feature, ``FORBIDDEN`` where they may not go."""
        cells = np.arange(self.problem.levels[feature])
        units = self.units[self.begin[rows, feature][:, None] + cells]
        gain = np.where(units == STAYS, 0, units - self.own[rows, feature][:, None])
        return np.where(units == FORBIDDEN, FORBIDDEN, gain)

    def paid(self, feature: int, rows: Indices, cells: Indices) -> IntArray:
        """What rows pay in a feature for going to cells."""
        return np.asarray(self.price[self.begin[rows, feature] + cells])

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
