"""The way through a listing: all columns first, then the best choice among them.

It serves every way to share, own values, rules on whole rows, costs, and goals other than covering everybody;
:mod:`oneformany.engine.exact` serves what cannot be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.lazy_cover import cover_lazily
from oneformany.engine.listed_answers import (
    ChosenColumns,
    ListedProofs,
    columns_holding,
    groups_of,
    optimistic_weights,
    reasons_of,
)
from oneformany.engine.listing.batches import OutOfTimeError
from oneformany.engine.listing.lazy import LazyListing, lazy_listing
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.plan import Plan, asks_for_cost, planned, worth_waiting
from oneformany.engine.run import Options
from oneformany.engine.table.budget import solve_budget, solve_coverage
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.fewest import solve_cover
from oneformany.engine.table.options import Search, State
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.result.build import build_result, versions_of
from oneformany.result.explanation import Explanation
from oneformany.result.proof import Proof
from oneformany.result.result import Result
from oneformany.statistics import Measure, Round, Statistics
from oneformany.stop import Stop

OPTIMISTIC_TIME = 0.4
OPTIMISTIC_SECONDS = 60.0
PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")


def solve_by_listing(
    problem: Problem,
    goal: Goal,
    stop: Stop,
    *,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | None = None,
    start: Sequence[Explanation] = (),
) -> Result:
    """List all columns, choose among them, and state what is proved."""
    run = ListedRun(problem, stop, options or Options(), progress, seed)
    with stop.on_interrupt():
        run.list_all(goal)
        run.choose(goal, start)
        run.cheapen(goal)
    return run.result(goal)


class ListedRun:
    """One listing, and answers to one goal after another; ``progress`` is told about each step."""

    listing: FullListing

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        options: Options,
        progress: Callable[[Round], None] | None = None,
        seed: int = 0,
    ) -> None:
        self.problem, self.stop, self.options = problem, stop, options
        self.statistics = Statistics()
        self.choice = ChosenColumns()
        self._table_options = replace(options.table, seed=seed)
        self._progress = progress
        self._seed = seed
        self._lazy: LazyListing | None = None
        self._plan = Plan(problem)
        self._listed = self.statistics

    @property
    def table(self) -> ColumnTable:
        """The columns."""
        return self.listing.table

    @property
    def proofs(self) -> ListedProofs:
        """Turns what was proved about the table into proofs about the problem."""
        return ListedProofs(self.problem, self.table, self.listing.unreachable)

    def list_all(self, goal: Goal) -> None:
        """List the columns, with all that least cost needs where that is affordable."""
        cheap = asks_for_cost(self.problem, goal, self.options)
        with self.statistics.timed("listing"):
            if not goal.limited and not cheap and worth_waiting(self.problem, self.options):
                self._lazy = lazy_listing(self.problem, self.stop)
                self.listing = self._lazy.listing()
            else:
                self._plan = planned(self.problem, self.options, costed=cheap)
                self.listing = self._plan.listing(self.stop)
        self.statistics.count("columns listed", len(self.table))
        self.statistics.notes += self._plan.notes
        self._report("explanations")(State("listing", self.table.n_rows, 0))
        self._listed = deepcopy(self.statistics)

    def begin_again(self, stop: Stop) -> None:
        """Get ready for another goal over the same listing, within another time."""
        self.stop = stop
        self.statistics = deepcopy(self._listed)

    def choose(self, goal: Goal, start: Sequence[Explanation] = ()) -> None:
        """Settle the first objective, from an answer that is known."""
        self.choice = ChosenColumns()
        if not len(self.table):
            return
        if self._lazy is not None:
            self._everybody_lazily(self._lazy, start)
            return
        known = columns_holding(self.table, self.problem, start)
        if goal.explanations is not None:
            self._most_people(goal.explanations, known)
        elif goal.coverage is not None:
            self._share(goal.needed(int(self.problem.multiplicity.sum())), known)
        else:
            self._everybody(known)

    def _most_people(self, k: int, start: IntArray) -> None:
        with self._searching("budget", "people") as search:
            best = solve_budget(self.table, self.problem.multiplicity, k, search, start[:k])
        proof = self.proofs.people(best) if self.table.complete else None
        most = best.bound if self.table.complete else self.proofs.rows
        fewest = 0 if proof is None else proof.fewest(best.covered)
        self.choice = ChosenColumns(best.chosen, bound=fewest, coverage_proof=proof, covered_bound=most)

    def _share(self, needed: int, start: IntArray) -> None:
        """The fewest for so many people."""
        with self._searching("coverage", "explanations") as search:
            share = solve_coverage(self.table, self.problem.multiplicity, needed, search, start)
        proof = self.proofs.people(share) if self.table.complete else None
        fewest = min(1, len(share.chosen)) if proof is None else share.bound
        self.choice = ChosenColumns(share.chosen, bound=fewest, coverage_proof=proof)

    def _everybody(self, start: IntArray) -> None:
        proof: Proof | None = None if self.table.complete else self._optimistic_proof()
        everybody = np.array_equal(self.table.incidence.covered_by(start), self.listing.reachable)
        with self._searching("cover", "explanations") as search:
            cover = solve_cover(self.table, search, start if everybody else None)
        self.choice = ChosenColumns(cover.chosen, proof=proof or self.proofs.cover(cover))

    def _optimistic_proof(self) -> Proof:
        """What cells alone prove, where columns are missing."""
        found = None
        if self.problem.share == "point":
            with self.statistics.timed("optimistic bound"):
                part = self.stop.part(min(OPTIMISTIC_SECONDS, OPTIMISTIC_TIME * self.stop.remaining()))
                found = optimistic_weights(self.problem, self.listing.reachable, part)
        return self.proofs.one() if found is None else self.proofs.dual(*found)

    def _everybody_lazily(self, lazy: LazyListing, start: Sequence[Explanation]) -> None:
        with suppress(OutOfTimeError):
            for explanation in start:
                changed = np.array(explanation.changed, dtype=np.int64)
                rows = np.unique(self.problem.row_of[list(explanation.members)])
                lazy.offer(changed, rows, np.array(explanation.point, dtype=np.int64)[changed])
        with self._searching("cover", "explanations") as search:
            table, chosen, (proved, answer) = cover_lazily(lazy, search)
        self.listing = replace(self.listing, table=table, asked=lazy.batches.asked)
        proof = ListedProofs(self.problem, proved, self.listing.unreachable).cover(answer)
        self.choice = ChosenColumns(chosen, proof=proof)

    def cheapen(self, goal: Goal) -> None:
        """Settle the second objective: as few explanations for as many people as asked, at the least cost."""
        if not asks_for_cost(self.problem, goal, self.options) or not len(self.choice.columns):
            return
        if self.stop.expired():
            self.choice = replace(self.choice, cost_open=True)
            return
        people, first = self.problem.multiplicity, self.choice.columns
        most = len(first) if goal.explanations is None else goal.explanations
        needed = int(people[self.table.incidence.covered_by(first)].sum())
        if goal.explanations is None and goal.coverage is not None:
            needed = min(needed, goal.needed(int(people.sum())))
        with self._searching("least cost", "cost") as search:
            found = solve_cost(self.table, people, most, needed, first, search)
        proof = self.proofs.cost(found) if self.table.complete and self._plan.costed else None
        proved = proof is not None and found.proved
        self.choice = replace(
            self.choice, columns=found.chosen, owner=found.assignment, cost_proof=proof, cost_open=not proved
        )

    def result(self, goal: Goal) -> Result:
        """State what was found and what was proved."""
        self.statistics.count("questions in batches", self.listing.asked)
        claims = {
            name: value for name, value in vars(self.choice).items() if name not in {"columns", "owner"}
        }
        return build_result(
            self.problem,
            groups_of(self.problem, self.table, self.choice),
            reasons=reasons_of(self.problem, self.listing, self.statistics),
            helpable=np.flatnonzero(self.listing.reachable),
            **claims,
            stop=self.stop,
            statistics=self.statistics,
            versions=versions_of(PACKAGES),
            method="exact",
            seed=self._seed,
            goal=goal if goal.limited else None,
        )

    @contextmanager
    def _searching(self, phase: str, measure: Measure) -> Iterator[Search]:
        """What a search over the table is given; its time and its counts go into the statistics."""
        search = Search(self.stop, self._table_options, self._report(measure))
        with self.statistics.timed(phase):
            yield search
        for name, number in search.counters.items():
            self.statistics.count(name, number)

    def _report(self, measure: Measure) -> Callable[[State], None]:
        """Tell whoever listens; where columns are missing, a bound over the table proves nothing."""

        def tell(state: State) -> None:
            holds = self.table.complete and (measure != "cost" or self._plan.costed)
            nothing = self.proofs.rows if measure == "people" else 0
            bound = state.bound if holds else nothing
            columns, seconds = len(self.table), self.stop.elapsed()
            number, value = len(self.statistics.rounds) + 1, float(state.value)
            step = Round(state.phase, number, columns, value, bound, state.value, seconds, measure)
            step = self.statistics.record(step)
            if self._progress is not None:
                self._progress(step)

        return tell
