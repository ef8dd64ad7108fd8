"""The least cost of so many actions, with a proof: prices against all actions of all rows, and exchanges.

What each row pays alone bounds it from below. Rows have prices, and k actions save together at most what the
k best of all actions do: a search over all actions finds these, for prices that were raised over a few
actions. What it finds comes in, and among the actions that came in cheaper answers are looked for.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.certificate import cost_proof
from oneformany.engine.context import Context
from oneformany.engine.few.cheaper import prices, served, without_dearest
from oneformany.engine.few.cost_kernels import REFUSED
from oneformany.engine.few.dual_prices import CostQuota, PriceSearch
from oneformany.engine.few.exchange import exchanged
from oneformany.engine.few.listed_rows import ListedRows
from oneformany.engine.few.priced import Priced, fits, priced_columns
from oneformany.engine.few.rounds import Attempt
from oneformany.engine.listing.batches import OutOfTimeError
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.cost_levels import addable, people_at_prices
from oneformany.problem.problem import LARGEST_SUM
from oneformany.result.proof import Cost
from oneformany.schedule import SCHEDULE

# Numbers of the table of the actions that came in, 160 MB, and how many these are: on default_credit prices
# over 2,000 of 440,000 actions prove as much as over more, and a step takes 10 ms.
MOST_COSTS = 40_000_000
MOST_TAKEN_IN = 2_000  # that came in
# Actions that come in after a round, and steps of prices before a search over all actions: a search takes 2 s
# where a step takes 10 ms.
ADDED = 250  # after a round
STEPS = 150  # before a search
# Rounds that may gain less than this part of what is open, before prices count as settled.
LEAST_GAIN = 0.02  # of what is open
MOST_IDLE = 3  # such rounds
# Kicks in a row that may lead nowhere; each takes some 0.2 s.
MOST_KICKS = 40


def at_least_cost(
    listed: ListedRows, attempt: Attempt, goal: tuple[int, int], run: Context
) -> CostRounds | None:
    """Make an attempt cheaper with at most so many actions, for so many people; ``None``: too large."""
    if not fits(listed):
        return None
    priced = priced_columns(listed)
    rows = np.flatnonzero(~listed.unreachable)
    order = np.random.default_rng(run.seed).permutation(rows).tolist()
    priced.look_at(order, SCHEDULE.accepting.of(run.stop))
    rounds = CostRounds(priced, attempt, *goal, run)
    rounds.run()
    return rounds


class CostRounds:
    """Rounds over one answer: prices are raised, actions that save much come in, others are exchanged.

    ``cost`` is that of the best ``attempt``, ``proved`` what any costs at least that uses as few actions for
    as many people.
    """

    def __init__(self, priced: Priced, attempt: Attempt, most: int, needed: int, run: Context) -> None:
        self.priced, self.attempt, self.number = priced, attempt, 0
        self._run, self._people, self._needed = run, run.problem.multiplicity, needed
        self._question = _question(priced, most, needed)
        self._random = np.random.default_rng(run.seed)
        self._prices: IntArray | None = None  # the best, times the scale
        self._value = 0  # what they prove, times the scale
        self._savings = np.zeros(len(priced), dtype=np.int64)  # of all actions, against the latest prices
        self._actions = np.zeros(0, dtype=np.int64)  # that came in
        self._matrix = priced.costs(self._actions)  # what they cost each row
        self.cost = self._cost(attempt)

    def _cost(self, attempt: Attempt) -> int:
        return int(prices(self.priced.listed, attempt.by) @ self._people)

    @property
    def proved(self) -> int:
        """What it costs at least."""
        return max(0, -(-self._value // ONE_IN_COVERS))

    def run(self) -> None:
        """Go on until the cost is proved, time is up, or rounds bring nothing any more."""
        stop, alone = self._run.stop, self._question.alone
        known = self.priced.known
        start = np.where(known, prices(self.priced.listed, self.attempt.by), 0).astype(np.float64)
        start, idle, settled = np.maximum(start, alone), 0, alone
        self._take_in(np.union1d(self.attempt.actions, self._often_cheapest()))
        if not (self.prove(settled) and self.prove(start)):
            return
        while self.proved < self.cost and idle < MOST_IDLE and not stop.expired():
            before = self.cost - self.proved
            self._take_in(self._saving_most())
            self._exchange(self.attempt.actions)
            raised = PriceSearch(self._matrix, self._question).raised(start, float(self.cost), STEPS, stop)
            start = raised.prices
            if not self.prove(start):
                break
            idle = idle + 1 if self.cost - self.proved > (1 - LEAST_GAIN) * before else 0
            self.number += 1
            self._report()
        self._kick()
        self._report()

    def prove(self, at: FloatArray) -> bool:
        """Find out what prices prove about all actions; keep the best. Whether there was time."""
        limit = LARGEST_SUM / ONE_IN_COVERS
        ints = np.where(self.priced.known, np.minimum(at, limit) * ONE_IN_COVERS, 0)
        ints = np.rint(ints).astype(np.int64)
        if not addable(ints, self._people):
            return False
        savings = self.priced.savings(ints, self._people, ONE_IN_COVERS)
        if savings is None:
            return False
        able, most = self._question.able, min(self._question.most, len(savings))
        pays = people_at_prices(ints[able], self._people[able], self._question.needed)
        value = pays - int(np.partition(savings, -most)[-most:].sum())
        self._savings = savings
        if self._prices is None or value > self._value:
            self._prices, self._value = ints, value
        return True

    def _often_cheapest(self) -> IntArray:
        """Actions that are the cheapest of many rows."""
        found, often = np.unique(self.priced.cheapest[self.priced.known], return_counts=True)
        return found[np.argsort(-often, kind="stable")[:ADDED]]

    def _saving_most(self) -> IntArray:
        """Actions that save most against the latest prices; of those that save the same, one."""
        _, first = np.unique(-self._savings, return_index=True)
        return first[~np.isin(first, self._actions)][:ADDED]

    def _take_in(self, actions: IntArray) -> None:
        """Let actions come in, and leave out those that save least where they are too many."""
        fresh = np.setdiff1d(actions, self._actions)
        kept = np.arange(len(self._actions))
        most = min(MOST_TAKEN_IN, MOST_COSTS // max(1, self._matrix.shape[1])) - len(fresh)
        if len(kept) > most:
            worth = self._savings[self._actions].copy()
            worth[np.isin(self._actions, self.attempt.actions)] = LARGEST_SUM
            kept = np.sort(np.argsort(-worth, kind="stable")[: max(most, len(self.attempt.actions))])
        self._actions = np.concatenate([self._actions[kept], fresh])
        self._matrix = np.concatenate([self._matrix[kept], self.priced.costs(fresh)])

    def _exchange(self, actions: IntArray) -> bool:
        """Exchange some actions for those that came in; take what comes out, if it is cheaper for as many."""
        chosen, problem = np.flatnonzero(np.isin(self._actions, actions)), self._run.problem
        everybody = self._needed >= int(self._people[self.attempt.helped].sum())
        dearest = int(self.priced.listed.ground.price.max(initial=0)) * problem.max_changes + 1
        unserved = dearest * int(self._people.sum()) if everybody else dearest
        stop, most = self._run.stop, self._question.most
        found = exchanged(self._matrix, self._people, chosen, unserved, most, stop)
        attempt = self._tried(found)
        better = int(self._people[attempt.helped].sum()) >= self._needed and self._cost(attempt) < self.cost
        if better:
            self.attempt, self.cost = attempt, self._cost(attempt)
        return better

    def _tried(self, found: IntArray) -> Attempt:
        """Send each row to the cheapest action in some lines of the table that helps it when asked."""
        listed = self.priced.listed
        attempt = served(listed, self._actions[found])
        if not self._run.stop.expired():
            paid = np.where(attempt.helped, prices(listed, attempt.by), REFUSED)
            with suppress(OutOfTimeError):
                for line in found.tolist():
                    self._learn(line, np.flatnonzero(self._matrix[line] < paid))
        if self._needed < int(self._people[attempt.helped].sum()) and self._run.goal.coverage is not None:
            attempt = without_dearest(listed, attempt, self._needed)
        return attempt

    def _learn(self, line: int, rows: IntArray) -> None:
        """Note what some rows pay for an action that they possibly accepted for less."""
        if len(rows):
            action = int(self._actions[line])
            costs = self.priced.listed.pays(rows, action, np.full(len(rows), REFUSED))
            self._matrix[line, rows] = np.minimum(costs, REFUSED)
            self.priced.learn(rows, action, costs)

    def _kick(self) -> None:
        """Leave out a few of the best actions, and look for others instead of them."""
        failed, stop = 0, self._run.stop
        while failed < MOST_KICKS and self.proved < self.cost and not stop.expired():
            actions = self._random.permutation(self.attempt.actions)
            helped = self._exchange(actions[min(2, len(actions) // 2) :])
            failed = 0 if helped else failed + 1

    def _report(self) -> None:
        """Tell whoever listens where the rounds stand."""
        value, standing = self._value / ONE_IN_COVERS, (self.cost, self.proved)
        self._run.report("least cost", len(self._actions), value, standing, "cost")

    def proof(self) -> Cost | None:
        """Why it costs no less; ``None`` where nothing is proved."""
        if self._prices is None or not self.proved:
            return None
        about = ONE_IN_COVERS, self._question.most, self._needed, min(self.proved, self.cost)
        return cost_proof(self._run.problem, self._prices, *about)


def _question(priced: Priced, most: int, needed: int) -> CostQuota:
    """What is asked about the rows that were looked at: all others pay nothing at least."""
    people, able = priced.listed.ground.problem.multiplicity, np.flatnonzero(priced.known)
    others = int(people[~priced.listed.unreachable].sum()) - int(people[able].sum())
    return CostQuota(people, priced.alone.astype(np.float64), able, most, max(0, needed - others))
