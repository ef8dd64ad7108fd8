"""The search for groups against brute force: what it misses does not exist, what it finds does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import Decisions
from oneformany.verify import search as search_module
from oneformany.verify.classifiers import Classifier
from oneformany.verify.listing import ListedColumns
from oneformany.verify.problem import Problem, Square
from oneformany.verify.proofs import LARGEST_NUMBER, Items
from oneformany.verify.reading import Limits, NotConfirmedError
from oneformany.verify.search import GroupSearch
from reference import columns
from strategies import SmallProblem, random_problem, small_problems

NONE, ONES = ListedColumns(), np.array([1, 1])


def problem_of(problem: SmallProblem) -> Problem:
    rules = problem.allowed if problem.allowed is not None else [None] * len(problem.levels)
    levels = np.array(problem.levels)
    classifier = Classifier(
        "additive",
        np.concatenate([np.array(table) for table in problem.tables]),
        np.cumsum(levels) - levels,
        problem.threshold - problem.intercept,
    )
    codes = np.array(problem.codes)
    return Problem(
        codes=codes,
        levels=tuple(problem.levels),
        max_changes=problem.max_changes,
        rules=tuple(
            None if rule is None else Square(np.arange(n), np.array(rule, dtype=np.int64))
            for rule, n in zip(rules, problem.levels, strict=True)
        ),
        classifier=classifier,
        limits=Limits(),
        values=codes,
        targets=tuple(np.arange(n) for n in problem.levels),
        people=np.ones(len(codes), dtype=np.int64),
    )


def random_decisions(problem: SmallProblem, rng: np.random.Generator) -> tuple[Decisions, Items]:
    """The same few decisions, as the brute force and as the verifier keep them."""
    reference = Decisions(problem, list(columns(**problem.arguments())))
    items = Items.single([row for (row,) in reference.items])
    for _ in range(int(rng.integers(0, 5))):
        if len(reference.items) < 2:
            break
        one, other = (int(row) for row in rng.choice([item[0] for item in reference.items], 2, replace=False))
        if reference._clash(
            frozenset(i for i, item in enumerate(reference.items) if one in item or other in item)
        ):
            continue
        if rng.random() < 0.5:
            reference, items = reference.together(one, other), items.merged(one, other)
        else:
            reference, items = reference.separate(one, other), items.separated(one, other)
    return reference, items


def check_search(problem: SmallProblem, rng: np.random.Generator) -> None:
    reference, items = random_decisions(problem, rng)
    assert list(items.members) == reference.items
    if not items.members:
        return
    groups = sorted(reference.groups(), key=sorted)
    weights = rng.integers(0, int(rng.choice([2, 10, 10**6])), size=len(items.members))
    weigh = {group: sum(weights[item] for item in group) for group in groups}
    listed = [sorted(group) for group in groups if rng.random() < rng.choice([0.0, 0.5, 0.9])]
    search = GroupSearch(problem_of(problem), items)
    for floor in {0, 1, max(weigh.values(), default=0), int(rng.choice([*weigh.values(), 1])) + 1}:
        heavy = [group for group in groups if weigh[group] >= floor]
        unlisted = [group for group in heavy if not any(group <= set(other) for other in listed)]
        found = [set(group) for group in search.unlisted(weights, floor, ListedColumns(listed))]
        assert bool(found) == bool(unlisted)
        assert all(any(group <= other for other in unlisted) for group in found)
        assert all(sum(weights[item] for item in group) >= floor for group in found)


@settings(max_examples=80, deadline=None)
@given(small_problems(), st.integers(0, 2**32))
def test_finds_a_group_exactly_when_brute_force_does(problem: SmallProblem, seed: int) -> None:
    check_search(problem, np.random.default_rng(seed))


@pytest.mark.parametrize("chunk", range(3))
def test_finds_a_group_exactly_when_brute_force_does_in_bulk(chunk: int) -> None:
    rng = np.random.default_rng(chunk)
    for _ in range(300):
        check_search(random_problem(rng), rng)


def test_works_beyond_sixty_four_features() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        problem = random_problem(rng)
        width = 150
        features = rng.choice(width, size=len(problem.levels), replace=False)
        wide = SmallProblem(
            codes=[[0] * width for _ in problem.codes],
            levels=[2] * width,
            tables=[[0, 0] for _ in range(width)],
            intercept=problem.intercept,
            threshold=problem.threshold,
            max_changes=problem.max_changes,
            allowed=None if problem.allowed is None else [None] * width,
        )
        for feature, at in enumerate(features):
            wide.levels[at] = problem.levels[feature]
            wide.tables[at] = problem.tables[feature]
            if wide.allowed is not None and problem.allowed is not None:
                wide.allowed[at] = problem.allowed[feature]
            for narrow, row in zip(problem.codes, wide.codes, strict=True):
                row[at] = narrow[feature]
        _, items = random_decisions(problem, np.random.default_rng(0))
        if not items.members:
            continue
        narrow_search = GroupSearch(problem_of(problem), items)
        wide_search = GroupSearch(problem_of(wide), items)
        weights = rng.integers(0, 9, size=len(items.members))
        for floor in range(sum(weights) + 1):
            assert any(narrow_search.unlisted(weights, floor, NONE)) == any(
                wide_search.unlisted(weights, floor, NONE)
            )


def test_is_exact_for_the_largest_weights_and_scores() -> None:
    problem = SmallProblem(
        codes=[[0, 0], [0, 1], [1, 0]],
        levels=[2, 2],
        tables=[[0, 2**59], [0, 2**59]],
        intercept=0,
        threshold=2**60,
        max_changes=2,
    )
    search = GroupSearch(problem_of(problem), Items.single([0, 1, 2]))
    third = LARGEST_NUMBER // 3
    assert list(search.unlisted(np.array([third] * 3), 3 * third, NONE)) == [(0, 1, 2)]
    assert not list(search.unlisted(np.array([third] * 3), 3 * third + 1, NONE))


def test_a_threshold_one_unit_too_high_leaves_no_group() -> None:
    problem = SmallProblem([[0, 0], [0, 1]], [2, 2], [[0, 3], [0, 4]], 0, 7, 2)
    higher = SmallProblem(**{**problem.arguments(), "threshold": 8})
    items = Items.single([0, 1])
    assert list(GroupSearch(problem_of(problem), items).unlisted(ONES, 1, NONE))
    assert not list(GroupSearch(problem_of(higher), items).unlisted(ONES, 0, NONE))


def test_rows_that_may_not_move_to_a_common_level_are_never_grouped() -> None:
    upwards = [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    stuck = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    problem = SmallProblem([[0], [2]], [3], [[0, 1, 1]], 0, 1, 1, [upwards])
    items = Items.single([0, 1])
    assert list(GroupSearch(problem_of(problem), items).unlisted(ONES, 2, NONE)) == [(0, 1)]
    problem = SmallProblem([[0], [2]], [3], [[0, 1, 1]], 0, 1, 1, [stuck])
    assert not list(GroupSearch(problem_of(problem), items).unlisted(ONES, 2, NONE))


def test_a_search_in_small_steps_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "NODES", 1)
    rng = np.random.default_rng(9)
    for _ in range(60):
        check_search(random_problem(rng), rng)


def test_a_search_ends_with_its_time_and_its_memory() -> None:
    problem = SmallProblem([[0, 0], [0, 1]], [2, 2], [[0, 3], [0, 4]], 0, 7, 2)
    for limits in (Limits(time_limit=0.0), Limits(memory_limit=1e-9)):
        bounded = dataclasses.replace(problem_of(problem), limits=limits)
        with pytest.raises(NotConfirmedError, match="too large to check"):
            list(GroupSearch(bounded, Items.single([0, 1])).unlisted(ONES, 1, NONE))
