"""Row generation: answer for a few listed rows, try the answer on everybody, list some whom it missed.

Whoever helps everybody helps the listed rows, so what these need bounds what everybody needs; and an answer
for the listed rows that misses nobody else is one for everybody, as good as it is for them.
"""

from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.context import Context
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.engine.standing import Standing
from oneformany.engine.table.budget import solve_budget
from oneformany.engine.table.fewest import solve_cover
from oneformany.engine.table.table import ColumnTable

# Rows at random whose actions are counted, so that of two actions alike the more helpful one is tried: on
# 4,500 refused rows of default_credit more of them saved no round.
SAMPLED = 64
# Rows that are listed at first, those of least score, and after a round, of those whom an answer missed.
# Listing one takes 1 to 2 ms where a round takes 50 to 500.
FIRST_LISTED = 64
FIRST_OF_SOME = 256  # where some may be left out: those are among the hardest, and all of them matter
LISTED_AT_ONCE = 32  # after a round
# Beyond so many listed rows, of which some may be left out, only the heaviest actions become columns: on
# default_credit those of 400 rows, 20,000 of 440,000, took 3 s to be found among all.
MOST_IN_FULL = 256
MOST_PROMISING = 8_000  # of them
TURNS = 4  # in which heavier ones come in


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
    budget: int | None  # so many actions may be used; ``None``: as many as all of these rows need


def _heaviest(loads: IntArray, most: int) -> IntArray:
    """So many actions of greatest load."""
    return np.argpartition(-loads, most)[:most] if len(loads) > most else np.arange(len(loads))


