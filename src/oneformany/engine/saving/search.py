"""What no group of rows around an anchor saves more than: searches within limits, and what they prove."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.costs import Costs
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving import kernels as k
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.stop import Stop

__all__ = ["Saving", "SavingsSearch", "ranges"]

MOST_RANGES = 32
HALVINGS = 3
NODES_AT_ONCE = 50_000


@dataclass(frozen=True, eq=False)
class Saving:
    """What was found and proved around one anchor.

    Attributes
    ----------
    most : int
        No group in which the anchor pays least saves more.
    point : (p,) integer array or None
        Where the best group goes that was found.
    complete : bool
        Whether the best that was found saves the most.
    """

    most: int
    point: IntArray | None
    complete: bool


def ranges(least: int, most: int) -> Iterator[tuple[int, int]]:
    """Part what an anchor may pay into single numbers, or, where these are many, into ranges.

    Parameters
    ----------
    least, most : int
        What it pays at least and at most.
    """
    step = max(1, -(-(most - least + 1) // MOST_RANGES))
    for low in range(least, most + 1, step):
        yield low, min(most, low + step - 1)


class SavingsSearch:
    """Searches for groups of the rows of a space that save most against prices.

    Parameters
    ----------
    space : SearchSpace
        The rows.
    least : (n,) integer array
        What the cheapest change that helps each row costs at least.

    Attributes
    ----------
    nodes : int
        Search nodes so far.
    """

    def __init__(self, space: SearchSpace, least: IntArray) -> None:
        problem = space.problem
        p, width = problem.exists.shape
        prices = (problem.costs or Costs.changes(problem.levels)).tables
        costs = np.full((p, width, width), k.NEVER, dtype=np.int64)
        for feature, (table, moves) in enumerate(zip(prices, problem.moves, strict=True)):
            n = len(table)
            allowed = table if moves is None else np.where(moves | np.eye(n, dtype=np.bool_), table, k.NEVER)
            costs[feature, :n, :n] = allowed
        meeting = np.minimum((costs[:, :, None, :] + costs[:, None, :, :]).min(axis=3), k.NEVER)
        away = np.where(np.eye(width, dtype=np.bool_), k.NEVER, costs)
        self.arrays = k.SavingArrays(
            rows=space.rows,
            rank=np.unique(problem.row_of, return_index=True)[1][space.helpable],
            people=problem.multiplicity[space.helpable].astype(np.int64),
            least=least,
            levels=np.array(problem.levels, dtype=np.int64),
            costs=costs,
            meeting=meeting,
            leaving=away.min(axis=2),
            every=problem.ruled | (problem.costs is not None),
            max_changes=problem.max_changes,
            scale=ONE_IN_COVERS,
        )
        self.nodes = 0
        self._state = k.SavingState.of(len(space.rows), p, width)

    def around(self, anchor: int, prices: IntArray, floor: int, limit: int, stop: Stop) -> Saving:
        """Look for the group that saves most, and more than ``floor``, in which the anchor pays least.

        Parameters
        ----------
        anchor : int
            Which row.
        prices : (n,) integer array
            Per person, times the scale.
        floor : int
            Groups that save no more do not matter.
        limit : int
            Nodes of one search; where they do not suffice, something higher is proved.
        stop : Stop
            When to end with nothing proved.
        """
        most, best, point, complete = floor, floor, None, True
        top = (int(prices[anchor]) - 1) // self.arrays.scale
        for low, high in ranges(int(self.arrays.least[anchor]), top):
            done = self._run(anchor, prices, low, high, best, limit, stop)
            if self._best > best:
                best, point = self._best, self._point(anchor)
            if done:
                continue
            complete = False
            below, above = best, int(self._state.bound[0])
            for _ in range(HALVINGS):
                middle = (below + above) // 2
                done = self._run(anchor, prices, low, high, middle, limit, stop)
                if self._best > middle:
                    best, point = self._best, self._point(anchor)
                below, above = (below, max(middle, self._best)) if done else (max(middle, self._best), above)
            most = max(most, above)
        return Saving(max(most, best), point, complete)

    @property
    def _best(self) -> int:
        return int(self._state.scalars[k.BEST])

    def _point(self, anchor: int) -> IntArray:
        return np.where(self._state.found >= 0, self._state.found, self.arrays.rows[anchor])

    def _run(
        self, anchor: int, prices: IntArray, low: int, high: int, floor: int, limit: int, stop: Stop
    ) -> bool:
        """Run to the end (true) or to a limit (false)."""
        state = self._state
        k.begin(self.arrays, state, anchor)
        state.scalars[[k.BEST, k.LOW, k.HIGH]] = floor, low, high
        spent = 0
        while spent < limit:
            code = k.advance(self.arrays, state, prices, anchor, min(NODES_AT_ONCE, limit - spent))
            self.nodes += int(state.scalars[k.NODES]) - spent
            spent = int(state.scalars[k.NODES])
            if code == k.DONE:
                return True
            if stop.expired():
                return False
        return False
