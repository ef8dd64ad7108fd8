"""The way through a listing: all columns first, then the best choice among them.

It serves every way to share, own values, rules on whole rows, costs, and goals other than covering everybody;
:mod:`oneformany.engine.exact` serves what cannot be listed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.budget import solve_budget
from oneformany.engine.cover.budget_coverage import solve_coverage
from oneformany.engine.cover.cost import solve_cost
from oneformany.engine.cover.large_cover import solve_cover
from oneformany.engine.cover.large_options import State, TableOptions
from oneformany.engine.cover.table import NO_CELL, ColumnTable
from oneformany.engine.listed_proofs import ListedProofs
from oneformany.engine.listing.estimate import affordable
from oneformany.engine.listing.follow import follow
from oneformany.engine.listing.listing import FullListing, list_columns
from oneformany.engine.run import Options
from oneformany.engine.screening import screen
from oneformany.goal import Goal
from oneformany.problem import Problem
from oneformany.result.build import Group, build_result, versions_of
from oneformany.result.goal_proofs import CostProof, CoverageProof
from oneformany.result.proof import Proof
from oneformany.result.result import Result
from oneformany.statistics import Measure, Round, Statistics
from oneformany.stop import Stop

__all__ = ["needs_listing", "solve_by_listing", "worth_listing"]

PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")
MANY_ROWS = 1_000
QUICK = 2e9  # steps, a second or two


def needs_listing(problem: Problem, goal: Goal) -> bool:
    """Whether only a listing can answer the question.

    Parameters
    ----------
    problem : Problem
        What is asked.
    goal : Goal
        What is wanted.
    """
    plain = problem.share == "point" and problem.own is None and not problem.restrictions
    return goal.limited or not plain or problem.costs is not None


def worth_listing(problem: Problem) -> bool:
    """Whether a listing is the quicker way: many rows, few changes.

    Parameters
    ----------
    problem : Problem
        What is asked.
    """
    return len(problem.rows) >= MANY_ROWS and affordable(problem, most_work=QUICK).ok


def solve_by_listing(
    problem: Problem,
    goal: Goal,
    stop: Stop,
    *,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | None = None,
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
    """
    run = _Listed(problem, goal, stop, options or Options(), progress, seed)
    with stop.on_interrupt():
        run.list_all()
        run.choose()
        run.cheapen()
    return run.result()


@dataclass(frozen=True, eq=False)
class _Choice:
    """Columns of the table, and what is proved about them."""

    columns: IntArray
    proof: Proof | None = None
    bound: int | None = None
    coverage: CoverageProof | None = None
    cost: CostProof | None = None
    covered_bound: int | None = None


