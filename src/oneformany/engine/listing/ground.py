"""A problem as listing reads it: what each row gains and pays by going to each cell of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.oracles.protocol import Relaxation
from oneformany.problem import Problem

FORBIDDEN = np.iinfo(np.int64).min
BYTES_PER_ENTRY = 16  # gain and price of a row at a slot
Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Ground:
    """One entry per row and *slot*: the cells of all features, one feature after the other.

    Attributes
    ----------
    rows, values : (n, p) arrays
        Cells and own values of the distinct rows.
    offsets : (p + 1,) array
        Feature ``l`` owns the slots ``offsets[l]`` to ``offsets[l + 1]``.
    gain : (n, slots) array
        What the score (or the bound on it) gains when a row goes there: 0 where it is, ``FORBIDDEN`` where it
        may not go or where there is no target.
    price : (n, slots) array
        What going there costs the row.
    deficit : (n,) array
        A row is accepted only if it gains at least this; with ``exact`` exactly then.
    potential : (n, p) array
        The largest gain of each feature.
    changeable : array
        Features in which some row may move.
    reached : (slots,) boolean array
        Slots where some row is or may go.
    goals : (slots,) boolean array
        Slots where some row may go.
    simple : bool
        Whether rows that end at the same point gain the same score there, and nobody is forbidden anything.
    exact : bool
        Whether gains decide.
    """

    problem: Problem
    rows: IntArray
    values: IntArray
    offsets: IntArray
    gain: IntArray
    price: IntArray
    deficit: IntArray
    potential: IntArray
    changeable: IntArray
    reached: BoolArray
    goals: BoolArray
    simple: bool
    exact: bool

    @classmethod
    def of(cls, problem: Problem, only: IntArray | None = None) -> Ground:
        """Work out the tables of some distinct rows; ``None``: of all."""
        relaxation = problem.oracle.relaxation()
        rows = problem.rows if only is None else problem.rows[only]
        values = problem.values if only is None else problem.values[only]
        n, p = rows.shape
        offsets = np.concatenate([[0], np.cumsum(problem.levels)]).astype(np.int64)
        gain = np.empty((n, offsets[-1]), dtype=np.int64)
        price = np.empty((n, offsets[-1]), dtype=np.int64)
        for feature in range(p):
            own = slice(offsets[feature], offsets[feature + 1])
            gain[:, own] = gains(problem, relaxation, feature, rows[:, feature], values[:, feature])
            price[:, own] = _prices(problem, feature, rows[:, feature])
        moves = gain != FORBIDDEN
        reached = moves.any(axis=0)
        simple = problem.own is None and bool(moves.all())
        moves[np.arange(n)[:, None], offsets[:-1] + rows] = False
        changeable = [
            feature for feature in range(p) if moves[:, offsets[feature] : offsets[feature + 1]].any()
        ]
        potential = np.maximum.reduceat(gain, offsets[:-1], axis=1)
        return cls(
            problem=problem,
            rows=rows,
            values=values,
            offsets=offsets,
            gain=gain,
            price=price,
            deficit=deficits(relaxation, values),
            potential=potential,
            changeable=np.array(changeable, dtype=np.int64),
            reached=reached,
            goals=moves.any(axis=0),
            simple=simple,
            exact=relaxation is not None and relaxation.exact,
        )

    @property
    def tables(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Gains, prices, deficits and offsets, as kernels take them."""
        return self.gain, self.price, self.deficit, self.offsets

    @property
    def decided(self) -> bool:
        """Whether gains alone say who joins: nothing has to be asked."""
        return self.exact and not self.problem.restrictions

    @property
    def size(self) -> int:
        """How many features a full set changes."""
        return min(self.problem.max_changes, len(self.changeable))

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

    def room(self, features: IntArray) -> tuple[BoolArray, IntArray, IntArray]:
        """Room for kernels to work in: per feature and cell, one bit and three numbers; eight per feature."""
        k = len(features)
        widest = int(np.diff(self.offsets)[features].max(initial=1))
        wide = np.zeros((3, k, widest), dtype=np.int64)
        return np.zeros((k, widest), dtype=np.bool_), wide, np.zeros((8, k + 1), dtype=np.int64)


def gains(
    problem: Problem, relaxation: Relaxation | None, feature: int, cells: IntArray, values: IntArray
) -> IntArray:
    """What rows in these cells, with these own values, gain at each cell of a feature."""
    n_cells = problem.levels[feature]
    targets = np.arange(n_cells) if problem.own is None else problem.own.targets[feature]
    if relaxation is None:
        gain = np.zeros((len(cells), n_cells), dtype=np.int64)
    else:
        units = np.asarray(relaxation.units[feature], dtype=np.int64)
        gain = units[np.maximum(targets, 0)][None, :] - units[values][:, None]
    gain[:, targets < 0] = FORBIDDEN
    rule = None if problem.allowed is None else problem.allowed[feature]
    if rule is not None:
        gain[~np.asarray(rule, dtype=np.bool_)[cells]] = FORBIDDEN
    gain[np.arange(len(cells)), cells] = 0
    return gain


def _prices(problem: Problem, feature: int, cells: IntArray) -> IntArray:
    if problem.costs is not None:
        return np.asarray(problem.costs.tables[feature][cells])
    price = np.ones((len(cells), problem.levels[feature]), dtype=np.int64)
    price[np.arange(len(cells)), cells] = 0
    return price


def deficits(relaxation: Relaxation | None, values: IntArray) -> IntArray:
    """What rows with these own values have to gain at least."""
    if relaxation is None:
        return np.zeros(len(values), dtype=np.int64)
    score = np.full(len(values), relaxation.intercept, dtype=np.int64)
    for feature, own in enumerate(values.T):
        score += np.asarray(relaxation.units[feature], dtype=np.int64)[own]
    return np.asarray(relaxation.threshold - score)
