"""Row generation: answer for a few listed rows, try the answer on everybody, list some whom it missed.

Whoever helps everybody helps the listed rows, so what these need bounds what everybody needs; and an answer
for the listed rows that misses nobody else is one for everybody, as good as it is for them.
"""

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import DEEPEST, exclusion_proof, weights_proof
from oneformany.engine.context import Context
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.engine.standing import Standing
from oneformany.engine.table.budget import solve_budget
from oneformany.engine.table.fewest import solve_cover, solve_coverage
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.result.proof import Weights

# Rows at random whose actions are counted, so that of two actions alike the more helpful one is tried: on
# 4,500 refused rows of default_credit more of them saved no round.
SAMPLED = 64
# Rows that are listed at first, those of least score, and after a round, of those whom an answer missed.
# Listing one takes 1 to 2 ms where a round takes 50 to 500.
FIRST_LISTED = 64
LISTED_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class Attempt:
    """Actions, and for each row one of them that helps it, or none."""

    actions: IntArray
    by: IntArray

    @property
    def helped(self) -> BoolArray:
        """Whom they help."""
        return np.asarray(self.by != NO_ACTION)


@dataclass(frozen=True, eq=False)
class Proved:
    """What is proved about some listed rows, by an answer over all their columns.

    Rows of the answer are indices into ``rows``, which are distinct rows of the problem and rise.
    """

    answer: Standing
    rows: IntArray

    def proof(self, problem: Problem, people: bool) -> Weights:
        """Why so many of these rows cannot be covered, of which ``people`` may be left out, or nobody."""
        answer, found = self.answer, self.answer.exclusion
        weights, exclusion = np.zeros(len(problem.rows), dtype=np.int64), None
        weights[self.rows] = answer.weights.weights
        if not weights.any():
            weights[self.rows[0]] = 1
        if found is not None:
            listed = int(problem.multiplicity[self.rows].sum())
            at_most = listed - found.target if people else 0
            groups = [self.rows[found.columns.group(column)] for column in range(len(found.columns))]
            rows = self.rows[found.rows]
            exclusion = exclusion_proof(
                problem, found.budget, at_most, groups, found.tree, rows=rows, deepest=DEEPEST
            )
        return weights_proof(
            problem,
            weights,
            answer.weights.capacity,
            scale=ONE_IN_TABLES if people else None,
            exclusion=exclusion,
            scope=None if exclusion is None else self.rows,
        )


class Rounds:
    """The rounds of one run: the best attempt so far, and the best that is proved."""

    def __init__(self, listed: ListedRows, run: Context) -> None:
        self.listed, self.goal = listed, run.goal
        self.people = listed.ground.problem.multiplicity
        self.best: Attempt | None = None
        self.proved: Proved | None = None
        self.number = 0
        self._context = run
        self._random = np.random.default_rng(run.seed)

    def run(self) -> None:
        """List, answer and try until an answer for the listed rows is one for everybody, or time is up."""
        listed, problem = self.listed, self.listed.ground.problem
        with self._context.statistics.timed("listing"):
            listed.sample(self._random.permutation(len(problem.rows))[:SAMPLED].tolist())
            hardest = np.argsort(problem.oracle.score(problem.values), kind="stable")
            listed.list_until(hardest.tolist(), FIRST_LISTED)
        while len(listed) and not listed.stop.expired():
            doubts = listed.withdrawn
            tried = self._round()
            if tried is None or self.settled:
                return
            missed = np.setdiff1d(np.flatnonzero(~tried.helped & ~listed.unreachable), listed.rows)
            if not len(missed) and listed.withdrawn == doubts:
                return
            with self._context.statistics.timed("listing"):
                listed.list_until(self._random.permutation(missed).tolist(), LISTED_AT_ONCE)

    def _round(self) -> Attempt | None:
        """Answer the question for the listed rows, and try the answer on everybody."""
        listed = self.listed
        found = listed.columns()
        if found is None:
            return None
        table, actions = found
        answer = self._answer(table)
        with self._context.statistics.timed("trying"):
            tried = Attempt(actions[answer.chosen], listed.try_on_everybody(actions[answer.chosen]))
        if self.best is None or self._worth(tried) > self._worth(self.best):
            self.best = tried
        proved = Proved(answer, np.sort(listed.rows))
        if self.proved is None or self._proves(proved) > self._proves(self.proved):
            self.proved = proved
        self.number += 1
        self._report(self.best, self.proved)
        return tried

    def _answer(self, table: ColumnTable) -> Standing:
        """The best answer for the listed rows."""
        people = self.people[np.sort(self.listed.rows)]
        with self._context.searching("few rows", lambda *_: None) as search:
            if not self.goal.limited:
                return solve_cover(table, search)
            if self.goal.explanations is not None:
                return solve_budget(table, people, self.goal.explanations, search)
            return solve_coverage(table, people, max(1, self.needed - self.outside(people)), search)

    def _report(self, best: Attempt, proved: Proved) -> None:
        """Tell whoever listens where the rounds stand."""
        columns = len(proved.answer.table)
        if self.goal.explanations is None:
            value, bound = len(best.actions), proved.answer.bound
            self._context.report("few rows", columns, value, (value, bound))
        else:
            value = self.helped(best)
            self._context.report("few rows", columns, value, (value, self.most(proved)), "people")

    @property
    def needed(self) -> int:
        """How many people are to be helped."""
        wanted = self.goal.needed(int(self.people.sum()))
        return min(self.possible, wanted) if self.goal.limited else self.possible

    @property
    def possible(self) -> int:
        """How many people are not proved to be beyond help."""
        return int(self.people[~self.listed.unreachable].sum())

    def outside(self, listed: IntArray) -> int:
        """How many of these are not among some who are listed."""
        return self.possible - int(listed.sum())

    def helped(self, attempt: Attempt) -> int:
        """How many people an attempt helps."""
        return int(self.people[attempt.helped].sum())

    def _worth(self, attempt: Attempt) -> tuple[int, int]:
        """The more people are helped, of those needed, the better; then the fewer actions."""
        most = self.helped(attempt)
        return (most if self.goal.explanations is not None else min(most, self.needed)), -len(attempt.actions)

    def most(self, proved: Proved) -> int:
        """How many people the actions of a budget can help at most."""
        return self.outside(self.people[proved.rows]) + proved.answer.bound

    def _proves(self, proved: Proved) -> int:
        """How much is proved: the more the better."""
        return -self.most(proved) if self.goal.explanations is not None else proved.answer.bound

    @property
    def settled(self) -> bool:
        """Whether the best attempt is proved to be the best there is."""
        if self.best is None or self.proved is None:
            return False
        if self.goal.explanations is not None:
            return self.helped(self.best) >= self.most(self.proved)
        enough = self.helped(self.best) >= self.needed
        return enough and len(self.best.actions) <= self.proved.answer.bound
