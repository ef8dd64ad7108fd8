"""The local search for covers: what it keeps is a cover, and on small tables it is a smallest one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.local_search import FIRST_SEARCHES, LocalSearch, search_around_shared
from oneformany.stop import Stop

GROUPS = st.lists(st.sets(st.integers(0, 6), min_size=1), min_size=1, max_size=10)


def incidence_of(groups):
    """All groups, and each row by itself."""
    every = [*map(sorted, groups), *([row] for row in range(7))]
    ends = np.cumsum([0, *map(len, every)])
    return Incidence.of(ends, np.concatenate(every).astype(np.int32), 7)


def smallest(incidence):
    columns = range(incidence.n_columns)
    sizes = range(1, incidence.n_columns + 1)
    covers = (some for size in sizes for some in combinations(columns, size))
    return len(next(some for some in covers if incidence.covered_by(np.array(some)).all()))


@settings(deadline=None, max_examples=50)
@given(groups=GROUPS)
def test_a_small_table_is_covered_by_as_few_columns_as_brute_force_needs(groups):
    incidence = incidence_of(groups)
    search = LocalSearch(incidence, np.zeros(7), np.arange(incidence.n_columns))
    fewest = smallest(incidence)
    found = search.run(fewest, 20_000, Stop())
    assert incidence.covered_by(found).all()
    assert len(found) == fewest


@settings(deadline=None, max_examples=50)
@given(groups=GROUPS, duals=st.lists(st.floats(0, 1), min_size=7, max_size=7))
def test_whatever_is_kept_is_a_cover_and_never_grows(groups, duals):
    incidence = incidence_of(groups)
    start = greedy_columns(incidence)
    search = LocalSearch(incidence, np.array(duals), start)
    before = len(start)
    for _ in range(5):
        found = search.run(0, 50, Stop())
        assert incidence.covered_by(found).all()
        assert len(found) <= before
        before = len(found)
    assert search.steps == 250


def test_no_step_is_taken_when_time_is_up_or_the_goal_is_met():
    incidence = incidence_of([{0, 1, 2}])
    search = LocalSearch(incidence, np.zeros(7), greedy_columns(incidence))
    assert len(search.run(0, 100, Stop(0))) == 5
    assert len(search.run(5, 100, Stop())) == 5
    assert search.steps == 0


def random_table(seed, rows=40, columns=150):
    rng = np.random.default_rng(seed)
    groups = [np.sort(rng.choice(rows, 5, replace=False)) for _ in range(columns)]
    groups += [np.array([row]) for row in range(rows)]
    ends = np.cumsum([0, *map(len, groups)])
    return Incidence.of(ends, np.concatenate(groups).astype(np.int32), rows)


@settings(deadline=None, max_examples=30)
@given(groups=GROUPS)
def test_searches_around_shared_columns_cover_a_small_table_by_as_few_as_brute_force_needs(groups):
    incidence = incidence_of(groups)
    fewest = smallest(incidence)
    found, _ = search_around_shared(incidence, np.zeros(7), fewest, 50, Stop())
    assert incidence.covered_by(found).all()
    assert len(found) == fewest


def test_searches_around_shared_columns_give_the_same_cover_again_without_repetition():
    incidence = random_table(0)
    runs = [
        search_around_shared(incidence, np.full(40, 0.2), 0, FIRST_SEARCHES + 20, Stop()) for _ in range(2)
    ]
    (found, searches), (again, _) = runs
    assert searches >= FIRST_SEARCHES + 20
    assert incidence.covered_by(found).all()
    assert len(set(found.tolist())) == len(found)
    assert np.array_equal(found, again)


def test_nothing_is_searched_when_time_is_up_or_the_goal_is_met():
    incidence = random_table(2)
    for goal, stop in ((0, Stop(0)), (40, Stop())):
        found, searches = search_around_shared(incidence, np.zeros(40), goal, 10, stop)
        assert incidence.covered_by(found).all()
        assert searches == 0
