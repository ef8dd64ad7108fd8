"""Which source serves a question, and what is said of the decision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.problems import Veiled, random_additive
from oneformany.engine.context import Context
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.options import Options
from oneformany.engine.sources.opening import MANY_ROWS, decided, open_source
from oneformany.exceptions import InputError
from oneformany.methods import solve
from oneformany.problem.goal import Goal

PLAIN = random_additive(np.random.default_rng(0), rows=12, features=5, max_changes=3)
MANY = random_additive(np.random.default_rng(1), rows=3 * MANY_ROWS, features=9, levels=4, max_changes=2)
ASKED = replace(PLAIN, oracle=Veiled(PLAIN.oracle))
LISTING = Options(way="listing")


@pytest.mark.parametrize(
    ("run", "source"),
    [
        (Context(PLAIN), "searched"),
        (Context(PLAIN, options=LISTING), "listed"),
        (Context(PLAIN, options=Options(least_cost=True)), "listed"),
        (Context(PLAIN, options=Options(least_cost=True, most_work=1.0)), "searched"),
        (Context(PLAIN, Goal(explanations=2)), "listed"),
        (Context(PLAIN, Goal(coverage=0.5)), "listed"),
        (Context(MANY), "listed"),
        (Context(MANY, options=Options(way="search")), "searched"),
        (Context(ASKED), "searched"),
        (Context(ASKED, options=LISTING), "bucketed"),
        (Context(ASKED, options=replace(LISTING, lazy=False)), "listed"),
        (Context(ASKED, Goal(explanations=2)), "listed"),
        (Context(replace(PLAIN, share="action")), "listed"),
        (Context(replace(PLAIN, share="features")), "listed"),
        (Context(replace(PLAIN, share="action"), options=Options(most_work=1.0)), "sampled"),
        (Context(replace(PLAIN, share="action"), options=replace(LISTING, most_work=1.0)), "partial"),
        (Context(replace(PLAIN, share="features"), options=Options(most_work=1.0)), "sampled"),
        (Context(replace(PLAIN, share="features"), options=replace(LISTING, most_work=1.0)), "partial"),
        (Context(PLAIN, Goal(explanations=2), options=Options(most_work=1.0)), "partial"),
    ],
)
def test_the_question_decides_which_source_serves_it(run, source):
    assert decided(run).source == source
    opened = open_source(run)
    assert type(opened).__name__.lower() == source
    assert run.statistics.decisions == [f"{source}: {decided(run).reason}"]
    assert (opened.reachable | opened.unreachable).all()
    assert opened.table.complete == (source in {"listed", "bucketed"})


@pytest.mark.parametrize(
    "run", [Context(PLAIN, Goal(explanations=2)), Context(replace(PLAIN, share="action"))]
)
def test_what_cannot_be_searched_for_is_refused_if_that_is_asked(run):
    with pytest.raises(InputError, match="way='search' cannot"):
        decided(replace(run, options=Options(way="search")))


def test_what_is_too_much_is_listed_in_part_and_said_so():
    whole = decided(Context(PLAIN, options=Options(way="listing", least_cost=True)))
    assert (whole.costed, whole.shortfall.cost, whole.limits) == (True, "", ())
    least = Options(way="listing", most_work=1.0)
    part = decided(Context(PLAIN, options=replace(least, least_cost=True)))
    assert (part.source, part.costed, part.limits) == ("partial", False, ("size",))
    assert part.shortfall.cost.startswith("the least cost is not proved: there are about")
    assert "times as much as is listed" in part.shortfall.columns
    assert "Options" not in part.shortfall.columns  # explain() has no such argument
    best, some = (solve(PLAIN, options=replace(LISTING, most_work=work)) for work in (2e10, 1.0))
    assert some.count >= best.count >= some.lower_bound
    assert some.covered == best.covered
    words = "only combinations of at most 1 instead of 3 changes were all tried, so better answers may exist"
    told = any(note.startswith(words) for note in some.statistics.notes)
    assert told == (some.status == "feasible")


def test_what_was_not_listed_to_the_end_was_not_all_tried(monkeypatch):
    def cut(*given, **named):
        found = list_columns(*given, **named)
        return replace(found, table=replace(found.table, complete=False))

    monkeypatch.setattr("oneformany.engine.sources.partial.list_columns", cut)
    result = solve(PLAIN, options=replace(LISTING, most_work=1.0))
    assert result.status == "feasible"
    assert any("at most 0 instead of 3 changes were all tried" in note for note in result.statistics.notes)


def test_a_listing_that_is_cut_short_is_a_part(monkeypatch):
    def cut(*given, **named):
        found = list_columns(*given, **named)
        return replace(found, table=replace(found.table, complete=False))

    monkeypatch.setattr("oneformany.engine.sources.opening.list_columns", cut)
    for problem in (PLAIN, replace(PLAIN, share="action")):
        source = open_source(Context(problem, options=LISTING))
        assert type(source).__name__ == "Partial"
        assert source.price(np.ones(len(problem.rows), dtype=np.int64)) is None
