"""The least cost of some actions: each row where it pays least, and of a share those who pay least."""

from contextlib import suppress

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.few.rounds import Attempt
from oneformany.engine.listing.batches import OutOfTimeError
from oneformany.engine.scaling import UNPAYABLE
from oneformany.engine.table.cost_levels import cheapest_rows


def cheapened(listed: ListedRows, attempt: Attempt) -> Attempt:
    """Send each row to the action that costs it least, as far as there is time to ask who accepts it."""
    return _sent(listed, attempt, np.flatnonzero(attempt.helped), prices(listed, attempt.by))


def served(listed: ListedRows, actions: IntArray) -> Attempt:
    """Send each row to the cheapest of some actions that helps it, as far as there is time to ask."""
    nobody = Attempt(actions, np.full(len(listed.ground.rows), NO_ACTION))
    return _sent(listed, nobody, np.flatnonzero(~listed.unreachable), np.full(len(nobody.by), UNPAYABLE))


def _sent(listed: ListedRows, attempt: Attempt, rows: IntArray, paid: IntArray) -> Attempt:
    """Send some rows where they pay less than they do."""
    by = attempt.by.copy()
    with suppress(OutOfTimeError):
        for action in attempt.actions.tolist():
            price = listed.pays(rows, action, paid[rows])
            less = price < paid[rows]
            by[rows[less]], paid[rows[less]] = action, price[less]
    return Attempt(attempt.actions, by)


def without_dearest(listed: ListedRows, attempt: Attempt, needed: int) -> Attempt:
    """Leave out those who pay most, of the people beyond so many."""
    rows, people = np.flatnonzero(attempt.helped), listed.ground.problem.multiplicity
    kept, _ = cheapest_rows(prices(listed, attempt.by)[rows], people[rows], needed)
    by = attempt.by.copy()
    by[rows[~kept]] = NO_ACTION
    return Attempt(attempt.actions, by)


def prices(listed: ListedRows, by: IntArray) -> IntArray:
    """What each row pays for the action that it follows; nothing where it follows none."""
    paid = np.zeros(len(by), dtype=np.int64)
    for action in np.setdiff1d(by, NO_ACTION).tolist():
        rows = np.flatnonzero(by == action)
        paid[rows] = listed.costs(rows, action)
    return paid
