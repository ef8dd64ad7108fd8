"""Rows all of whose actions are listed, which of these they accept, and whom some actions help of all."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.few.masks import BitTable, Masks
from oneformany.engine.few.offered import Offered
from oneformany.engine.few.offered_sets import OfferedSets
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import cheapest
from oneformany.engine.scaling import UNPAYABLE
from oneformany.engine.table.table import ColumnTable
from oneformany.oracles.actions import ActionJudge, JudgesActions
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.stop import Stop

NO_ACTION = -1  # helps the row, as far as is known
POINTS_AT_ONCE = 1 << 16  # changed rows that a restriction sees at once: some 10 MB


class ListedRows:
    """Rows of a problem with all actions that the classifier may accept for them, as bits.

    An action stays with a row as long as it is possibly accepted: that is what bounds need. What is chosen is
    tried on everybody, and there the classifier has the last word, which is remembered here.
    """

    def __init__(self, ground: Ground, offered: Offered, judge: ActionJudge, stop: Stop) -> None:
        self.ground, self.offered, self.stop = ground, offered, stop
        self.batches = Batches(ground, stop)
        self.rows = np.zeros(0, dtype=np.int64)  # those that are listed and have an action, by their bit
        self.unreachable = np.zeros(len(ground.rows), dtype=np.bool_)
        self.by = np.full(len(ground.rows), NO_ACTION)  # an action that helps each row, where one is known
        self.rank = np.zeros(offered.n_columns, dtype=np.int32)  # how many of a few rows accept a column
        self.withdrawn = 0  # pairs of a row and an action that the classifier refused when it was asked
        self._unasked = ground.problem.unasked
        self._judge, self._bits = judge, BitTable.empty(offered.n_columns)

    @classmethod
    def of(cls, ground: Ground, stop: Stop, offered: Offered | None = None) -> Self:
        """List rows of a problem whose oracle judges all actions of a row together.

        What is ``offered`` are all actions that only make a difference to who is helped, by default.
        """
        offered, oracle = offered or Offered.of(ground), ground.problem.oracle
        if not isinstance(oracle, JudgesActions):
            raise TypeError("the oracle does not judge actions")
        return cls(ground, offered, oracle.action_judge(offered.actions), stop)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def reachable(self) -> BoolArray:
        """Rows of which it is known that some action helps them."""
        return np.asarray(self.by != NO_ACTION)

    def judged(self, row: int) -> NDArray[np.int8]:
        """What the classifier says of each column that a row could join."""
        return self.offered.told(self.judged_actions(row))

    def judged_actions(self, row: int) -> NDArray[np.int8]:
        """What the classifier says of each action of a row, restrictions observed."""
        some = np.array([row])
        line: NDArray[np.int8] = self._judge.judge(self.ground.values[some], self.offered.does(some))[0]
        problem = self.ground.problem
        if problem.most_paid is not None:
            line[self.offered.price(row) > problem.most_paid[row]] = NEGATIVE
        for first in range(0, len(line) if problem.restrictions else 0, POINTS_AT_ONCE):
            numbers = first + np.flatnonzero(line[first : first + POINTS_AT_ONCE] != NEGATIVE)
            changed, targets = self.offered.moves(numbers)
            after = np.where(changed, targets, self.ground.rows[row])
            line[numbers[~problem.permits(np.full(len(numbers), row), after)]] = NEGATIVE
        return line

    def sample(self, rows: Iterable[int]) -> None:
        """Count for each action how many of some rows accept it: the better one of two alike has more."""
        for row in rows:
            if self.stop.expired():
                return
            self.rank += self.judged(row) == POSITIVE

    def list_until(self, rows: Iterable[int], most: int) -> None:
        """List rows in order until so many of them can be helped, or time is up."""
        found = list[int]()
        for row in rows:
            if len(found) == most or self.stop.expired():
                break
            line = self.judged(row)
            try:
                self.by[row] = self._accepted(row, line)
            except OutOfTimeError:
                break
            self.unreachable[row] = self.by[row] == NO_ACTION and not self._unasked[row]
            if self.by[row] != NO_ACTION:
                self._bits.add(line)
                found.append(row)
        self.rows = np.append(self.rows, np.array(found, dtype=np.int64))

    def decide(self, rows: Iterable[int]) -> None:
        """Find out whether rows can be helped at all, without keeping what they accept."""
        with suppress(OutOfTimeError):
            for row in rows:
                if self.stop.expired():
                    return
                self.by[row] = self._accepted(row, self.judged(row))
                self.unreachable[row] = self.by[row] == NO_ACTION and not self._unasked[row]

    def _accepted(self, row: int, line: NDArray[np.int8]) -> int:
        """An action that a row surely accepts, or one that it does when the classifier is asked; or none."""
        sure = np.flatnonzero(line == POSITIVE)
        if len(sure):
            return int(sure[self.rank[sure].argmax()])
        for action in np.flatnonzero(line == NEAR).tolist():
            if self.helped(np.array([row]), action)[0]:
                return int(action)
            line[action] = NEGATIVE
        return NO_ACTION

    def helped(self, rows: IntArray, action: int) -> BoolArray:
        """Which of some rows a column helps; ends by :class:`OutOfTimeError`."""
        changed, targets = self.offered.changes(np.array([action]))
        features = np.flatnonzero(changed[0])
        if isinstance(self.offered, OfferedSets):
            return self._somehow(rows, features)
        return self.batches.accepted(features, rows, targets[:, features].astype(np.int64))[:, 0]

    def costs(self, rows: IntArray, action: int) -> IntArray:
        """What each of some rows pays in a column that helps it."""
        changed, targets = self.offered.changes(np.array([action]))
        ground = self.ground
        if isinstance(self.offered, OfferedSets):
            features = np.flatnonzero(changed[0])
            return cheapest(ground, Batches(ground, Stop()), rows, features, len(features))[0]
        return ground.paid(rows, np.where(changed, targets, ground.rows[rows]).astype(np.int64))

    def pays(self, rows: IntArray, action: int, below: IntArray) -> IntArray:
        """What each of some rows pays in a column that helps it for less than a limit, or ``UNPAYABLE``.

        Ends by :class:`OutOfTimeError`.
        """
        if isinstance(self.offered, OfferedSets):
            features = np.flatnonzero(self.offered.changes(np.array([action]))[0][0])
            least, _ = cheapest(self.ground, self.batches, rows, features, len(features))
            return np.where((least >= 0) & (least < below), least, UNPAYABLE)
        paid = self.costs(rows, action)
        less = np.flatnonzero(paid < below)
        less = less[self.helped(rows[less], action)]
        found = np.full(len(rows), UNPAYABLE)
        found[less] = paid[less]
        return found

    def _somehow(self, rows: IntArray, features: IntArray) -> BoolArray:
        """Which of some rows any target cells of some features help; rows may stay in some of these."""
        helped, ground = np.zeros(len(rows), dtype=np.bool_), self.ground
        for size in range(len(features), -1, -1):  # most are helped by many changes
            for chosen in combinations(features.tolist(), size):
                left = np.flatnonzero(~helped)
                choices = ground.choices(chosen, ground.goals)
                if len(left) and len(choices):
                    accepted = self.batches.accepted(np.array(chosen, dtype=np.int64), rows[left], choices)
                    helped[left] = accepted.any(axis=1)
        return helped

    def try_on_everybody(self, actions: IntArray) -> IntArray:
        """For each row one of some actions that helps it, or none, as far as there is time to find out.

        Actions that many of the sampled rows accept come first, and whoever is helped is not asked again.
        """
        by = np.full(len(self.ground.rows), NO_ACTION)
        with suppress(OutOfTimeError):
            for action in actions[np.argsort(-self.rank[actions], kind="stable")].tolist():
                left = np.flatnonzero((by == NO_ACTION) & ~self.unreachable)
                by[left[self.helped(left, action)]] = action
            self._remember(actions, np.flatnonzero(by == NO_ACTION))
        self.by = np.where(by == NO_ACTION, self.by, by)
        return by

    def _remember(self, actions: IntArray, refused: IntArray) -> None:
        """Take actions from listed rows that possibly accepted them and do not."""
        which = np.flatnonzero(np.isin(self.rows, refused))
        accepts = self._bits.accepts(which, actions)
        for index, action in np.argwhere(accepts).tolist():
            self._bits.withdraw(int(which[index]), int(actions[action]))
            self.withdrawn += 1

    def loads(self, weights: IntArray) -> IntArray:
        """What each action's rows weigh together, with a weight for each listed row as they rise."""
        by_bit = np.empty_like(weights)
        by_bit[np.argsort(self.rows)] = weights
        return self._bits.loads(by_bit)

    def columns(self, some: IntArray | None = None) -> tuple[ColumnTable, IntArray] | None:
        """The largest groups of listed rows with an action each, over the listed rows as they rise.

        And those actions, all of them or only ``some``. ``None`` where time was too short.
        """
        order, actions = np.argsort(self.rows), slice(None) if some is None else some
        bits = self._bits if some is None else self._bits.only(some)
        masks = Masks.of(bits, order, self.rank[actions], self.stop)
        if masks is None:
            return None
        found = masks.actions if some is None else some[masks.actions]
        incidence = masks.incidence()
        changed, targets = self.offered.changes(found)
        costs = np.zeros(len(incidence.rows), dtype=np.int64)
        whole = ColumnTable(
            incidence.starts, incidence.rows, costs, changed, targets, len(self.rows), complete=some is None
        )
        return whole, found
