"""Which source serves a question: the one decision, with the estimates that speak for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from oneformany.engine.context import Context
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import FullListing, list_columns
from oneformany.engine.sources.bucketed import Bucketed
from oneformany.engine.sources.estimates import QUICK, estimated, lazily
from oneformany.engine.sources.listed import Listed
from oneformany.engine.sources.partial import Partial
from oneformany.engine.sources.protocol import NOTHING_LACKS, ColumnSource, Shortfall
from oneformany.engine.sources.sampled import Sampled, serves
from oneformany.engine.sources.searched import Searched
from oneformany.engine.sources.wide import wide_listing
from oneformany.exceptions import InputError
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.result.explanation import Explanation
from oneformany.schedule import SCHEDULE

MANY_ROWS = 1_000  # fewer are sooner searched for than listed


@dataclass(frozen=True)
class Decision:
    """A source, the reason in words, and why it does not have all columns.

    ``costed``: columns that only are cheaper for somebody are listed as well; ``limits``: what kept the
    source from having all, each by one word.
    """

    source: Literal["searched", "bucketed", "listed", "sampled", "partial"]
    reason: str
    costed: bool = False
    shortfall: Shortfall = NOTHING_LACKS
    limits: tuple[str, ...] = ()


def decided(run: Context) -> Decision:
    """Decide by the table below: the first line that holds.

    ========  =====================================================================================
    searched  rows share a point, own nothing but cells, everybody is asked for, and listing is more
    bucketed  the classifier has to be asked about points that rows share, and no cost is asked for
    listed    all columns can be listed, and what least cost needs as well if that is asked for
    sampled   rows need not share a point, and the oracle judges all actions of a row at once
    partial   otherwise
    ========  =====================================================================================
    """
    problem, options = run.problem, run.options
    may_search = searchable(problem, run.goal)
    if options.way == "search" and not may_search:
        raise InputError("only a listing serves goals, own values and ways to share: way='search' cannot")
    if may_search and (options.way == "search" or (options.way == "auto" and _sooner_searched(run))):
        return Decision(
            "searched", f"columns of {len(problem.rows):,} rows are searched for when they are needed"
        )
    if not run.goal.limited and not run.cheaply and lazily(run, run.stop.remaining()):
        return Decision("bucketed", "the classifier is asked only about groups that a cover could use")
    ground = Ground.of(problem)
    whole = estimated(ground, costed=run.cheaply)
    why = whole.too_much(options.most_work)
    if not why:
        return Decision("listed", f"all {whole.told}", costed=run.cheaply)
    limits = ("calls" if np.isfinite(ground.most_calls) else "size",)
    short = Shortfall(cost=f"the least cost is not proved: {why}" if run.cheaply else "")
    unproved = limits if short.cost else ()
    if options.way == "auto" and serves(run):
        return Decision("sampled", f"of all {whole.told}, those of a few rows", False, short, unproved)
    if run.cheaply:
        whole = estimated(ground)
        why = whole.too_much(options.most_work)
    if not why:
        return Decision("listed", f"all {whole.told}", False, short, unproved)
    return Decision("partial", f"a part of {whole.told}", False, replace(short, columns=why), limits)


def searchable(problem: Problem, goal: Goal) -> bool:
    """Whether columns can be searched for: rows share a point and are what their cells are, and all count."""
    return problem.plain and not goal.limited


def _sooner_searched(run: Context) -> bool:
    """Whether columns are rather searched for: few rows, or more to list than is quick."""
    if run.cheaply:
        return bool(estimated(Ground.of(run.problem), costed=True).too_much(run.options.most_work))
    if len(run.problem.rows) < MANY_ROWS:
        return True
    return bool(estimated(Ground.of(run.problem)).too_much(QUICK)) and not lazily(run)


def open_source(run: Context, start: Sequence[Explanation] = ()) -> ColumnSource:
    """Open the source that serves the question of a run, from an answer that is known."""
    decision = decided(run)
    run.statistics.decisions.append(f"{decision.source}: {decision.reason}")
    if decision.source == "searched":
        return Searched.open(run, start)
    for limit in decision.limits:
        run.stop.met(limit)
    with run.statistics.timed("listing"):
        if decision.source == "bucketed":
            source: ColumnSource = Bucketed.open(run, start)
        elif decision.source == "sampled":
            source = Sampled(run, decision.shortfall)
        else:
            source = _listed(run, decision)
    run.statistics.count("columns listed", len(source.table))
    return source


def _listed(run: Context, decision: Decision) -> Listed | Partial:
    """List all, or what many rows accept, whichever promises more; then the other, if that is not enough."""
    problem, options, why = run.problem, run.options, decision.shortfall
    short = run.goal.limited and bool(problem.unasked.any())
    part = replace(run, stop=SCHEDULE.listing.of(run.stop))
    if decision.source == "listed" and (problem.share == "point" or decision.costed or not run.cheaply):
        found = _all_columns(part, decision)
        if found.table.complete:
            return Listed(problem, found.table, found.unreachable, decision.costed, why, short)
        return Partial(part, why, wide_listing(problem, SCHEDULE.groups.of(run.stop), run.seed), found)
    partial = Partial(part, why, wide_listing(problem, part.stop, run.seed))
    enough = partial.enough()
    if not enough and decision.source == "listed":
        found = _all_columns(part, decision)
        if found.table.complete:
            return Listed(problem, found.table, found.unreachable, decision.costed, why, short)
        partial.add(found)
    elif not enough:
        partial.list_part(options.most_work, enough=False)
    elif run.cheaply and problem.share != "features":  # where each row went where it is cheapest
        partial.list_part(QUICK, enough=True)
    return partial


def _all_columns(run: Context, decision: Decision) -> FullListing:
    found = list_columns(run.problem, costed=decision.costed, stop=run.stop)
    run.statistics.count("questions in batches", found.asked)
    run.report("listing", len(found.table), float(found.table.n_rows), (found.table.n_rows, 0))
    return found
