"""Groups of rows and costs: what moves cost, and what no group saves more than."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.certificate import first_given
from oneformany.engine.pricing.kernels import BEST, DONE, LIMIT, NODES, new_state
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving import kernels as k
from oneformany.engine.saving.kernels import NEVER
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop

MOST_RANGES = 32  # of what an anchor may pay: each is a search of its own, and makes the bound tighter
SAVING_NODES_AT_ONCE = 50_000  # between two looks at the clock


def move_costs(problem: Problem) -> IntArray:
    """``(p, V, V)``: what going from a level to another costs, ``NEVER`` where that is not allowed."""
    p, width = problem.exists.shape
    costs = np.full((p, width, width), NEVER, dtype=np.int64)
    tables = (problem.costs or Costs.changes(problem.levels)).tables
    for feature, (table, moves) in enumerate(zip(tables, problem.moves, strict=True)):
        n = len(table)
        costs[feature, :n, :n] = table if moves is None else np.where(moves, table, NEVER)
    return costs


def leaving_costs(costs: IntArray) -> IntArray:
    """``(p, V)``: the least that going away from a level costs."""
    return np.asarray(np.where(np.eye(costs.shape[1], dtype=np.bool_), NEVER, costs).min(axis=2))


def meeting_costs(costs: IntArray, rows: IntArray) -> IntArray:
    """``(p, V, V)``: what rows at two levels pay at least together to meet, for levels that rows have."""
    together = np.full(costs.shape, NEVER)
    for feature, moves in enumerate(costs):
        levels = np.unique(rows[:, feature])
        for level in levels.tolist():
            together[feature, level, levels] = (moves[level] + moves[levels]).min(axis=1)
    return np.asarray(np.minimum(together, NEVER))


def fewest_changes(space: SearchSpace, stop: Stop) -> IntArray:
    """For each row of the space a number of changes below which none is proved to help."""
    problem = space.problem
    fewest = np.zeros(len(space.helpable), dtype=np.int64)
    for index, row in enumerate(space.helpable.tolist()):
        question = replace(problem.question(row), stop=stop)
        while fewest[index] < problem.max_changes and not stop.expired():
            if not problem.oracle.reach(replace(question, extra=int(fewest[index]))).proved_none:
                break
            fewest[index] += 1
    return fewest


def least_costs(problem: Problem, rows: IntArray, changes: IntArray) -> IntArray:
    """What so many changes cost each row at least: as many of its cheapest moves in different features."""
    moves = leaving_costs(move_costs(problem))[np.arange(problem.n_features), rows]
    totals = np.cumsum(np.sort(moves, axis=1), axis=1)
    every = np.concatenate((np.zeros((len(rows), 1), dtype=np.int64), totals), axis=1)
    return np.minimum(every[np.arange(len(rows)), changes], NEVER)


class Saving(NamedTuple):
    """What was found and proved around one anchor."""

    most: int  # no group in which the anchor pays least saves more
    rows: IntArray  # the best group that was found; none where it is empty
    point: IntArray  # where it goes
    complete: bool  # whether it saves the most


class SavingsSearch:
    """Searches for groups of the rows of a space that save most against prices.

    ``least`` is what the cheapest change that helps each row costs at least.
    """

    def __init__(self, space: SearchSpace, least: IntArray) -> None:
        problem = space.problem
        n, p = space.rows.shape
        costs = move_costs(problem)
        self.arrays = space.arrays
        self.market = k.Market(
            rank=first_given(problem)[space.helpable],
            people=problem.multiplicity[space.helpable].astype(np.int64),
            least=least,
            costs=costs,
            meeting=meeting_costs(costs, space.rows),
            every=problem.ruled | (problem.costs is not None),
            scale=ONE_IN_COVERS,
            paid=np.zeros((p + 2, n), dtype=np.int64),
        )
        self.nodes = 0
        self._state = new_state(n, p, scalars=6)

    def around(self, anchor: int, prices: IntArray, floor: int, limit: int, stop: Stop) -> Saving:
        """Look for the group that saves most, and more than ``floor``, in which the anchor pays least.

        Prices are per person, times the scale. Where ``limit`` nodes do not suffice for a search, something
        higher is proved.
        """
        arrays, market, state, scalars = self.arrays, self.market, self._state, self._state.scalars
        most, best, complete = floor, floor, True
        point, found = arrays.rows[anchor], np.zeros(0, dtype=np.int64)
        least, top = int(market.least[anchor]), (int(prices[anchor]) - 1) // market.scale
        step = max(1, -(-(top - least + 1) // MOST_RANGES))  # single numbers, unless these are many
        for low in range(least, top + 1, step):
            scalars[:] = 0
            scalars[[BEST, k.LOW, k.HIGH]] = best, low, min(top, low + step - 1)
            code = LIMIT
            while code == LIMIT and scalars[NODES] < limit and not (scalars[NODES] and stop.expired()):
                chunk = min(SAVING_NODES_AT_ONCE, limit - int(scalars[NODES]))
                code = k.advance(arrays, market, state, prices, anchor, chunk)
            self.nodes += int(scalars[NODES])
            if code != DONE:
                most, complete = max(most, int(state.nodes["bound"][0])), False
            if scalars[BEST] > best:
                best, changed = int(scalars[BEST]), state.found >= 0
                point = np.where(changed, state.found, arrays.rows[anchor])
                paid = market.costs[np.arange(len(point)), arrays.rows, point].sum(axis=1)
                gains = market.scale * np.maximum(market.least, paid) < prices
                found = np.flatnonzero(gains & (changed | (arrays.rows == point)).all(axis=1))
        return Saving(max(most, best), found, point, complete)
