"""Good columns one by one: the one that adds most, then the best one in another's stead."""

from collections.abc import Sequence

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.cover.incidence import Incidence, entries_of, joined, parts_of


class _Gains:
    """What each column would add to the weight that the columns in use cover."""

    def __init__(self, incidence: Incidence, weights: IntArray, used: Sequence[int]) -> None:
        self.incidence, self.weights, self.gains = incidence, weights, incidence.loads(weights)
        self._times = np.zeros(incidence.n_rows, dtype=np.int64)
        for column in used:
            self.move(column, 1)

    def move(self, column: int, by: int) -> None:
        """Take a column in (``by`` 1) or out (-1); gains change where no other one covers a row."""
        group = self.incidence.group(column)
        self._times[group] += by
        rows = group[2 * self._times[group] == 1 + by]
        for some in parts_of(self.incidence.row_starts, rows):
            entries, begins = entries_of(self.incidence.row_starts, some)
            changes = np.repeat(by * self.weights[some], np.diff(begins))
            np.subtract.at(self.gains, self.incidence.row_columns[entries], changes)


def greedy(incidence: Incidence, weights: IntArray, taken: Sequence[int] = ()) -> IntArray:
    """Take the column of greatest new weight until none brings anything; return the columns in that order."""
    chosen = list(taken)
    adding = _Gains(incidence, weights, chosen)
    while incidence.n_columns and adding.gains[column := int(adding.gains.argmax())] > 0:
        chosen.append(column)
        adding.move(column, 1)
    return np.array(chosen, dtype=np.int64)


def without_superfluous(incidence: Incidence, chosen: IntArray) -> IntArray:
    """Drop columns whose rows the others cover as well, smallest first."""
    times = np.bincount(incidence.rows[entries_of(incidence.starts, chosen)[0]], minlength=incidence.n_rows)
    keep = np.ones(len(chosen), dtype=np.bool_)
    for index in np.argsort(incidence.sizes[chosen], kind="stable").tolist():
        group = incidence.group(chosen[index])
        keep[index] = (times[group] == 1).any()
        if not keep[index]:
            times[group] -= 1
    return np.asarray(chosen[keep])


def greedy_columns(incidence: Incidence, taken: Sequence[int] = ()) -> IntArray:
    """Cover every row that can be covered, largest gain first; drop what turns out to be superfluous."""
    ones = np.ones(incidence.n_rows, dtype=np.int64)
    return without_superfluous(incidence, greedy(incidence, ones, taken))


def greedy_cover(columns: Sequence[Column], n_rows: int, taken: Sequence[int] = ()) -> list[Column]:
    """Cover all rows by some of these columns; those ``taken`` are there to begin with."""
    incidence = Incidence.of(*joined([column.rows for column in columns]), n_rows)
    if not incidence.reachable.all():
        raise AssertionError("every row has a column of its own")
    return [columns[index] for index in greedy_columns(incidence, taken).tolist()]


def swap_columns(incidence: Incidence, people: IntArray, chosen: IntArray) -> int:
    """Exchange each column in turn, in place, for the best one in its stead; return how many were."""
    adding, before = _Gains(incidence, people, chosen.tolist()), chosen.copy()
    for index, old in enumerate(before.tolist()):
        adding.move(old, -1)
        best = int(adding.gains.argmax())
        if adding.gains[best] > adding.gains[old]:
            chosen[index] = best
        adding.move(int(chosen[index]), 1)
    return int((chosen != before).sum())
