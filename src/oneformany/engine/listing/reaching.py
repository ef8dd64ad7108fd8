"""Whether each row can be helped: by what helped another row, by a search, or by trying every change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.cheapest import cheapest
from oneformany.engine.listing.ground import Ground
from oneformany.stop import Stop

REACHING_TIME = 0.4
"""The share of the time that is left which rows one by one may take."""

SECONDS_PER_QUESTION = 1.0
ROWS_AT_ONCE = 16


@dataclass(frozen=True, eq=False)
class Reached:
    """Rows with a change that the classifier accepts, the cells they go to, and rows proved to have none."""

    reachable: BoolArray
    cells: IntArray
    unreachable: BoolArray


def reach_rows(ground: Ground, batches: Batches, rows: IntArray, stop: Stop) -> Reached:
    """Find for each of some rows a change that the classifier accepts, or a proof that there is none.

    Where time does not suffice, nothing is known about the rest.
    """
    problem = ground.problem
    cells = ground.rows.copy()
    reachable = np.zeros(len(cells), dtype=np.bool_)
    unreachable = ground.hopeless()
    left = rows[~unreachable[rows]]
    hard = []
    try:
        while len(left) and not stop.expired():
            row, left = int(left[0]), left[1:]
            part = stop.part(SECONDS_PER_QUESTION)
            answer = problem.oracle.reach(replace(problem.question(row), stop=part))
            if answer.point is None:
                if answer.proved_none:
                    unreachable[row] = True
                else:
                    hard.append(row)
                continue
            goal = problem.cells_of(answer.point)
            changed = np.flatnonzero(goal != ground.rows[row])
            asked = np.concatenate([[row], left])
            joins = batches.accepted(changed, asked, goal[None, changed])[:, 0]
            reachable[asked[joins]] = True
            cells[asked[joins][:, None], changed] = goal[changed]
            left = left[~joins[1:]]
            if not joins[0]:  # a rule on whole rows forbids it
                hard.append(row)
        for begin in range(0, len(hard), ROWS_AT_ONCE):
            some = np.array(hard[begin : begin + ROWS_AT_ONCE])
            costs, goals = cheapest(ground, batches, some, ground.changeable, ground.size)
            reachable[some[costs >= 0]] = True
            unreachable[some[costs < 0]] = True
            cells[some] = np.where(goals >= 0, goals, cells[some])
    except OutOfTimeError:
        pass
    return Reached(reachable, cells, unreachable)
