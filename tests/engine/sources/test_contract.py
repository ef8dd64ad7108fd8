"""One contract for all sources, held against brute force: capacities, heavy columns, savings, and answers.

To hold another source to it, add a way to open it to ``SOURCES``, with the sharings that it serves.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import draw_problem
from engine.sources.toy import Catalogue
from oneformany.engine.cheapen import cheapen
from oneformany.engine.choose import choose
from oneformany.engine.context import Context
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.masters.tabled import best_of_table
from oneformany.engine.options import Options
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.solve import told
from oneformany.engine.sources.bucketed import Bucketed
from oneformany.engine.sources.listed import Listed
from oneformany.engine.sources.partial import Partial
from oneformany.engine.sources.protocol import NOTHING_LACKS
from oneformany.engine.sources.sampled import Sampled
from oneformany.engine.sources.searched import Searched
from oneformany.engine.sources.undecided import reach_undecided
from oneformany.engine.sources.wide import wide_listing
from oneformany.engine.standing import CostStanding, Standing, nothing_known
from oneformany.problem.goal import Goal
from oneformany.stop import Stop
from reference_goals import best_answer
from reference_sharing import all_groups

GOALS = [Goal(), Goal(explanations=1), Goal(explanations=2), Goal(coverage=0.6)]


def listed(run):
    found = list_columns(run.problem, costed=True)
    return Listed(run.problem, found.table, found.unreachable, costed=True)


def partial(run):
    return Partial(run, NOTHING_LACKS, wide_listing(run.problem, run.stop))


def catalogue(run):
    """All that may be changed, to anything: nothing is missing."""
    problem, offers = run.problem, []
    for size in range(problem.max_changes + 1):
        for features in combinations(range(problem.n_features), size):
            goals = list(product(*(range(problem.levels[feature]) for feature in features)))
            goals = np.array(goals, dtype=np.int64).reshape(len(goals), size)
            offers.append((np.array(features, dtype=np.int64), goals))
    return Catalogue(problem, offers)


def sampled(run):
    """A few rows, where each oracle judges all actions of a row."""
    return Sampled(run, NOTHING_LACKS)


KINDS = ("additive", "tree", "network", "black box")
POINTS = {"share": "point", "own": False, "restricted": False}
SOURCES = {
    "listed, one point": (listed, GOALS, {"share": "point"}),
    "listed, one action": (listed, GOALS, {"share": "action"}),
    "listed, one list of features": (listed, GOALS, {"share": "features"}),
    "bucketed": (Bucketed.open, GOALS[:1], {"share": "point"}),
    "partial, one point": (partial, GOALS, {"share": "point"}),
    "partial, one action": (partial, GOALS, {"share": "action"}),
    "partial, one list of features": (partial, GOALS, {"share": "features"}),
    "searched": (Searched.open, GOALS[:1], POINTS),
    "sampled": (
        sampled,
        [Goal(), Goal(explanations=2), Goal(coverage=0.6)],
        {"share": "action", "kinds": KINDS[:2]},
    ),
    "catalogue": (catalogue, GOALS, {"share": "action", "own": False}),
}
seeds = st.integers(0, 10**6)
every_source = pytest.mark.parametrize("name", SOURCES)


def opened(name, seed, goal=None, **options):
    """A source for a random problem, what it was asked, and all groups with what their rows pay."""
    open_, _, wanted = SOURCES[name]
    rng, kinds = np.random.default_rng(seed), wanted.get("kinds", KINDS)
    drawn = {key: value for key, value in wanted.items() if key != "kinds"}
    problem = draw_problem(rng, kinds[seed % len(kinds)], **drawn)
    run = Context(problem, goal or Goal(), options=Options(**options))
    return open_(run), run, [group for group in all_groups(problem) if group], rng


@every_source
@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_rows_are_known_and_columns_exist(name, seed):
    source, run, groups, _ = opened(name, seed)
    helped = sorted(set().union(*groups))
    assert np.flatnonzero(source.reachable).tolist() == helped
    assert (source.unreachable == ~source.reachable).all()
    assert 0 <= source.usable <= len(source.table)
    for column in range(source.usable):
        rows = set(source.table.group(column).tolist())
        assert any(rows <= group.keys() for group in groups)
    assert isinstance(run.statistics.counters, dict)


@every_source
@settings(max_examples=40, deadline=None)
@given(seed=seeds, scale=st.sampled_from([1, 7, 2**30]))
def test_a_capacity_is_at_least_what_any_group_weighs(name, seed, scale):
    source, run, groups, rng = opened(name, seed)
    weights = np.where(source.reachable, rng.integers(0, 4, size=len(run.problem.rows)) * scale, 0)
    capacity = source.price(weights)
    if capacity is None:
        assert name.startswith("partial")
        return
    assert capacity >= max((int(weights[list(group)].sum()) for group in groups), default=0)
    if (
        not name.startswith(("bucketed", "searched", "sampled")) and weights.any()
    ):  # these may say more than is so
        assert capacity == max(int(weights[list(group)].sum()) for group in groups)


@every_source
@settings(max_examples=40, deadline=None)
@given(seed=seeds, floor=st.integers(1, 6))
def test_every_heavy_group_is_part_of_a_heavy_column(name, seed, floor):
    source, run, groups, rng = opened(name, seed)
    weights = np.where(source.reachable, rng.integers(0, 4, size=len(run.problem.rows)), 0)
    heavy = source.heavy(weights, floor)
    if heavy is None:
        assert name.startswith("partial")
        return
    listed_ = [set(heavy.group(column).tolist()) for column in range(len(heavy))]
    for group in groups:
        if int(weights[list(group)].sum()) >= floor:
            assert any(group.keys() <= rows for rows in listed_)


@every_source
@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_no_group_saves_more_than_is_said(name, seed):
    source, run, groups, rng = opened(name, seed)
    prices = np.where(source.reachable, rng.integers(0, 5, size=len(run.problem.rows)) * ONE_IN_COVERS, 0)
    savings = source.savings(prices)
    if savings is None:
        assert name.startswith(("partial", "bucketed", "sampled"))
        return
    people = run.problem.multiplicity
    saved = (
        sum(int(people[row]) * max(0, int(prices[row]) - ONE_IN_COVERS * cost) for row, cost in group.items())
        for group in groups
    )
    assert max(saved, default=0) <= max(savings.tolist(), default=0)
    assert (np.diff(savings) <= 0).all()


@every_source
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_loop_reaches_the_optimum_and_a_stranger_agrees(name, data):
    goal = data.draw(st.sampled_from(SOURCES[name][1]))
    source, run, groups, _ = opened(name, data.draw(seeds), goal, least_cost=name != "bucketed")
    first = choose(source, run)
    cheap = cheapen(source, run, first)
    result, best = told(source, run, first, cheap), best_answer(run.problem, goal)
    assert isinstance(first, Standing)
    assert cheap is None or isinstance(cheap, CostStanding)
    assert result.status == ("infeasible" if not groups else result.status)
    complete = not name.startswith("partial")
    assert not complete or result.status != "feasible"
    if goal.explanations is None:
        assert result.lower_bound <= best.explanations <= result.count
        assert not complete or result.count == best.explanations
    assert result.covered_bound >= best.covered or goal.explanations is None
    if complete:
        # Of a share, those who pay nothing are served as well: that depends on the cost
        cheapest = goal.coverage is None or result.cost in {None, best.cost}
        assert result.covered == best.covered or not cheapest
        assert result.cost_bound is None or result.cost_bound <= best.cost <= result.cost
        assert not name.startswith(("listed", "catalogue")) or result.cost == best.cost
    assert result.verify().outcome != "wrong"


@pytest.mark.parametrize("name", ["listed, one action", "partial, one action", "sampled", "catalogue"])
def test_masters_need_no_source_in_particular(name):
    """Both masters are functions of the protocol; where nothing is priced, nothing is said to be proved."""
    source, run, _, _ = opened(name, 4)
    standing = best_of_table(
        source, run, nothing_known(source.table), np.zeros(0, dtype=np.int64), hasty=False
    )
    capacity = source.price(np.ones(len(run.problem.rows), dtype=np.int64))
    assert (standing.weights is None) == (capacity is None)


def test_time_that_is_left_is_for_rows_that_were_not_examined():
    run = Context(draw_problem(np.random.default_rng(5), "tree", "action"), stop=Stop(100))
    nobody = np.zeros(len(run.problem.rows), dtype=np.bool_)
    reached = reach_undecided(run, nobody)
    assert (reached.reachable | reached.unreachable).all()
    assert reach_undecided(run, ~nobody) is None
    assert reach_undecided(replace(run, stop=Stop()), nobody) is None  # others had all the time there is
    assert reach_undecided(replace(run, stop=Stop(0)), nobody) is None


@every_source
def test_what_is_settled_keeps_who_is_covered(name):
    for seed in range(12):
        source, run, _, _ = opened(name, seed)
        if not len(source.table):
            continue
        standing = source.better(run, choose(source, run), np.zeros(0, dtype=np.int64), hasty=False)
        covered = standing.table.incidence.covered_by(standing.chosen)
        asked = source.settle(standing, run)
        if asked is not None:
            assert not (covered & ~source.table.incidence.covered_by(asked)).any()


def test_a_catalogue_is_all_there_is():
    run = replace(Context(draw_problem(np.random.default_rng(3), "additive", "action")), seed=1)
    nothing = Catalogue(run.problem, [(np.zeros(0, dtype=np.int64), np.zeros((1, 0), dtype=np.int64))])
    assert choose(nothing, run).bound <= 1
