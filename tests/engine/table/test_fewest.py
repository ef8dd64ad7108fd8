"""Covers of a table are smallest, and a stranger can check why."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cover.test_set_cover import closes
from engine.table.tables import choices, groups_of, names_of, random_table, table_of, tables
from oneformany.engine.table import fewest
from oneformany.engine.table.fewest import solve_cover
from oneformany.engine.table.options import Search, TableOptions
from oneformany.stop import Stop

switches = st.builds(
    TableOptions,
    fixing=st.booleans(),
    diving=st.booleans(),
    local_search=st.booleans(),
    repair=st.booleans(),
    max_failures=st.just(5),
)


def smallest(table):
    groups = groups_of(table)
    everything = set().union(*groups)
    return min(len(chosen) for chosen in choices(table, len(table)) if covers(groups, chosen, everything))


def covers(groups, chosen, everything):
    return set().union(*(groups[c] for c in chosen)) == everything


def certified(table, weights, capacity):
    """Check the weights by addition; return the bound that they prove."""
    assert (weights >= 0).all()
    assert all(sum(int(weights[row]) for row in group) <= capacity for group in groups_of(table))
    assert all(row in set().union(*groups_of(table)) for row in np.flatnonzero(weights))
    return -(-int(weights.sum()) // capacity)


def confirmed(table, answer):
    """Check everything that an answer says; return whether its bound holds."""
    proved = certified(table, answer.weights.weights, answer.weights.capacity)
    if answer.exclusion is None:
        return answer.bound <= proved
    proof = answer.exclusion
    groups = groups_of(table)
    least = answer.weights.total - (proof.target - 1) * answer.weights.capacity
    named = zip(names_of(table), groups, strict=True)
    heavy = {name for name, group in named if sum(int(answer.weights.weights[row]) for row in group) >= least}
    number = {row: item for item, row in enumerate(sorted(set().union(*groups)))}
    listed = [{number[row] for row in group} for group in groups_of(proof.columns)]
    return (
        heavy <= set(names_of(proof.columns))
        and closes(proof.tree, len(number), listed, proof.target)
        and answer.bound <= proof.target + 1
    )


@settings(max_examples=150, deadline=None)
@given(case=tables(), options=switches)
def test_the_cover_is_smallest_whatever_the_switches_and_its_proof_holds(case, options):
    table, _ = case
    answer = solve_cover(table, Search(options=options))
    groups = groups_of(table)
    assert covers(groups, answer.chosen.tolist(), set().union(*groups))
    assert len(answer.chosen) == smallest(table) == answer.bound
    assert confirmed(table, answer)


@settings(max_examples=50, deadline=None)
@given(case=tables())
def test_without_the_exact_search_the_bound_still_holds(case):
    table, _ = case
    answer = solve_cover(table, Search(options=TableOptions(exact=False, max_failures=3)))
    assert answer.bound <= smallest(table) <= len(answer.chosen)
    assert confirmed(table, answer)


@settings(max_examples=30, deadline=None)
@given(case=tables())
def test_no_time_gives_a_cover_and_a_bound(case):
    table, _ = case
    answer = solve_cover(table, Search(Stop(0)))
    groups = groups_of(table)
    assert covers(groups, answer.chosen.tolist(), set().union(*groups))
    assert answer.bound <= smallest(table)


def test_every_switch_moves_its_counter():
    table = random_table(0, 36, 110, 4)
    done = Search()
    full = solve_cover(table, done)
    assert full.bound == len(full.chosen)
    assert done.counters["columns left out"] > 0
    assert done.counters["dives"] > 0
    assert done.counters["local search steps"] > 0
    assert done.counters["nodes"] > 0
    assert full.exclusion is not None
    assert confirmed(table, full)
    repaired = Search(options=TableOptions(exact=False, max_failures=2))
    solve_cover(table, repaired)
    assert repaired.counters["repairs"] > 0
    for name, counter in (
        ("diving", "dives"),
        ("local_search", "local search steps"),
        ("repair", "repairs"),
        ("fixing", "columns left out"),
        ("exact", "nodes"),
    ):
        switched = Search(options=TableOptions(**{name: False}, max_failures=2))
        answer = solve_cover(table, switched)
        assert switched.counters[counter] == 0
        assert answer.bound <= len(full.chosen) <= len(answer.chosen)


def test_a_forged_proof_is_noticed():
    table = table_of([[0, 1], [1, 2], [0, 2]], 3)
    answer = solve_cover(table)
    assert len(answer.chosen) == answer.bound == 2
    with pytest.raises(AssertionError):
        certified(table, answer.weights.weights * 2, answer.weights.capacity)


def test_rows_that_no_column_holds_are_left_alone():
    answer = solve_cover(table_of([[1], [1, 3]], 5))
    assert answer.chosen.tolist() == [1]
    assert answer.bound == len(answer.chosen)


def test_a_cover_that_is_known_is_where_the_search_starts():
    table = random_table(1, 40, 100, 4)
    best = solve_cover(table)
    again = solve_cover(table, Search(Stop(0)), start=best.chosen)
    assert len(again.chosen) == len(best.chosen)


def test_duals_that_are_known_prove_at_once_what_they_proved_before():
    rng = np.random.default_rng(0)
    groups = [sorted(rng.choice(30, rng.integers(2, 9), replace=False).tolist()) for _ in range(80)]
    table, relaxed = table_of(groups, 30), TableOptions(repair=False, exact=False, local_search=False)
    before = solve_cover(table, Search(options=relaxed))
    known, new = (solve_cover(table, Search(Stop(0)), duals=duals) for duals in (before.weights.duals, None))
    assert new.bound < known.bound == before.bound


def test_progress_shows_values_that_fall_and_bounds_that_rise():
    states = []
    solve_cover(random_table(2, 36, 110, 4), Search(progress=lambda *state: states.append(state)))
    assert len(states) > 2
    _, values, bounds = zip(*states, strict=True)
    assert list(values) == sorted(values, reverse=True)
    assert list(bounds) == sorted(bounds)


@settings(max_examples=100, deadline=None)
@given(case=tables(), options=switches, data=st.data())
def test_columns_that_may_not_be_chosen_count_for_the_bound_alone(case, options, data):
    groups = [sorted(group) for group in groups_of(case[0])]
    alone = [[row] for row in sorted(set().union(*groups))]
    usable = data.draw(st.integers(0, len(groups)))
    table = table_of([*groups[:usable], *alone, *groups[usable:]], case[0].n_rows)
    answer = solve_cover(table, Search(options=options), usable=usable + len(alone))
    assert answer.chosen.max() < usable + len(alone)
    everything = set().union(*groups_of(table))
    assert covers(groups_of(table), answer.chosen.tolist(), everything)
    assert answer.bound <= smallest(case[0]) <= len(answer.chosen)
    assert (answer.open >= usable + len(alone)).all()
    if not len(answer.open):
        assert answer.bound == len(answer.chosen)


@pytest.mark.parametrize("fewer", [0, 1])
def test_a_local_search_walks_among_columns_that_look_good_where_all_may_be_chosen(monkeypatch, fewer):
    looked_at = []

    class Noted(fewest.LocalSearch):
        def __init__(self, incidence, duals, start, seed):
            looked_at.append((incidence.n_columns, len(start)))
            super().__init__(incidence, duals, start, seed)

    monkeypatch.setattr(fewest, "LocalSearch", Noted)
    table = random_table(3, 40, 120, 4)
    options = TableOptions(exact=False, repair=False)
    answer = solve_cover(table, Search(options=options), usable=len(table) - fewer)
    assert covers(groups_of(table), answer.chosen.tolist(), set(range(40)))
    assert looked_at
    for columns, best in looked_at:
        assert best <= columns
        assert columns == len(table) - 1 if fewer else columns < len(table)