class _Listed:
    """One answer under way."""

    def __init__(
        self,
        problem: Problem,
        goal: Goal,
        stop: Stop,
        options: Options,
        progress: Callable[[Round], None] | None,
        seed: int,
    ) -> None:
        self.problem, self.goal, self.stop, self.options = problem, goal, stop, options
        self.statistics = Statistics()
        self.table_options = TableOptions(seed=seed)
        self.choice = _Choice(np.zeros(0, dtype=np.int64))
        self._progress = progress
        self._seed = seed
        self._listing: FullListing | None = None

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

    @property
    def by_cost(self) -> bool:
        """Whether the second objective is asked for: costs are given, or rows need not share a point."""
        asked = self.options.least_cost
        return (
            self.goal.limited or self.problem.costs is not None or self.problem.share != "point"
            if asked is None
            else asked
        )

    def list_all(self) -> None:
        """List the columns, with all that least cost needs where that is affordable."""
        with self.statistics.timed("listing"):
            by_cost = self.by_cost and affordable(self.problem, keep="cost").ok
            self._listing = list_columns(
                self.problem,
                keep="cost" if by_cost else "coverage",
                stop=self.stop,
                memory=self.options.memory,
            )
        self.costs_complete = by_cost and self.table.complete
        self.statistics.count("columns listed", len(self.table))
        self.statistics.count("questions in batches", self.listing.asked)

    def choose(self) -> None:
        """Settle the first objective."""
        table, people = self.table, self.problem.multiplicity
        if not len(table):
            return
        proofs = ListedProofs(self.problem, table, self.listing.unreachable)
        k = self.goal.explanations
        if k is not None:
            with self.statistics.timed("budget"):
                best = solve_budget(table, people, k, self.stop, self.table_options, self._report("people"))
            self._count(best.counters)
            proof = proofs.budget(best) if table.complete else None
            most = best.bound if table.complete else proofs.rows
            fewest = 0 if proof is None else proof.fewest(best.covered)
            self.choice = _Choice(best.chosen, bound=fewest, coverage=proof, covered_bound=most)
        elif self.goal.coverage is not None:
            needed = self.goal.needed(int(self.problem.multiplicity.sum()))
            with self.statistics.timed("coverage"):
                share = solve_coverage(
                    table, people, needed, self.stop, self.table_options, self._report("explanations")
                )
            self._count(share.counters)
            proof = proofs.share(share) if table.complete else None
            self.choice = _Choice(share.chosen, bound=share.bound if table.complete else 1, coverage=proof)
        else:
            with self.statistics.timed("cover"):
                cover = solve_cover(table, self.stop, self.table_options, self._report("explanations"))
            self._count(cover.counters)
            self.choice = _Choice(cover.chosen, proofs.cover(cover) if table.complete else proofs.one())

    def cheapen(self) -> None:
        """Settle the second objective: the same rows and explanations, at the least cost."""
        if not self.by_cost or not len(self.choice.columns) or self.table.costs is None:
            return
        people = self.problem.multiplicity
        covered = np.zeros(self.table.n_rows, dtype=np.bool_)
        for column in self.choice.columns.tolist():
            covered[self.table.group(column)] = True
        needed = int(people[covered].sum())
        most = len(self.choice.columns) if self.goal.explanations is None else self.goal.explanations
        if self.goal.coverage is not None:
            needed = min(needed, self.goal.needed(int(self.problem.multiplicity.sum())))
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
        proofs = ListedProofs(self.problem, self.table, self.listing.unreachable)
        proof = proofs.cost(found) if self.costs_complete else None
        self.choice = replace(self.choice, columns=found.chosen, cost=proof)

    def result(self) -> Result:
        """State what was found and what was proved."""
        helpable = np.flatnonzero(self.listing.reachable)
        limited = self.goal.limited
        return build_result(
            self.problem,
            self._groups(),
            reasons=self._reasons(),
            helpable=helpable,
            proof=self.choice.proof,
            bound=self.choice.bound,
            coverage_proof=self.choice.coverage,
            cost_proof=self.choice.cost,
            stop=self.stop,
            statistics=self.statistics,
            versions=versions_of(PACKAGES),
            method="exact",
            seed=self._seed,
            goal=self.goal if limited else None,
            covered_bound=self.choice.covered_bound,
        )

    def _groups(self) -> list[Group]:
        """Each covered row under the column that costs it least."""
        table, columns = self.table, self.choice.columns
        owner = np.full(table.n_rows, -1)
        least = np.full(table.n_rows, np.iinfo(np.int64).max)
        for number, column in enumerate(columns.tolist()):
            rows = table.group(column)
            costs = (
                np.zeros(len(rows), dtype=np.int64)
                if table.costs is None
                else table.costs[table.starts[column] : table.starts[column + 1]]
            )
            cheaper = rows[costs < least[rows]]
            least[cheaper] = costs[costs < least[rows]]
            owner[cheaper] = number
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
        plain = f"every allowed change of at most {changes} was tried, and the classifier accepts none"
        return {row: told.get(row, plain) for row in rows.tolist()}

    def _count(self, counters: object) -> None:
        for name, number in dict(counters).items():  # type: ignore[call-overload]
            self.statistics.count(name, number)

    def _report(self, measure: Measure) -> Callable[[State], None]:
        def tell(state: State) -> None:
            rounds = self.statistics.rounds
            rounds.append(
                Round(
                    state.phase,
                    len(rounds) + 1,
                    len(self.table),
                    float(state.value),
                    state.bound,
                    state.value,
                    self.stop.elapsed(),
                    measure,
                )
            )
            if self._progress is not None:
                self._progress(rounds[-1])

        return tell
