"""The least cost of some actions: each row where it pays least, and of a share those who pay least."""

from contextlib import suppress

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.few.rounds import Attempt
from oneformany.engine.listing.batches import OutOfTimeError
from oneformany.engine.table.cost_levels import cheapest_rows


def cheapened(listed: ListedRows, attempt: Attempt) -> Attempt:
    """Send each row to the action that costs it least, as far as there is time to ask who accepts it."""
    by, rows = attempt.by.copy(), np.flatnonzero(attempt.helped)
    paid = prices(listed, by)
    with suppress(OutOfTimeError):
        for action in attempt.actions.tolist():
            price = prices(listed, np.where(attempt.helped, action, NO_ACTION))
            less = rows[price[rows] < paid[rows]]
            less = less[listed.helped(less, action)]
            by[less], paid[less] = action, price[less]
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
    ground, paid = listed.ground, np.zeros(len(by), dtype=np.int64)
    for action in np.setdiff1d(by, NO_ACTION).tolist():
        rows = np.flatnonzero(by == action)
        changed, targets = listed.offered.changes(np.array([action]))
        paid[rows] = ground.paid(rows, np.where(changed, targets, ground.rows[rows]).astype(np.int64))
    return paid
