"""Searches around what good covers share: always covers, smallest ones on small tables, repeatable."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from engine.cover.test_local_search import GROUPS, incidence_of, smallest
from oneformany.engine.cover.fixed_set import FIRST_SEARCHES, FixedSetSearch
from oneformany.engine.cover.incidence import Incidence
from oneformany.stop import Stop


def random_table(seed, rows=40, columns=150):
    rng = np.random.default_rng(seed)
    groups = [np.sort(rng.choice(rows, 5, replace=False)) for _ in range(columns)]
    groups += [np.array([row]) for row in range(rows)]
    ends = np.cumsum([0, *map(len, groups)])
    return Incidence.of(ends, np.concatenate(groups).astype(np.int32), rows)


@settings(deadline=None, max_examples=30)
@given(groups=GROUPS)
def test_a_small_table_is_covered_by_as_few_columns_as_brute_force_needs(groups):
    incidence = incidence_of(groups)
    fewest = smallest(incidence)
    found = FixedSetSearch(incidence, np.zeros(7)).run(fewest, 50, Stop())
    assert incidence.covered_by(found).all()
    assert len(found) == fewest


def test_searches_around_shared_columns_give_covers_without_repetition():
    incidence = random_table(0)
    search = FixedSetSearch(incidence, np.full(40, 0.2))
    found = search.run(0, FIRST_SEARCHES + 20, Stop())
    assert search.searches >= FIRST_SEARCHES + 20
    assert incidence.covered_by(found).all()
    assert len(set(found.tolist())) == len(found)


def test_the_same_seed_finds_the_same_cover():
    incidence = random_table(1)
    runs = [FixedSetSearch(incidence, np.full(40, 0.2), seed=3).run(0, 40, Stop()) for _ in range(2)]
    assert np.array_equal(*runs)


def test_nothing_is_searched_when_time_is_up_or_the_goal_is_met():
    incidence = random_table(2)
    search = FixedSetSearch(incidence, np.zeros(40))
    assert incidence.covered_by(search.run(0, 10, Stop(0))).all()
    assert search.searches == 0
    met = len(search.run(40, 10, Stop()))
    before = search.searches
    assert len(search.run(40, 10, Stop())) == met
    assert search.searches == before
