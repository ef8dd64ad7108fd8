"""The way through a listing: all columns first, then the best choice among them.

It serves every way to share, own values, rules on whole rows, costs, and goals other than covering everybody;
:mod:`oneformany.engine.exact` serves what cannot be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.budget import solve_budget, solve_coverage
from oneformany.engine.cover.cost import solve_cost
from oneformany.engine.cover.cost_kernels import cheapest
from oneformany.engine.cover.large_cover import solve_cover
from oneformany.engine.cover.large_options import State
from oneformany.engine.cover.table import NO_CELL, ColumnTable
from oneformany.engine.lazy_cover import cover_lazily
from oneformany.engine.listed_proofs import ListedProofs
from oneformany.engine.listing.follow import follow
from oneformany.engine.listing.lazy import LazyListing, lazy_listing
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.optimistic import optimistic_weights
from oneformany.engine.run import Options
from oneformany.engine.screening import screen
from oneformany.engine.ways import Plan, columns_holding, planned, worth_waiting
from oneformany.goal import Goal
from oneformany.problem import Problem
from oneformany.result.build import Group, build_result, versions_of
from oneformany.result.explanation import Explanation
from oneformany.result.goal_proofs import CostProof, CoverageProof
from oneformany.result.proof import Proof
from oneformany.result.result import Result
from oneformany.statistics import Measure, Round, Statistics
from oneformany.stop import Stop

__all__ = ["ListedRun", "solve_by_listing"]

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
    """List all columns, choose among them, and state what is proved.

    Parameters
    ----------
    problem : Problem
        What is asked.
    goal : Goal
        What is wanted.
    stop : Stop
        When to end with what there is.
    progress : callable or None
        Receives a :class:`~oneformany.Round` after each step.
    seed : int
        Of the random choices.
    options : Options or None
        Switches.
    start : sequence of Explanation
        An answer that is known, to the same question or to one with fewer changes.
    """
    run = ListedRun(problem, stop, options or Options(), progress, seed)
    with stop.on_interrupt():
        run.list_all(goal)
        run.choose(goal, start)
        run.cheapen(goal)
    return run.result(goal)


@dataclass(frozen=True, eq=False)
class _Choice:
    """Columns of the table, which of them serves each row (``None``: the cheapest), and what is proved."""

    columns: IntArray
    owner: IntArray | None = None
    proof: Proof | None = None
    bound: int | None = None
    coverage: CoverageProof | None = None
    cost: CostProof | None = None
    covered_bound: int | None = None
    cost_open: bool = False


class ListedRun:
    """One listing, and answers to one goal after another.

    Parameters
    ----------
    problem : Problem
        What is asked.
    stop : Stop
        When to end with what there is.
    options : Options
        Switches.
    progress : callable or None
        Receives a :class:`~oneformany.Round` after each step.
    seed : int
        Of the random choices.
    """

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
        self.table_options = replace(options.table, seed=seed)
        self.choice = _Choice(np.zeros(0, dtype=np.int64))
        self._progress = progress
        self._seed = seed
        self._listing: FullListing | None = None
        self._lazy: LazyListing | None = None
        self._plan = Plan(problem, by_cost=False)
        self._listed = self.statistics

    @property
    def listing(self) -> FullListing:
        """The listing, once it is made."""
        if self._listing is None:
            raise AssertionError("the columns are listed first")
        return self._listing

    @property
    def table(self) -> ColumnTable:
        """The columns."""
        return self.listing.table

    def by_cost(self, goal: Goal) -> bool:
        """Whether the second objective is asked for: costs are given, or rows need not share a point.

        Parameters
        ----------
        goal : Goal
            What is wanted.
        """
        asked = self.options.least_cost
        return (
            goal.limited or self.problem.costs is not None or self.problem.share != "point"
            if asked is None
            else asked
        )

    def list_all(self, goal: Goal) -> None:
        """List the columns, with all that least cost needs where that is affordable.

        Parameters
        ----------
        goal : Goal
            What is wanted.
        """
        by_cost = self.by_cost(goal)
        with self.statistics.timed("listing"):
            if not goal.limited and not by_cost and worth_waiting(self.problem, self.options):
                self._lazy = lazy_listing(self.problem, self.stop)
                self._listing = self._lazy.listing()
            else:
                self._plan = planned(self.problem, self.options, by_cost=by_cost)
                self._listing = self._plan.listing(self.stop)
        self.statistics.count("columns listed", len(self.table))
        self.statistics.notes += self._plan.notes
        self._report("explanations")(State("listing", self.table.n_rows, 0, self.stop.elapsed()))

        self._listed = deepcopy(self.statistics)

    def begin_again(self, stop: Stop) -> None:
        """Get ready for another goal over the same listing.

        Parameters
        ----------
        stop : Stop
            When to end with what there is.
        """
        self.stop = stop
        self.statistics = deepcopy(self._listed)

    def choose(self, goal: Goal, start: Sequence[Explanation] = ()) -> None:
        """Settle the first objective.

        Parameters
        ----------
        goal : Goal
            What is wanted.
        start : sequence of Explanation
            An answer that is known.
        """
        self.choice = _Choice(np.zeros(0, dtype=np.int64))
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
        with self.statistics.timed("budget"):
            best = solve_budget(
                self.table,
                self.problem.multiplicity,
                k,
                self.stop,
                self.table_options,
                self._report("people"),
                start[:k],
            )
        self._count(best.counters)
        proof = self.proofs.people(best) if self.table.complete else None
        most = best.bound if self.table.complete else self.proofs.rows
        fewest = 0 if proof is None else proof.fewest(best.covered)
        self.choice = _Choice(best.chosen, bound=fewest, coverage=proof, covered_bound=most)

    def _share(self, needed: int, start: IntArray) -> None:
        """The fewest for so many people."""
        with self.statistics.timed("coverage"):
            share = solve_coverage(
                self.table,
                self.problem.multiplicity,
                needed,
                self.stop,
                self.table_options,
                self._report("explanations"),
                start,
            )
        self._count(share.counters)
        complete = self.table.complete
        self.choice = _Choice(
            share.chosen,
            bound=share.bound if complete else min(1, len(share.chosen)),
            coverage=self.proofs.people(share) if complete else None,
        )

    def _everybody(self, start: IntArray) -> None:
        proof: Proof | None = None if self.table.complete else self._optimistic_proof()
        with self.statistics.timed("cover"):
            cover = solve_cover(
                self.table,
                self.stop,
                self.table_options,
                self._report("explanations"),
                start if self._covers(start) else None,
            )
        self._count(cover.counters)
        self.choice = _Choice(cover.chosen, proof=proof or self.proofs.cover(cover))

    def _optimistic_proof(self) -> Proof:
        """What cells alone prove, where columns are missing."""
        found = None
        if self.problem.share == "point":
            with self.statistics.timed("optimistic bound"):
                part = self.stop.part(min(OPTIMISTIC_SECONDS, OPTIMISTIC_TIME * self.stop.remaining()))
                found = optimistic_weights(self.problem, self.listing.reachable, part)
        return self.proofs.one() if found is None else self.proofs.dual(*found)

    def _everybody_lazily(self, lazy: LazyListing, start: Sequence[Explanation]) -> None:
        for explanation in start:
            changed = np.array(explanation.changed, dtype=np.int64)
            rows = np.unique(self.problem.row_of[list(explanation.members)])
            lazy.offer(changed, rows, np.array(explanation.point, dtype=np.int64)[changed])
        with self.statistics.timed("cover"):
            found = cover_lazily(lazy, self.stop, self.table_options, self._report("explanations"))
        for _, answer in found.proved:
            self._count(answer.counters)
        self.statistics.count("buckets", len(lazy.buckets))
        self.statistics.count("buckets evaluated", lazy.looked_at)
        self._listing = replace(self.listing, table=found.table, asked=lazy.batches.asked)
        table, answer = max(found.proved, key=lambda pair: pair[1].bound)
        self.choice = _Choice(
            found.chosen, proof=ListedProofs(self.problem, table, self.listing.unreachable).cover(answer)
        )

    def _covers(self, columns: IntArray) -> bool:
        held = np.zeros(self.table.n_rows, dtype=np.bool_)
        for column in columns.tolist():
            held[self.table.group(column)] = True
        return bool(np.array_equal(held, self.listing.reachable))

    @property
    def proofs(self) -> ListedProofs:
        """Turns what was proved about the table into proofs about the problem."""
        return ListedProofs(self.problem, self.table, self.listing.unreachable)

    def cheapen(self, goal: Goal) -> None:
        """Settle the second objective: as few explanations for as many people as asked, at the least cost.

        Parameters
        ----------
        goal : Goal
            What is wanted.
        """
        if not self.by_cost(goal) or not len(self.choice.columns):
            return
        if self.stop.expired():
            self.choice = replace(self.choice, cost_open=True)
            return
        people = self.problem.multiplicity
        covered = np.zeros(self.table.n_rows, dtype=np.bool_)
        for column in self.choice.columns.tolist():
            covered[self.table.group(column)] = True
        most = len(self.choice.columns) if goal.explanations is None else goal.explanations
        needed = int(people[covered].sum())
        if goal.explanations is None and goal.coverage is not None:
            needed = min(needed, goal.needed(int(people.sum())))
        with self.statistics.timed("least cost"):
            found = solve_cost(
                self.table,
                people,
                most,
                needed,
                self.choice.columns,
                self.stop,
                self.table_options,
                self._report("cost"),
            )
        self._count(found.counters)
        proof = self.proofs.cost(found) if self.table.complete and self._plan.by_cost else None
        proved = proof is not None and found.proved
        self.choice = replace(
            self.choice, columns=found.chosen, owner=found.assignment, cost=proof, cost_open=not proved
        )

    def result(self, goal: Goal) -> Result:
        """State what was found and what was proved.

        Parameters
        ----------
        goal : Goal
            What is wanted.
        """
        self.statistics.count("questions in batches", self.listing.asked)
        return build_result(
            self.problem,
            self._groups(),
            reasons=self._reasons(),
            helpable=np.flatnonzero(self.listing.reachable),
            proof=self.choice.proof,
            bound=self.choice.bound,
            coverage_proof=self.choice.coverage,
            cost_proof=self.choice.cost,
            cost_open=self.choice.cost_open,
            stop=self.stop,
            statistics=self.statistics,
            versions=versions_of(PACKAGES),
            method="exact",
            seed=self._seed,
            goal=goal if goal.limited else None,
            covered_bound=self.choice.covered_bound,
        )

    def _groups(self) -> list[Group]:
        """Each covered row under the column that costs it least."""
        table, columns, owner = self.table, self.choice.columns, self.choice.owner
        if owner is None:
            owner, _ = cheapest(table.starts, table.rows, table.costs, columns, table.n_rows)
        groups = []
        for number, column in enumerate(columns.tolist()):
            members = np.flatnonzero(owner == number)
            if not len(members):
                continue
            ends = (
                follow(self.problem, table, column, members).cells
                if self.problem.share == "features"
                else None
            )
            point = np.asarray(table.targets[column], dtype=np.int64)
            if self.problem.share == "features":
                point = np.full(len(point), NO_CELL, dtype=np.int64)
            groups.append(Group(point, members, table.changed[column].astype(np.bool_), ends))
        return groups

    def _reasons(self) -> dict[int, str]:
        """Why rows are beyond help: the closed form's own words where there is one."""
        rows = np.flatnonzero(self.listing.unreachable)
        if not len(rows):
            return {}
        told: dict[int, str] = {}
        relaxation = self.problem.oracle.relaxation()
        if relaxation is not None and relaxation.exact and not self.problem.restrictions:
            told = screen(self.problem, self.statistics, Stop()).reasons
        changes = "1 feature" if self.problem.max_changes == 1 else f"{self.problem.max_changes} features"
        plain = f"no allowed change of at most {changes} makes the classifier accept it"
        return {row: told.get(row, plain) for row in rows.tolist()}

    def _count(self, counters: Mapping[str, int]) -> None:
        for name, number in counters.items():
            self.statistics.count(name, number)

    def _proved(self, bound: int, measure: Measure) -> int:
        """What a bound over the table says about the problem: nothing, where columns are missing."""
        if measure == "cost":
            return bound if self.table.complete and self._plan.by_cost else 0
        if self.table.complete:
            return bound
        return self.proofs.rows if measure == "people" else 0

    def _report(self, measure: Measure) -> Callable[[State], None]:
        def tell(state: State) -> None:
            rounds = self.statistics.rounds
            rounds.append(
                Round(
                    state.phase,
                    len(rounds) + 1,
                    len(self.table),
                    float(state.value),
                    self._proved(state.bound, measure),
                    state.value,
                    self.stop.elapsed(),
                    measure,
                )
            )
            if self._progress is not None:
                self._progress(rounds[-1])

        return tell
