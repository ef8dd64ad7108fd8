"""The way through a listing: all columns first, then the best choice among them.

It serves every way to share, own values, rules on whole rows, costs, and goals other than covering everybody;
:mod:`oneformany.engine.exact` serves what cannot be listed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.context import Context
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.listed_answers import ListedProofs, columns_holding, groups_of
from oneformany.engine.listing.batches import OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.lazy import LazyListing, cover_lazily, lazy_listing
from oneformany.engine.listing.listing import FullListing, list_columns
from oneformany.engine.listing.single_rows import reach_rows
from oneformany.engine.listing.store import going_to
from oneformany.engine.plan import QUICK, Plan, affordable_changes, planned, worth_waiting
from oneformany.engine.screening import reasons_of
from oneformany.engine.table.budget import solve_budget
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.fewest import solve_cover, solve_coverage
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.engine.wide import WideListing, wide_listing
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.result.build import build_result, versions_of
from oneformany.result.explanation import Explanation
from oneformany.result.proof import Proof
from oneformany.result.result import Result
from oneformany.statistics import Measure
from oneformany.stop import Stop

LISTING_TIME = 0.8  # of what is left, so that there is time to choose from what was listed
WIDE_TIME = 0.5  # of what is left then, where it did not suffice
NOTHING = np.zeros(0, dtype=np.int64)
PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")


class ListedRun:
    """One listing, and answers to one goal after another; ``progress`` is told about each step."""

    listing: FullListing

    def __init__(self, run: Context) -> None:
        self.run, self.problem, self.options = run, run.problem, run.options
        self.stop, self.statistics = run.stop, run.statistics
        self._listed = run.statistics
        self.columns: IntArray = NOTHING
        self.owner: IntArray | None = None
        self.claims: dict[str, Any] = {}
        self._lazy: LazyListing | None = None
        self._wide: WideListing | None = None
        self._plan, self._goal = Plan(), Goal()
        self._listing_stop, self._tried = run.stop, 0  # so many changes are all listed
        self._chose_from = 0.0  # seconds from the start
        self._limits_met = list[str]()  # by the listing

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
        self._goal, cheap = goal, replace(self.run, goal=goal).cheaply
        with self.statistics.timed("listing"):
            if (
                not goal.limited
                and not cheap
                and worth_waiting(self.problem, self.options, self.stop.remaining())
            ):
                self._lazy = lazy = lazy_listing(self.problem, self.stop)
                self.listing = FullListing(lazy.table()[0], lazy.reached.unreachable, lazy.batches.asked)
            else:
                self._plan = planned(self.problem, self.options, costed=cheap)
                self._list(cheap=cheap)
        self.statistics.count("columns listed", len(self.table))
        self._listed, self._chose_from = deepcopy(self.statistics), self.stop.elapsed()
        self._limits_met = self.stop.limits.copy()

    def _list(self, *, cheap: bool) -> None:
        """List what is planned, unless what many rows accept is enough; then what is quick, for less cost."""
        self._listing_stop = self.stop.part(LISTING_TIME * self.stop.remaining())
        plan, share = self._plan, self.problem.share
        for limit in plan.limits:
            self.stop.met(limit)
        if plan.changes is None and (share == "point" or plan.costed or not cheap):
            self._list_whole()
            return
        wide = wide_listing(self.problem, self._listing_stop)
        if not self._join(wide):
            if plan.changes is None:
                self._list_whole()
            else:
                self._list_part(wide, self.options.most_work, cheap=cheap)
        elif cheap and share != "features":  # where each row went where it is cheapest
            self._list_part(wide, QUICK, cheap=cheap)

    def _list_part(self, wide: WideListing, most_work: float, *, cheap: bool) -> None:
        """List columns of one change, then of two and so on, as long as that may be of use."""
        parts, enough = list[FullListing](), False
        for changes in range(1, affordable_changes(Ground.of(self.problem), most_work) + 1):
            if self._listing_stop.expired() or (enough and not cheap):
                break
            found = self._columns(replace(self.problem, max_changes=changes))
            found = replace(found, unreachable=wide.listing.unreachable)  # more changes may help
            parts = [found] if found.table.complete else [*parts, found]
            self._tried = changes if found.table.complete else self._tried
            enough = self._join(wide, *parts)

    def _list_whole(self) -> None:
        """List everything; where time or memory do not suffice, look for what many rows accept as well."""
        self.listing = found = self._columns(self.problem)
        self._report("explanations", "listing", self.table.n_rows, 0)
        if found.table.complete:
            self._wide = None
            return
        wide = self._wide or wide_listing(self.problem, self.stop.part(WIDE_TIME * self.stop.remaining()))
        self._join(wide, found)

    def _columns(self, problem: Problem) -> FullListing:
        return list_columns(problem, costed=self._plan.costed, stop=self._listing_stop)

    def _join(self, wide: WideListing, *parts: FullListing) -> bool:
        """Take columns of many changes and parts of a listing; return whether they are enough."""
        every = (*parts, wide.listing)
        table = every[0].table.followed_by(*(part.table for part in every[1:]))
        unreachable = np.logical_or.reduce([part.unreachable for part in every])
        asked = sum(part.asked for part in every)
        self._wide, self.listing = wide, FullListing(replace(table, complete=False), unreachable, asked)
        count = len(greedy_columns(table.incidence))
        self._report("explanations", "listing", count, 0)
        fewest = max(self._goal.explanations or 1, 0 if self._goal.limited else wide.bound)
        return count <= fewest and bool((self.listing.reachable | unreachable).all())

    def begin_again(self, stop: Stop) -> None:
        """Get ready for another goal over the same listing, within another time."""
        self.stop, self.statistics = stop, deepcopy(self._listed)
        self.run = replace(self.run, stop=stop, statistics=self.statistics)
        self.stop.limits += self._limits_met

    def choose(self, goal: Goal, start: Sequence[Explanation] = ()) -> None:
        """Settle the first objective, from an answer that is known."""
        self.columns, self.owner, self.claims, self._goal = NOTHING, None, {}, goal
        if self._lazy is not None and len(self.table):
            self._everybody_lazily(self._lazy, start)
        elif len(self.table):
            self._choose_from_table(columns_holding(self.table, self.problem, start))

    def _choose_from_table(self, known: IntArray, proof: Proof | None = None) -> None:
        self.owner = None
        if self._goal.limited:
            self._people(self._goal, known)
        else:
            self._everybody(known, proof)

    def _people(self, goal: Goal, known: IntArray) -> None:
        """The most people with so many explanations, or the fewest for so many people."""
        people, k, complete = self.problem.multiplicity, goal.explanations, self.table.complete
        if k is None:
            with self._searching("coverage", "explanations") as search:
                best = solve_coverage(self.table, people, goal.needed(int(people.sum())), search, known)
        else:
            with self._searching("budget", "people") as search:
                best = solve_budget(self.table, people, k, search, known[:k])
        proof, most = self.proofs.people(best) if complete else None, None
        if k is None:
            fewest = best.bound if complete else min(1, len(best.chosen))
        else:
            most = best.bound if complete else self.proofs.rows
            fewest = 0 if proof is None else proof.fewest(self.proofs.rows - best.covered)
        self.columns = best.chosen
        self.claims = {"bound": fewest, "proof": proof, "covered_bound": most}

    def _everybody(self, known: IntArray, proof: Proof | None) -> None:
        wide = self._wide
        if proof is None and wide is not None and wide.bound > 1:  # what cells alone prove
            proof = self.proofs.dual(wide.weights, wide.capacity)
        if proof is None and not self.table.complete:
            proof = self.proofs.one()
        everybody = np.array_equal(self.table.incidence.covered_by(known), self.listing.reachable)
        with self._searching("cover", "explanations") as search:
            cover = solve_cover(self.table, search, known if everybody else None)
        self.columns, self.claims = cover.chosen, {"proof": proof or self.proofs.cover(cover)}

    def _everybody_lazily(self, lazy: LazyListing, start: Sequence[Explanation]) -> None:
        with suppress(OutOfTimeError):
            for explanation in start:
                changed = np.array(explanation.changed, dtype=np.int64)
                rows = np.unique(self.problem.row_of[list(explanation.members)])
                lazy.offer(changed, rows, np.array(explanation.point, dtype=np.int64)[changed])
        with self._searching("cover", "explanations") as search:
            answer = cover_lazily(lazy, search)
        self.columns = np.arange(len(answer.chosen))
        self.listing = replace(self.listing, table=answer.columns, asked=lazy.batches.asked)
        self.claims = {"proof": self.proofs.cover(answer)}

    def cheapen(self, goal: Goal) -> None:
        """Settle the second objective: as few explanations for as many people as asked, at the least cost."""
        if not replace(self.run, goal=goal).cheaply or not len(self.columns):
            return
        if self.stop.expired():
            self.claims["cost_open"] = True
            return
        people, first = self.problem.multiplicity, self.columns
        most = len(first) if goal.explanations is None else goal.explanations
        needed = int(people[self.table.incidence.covered_by(first)].sum())
        if goal.explanations is None and goal.coverage is not None:
            needed = min(needed, goal.needed(int(people.sum())))
        with self._searching("least cost", "cost") as search:
            found = solve_cost(self.table, people, most, needed, first, search)
        proof = self.proofs.cost(found) if self.table.complete and self._plan.costed else None
        self.columns, self.owner = found.chosen, found.assignment
        self.claims |= {"cost_proof": proof, "cost_open": proof is None or not found.proved}

    def decide(self, goal: Goal) -> None:
        """Look at rows of which nothing is known, in time that is left; choose again if some can be helped.

        As much time as choosing took the first time is kept for that.
        """
        known, listing, wide = self.listing.reachable | self.listing.unreachable, self.listing, self._wide
        seconds = self.stop.remaining() - (self.stop.elapsed() - self._chose_from)
        if known.all() or not 0 < seconds < np.inf:
            return
        ground, self._listing_stop = Ground.of(self.problem), self.stop.part(seconds)
        with self.statistics.timed("listing"):
            reached = reach_rows(ground, self._listing_stop, ~known)
        rows, before = reached.helpable, len(self.table)
        table = self.table.followed_by(going_to(ground, rows, reached.cells[rows]))
        unreachable = listing.unreachable | reached.unreachable
        self.listing = FullListing(replace(table, complete=False), unreachable, listing.asked)
        if len(rows):
            if wide is not None:
                ends = np.where(reached.reachable[:, None], reached.cells, wide.ends)
                self._wide = replace(wide, ends=ends)
            # What was proved about fewer rows holds for more.
            every = np.append(self.columns, np.arange(before, len(table)))
            self._choose_from_table(every, self.claims.get("proof"))
            self.cheapen(goal)

    def result(self, goal: Goal) -> Result:
        """State what was found and what was proved."""
        self.statistics.count("questions in batches", self.listing.asked)
        owner, known = self.owner, None if self._wide is None else self._wide.ends
        if owner is None:  # each row where it pays least
            owner, _ = cheapest(self.table, self.columns, self.table.n_rows)
        result = build_result(
            self.problem,
            groups_of(self.problem, self.table, self.columns, owner, known),
            reasons=reasons_of(self.problem, np.flatnonzero(self.listing.unreachable), self.stop),
            helpable=np.flatnonzero(self.listing.reachable),
            **{"proof": None, **self.claims},
            stop=self.stop,
            statistics=self.statistics,
            versions=versions_of(PACKAGES),
            method="exact",
            seed=self.run.seed,
            goal=goal if goal.limited else None,
        )
        if self._plan.notes and result.cost_bound != result.cost:
            self.statistics.notes += self._plan.notes
        if result.status == "feasible" and self._plan.reason:
            self.statistics.notes.append(self._plan.told(self._tried, Ground.of(self.problem).size))
        # A search over a listing that time cut short may meet another limit, but more time comes first.
        cut = result.ended == "limit" and not self.table.complete and self._listing_stop.expired()
        return replace(result, ended="time limit") if cut else result

    @contextmanager
    def _searching(self, phase: str, measure: Measure) -> Iterator[Search]:
        """What a search over the table is given; its time and its counts go into the statistics."""
        with self.run.searching(phase, partial(self._report, measure)) as search:
            yield search

    def _report(self, measure: Measure, phase: str, value: int, bound: int) -> None:
        """Tell whoever listens; where columns are missing, a bound over the table proves nothing."""
        if not self.table.complete or (measure == "cost" and not self._plan.costed):
            known = 0 if self._wide is None or self._goal.limited or measure == "cost" else self._wide.bound
            bound = self.proofs.rows if measure == "people" else known
        self.run.report(phase, len(self.table), float(value), (value, bound), measure)
