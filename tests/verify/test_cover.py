"""Set covers are refuted exactly when they do not exist, with and without a solver."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import combinations
from operator import or_

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import CertificateError
from oneformany.verify import cover
from oneformany.verify.cover import refute
from oneformany.verify.covering import Covering
from reference import smallest_cover


def mask_of(group: list[int]) -> int:
    return sum(1 << item for item in group)


def check_cover(groups: list[list[int]], items: int) -> str:
    """Compare with the reference just below and at the minimum; tell how it was proved."""
    everything = (1 << items) - 1
    minimum = len(smallest_cover([mask_of(group) for group in groups], everything))
    with pytest.raises(CertificateError, match="do suffice"):
        refute(Covering.of(groups, items, minimum))
    return refute(Covering.of(groups, items, minimum - 1)) if minimum > 1 else "nothing"


group_lists = st.integers(1, 9).flatmap(
    lambda items: st.lists(
        st.lists(st.integers(0, items - 1), min_size=1, unique=True).map(sorted), min_size=1, max_size=12
    ).map(lambda groups: (groups, items))
)


@settings(max_examples=80, deadline=None)
@given(group_lists)
def test_covers_are_refuted_exactly_when_they_do_not_exist(case: tuple[list[list[int]], int]) -> None:
    groups, items = case
    singles = [[item] for item in range(items)]
    assert "mixed" not in check_cover([*groups, *singles], items)


def test_a_mixed_integer_program_takes_over_when_branching_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cover, "MOST_WORK", 0)
    rng = np.random.default_rng(3)
    for _ in range(20):
        groups = [np.flatnonzero(rng.random(9) < 0.35).tolist() for _ in range(12)]
        said = check_cover([*groups, *([item] for item in range(9))], 9)
        assert said == "nothing" or "mixed integer" in said


def test_an_item_in_no_group_refutes_every_cover() -> None:
    assert "branching" in refute(Covering.of([[0], [1]], 3, 3))
    assert "branching" in refute(Covering.of([], 1, 1))


def test_an_odd_cycle_needs_more_than_its_relaxation() -> None:
    cycle = [[i, (i + 1) % 9] for i in range(9)]
    assert "branching" in refute(Covering.of(cycle, 9, 4))
    with pytest.raises(CertificateError, match="do suffice"):
        refute(Covering.of(cycle, 9, 5))


def random_covering(rng: np.random.Generator) -> tuple[list[list[int]], int]:
    items = int(rng.integers(2, 9))
    groups = [np.flatnonzero(rng.random(items) < 0.4).tolist() for _ in range(8)]
    return [*groups, *([item] for item in range(items))], items


def test_weights_on_sets_of_items_never_exclude_a_cover() -> None:
    rng = np.random.default_rng(8)
    excluded = 0
    for _ in range(400):
        groups, items = random_covering(rng)
        everything = (1 << items) - 1
        target = len(smallest_cover([mask_of(group) for group in groups], everything))
        sets = [tuple(rng.permutation(items)[: rng.integers(1, 4)].tolist()) for _ in range(6)]
        weights = {chosen: int(rng.integers(0, 5)) for chosen in sets}
        left = Covering.of(groups, items, target).filtered(weights)
        assert left is not None
        covers = [
            chosen
            for chosen in combinations(range(len(groups)), target)
            if sum_of_masks(groups[number] for number in chosen) == everything
        ]
        assert covers
        assert all(set(chosen) <= set(left.groups.tolist()) for chosen in covers)
        excluded += len(groups) - len(left.groups)
    assert excluded > 100


def sum_of_masks(groups: Iterable[list[int]]) -> int:
    return reduce(or_, (mask_of(group) for group in groups), 0)


def test_a_set_of_three_items_excludes_what_single_items_do_not() -> None:
    triangle = Covering.of([[0, 1], [1, 2], [0, 2]], 3, 1)
    assert triangle.filtered({(0,): 1, (1,): 1}) is not None
    assert triangle.filtered({(0, 1, 2): 1}) is None


def test_steiner_triples_are_refuted_by_branching() -> None:
    lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]]
    lines += [[0, 4, 8], [1, 5, 6], [2, 3, 7], [0, 5, 7], [1, 3, 8], [2, 4, 6]]
    hitting = [[line for line, points in enumerate(lines) if point in points] for point in range(9)]
    assert "branching" in refute(Covering.of(hitting, len(lines), 4))
    with pytest.raises(CertificateError, match="do suffice"):
        refute(Covering.of(hitting, len(lines), 5))
