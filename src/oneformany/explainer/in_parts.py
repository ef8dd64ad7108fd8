"""More rows than one machine holds: a few of them decide the answer, all others are looked at where they are.

Whoever helps everybody helps a few, so what a few rows need bounds what all need. An answer for these few is
tried on all rows, part by part; some of those whom it leaves out, but whom something would help, are taken
in. What grows with the rows is nothing but the numbers that are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import IntArray
from oneformany.explainer.asking import Asking
from oneformany.explainer.parts import Parts, parts_of
from oneformany.explainer.posing import Posed, check_refused, pose
from oneformany.explainer.streams import typed
from oneformany.explainer.visits import RowReader, Visit, Visited, bare, no_explanation, nothing_seen
from oneformany.explainer.wanted import ask_about_wanted
from oneformany.oracles.actions import JudgesActions
from oneformany.problem.goal import Goal
from oneformany.result.others import Others
from oneformany.result.proof import Weights
from oneformany.result.result import Ended, Result, Status
from oneformany.schedule import SCHEDULE
from oneformany.schema.frames import Table
from oneformany.schema.schema import Schema
from oneformany.statistics import Round
from oneformany.stop import Stop

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

# Refused rows that are taken at first, at random, from so many parts: the answer for 2,000 helps all but some
# in a thousand of the others, and is found in seconds.
FIRST, FIRST_PARTS = 2_000, 8
# Rows that a part sends back of those whom an answer leaves out, and how many make another answer worth it.
SENT, ENOUGH = 64, 256
ATTEMPTS = 6  # at a share of all people, each with a somewhat larger share of the few
MORE = 0.005  # of the people, beside what was lacking
# Steps of a listing of the few rows that stand for all, some 10**9 a second: where more are needed, and the
# oracle judges all actions of a row, a few of these few carry the proof: in seconds instead of half a minute.
FEW_WORK = 1e9
HURRY = 1.5  # times what looking at all rows takes, as far as that is known: then there is no time for more

Answer = Callable[[Table, Goal, Stop], Result]
"""Explains a few refused rows."""


@dataclass(eq=False)
class Run:
    """The rows that were taken in, and how long it takes to look at the others."""

    reader: RowReader
    parts: Parts
    table: Table  # first rows of the source: what columns are called
    schema: Schema
    stop: Stop
    answer: Answer
    rows: list[pd.DataFrame] = field(default_factory=list)
    positions: dict[int, IntArray] = field(default_factory=dict)  # of each part: where these stand
    order: list[int] = field(default_factory=list)  # of parts: who sent rows comes first
    sizes: dict[int, int] = field(default_factory=dict)  # of each part: rows that were looked at, at most
    looked: int = 0  # at so many rows
    seconds: float = 0.0  # in so many

    def begin(self) -> None:
        """Take some of the refused rows, from all over the source."""
        self.order = list(range(len(self.parts)))
        some = np.unique(np.linspace(0, len(self.order) - 1, min(FIRST_PARTS, len(self.order)), dtype=int))
        nobody = no_explanation(self.schema)
        size = -(-FIRST // max(1, len(some)))
        first = Visit(self.reader, nobody, nobody, self.positions, send=size, decide=False, batches=1)
        seen = self.look(first, some.tolist())
        if not len(seen.sent):
            seen = self.look(replace(first, batches=None), self.order, enough=1)
        check_refused(len(seen.sent), seen.rows)

    def look(self, visit: Visit, order: list[int], enough: int = 0) -> Visited:
        """Look at parts in an order, until so many rows were sent back, or time is up."""
        seen, begun, left = nothing_seen(visit.cover.count), self.stop.elapsed(), set(range(len(self.parts)))
        limited = self.stop.time_limit is not None

        def timed() -> Visit:
            return replace(visit, seconds=self.stop.remaining() if limited else None)

        for part, found in self.parts.look(timed, order, self.reader.columns):
            left.discard(part)
            self.sizes[part] = max(found.rows, self.sizes.get(part, 0))
            seen += found
            if len(found.sent):
                self._take(part, found)
            if self.stop.expired() or 0 < enough <= len(seen.sent):
                break
        self.looked += seen.rows
        self.seconds += self.stop.elapsed() - begun
        return replace(seen, complete=seen.complete and not left)

    def _take(self, part: int, found: Visited) -> None:
        """Keep rows that were sent back; their part is the first to be looked at again."""
        self.rows.append(found.sent)
        self.positions[part] = np.append(
            self.positions.get(part, np.zeros(0, dtype=np.int64)), found.positions
        )
        self.order.remove(part)
        self.order.insert(0, part)

    def answered(self, goal: Goal) -> Result:
        """Answer for the rows that were taken in."""
        rows = typed(pd.concat(self.rows), self.reader.like)
        part = SCHEDULE.few.of(self.stop)
        return self.answer(Table.of(self.table.named(rows)), goal, part)

    @property
    def hurries(self) -> bool:
        """Whether there is just time to look at all rows once more."""
        rows = self.parts.rows or len(self.parts) * sum(self.sizes.values()) / max(1, len(self.sizes))
        return HURRY * rows * self.seconds / max(1, self.looked) > self.stop.remaining()


def read_source(asked: OneForMany, first: Table, stop: Stop) -> tuple[RowReader, Posed, Table]:
    """See from the first rows of a source how all are read; what was posed about these; and these."""
    like = pd.DataFrame()
    if asked.reference is not None:
        like = Table.of(asked.reference, "the reference data").frame.iloc[:0]
    table = replace(first, frame=typed(first.frame, like))
    posed = pose(asked, table, stop)
    unread = {} if posed.cells is None else {n: table.frame[n].iloc[0] for n in posed.cells.unread}
    if asked.reference is None:
        asked = replace(asked, reference=first.named(first.frame))
    return RowReader(asked, list(posed.schema.names), like, unread), posed, table


def explained_in_parts(
    asked: OneForMany,
    first: Table,
    source: AnyFrame,
    goal: Goal,
    stop: Stop,
    told: Callable[[Round], None] | None,
) -> Result:
    """Answer for a few rows of a source, as often as it takes until that is an answer for all."""
    from oneformany.engine.options import Options  # compiled parts are loaded when they are needed
    from oneformany.methods import solve_for

    reader, posed, table = read_source(asked, first, stop)
    ask_about_wanted(asked, posed)
    parts = parts_of(source)
    if parts is None:
        raise AssertionError("only what can be read again is looked at in parts")

    def answer(rows: Table, wanted: Goal, limit: Stop) -> Result:
        few = pose(reader.asked, rows, limit)
        problem = few.problem(asked.max_changes, asked.share)
        options = Options(least_cost=False)
        if isinstance(problem.oracle, JudgesActions):
            options = replace(options, most_work=FEW_WORK)
        left = None if limit.time_limit is None else limit.remaining()
        asking = Asking(reader.asked, problem, few, rows, limit, {}, {}, ranges=False)
        return solve_for(asking, problem, time_limit=left, progress=told, options=options, **asdict(wanted))

    limit = SCHEDULE.parts.of(stop)
    return explain_parts(Run(reader, parts, table, posed.schema, limit, answer), goal)


def explain_parts(run: Run, goal: Goal) -> Result:
    """Answer for all rows of a source that stay where they are."""
    run.begin()
    if goal.explanations is not None:
        result, seen = _most_people(run, goal)
    elif goal.coverage is not None and goal.coverage < 1:
        result, seen = _share(run, goal)
    else:
        result, seen = _everybody(run)
    return _about_all(result, seen, goal, run.stop)


def _visit(run: Run, result: Result, pool: Result | None = None, send: int = 0) -> Visit:
    """Try an answer on all rows that were not taken in."""
    return Visit(run.reader, bare(result), bare(pool or result), dict(run.positions), send)


def _everybody(run: Run) -> tuple[Result, Visited]:
    """Take in rows whom an answer leaves out until it leaves out nobody, or time is up."""
    while True:
        result = run.answered(Goal())
        if run.hurries:
            return result, run.look(_visit(run, result), run.order)
        seen = run.look(_visit(run, result, send=SENT), list(run.order), ENOUGH)
        if not len(seen.sent) or run.stop.expired():
            return result, seen


def _most_people(run: Run, goal: Goal) -> tuple[Result, Visited]:
    """Let the few choose, and count whom that helps."""
    result = run.answered(goal)
    pool = result if run.hurries else run.answered(Goal())
    return result, run.look(_visit(run, result, pool), run.order)


def _share(run: Run, goal: Goal) -> tuple[Result, Visited]:
    """Help a share of the few, and a little more of them until it is that share of all."""
    share, pool = goal.coverage or 1.0, run.answered(Goal())
    best: tuple[Result, Visited] | None = None
    for _ in range(ATTEMPTS):
        result = run.answered(Goal(coverage=share))
        seen = run.look(_visit(run, result, pool), run.order)
        covered, people = result.covered + int(seen.by.sum()), result.people + seen.refused
        possible = people - seen.unreachable - len(result.unreachable)
        lacking = min(possible, goal.needed(people)) - covered
        if best is None or lacking <= 0 or covered > best[0].covered + int(best[1].by.sum()):
            best = result, seen
        if lacking <= 0 or share >= 1 or not seen.complete or run.hurries:
            break
        share = min(1.0, share + lacking / people + MORE)
    if best is None:
        raise AssertionError("at least one share is tried")
    return best


def _about_all(result: Result, seen: Visited, goal: Goal, stop: Stop) -> Result:
    """Say of all rows what was found of a few, and counted of the others."""
    undecided = seen.open if goal.limited else seen.open + seen.helpable
    others = Others(seen.refused, tuple(seen.by.tolist()), seen.unreachable, undecided)
    noted = {"rows_read": max(seen.rows, len(result.assignment)), "read_to_the_end": seen.complete}
    whole = replace(result, goal=goal, others=others, problem={**result.problem, **noted})
    few = int(result.people_of_rows[[entry.row for entry in result.unreachable]].sum())
    possible = whole.people - few - others.unreachable
    most, wanted = possible, min(possible, goal.needed(whole.people))
    bound, proof = result.lower_bound, result.proof
    if goal.explanations is not None:
        most = (result.covered_bound or 0) + others.people - others.unreachable
        wanted = whole.covered
    if goal.limited:
        fewest = proof.fewest(possible - wanted) if isinstance(proof, Weights) else 0
        bound = min(result.count, max(fewest, min(1, wanted)))
    whole = replace(whole, covered_bound=most, lower_bound=bound)
    return replace(whole, status=_status(whole, wanted, most), ended=_ended(result, whole, stop))


def _status(whole: Result, wanted: int, most: int) -> Status:
    """What all numbers together say."""
    if whole.goal.explanations is not None:
        settled = whole.covered == most
    else:
        settled = whole.lower_bound == whole.count and whole.covered >= wanted
    if most == 0:
        return "infeasible"
    return "optimal" if settled and not whole.beyond_knowledge else "feasible"


def _ended(result: Result, whole: Result, stop: Stop) -> Ended:
    """Why the run ended."""
    if stop.interrupted:
        return "interrupted"
    return "time limit" if stop.expired() and whole.status == "feasible" else result.ended
