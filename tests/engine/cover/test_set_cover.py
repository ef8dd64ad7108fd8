"""The set cover finds a cover within the budget exactly when there is one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.cover.set_cover import CoverQuestion
from oneformany.engine.cover.tree import TreeNode, UndecidedError, search_tree
from oneformany.stop import Stop

MOST_ITEMS = 9
TRIANGLE = [np.array([0, 1]), np.array([1, 2]), np.array([0, 2])]
ALL3 = np.ones(3, dtype=np.bool_)


@st.composite
def covers(draw):
    n = draw(st.integers(1, MOST_ITEMS))
    groups = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=12))
    return n, [np.array(sorted(group)) for group in groups]


def cover_within(*question, **cuts):
    return search_tree(CoverQuestion(*question, **cuts), 100_000)


def smallest(n, groups):
    for size in range(1, len(groups) + 1):
        for chosen in combinations(groups, size):
            if len(set().union(*(group.tolist() for group in chosen))) == n:
                return size
    return None


@settings(max_examples=300, deadline=None)
@given(cover=covers(), budget=st.integers(1, MOST_ITEMS), cuts=st.booleans())
def test_a_cover_within_the_budget_is_found_or_excluded(cover, budget, cuts):
    n, groups = cover
    least = smallest(n, groups)
    found = cover_within(groups, n, budget, Stop(), cuts=cuts)
    if least is not None and least <= budget:
        assert found.proof is None
        assert len(found.chosen) <= budget
        assert len(set().union(*(groups[c].tolist() for c in found.chosen))) == n
    else:
        assert found.chosen is None
        assert found.proof is not None
        assert closes(found.proof, n, [set(group.tolist()) for group in groups], budget)


def closes(tree, n, groups, budget):
    """Check a proof tree by addition only."""
    return _closes(tree, set(range(n)), dict(enumerate(groups)), budget)


def _load(pairs, group):
    total = 0
    for items, weight in pairs:
        total += weight * (items in group if isinstance(items, int) else (len(group & set(items)) + 1) // 2)
    return total


def _closes(tree, needed, usable, left):
    for pairs in tree["filters"]:
        for items, weight in pairs:
            assert weight > 0
            assert {items} <= needed if isinstance(items, int) else set(items) <= needed
            assert isinstance(items, int) or len(set(items)) == 3
        capacity = max((_load(pairs, group) for group in usable.values()), default=0)
        total = sum(weight * (1 if isinstance(items, int) else 2) for items, weight in pairs)
        if total > left * capacity:
            return True
        floor = total - (left - 1) * capacity
        usable = {c: group for c, group in usable.items() if _load(pairs, group) >= floor}
    if "item" not in tree or tree["item"] not in needed:
        return False
    candidates = {c for c, group in usable.items() if tree["item"] in group}
    if candidates != set(tree["columns"]):
        return False
    rest = dict(usable)
    for column, part in zip(tree["columns"], tree["parts"], strict=True):
        group = rest.pop(column)
        if not _closes(part, needed - group, rest, left - 1):
            return False
    return True


@pytest.mark.parametrize(("n", "budget"), [(0, 0), (2, 3)])
def test_without_columns_nothing_is_covered_but_nothing(n, budget):
    found = cover_within([], n, budget, Stop())
    assert found.chosen == (None if n else [])
    assert n == 0 or closes(found.proof, n, [], budget)


def test_time_that_is_up_leaves_it_open():
    found = cover_within([np.array([0])], 1, 1, Stop(0))
    assert (found.chosen, found.proof) == (None, None)


def test_cuts_close_an_odd_cycle_in_one_node():
    assert cover_within(TRIANGLE, 3, 1, Stop(), cuts=True).nodes == 1


def root(usable=ALL3):
    return TreeNode(np.zeros(0, dtype=np.int64), usable.copy(), {})


def test_a_cut_lifts_an_odd_cycle_to_two():
    question, node = CoverQuestion(TRIANGLE, 3, 1, Stop()), root()
    values, numbers, closed, _ = question.relax(node)
    assert values.sum() == pytest.approx(1.5)
    assert closed
    assert question.tighten(node, values)
    assert question.triples == [(0, 1, 2)]
    assert [question.named(row) for row in range(4)] == [0, 1, 2, [0, 1, 2]]
    again = question.relax(node)
    assert again.values.sum() == pytest.approx(2.0)
    assert len(again.numbers) == len(numbers) + 1
    assert not question.tighten(node, values)  # it is known
    assert not CoverQuestion(TRIANGLE, 3, 1, Stop(), cuts=False).tighten(root(), values)


def test_an_item_that_no_usable_column_covers_closes_a_node():
    found = CoverQuestion(TRIANGLE, 3, 2, Stop()).relax(root(np.array([True, False, False])))
    assert found.closed
    assert found.numbers.tolist() == [0, 0, 1]


def test_time_that_is_up_leaves_a_node_undecided():
    with pytest.raises(UndecidedError):
        CoverQuestion(TRIANGLE, 3, 2, Stop(0)).relax(root())


def test_the_usable_columns_of_an_item_are_the_same_after_cuts():
    question = CoverQuestion(TRIANGLE, 3, 1, Stop())
    for _ in range(2):
        assert [question.columns_of(item, ALL3).tolist() for item in range(3)] == [[0, 2], [0, 1], [1, 2]]
        assert question.columns_of(0, np.array([False, True, True])).tolist() == [2]
        question.tighten(root(), np.full(3, 0.5))
