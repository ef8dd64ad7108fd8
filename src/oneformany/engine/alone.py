"""The cheapest way of each row by itself, proved: what a slack is counted from."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.few.listed_rows import ListedRows
from oneformany.engine.few.offered import Offered
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import MOST_WAYS, ROWS_TRIED_AT_ONCE, cheapest
from oneformany.oracles.actions import JudgesActions
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.constrained import ConstrainedOracle
from oneformany.oracles.protocol import POSITIVE
from oneformany.problem import Problem
from oneformany.problem.slack import Alone
from oneformany.stop import Stop

# Bytes of an action of one row: its slots, what it costs, what the classifier says.
BYTES_OF_A_WAY = 64

Way = tuple[int, IntArray | None]
"""A distinct row, and the cells that it goes to at the least cost; ``None``: proved that nothing helps it."""


def with_ways_alone(problem: Problem, hopeful: Iterator[Problem], stop: Stop) -> Problem:
    """Tell a problem with a slack the cheapest way of each row, as far as there is time to prove it.

    What is the cheapest where all doubtful points are ``hopeful``, and is accepted, is the cheapest.
    """
    ends, known, beyond = problem.rows.copy(), *np.zeros((2, len(problem.rows)), dtype=np.bool_)
    for asked in chain(hopeful, [problem]):
        left = np.flatnonzero(~(known | beyond))
        for row, cells in cheapest_ways(replace(asked, slack=None), left, stop):
            if cells is None:
                beyond[row] = True
            elif asked is problem or _accepted(problem, row, cells):
                ends[row], known[row] = cells, True
    return replace(problem, alone=Alone(ends, known, beyond))


def _accepted(problem: Problem, row: int, cells: IntArray) -> bool:
    values = cells[None]
    if problem.own is not None:
        values = problem.own.follow(problem.values[[row]], values, np.array(True))
    return bool(problem.oracle.positive(values)[0])


def cheapest_ways(problem: Problem, rows: IntArray, stop: Stop) -> Iterator[Way]:
    """Find the cheapest ways of some distinct rows, until time is up; rows that stay open are left out."""
    ground, oracle = Ground.of(problem), problem.oracle
    yield from ((int(row), None) for row in rows[ground.hopeless()[rows]])
    rows = rows[~ground.hopeless()[rows]]
    ways = float(ground.ways(ground.goals).sum())
    # A black box is asked about few changes first, and about no more than are cheaper than what was found
    if not ground.decided and isinstance(oracle, JudgesActions) and not isinstance(oracle, BlackBoxOracle):
        offered = Offered.of(ground, costed=True)
        affordable = offered.actions.count * len(rows) <= ground.calls_left
        if affordable and stop.memory.fits(offered.actions.count * BYTES_OF_A_WAY):
            yield from _by_all_actions(
                ListedRows(ground, offered, oracle.action_judge(offered.actions), stop), rows
            )
            return
    if ground.decided or (ways <= MOST_WAYS and ways * len(rows) <= ground.calls_left):
        yield from _by_trying(ground, rows, stop)
        return
    for row in rows.tolist():
        if stop.expired():
            return
        yield from _by_questions(problem, row, stop)


def _by_trying(ground: Ground, rows: IntArray, stop: Stop) -> Iterator[Way]:
    """Try all changes of some rows at a time, or add up gains."""
    batches = Batches(ground, stop)
    for begin in range(0, len(rows), ROWS_TRIED_AT_ONCE):
        some = rows[begin : begin + ROWS_TRIED_AT_ONCE]
        try:
            costs, cells = cheapest(ground, batches, some, ground.changeable, ground.size)
        except OutOfTimeError:
            return
        for row, cost, goal in zip(some.tolist(), costs.tolist(), cells, strict=True):
            yield row, None if cost < 0 else np.where(goal >= 0, goal, ground.rows[row])


def _by_all_actions(listed: ListedRows, rows: IntArray) -> Iterator[Way]:
    """Let the oracle judge all actions of a row together, and ask about cheap ones that are near."""
    with suppress(OutOfTimeError):
        for row in rows.tolist():
            if listed.stop.expired():
                return
            line, price = listed.judged(row), listed.offered.price(row)
            sure = np.flatnonzero(line == POSITIVE)
            best = int(sure[price[sure].argmin()]) if len(sure) else None
            near = np.flatnonzero((line != POSITIVE) & (line != 0))
            for action in near[np.argsort(price[near], kind="stable")].tolist():
                if best is not None and price[action] >= price[best]:
                    break
                if listed.helped(np.array([row]), action)[0]:
                    best = action
                    break
            yield row, None if best is None else _ends(listed, row, best)


def _ends(listed: ListedRows, row: int, action: int) -> IntArray:
    changed, targets = listed.offered.changes(np.array([action]))
    cells: IntArray = np.where(changed[0], targets[0], listed.ground.rows[row]).astype(np.int64)
    return cells


def _by_questions(problem: Problem, row: int, stop: Stop) -> Iterator[Way]:
    """Ask for a way, for a cheaper one, and so on, until there is none; open where a question stays open."""
    own, best, least = problem.rows[[row]], None, np.iinfo(np.int64).max

    def cheaper(points: IntArray) -> BoolArray:
        cells = problem.cells_of(points.T).T
        permitted = problem.permits(np.full(len(cells), row), cells)
        return permitted & (problem.paid(np.repeat(own, len(cells), axis=0), cells) < least)

    while True:
        question = replace(problem.question(row), stop=stop)
        if best is not None and problem.costs is None:  # fewer changes: a question of its own
            question = replace(question, extra=int(least) - 1)
        answer = ConstrainedOracle(problem.oracle, cheaper).reach(question)
        if answer.proved_none:
            yield row, best
        if answer.point is None:
            return
        best = problem.cells_of(answer.point)
        least = int(problem.paid(own, best[None])[0])
        if least == 0:
            yield row, best
            return
