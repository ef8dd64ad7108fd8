"""Proofs that columns do not suffice hold exactly where no cover exists."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import combinations
from operator import or_

import numpy as np
import pytest

from oneformany.exceptions import CertificateError
from oneformany.verify.cover import Covering, check_refutation
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.proofs import CoverCase
from reference import smallest_cover


def mask_of(group: list[int]) -> int:
    return sum(1 << item for item in group)


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
        left = Covering.of(groups, items, target, Limits()).filtered(weights)
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
    triangle = Covering.of([[0, 1], [1, 2], [0, 2]], 3, 1, Limits())
    assert triangle.filtered({(0,): 1, (1,): 1}) is not None
    assert triangle.filtered({(0, 1, 2): 1}) is None


def split(groups: list[list[int]], needed: set[int], usable: list[int], left: int) -> CoverCase:
    """A proof by cases alone, as far down as it takes; the row of an item is its number plus ten."""
    item = min(needed)
    tried = [number for number in usable if item in groups[number]]
    if left == 0 or not tried:
        return CoverCase(((((item + 10,), 1),),), None, (), ())
    parts = [
        split(groups, needed - set(groups[number]), [g for g in usable if g not in tried[: i + 1]], left - 1)
        for i, number in enumerate(tried)
    ]
    return CoverCase((), item + 10, tuple(tried), tuple(parts))


LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]]
LINES += [[0, 4, 8], [1, 5, 6], [2, 3, 7], [0, 5, 7], [1, 3, 8], [2, 4, 6]]
HITTING = [[line for line, points in enumerate(LINES) if point in points] for point in range(9)]
ROWS = {item + 10: item for item in range(12)}


def test_cases_close_exactly_what_cannot_be_covered() -> None:
    proof = split(HITTING, set(range(12)), list(range(9)), 4)
    check_refutation(Covering.of(HITTING, 12, 4, Limits()), proof, ROWS)
    with pytest.raises(CertificateError, match="leaves open"):
        check_refutation(Covering.of(HITTING, 12, 5, Limits()), proof, ROWS)


def test_a_cover_that_exists_is_never_refuted() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        groups, items = random_covering(rng)
        minimum = len(smallest_cover([mask_of(group) for group in groups], (1 << items) - 1))
        rows = {item + 10: item for item in range(items)}
        for target in range(1, minimum):
            proof = split(groups, set(range(items)), list(range(len(groups))), target)
            check_refutation(Covering.of(groups, items, target, Limits()), proof, rows)
            with pytest.raises(CertificateError):
                check_refutation(Covering.of(groups, items, minimum, Limits()), proof, rows)


def test_a_proof_ends_with_its_time_and_its_memory() -> None:
    proof = split(HITTING, set(range(12)), list(range(9)), 4)
    for limits in (Limits(time_limit=0.0), Limits(memory_limit=1e-9)):
        with pytest.raises(NotConfirmedError, match="too large to check"):
            check_refutation(Covering.of(HITTING, 12, 4, limits), proof, ROWS)
