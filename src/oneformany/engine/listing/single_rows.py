"""What a row can do by itself: its cheapest change, any change, or a proof that there is none."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.scaling import UNPAYABLE
from oneformany.stop import Stop

SECONDS_PER_QUESTION = 1.0  # of the first pass over rows, so that one hard row does not take the time of all
# Of which all ways are tried: rows that nothing else settled are few, and their ways many
ROWS_TRIED_AT_ONCE = 16
STEPS_AT_ONCE = 1 << 24  # less than a tenth of a second, between two looks at the clock
MOST_WAYS = 1e6  # of a row, that are all tried


def cheapest(
    ground: Ground, batches: Batches, rows: Indices, features: IntArray, budget: int
) -> tuple[IntArray, NDArray[np.int32]]:
    """Find the cheapest way of each row by itself that changes at most ``budget`` of some features.

    Returns what it costs, -1 where there is none, and ``(rows, p)`` cells to go to, -1 where a row stays.
    Ends by :class:`OutOfTimeError`.
    """
    cells = np.full((len(rows), ground.rows.shape[1]), -1, dtype=np.int32)
    if not ground.decided:
        return _cheapest_by_asking(ground, batches, rows, features, budget, cells), cells
    costs, members = np.empty(len(rows), dtype=np.int64), rows.astype(np.int32)
    path = kernels.Path(*np.zeros((6, len(features) + 1), dtype=np.int64))
    known = ground.gains, features, budget, ground.least_price
    state, done = np.array([0, -1, -1]), False
    while not done:
        if batches.stop.expired():
            raise OutOfTimeError
        done = kernels.cheapest_each(*known, members, cells, path, costs, state, STEPS_AT_ONCE)
    return costs, cells


def _cheapest_by_asking(
    ground: Ground, batches: Batches, rows: Indices, features: IntArray, budget: int, cells: NDArray[np.int32]
) -> IntArray:
    """Try all changes of no feature, of one, of two; where each change costs one, the first is cheapest."""
    costs = np.full(len(rows), UNPAYABLE)
    left = np.arange(len(rows))
    for size in range(budget + 1):
        for chosen in combinations(features.tolist(), size):
            if ground.problem.costs is None:
                left = left[costs[left] == UNPAYABLE]
            if not len(left):
                break
            least, goals = cheapest_of_set(ground, batches, rows[left], chosen)
            better = least < costs[left]
            costs[left[better]] = least[better]
            cells[left[better]] = -1
            cells[left[better][:, None], chosen] = goals[better]
    return np.where(costs == UNPAYABLE, -1, costs)


def cheapest_of_set(
    ground: Ground, batches: Batches, rows: Indices, changed: Sequence[int]
) -> tuple[IntArray, IntArray]:
    """What moving in all of some features, and no other, costs each row at least, and where to."""
    choices = ground.choices(changed, ground.goals)
    if not len(choices) or not len(rows):
        return np.full(len(rows), UNPAYABLE), np.zeros((len(rows), len(changed)), dtype=np.int64)
    accepted = batches.accepted(np.array(changed, dtype=np.int64), rows, choices, moved=True)
    price = np.zeros(accepted.shape, dtype=np.int64)
    for j, feature in enumerate(changed):
        price += ground.price[ground.begin[rows, feature][:, None] + choices[:, j]]
    price[~accepted] = UNPAYABLE
    best = price.argmin(axis=1)
    return price[np.arange(len(rows)), best], choices[best]


@dataclass(frozen=True, eq=False)
class Reached:
    """Rows with a change that the classifier accepts, the cells they go to, and rows proved to have none.

    Of rows that are neither reachable nor unreachable nothing is known.
    """

    reachable: BoolArray
    cells: IntArray
    unreachable: BoolArray

    @property
    def helpable(self) -> IntArray:
        """The reachable rows."""
        return np.flatnonzero(self.reachable)


def reach_rows(
    ground: Ground,
    stop: Stop,
    some: BoolArray | None = None,
    known: Mapping[int, IntArray] | None = None,
    *,
    try_all: bool = True,
) -> Reached:
    """Find for every row, or for some, a change that the classifier accepts, or a proof that there is none.

    With ``try_all`` questions that take long are put again at the end, or everything that a row could do is
    tried; otherwise what an oracle leaves open stays open. ``known`` holds cells at which some rows are
    accepted: nothing is asked about these again.
    """
    problem, batches, ways = ground.problem, Batches(ground, stop), ground.ways(ground.goals).sum()
    reachable, cells, unreachable = (
        np.zeros(len(ground.rows), np.bool_),
        ground.rows.copy(),
        ground.hopeless(),
    )
    for row, point in (known or {}).items():
        reachable[row], cells[row] = True, point
    asked_about = np.ones(len(ground.rows), np.bool_) if some is None else some
    if problem.alone is not None:  # what there is to know about single rows was found out before
        reachable |= problem.alone.known[ground.which] & asked_about
        cells[reachable] = problem.alone.ends[ground.which[reachable]]
        asked_about = np.zeros(len(ground.rows), np.bool_)
    hard = np.flatnonzero(asked_about & ~reachable & ~unreachable)
    with suppress(OutOfTimeError):
        for seconds in (SECONDS_PER_QUESTION, np.inf) if try_all else (np.inf,):
            left, hard = hard, hard[:0]
            while len(left) and not stop.expired():
                row, left = int(left[0]), left[1:]
                question = replace(problem.question(row), stop=stop.part(seconds))
                answer = problem.oracle.reach(question)
                unreachable[row] = answer.proved_none
                if answer.point is not None:
                    goal = problem.cells_of(answer.point)
                    changed = np.flatnonzero(goal != ground.rows[row])
                    asked = np.append(row, left[: int(min(len(left), ground.calls_left))])
                    joins = batches.accepted(changed, asked, goal[None, changed])[:, 0]
                    reachable[asked[joins]] = True
                    cells[asked[joins][:, None], changed] = goal[changed]
                    left = left[~reachable[left]]
                if not (reachable[row] or unreachable[row]):  # a rule on whole rows may forbid what was found
                    hard = np.append(hard, row)
            if try_all and ways <= MOST_WAYS and ways * len(hard) <= ground.calls_left:
                break
        else:
            if len(hard) and not stop.expired():
                stop.met("calls" if np.isfinite(ground.most_calls) else "questions")
            hard = hard[:0]
        for few in np.array_split(hard, -(-len(hard) // ROWS_TRIED_AT_ONCE)) if len(hard) else ():
            costs, goals = cheapest(ground, batches, few, ground.changeable, ground.size)
            reachable[few[costs >= 0]] = True
            unreachable[few[costs < 0]] = True
            cells[few] = np.where(goals >= 0, goals, cells[few])
    return Reached(reachable, cells, unreachable)
