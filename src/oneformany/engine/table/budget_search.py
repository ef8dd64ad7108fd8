"""Columns, weights and complete searches for a number of columns that should cover many people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import FirstOrder, Weights, weighed
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.integer_program import program
from oneformany.engine.cover.primal import PeopleRepair, dive
from oneformany.engine.cover.primal_kernels import greedy, swap_columns
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.engine.table.budget_tree import BudgetQuestion
from oneformany.engine.table.options import Search
from oneformany.engine.table.tree import TreeProof, search_tree

STEPS_PER_ROUND = 100
GAIN = 1e-6
RELAXATION_TIME = 0.4
ROUNDING_TIME = 0.5
CORE = 0.3
LEAST_VALUE = 0.01
SWEEPS = 50
MOST_ENTRIES = 100_000
FEWEST_COLUMNS = 300
PROGRAM_SECONDS = 20.0
PROGRAM_ENTRIES = 200_000


class BudgetSearch:
    """Columns, weights and bounds for one number of columns after another.

    Attributes
    ----------
    best : array of int
        Columns that cover the most people found for the present number of columns.
    weights : Weights
        What proves the bound.
    order : array of int
        Columns that cover everybody who can be covered, greedily.
    """

    def __init__(self, incidence: Incidence, people: IntArray, search: Search) -> None:
        self.incidence = incidence
        self.people = people
        self.search = search
        self.best = np.zeros(0, dtype=np.int64)
        counts = people.astype(np.float64)
        self.weights: Weights = weighed(incidence, counts)
        self.order: IntArray = greedy(incidence, counts)
        self._relaxation: FirstOrder | None = None

    def covered(self, columns: IntArray) -> int:
        """People that these columns cover."""
        return int(self.people[self.incidence.covered_by(columns)].sum())

    def begin(self, k: int, start: IntArray | None = None) -> None:
        """Choose ``k`` columns greedily, or start from some that are known."""
        self.best = np.asarray(self.order[:k])
        if start is not None and len(start) <= k and self.covered(start) > self.covered(self.best):
            self.best = np.asarray(start, dtype=np.int64)
        if self.search.options.repair and len(self.best):
            self._swap(self.best)

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they cover more."""
        if self.covered(columns) > self.covered(self.best):
            self.best = np.unique(columns)

    def relax(self, k: int) -> Iterator[None]:
        """Take first-order steps for ``k`` columns, round by round, until one gains next to nothing."""
        relaxation = self._relaxed(k)
        for number in self.search.rounds(RELAXATION_TIME):
            relaxation.advance(STEPS_PER_ROUND, self.search.stop)
            before = self.weights.reach(self.people, k)
            found = relaxation.weights()
            if found.reach(self.people, k) < before:
                self.weights = found
            yield
            if number > 3 and self.weights.reach(self.people, k) > before - GAIN * abs(before):
                return

    def usable(self, k: int, target: int) -> IntArray:
        """The columns that ``k`` columns with so many people can be among."""
        if not self.search.options.fixing:
            return np.arange(self.incidence.n_columns)
        slack = self.weights.reach(self.people, k) - target * ONE_IN_TABLES
        usable = np.flatnonzero(self.weights.loads >= self.weights.capacity - slack)
        self.search.counters["columns left out"] = self.incidence.n_columns - len(usable)
        return usable

    def improve(self, k: int) -> None:
        """Solve a program over the columns of greatest value and load."""
        if not self.search.options.repair or self.search.stop.expired() or self._relaxation is None:
            return
        usable = self.usable(k, self.covered(self.best) + 1)
        heaviest = np.argsort(-self.weights.loads[usable], kind="stable")[: max(FEWEST_COLUMNS, 5 * k)]
        values = self._relaxation.mean_values
        found = self.programmed(k, values, usable[heaviest], self.best, PROGRAM_SECONDS)
        if found is not None and len(found) <= k:
            self._swap(found)

    def rounded(self, k: int, start: IntArray, enough: int) -> IntArray | None:
        """Round the relaxation for ``k`` columns until so many people are covered; the start covers them."""
        if not self.search.options.diving or self.search.stop.expired():
            return None
        relaxation = self._relaxed(k)
        relaxation.advance(STEPS_PER_ROUND // 2, self.search.stop)
        core = np.union1d(np.flatnonzero(relaxation.mean_values > LEAST_VALUE), start)
        self.search.counters["dives"] += 1
        part = self.search.stop.part(ROUNDING_TIME * self.search.stop.remaining())
        return dive(self.incidence, core, relaxation, part, self.people, enough)

    def repairing(self, start: IntArray, target: int) -> PeopleRepair:
        """Repairs by columns of small reduced cost that columns with so many people can be among."""
        usable = self.usable(len(start), target)
        core = usable[self.weights.loads[usable] >= (1.0 - CORE) * self.weights.capacity]
        return PeopleRepair(self.incidence, core, start, self.search.options.seed, self.people)

    def repair(self, goal: int, failures: int) -> None:
        """Improve small parts until so many people are covered, or that stops helping."""
        met = not len(self.best) or self.covered(self.best) >= goal
        if met or not self.search.options.repair or self.search.stop.expired():
            return
        repair = self.repairing(self.best, self.covered(self.best) + 1)
        repair.run(goal, self.search.stop, failures)
        self.search.counters["repairs"] += repair.repairs
        self.offer(repair.chosen)

    def programmed(
        self, k: int, values: FloatArray, others: IntArray, start: IntArray, seconds: float
    ) -> IntArray | None:
        """The best ``k`` of the columns that have a value, of some others, and of those at the start."""
        valued = np.flatnonzero(values > 1e-3)
        valued = valued[np.argsort(-values[valued], kind="stable")]
        columns = self.incidence.first_within(np.concatenate((valued, others)), PROGRAM_ENTRIES)
        columns = np.union1d(columns, start)
        part, kept = self.incidence.part(columns, np.ones(self.incidence.n_rows, dtype=np.bool_))
        seconds = min(seconds, 0.8 * self.search.stop.remaining())
        found = program(part, seconds, np.searchsorted(columns, start), self.people[kept], k)
        self.search.counters["programs"] += 1
        return None if found.chosen is None else columns[found.chosen]

    def settle(self, k: int, target: int) -> IntArray | TreeProof | None:
        """Search all usable columns for ``k`` that cover so many people, as :func:`search_tree` does."""
        columns = self.usable(k, target)
        options = self.search.options
        part, kept = self.incidence.part(columns, self.incidence.reachable)
        if not options.exact or len(columns) > options.max_columns or len(part.rows) > MOST_ENTRIES:
            return None
        question = BudgetQuestion(part, self.people[kept], k, target, self.search.stop)
        return search_tree(question, columns, kept[:, None].tolist(), self.search, options.max_nodes)

    def _swap(self, columns: IntArray) -> None:
        """Exchange columns one by one while that helps, and offer what comes out."""
        swapped = columns.astype(np.int64)
        for _ in range(SWEEPS):
            if self.search.stop.expired():
                break
            swaps = swap_columns(self.incidence, self.people, swapped)
            self.search.counters["swaps"] += swaps
            if not swaps:
                break
        self.offer(swapped)

    def _relaxed(self, k: int) -> FirstOrder:
        """The relaxation for ``k`` columns, from where the last one stopped."""
        people = self.people.astype(np.float64)
        found = FirstOrder(self.incidence, people, k)
        if self._relaxation is None:
            found.duals = np.where(self.incidence.reachable, people / 2.0, 0.0)
            found.price = float(self.covered(self.best) - self.covered(self.best[:-1]))
            found.balance = float(np.sqrt(max(1, k) / (people**2).sum()))
            found.values[self.best] = 1.0
        else:
            last = self._relaxation
            found.duals, found.price, found.balance = last.duals, last.price, last.balance
            found.values = last.values * (k / max(last.budget, 1.0))
        self._relaxation = found
        return found