class Rounds:
    """The rounds of one run: the best attempt so far, and the best that is proved.

    A share of the people is looked for with one action, with two and so on, until so many are enough.
    """

    def __init__(self, listed: ListedRows, run: Context) -> None:
        self.listed, self.goal = listed, run.goal
        self.people = listed.ground.problem.multiplicity
        self.best: Attempt | None = None
        self.proved: Proved | None = None
        self.number = 0
        self._weights = self.people * ONE_IN_TABLES  # of distinct rows, as they were last
        self._context = run
        self._random = np.random.default_rng(run.seed)

    def begin(self) -> None:
        """List some of the hardest rows, having looked at a few at random."""
        listed, problem = self.listed, self.listed.ground.problem
        first = FIRST_LISTED if not self.goal.limited else FIRST_OF_SOME
        with self._context.statistics.timed("listing"):
            listed.sample(self._random.permutation(len(problem.rows))[:SAMPLED].tolist())
            hardest = np.argsort(problem.oracle.score(problem.values), kind="stable")
            listed.list_until(hardest.tolist(), first)

    def run(self) -> None:
        """Answer, try and list until an answer for the listed rows is one for everybody, or time is up."""
        listed = self.listed
        if self.goal.explanations is not None or not self.goal.limited:
            self._settle(self.goal.explanations)
        else:
            budget = 0
            while not self.enough and len(listed) and not listed.stop.expired():
                budget += 1
                self._settle(budget)
        with self._context.statistics.timed("listing"):
            listed.decide(np.flatnonzero(~listed.reachable & ~listed.unreachable).tolist())

    def _settle(self, budget: int | None) -> None:
        """Go through rounds with so many actions, or as many as everybody needs.

        As long as rounds bring rows that were missed, what is quick is enough.
        """
        listed, thorough = self.listed, budget is None
        while len(listed) and not listed.stop.expired():
            doubts = listed.withdrawn
            tried = self._round(budget, thorough=thorough)
            if tried is None or self._settled(budget):
                return
            unasked = listed.ground.problem.unasked
            missed = np.flatnonzero(~tried.helped & ~listed.unreachable & ~unasked)
            missed = np.setdiff1d(missed, listed.rows)
            if not len(missed) and listed.withdrawn == doubts:
                if thorough:
                    return
                thorough = True
                continue
            thorough = budget is None
            with self._context.statistics.timed("listing"):
                listed.list_until(self._random.permutation(missed).tolist(), LISTED_AT_ONCE)

    def _round(self, budget: int | None, *, thorough: bool) -> Attempt | None:
        """Answer the question for the listed rows, and try the answer on everybody."""
        listed = self.listed
        if budget is None or len(listed) <= MOST_IN_FULL:
            found = self._among_all(budget, thorough)
        else:
            found = self._among_promising(budget, thorough)
        if found is None:
            return None
        answer, actions = found
        with self._context.statistics.timed("trying"):
            tried = Attempt(actions[answer.chosen], listed.try_on_everybody(actions[answer.chosen]))
        if self.best is None or self._worth(tried) > self._worth(self.best):
            self.best = tried
        proved = Proved(answer, np.sort(listed.rows), budget)
        if self.proved is None or self._better(proved, self.proved):
            self.proved = proved
        self.number += 1
        self._report(self.best, self.proved)
        return tried

    def _among_all(self, budget: int | None, thorough: bool) -> tuple[Standing, IntArray] | None:
        """The best answer among all actions, and the action of each of its columns."""
        with self._context.statistics.timed("columns"):
            found = self.listed.columns()
        if found is None:
            return None
        return self._answer(found[0], budget, thorough=thorough), found[1]

    def _among_promising(self, budget: int, thorough: bool) -> tuple[Standing, IntArray] | None:
        """The best answer among actions of great weight; a bound counts all actions.

        Weights begin as they were last. Actions that are heavier than these can be come in, a few times.
        """
        listed, rows, best = self.listed, np.sort(self.listed.rows), None
        people = self.people[rows]
        some = _heaviest(listed.loads(self._weights[rows]), MOST_PROMISING)
        for _ in range(TURNS):
            with self._context.statistics.timed("columns"):
                found = listed.columns(some)
            if found is None or (best is not None and listed.stop.expired()):
                break
            answer = self._answer(found[0], budget, thorough=thorough)
            if answer.weights is None:
                break
            loads = listed.loads(answer.weights.weights)
            weights = replace(answer.weights, capacity=int(loads.max()))
            bound = min(int(people.sum()), weights.reach(people, budget) // ONE_IN_TABLES)
            self._weights[rows] = weights.weights
            proved = replace(answer, bound=bound, weights=weights, exclusion=None)
            if best is None or proved.bound < best[0].bound:
                best = proved, found[1]
            more = np.flatnonzero(loads > answer.weights.capacity)
            if not len(more):
                break
            some = np.union1d(found[1], more[_heaviest(loads[more], MOST_PROMISING // TURNS)])
        return best

    def _answer(self, table: ColumnTable, budget: int | None, *, thorough: bool) -> Standing:
        """The best answer for the listed rows; not ``thorough``: what relaxation and swaps lead to."""
        with self._context.searching("few rows", lambda *_: None) as search:
            quick = replace(search, options=replace(search.options, repair=False, exact=False))
            if budget is None:
                return solve_cover(table, search if thorough else quick)
            people = self.people[np.sort(self.listed.rows)]
            return solve_budget(table, people, budget, search if thorough else quick)

    def _report(self, best: Attempt, proved: Proved) -> None:
        """Tell whoever listens where the rounds stand."""
        columns = len(proved.answer.table)
        if self.goal.explanations is None:
            value = len(best.actions)
            self._context.report("few rows", columns, value, (value, self.fewest))
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

    def helped(self, attempt: Attempt) -> int:
        """How many people an attempt helps."""
        return int(self.people[attempt.helped].sum())

    @property
    def enough(self) -> bool:
        """Whether the best attempt helps as many as needed."""
        return self.best is not None and self.helped(self.best) >= self.needed

    def most(self, proved: Proved) -> int:
        """How many people the actions of a budget can help at most: all who are not listed, and the bound."""
        return self.possible - int(self.people[proved.rows].sum()) + proved.answer.bound

    @property
    def fewest(self) -> int:
        """How many actions are needed at least, as is proved."""
        proved = self.proved
        if proved is None:
            return 0
        if proved.budget is None:
            return proved.answer.bound
        return proved.budget + 1 if self.most(proved) < self.needed else min(1, self.needed)

    def _worth(self, attempt: Attempt) -> tuple[int, int]:
        """The more people are helped, of those needed, the better; then the fewer actions."""
        most = self.helped(attempt)
        return (most if self.goal.explanations is not None else min(most, self.needed)), -len(attempt.actions)

    def _better(self, proved: Proved, than: Proved) -> bool:
        """Whether one thing that is proved is better than another."""
        if proved.budget is None or than.budget is None:
            return proved.answer.bound > than.answer.bound
        if self.goal.explanations is None and proved.budget != than.budget:  # the larger one that is too few
            return self.most(proved) < self.needed
        return self.most(proved) < self.most(than)

    def _settled(self, budget: int | None) -> bool:
        """Whether nothing better can be done with so many actions."""
        best, proved = self.best, self.proved
        if best is None or proved is None:
            return False
        if budget is None:
            return self.enough and len(best.actions) <= proved.answer.bound
        if self.goal.explanations is None:
            return self.enough or (proved.budget == budget and self.most(proved) < self.needed)
        return self.helped(best) >= self.most(proved)
