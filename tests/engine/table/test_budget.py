"""So many columns cover the most people; so many people take the fewest columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import choices, groups_of, names_of, people_of, random_table, table_of, tables
from oneformany.engine.cover.primal import Repair
from oneformany.engine.cover.tree import TreeNode, UndecidedError
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.standing import TreeProof
from oneformany.engine.table.budget import BudgetQuestion, MostPeople, search_people, solve_budget
from oneformany.engine.table.fewest import FEW_FAILURES, solve_cover, solve_coverage
from oneformany.engine.table.options import PATIENCE, Search, TableOptions
from oneformany.stop import Stop

NONE = np.zeros(0, dtype=np.int64)
switches = st.builds(TableOptions, fixing=st.booleans(), diving=st.booleans(), repair=st.booleans())


def most(table, multiplicity, k):
    return max(people_of(table, multiplicity, chosen) for chosen in choices(table, k))


def fewest(table, multiplicity, needed):
    return next(
        len(chosen)
        for chosen in choices(table, len(table))
        if people_of(table, multiplicity, chosen) >= needed
    )


def load(weights, group):
    return sum(int(weights[row]) for row in group)


def certified(table, multiplicity, weights, capacity):
    """Check the weights by addition; return what is free of charge, in people times the scale."""
    assert all(0 <= int(u) <= int(m) * ONE_IN_TABLES for u, m in zip(weights, multiplicity, strict=True))
    assert all(load(weights, group) <= capacity for group in groups_of(table))
    return int(multiplicity.sum()) * ONE_IN_TABLES - int(weights.sum())


def excludes(table, multiplicity, answer):
    """Check that no ``budget`` columns cover ``target`` people, by addition only."""
    groups, proof = groups_of(table), answer.exclusion
    weights, capacity = answer.weights.weights, answer.weights.capacity
    spare = certified(table, multiplicity, weights, capacity)
    allowed = proof.budget * capacity + spare - proof.target * ONE_IN_TABLES
    named = zip(names_of(table), groups, strict=True)
    heavy = {name for name, group in named if capacity - load(weights, group) <= allowed}
    if not heavy <= set(names_of(proof.columns)):
        return False
    rows = sorted(set().union(*groups))
    listed = groups_of(proof.columns)
    return closes(
        proof.tree, rows, listed, multiplicity, (), set(range(len(listed))), proof.budget, proof.target
    )


def closes(tree, rows, groups, multiplicity, chosen, usable, budget, target):
    covered = set().union(*(groups[c] for c in chosen))
    left = {row: int(multiplicity[row]) for row in rows if row not in covered}
    have = sum(int(multiplicity[row]) for row in covered)
    if have >= target:
        return False
    more = budget - len(chosen)
    usable = set(usable)
    for pairs in tree["filters"]:
        weights = dict(map(tuple, pairs))
        if any(not 0 <= w <= left.get(row, 0) * ONE_IN_COVERS for row, w in weights.items()):
            return False
        loads = {c: sum(weights.get(row, 0) for row in groups[c]) for c in usable}
        capacity = max(loads.values(), default=0)
        bound = (have + sum(left.values())) * ONE_IN_COVERS - sum(weights.values()) + more * capacity
        if bound < target * ONE_IN_COVERS:
            return True
        usable = {c for c in usable if bound - capacity + loads[c] >= target * ONE_IN_COVERS}
    if more == 0 or not usable:
        return True
    if "column" not in tree or tree["column"] not in usable:
        return False
    column = tree["column"]
    without = usable - {column}
    return closes(
        tree["parts"][0], rows, groups, multiplicity, (*chosen, column), without, budget, target
    ) and closes(tree["parts"][1], rows, groups, multiplicity, chosen, without, budget, target)


@settings(max_examples=150, deadline=None)
@given(case=tables(), k=st.integers(0, 5), options=switches)
def test_a_budget_covers_the_most_people_whatever_the_switches_and_its_proof_holds(case, k, options):
    table, multiplicity = case
    answer = solve_budget(table, multiplicity, k, Search(options=options))
    assert len(answer.chosen) <= k
    assert answer.covered == people_of(table, multiplicity, answer.chosen.tolist())
    assert answer.covered == answer.bound == most(table, multiplicity, k)
    capacity = answer.weights.capacity
    spare = certified(table, multiplicity, answer.weights.weights, capacity)
    if answer.exclusion is None:
        reachable = multiplicity[np.unique(table.rows)].sum()
        assert (k * capacity + spare) // ONE_IN_TABLES <= answer.bound or answer.bound == reachable
    else:
        assert answer.exclusion.target == answer.bound + 1
        assert excludes(table, multiplicity, answer)


@settings(max_examples=150, deadline=None)
@given(case=tables(), share=st.floats(0, 1), options=switches)
def test_a_share_takes_the_fewest_columns_whatever_the_switches_and_its_proof_holds(case, share, options):
    table, multiplicity = case
    needed = int(np.ceil(share * multiplicity.sum()))
    answer = solve_coverage(table, multiplicity, needed, Search(options=options))
    reachable = people_of(table, multiplicity, range(len(table)))
    goal = min(needed, reachable)
    assert people_of(table, multiplicity, answer.chosen.tolist()) == answer.covered >= goal
    assert len(answer.chosen) == answer.bound == fewest(table, multiplicity, goal)
    if answer.exclusion is not None:
        assert (answer.exclusion.budget, answer.exclusion.target) == (answer.bound - 1, goal)
        assert excludes(table, multiplicity, answer)
    else:
        spare = certified(table, multiplicity, answer.weights.weights, answer.weights.capacity)
        lacking = goal * ONE_IN_TABLES - spare
        assert answer.bound <= 1 or -(-lacking // answer.weights.capacity) >= answer.bound


@settings(max_examples=30, deadline=None)
@given(case=tables(), k=st.integers(1, 4))
def test_without_time_or_complete_search_bounds_still_hold(case, k):
    table, multiplicity = case
    for search in (Search(Stop(0)), Search(options=TableOptions(exact=False))):
        answer = solve_budget(table, multiplicity, k, search)
        assert answer.covered <= most(table, multiplicity, k) <= answer.bound
        share = solve_coverage(table, multiplicity, answer.covered, search)
        assert share.bound <= fewest(table, multiplicity, answer.covered) <= len(share.chosen)


def test_every_switch_moves_its_counter():
    table = random_table(0, 36, 110, 4)
    people = np.arange(36) % 5 + 1
    done = Search()
    full = solve_budget(table, people, 5, done)
    assert full.covered == full.bound
    assert done.counters["columns left out"] > 0
    assert done.counters["rounds"] > 0
    for options, counter in (
        (TableOptions(fixing=False), "columns left out"),
        (TableOptions(repair=False), "swaps"),
        (TableOptions(repair=False), "programs"),
        (TableOptions(exact=False), "nodes"),
    ):
        switched = Search(options=options)
        answer = solve_budget(table, people, 5, switched)
        assert switched.counters[counter] == 0
        assert answer.covered <= full.covered <= answer.bound


def test_rounding_and_repairs_of_a_share_have_switches_and_counters():
    table = random_table(1, 60, 200, 4)
    people = np.arange(60) % 3 + 1
    done = Search(options=TableOptions(exact=False, max_failures=3))
    full = solve_coverage(table, people, 100, done)
    assert done.counters["dives"] > 0
    assert done.counters["repairs"] > 0
    for options, counter in (
        (TableOptions(exact=False, diving=False, max_failures=3), "dives"),
        (TableOptions(exact=False, repair=False), "repairs"),
    ):
        switched = Search(options=options)
        answer = solve_coverage(table, people, 100, switched)
        assert switched.counters[counter] == 0
        assert answer.covered >= 100
        assert answer.bound <= len(full.chosen)


@pytest.mark.parametrize("limit", [None, 1e6])
def test_without_a_time_limit_repairs_end_after_so_many_in_a_row_that_did_not_help(monkeypatch, limit):
    helped = iter([False] * 20 + [True] + [False] * 10**6)
    monkeypatch.setattr(Repair, "_once", lambda *_: next(helped))
    # Pairs of three people: parts of columns cover two people each, the second column of three only one.
    pairs = [[i, i + 1] for i in (0, 1, 3, 4, 6, 7)] + [[0, 2], [3, 5], [6, 8]]
    table, people = table_of(pairs, 9), np.ones(9, dtype=np.int64)
    allowed = PATIENCE if limit is None else 200
    for most, expected in ((200, 21 + allowed), (PATIENCE - 1, PATIENCE - 1)):
        search = Search(Stop(limit), TableOptions(exact=False, max_failures=most))
        answer = solve_budget(table, people, 4, search)
        assert (answer.covered, answer.bound) == (7, 8)
        assert search.counters["repairs"] == expected
    search = Search(Stop(limit), TableOptions(exact=False))
    share = solve_coverage(table, people, 8, search)
    assert (len(share.chosen), share.bound) == (5, 4)
    assert search.counters["repairs"] == FEW_FAILURES + allowed


def test_a_forged_proof_is_noticed():
    table = table_of([[0, 1], [1, 2], [0, 2]], 3)
    people = np.array([1, 1, 1])
    answer = solve_budget(table, people, 1)
    assert answer.covered == answer.bound == 2
    with pytest.raises(AssertionError):
        certified(table, people, answer.weights.weights * 2, answer.weights.capacity)
    with pytest.raises(AssertionError):
        certified(table, people, answer.weights.weights, answer.weights.capacity // 2)


def test_where_nobody_reaches_so_many_people_all_are_covered_who_can_be():
    answer = solve_coverage(table_of([[0], [1]], 3), np.array([1, 1, 1]), 3)
    assert answer.covered == answer.bound == 2


def relaxed(table, people, k, **switches):
    search = MostPeople(table, people, k, Search(options=TableOptions(**switches)))
    search.exchange()
    search.lower()
    return search


@settings(max_examples=80, deadline=None)
@given(case=tables(), k=st.integers(1, 3))
def test_columns_that_are_left_out_reach_no_target(case, k):
    table, people = case
    search = relaxed(table, people, k)
    for chosen in choices(table, k):
        reached = people_of(table, people, chosen)
        assert set(chosen) <= set(search.rows.reaching(search.weights, k, reached).tolist())
        assert search.rows.covered(np.array(chosen, dtype=np.int64)) == reached


@settings(max_examples=80, deadline=None)
@given(case=tables(), k=st.integers(1, 3))
def test_a_complete_search_finds_the_most_people_and_excludes_one_more(case, k):
    table, people = case
    most = max(people_of(table, people, chosen) for chosen in choices(table, k))
    search = relaxed(table, people, k)
    found = search_people(search.rows, search.weights, k, most, 1000)
    assert not isinstance(found, TreeProof)
    assert len(found) <= k
    assert people_of(table, people, found.tolist()) >= most
    assert isinstance(search_people(search.rows, search.weights, k, most + 1, 1000), TreeProof)
    off = relaxed(table, people, k, exact=False)
    assert search_people(off.rows, off.weights, k, most, 1000) is None


def test_a_start_is_taken_if_it_covers_more_than_greedy_does_with_so_many_columns():
    # Greedy takes the middle first, and then one side.
    table, people = table_of([[1, 2, 3, 4], [0, 1, 2], [3, 4, 5]], 6), np.ones(6, dtype=np.int64)
    search = Search(options=TableOptions(repair=False))
    for k, start, best in ((2, None, [0, 1]), (2, [1, 2], [1, 2]), (1, [1, 2], [0]), (1, [1], [0])):
        budget = MostPeople(table, people, k, search, start)
        budget.exchange()
        assert budget.best.tolist() == best


def test_swaps_and_a_program_find_what_greedy_misses():
    table, people = table_of([[1, 2, 3, 4], [0, 1, 2], [3, 4, 5]], 6), np.ones(6, dtype=np.int64)
    swapped = MostPeople(table, people, 2, Search())
    swapped.exchange()
    assert sorted(swapped.best.tolist()) == [1, 2]
    once = TableOptions(repair=False, max_rounds=1)
    plain = MostPeople(table, people, 2, Search(options=once))
    plain.exchange()
    plain.lower()
    plain.improve(3)
    assert plain.value == 5  # the switch is off
    plain.rows.search = Search()
    plain.improve(3)
    assert sorted(plain.best.tolist()) == [1, 2]


@settings(max_examples=150, deadline=None)
@given(case=tables(), k=st.integers(1, 3), target=st.integers(1, 20), data=st.data())
def test_what_the_relaxation_excludes_is_part_of_no_answer(case, k, target, data):
    table, people = case
    question = BudgetQuestion(table.incidence, people, k, target, Stop())
    chosen = data.draw(st.lists(st.integers(0, len(table) - 1), max_size=k - 1, unique=True))
    usable = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    usable[chosen] = False
    relaxed = question.relax(TreeNode(np.array(chosen, dtype=np.int64), usable, {}))
    assert not relaxed.light[~usable].any()
    for size in range(k - len(chosen) + 1):
        for more in combinations(np.flatnonzero(usable).tolist(), size):
            if people_of(table, people, [*chosen, *more]) >= target:
                assert question.reached_by(np.array([*chosen, *more], dtype=np.int64))
                assert not relaxed.closed
                assert not relaxed.light[list(more)].any()


def test_two_of_three_pairs_hold_three_people_and_four_are_too_many():
    table, people = table_of([[0, 1], [1, 2], [0, 2]], 4), np.ones(4, dtype=np.int64)
    root = TreeNode(NONE, np.ones(3, dtype=np.bool_), {})
    assert not BudgetQuestion(table.incidence, people, 2, 3, Stop()).relax(root).closed
    assert BudgetQuestion(table.incidence, people, 2, 4, Stop()).relax(root).closed


def test_without_time_a_node_is_not_decided():
    question = BudgetQuestion(table_of([[0], [1]], 2).incidence, np.array([1, 1]), 1, 2, Stop(0))
    with pytest.raises(UndecidedError):
        question.relax(TreeNode(NONE, np.ones(2, dtype=np.bool_), {}))


def test_a_table_without_columns_covers_nobody_and_nobody_is_needed():
    table, people = table_of([], 2), np.array([1, 2])
    for answer in (solve_budget(table, people, 2), solve_coverage(table, people, 3), solve_cover(table)):
        assert (answer.chosen.tolist(), answer.covered, answer.bound) == ([], 0, 0)


def test_more_people_than_a_proof_can_add_up_leave_a_bound_and_no_search():
    table, people = table_of([[0, 1], [1, 2], [0, 2]], 3), np.full(3, 10**15)
    search = Search()
    answer = solve_budget(table, people, 1, search)
    assert answer.covered == 2 * 10**15 <= answer.bound
    assert answer.weights.total <= 2**60
    assert not search.counters["nodes"]
