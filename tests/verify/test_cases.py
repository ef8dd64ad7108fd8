"""Proofs that columns do not suffice hold exactly where no cover exists."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import combinations
from operator import or_

import numpy as np
import pytest

from oneformany.exceptions import CertificateError
from oneformany.verify.cases import TREE_SCALE, Choice, PeopleCases
from oneformany.verify.proofs import Case, Filter, Items
from oneformany.verify.reading import Limits, NotConfirmedError
from reference import smallest_cover


def covering(groups: list[list[int]], items: int, limits: Limits | None = None) -> PeopleCases:
    """The row of an item is its number plus ten."""
    return PeopleCases(
        groups,
        Items.single(range(10, 10 + items)),
        limits or Limits(),
        np.ones(items, dtype=np.int64),
        spare=0,
    )


def usable(groups: list[list[int]], items: int, target: int, numbers: Filter) -> list[int] | None:
    """The groups that weights on sets of rows leave to a cover; none if they leave no cover."""
    split = Case((numbers,), columns=(0,), parts=(Case(()), Case(())))
    people = np.ones(items, dtype=np.int64)
    cases = EveryCase(groups, Items.single(range(10, 10 + items)), Limits(), people, spare=0)
    parts = list(cases._parts(Choice(split, (), np.ones(len(groups), dtype=bool), target)))
    return [*np.flatnonzero(parts[-1].usable), *parts[0].chosen[: len(parts) - 1]] if parts else None


class EveryCase(PeopleCases):
    """Without a word on how a case is split."""

    def is_closed(self, node: Choice) -> bool:
        return node.left < 0


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
        weights = {tuple(item + 10 for item in chosen): int(rng.integers(0, 5)) for chosen in sets}
        left = usable(groups, items, target, tuple(weights.items()))
        assert left is not None
        covers = [
            chosen
            for chosen in combinations(range(len(groups)), target)
            if sum_of_masks(groups[number] for number in chosen) == everything
        ]
        assert covers
        assert all(set(chosen) <= set(left) for chosen in covers)
        excluded += len(groups) - len(left)
    assert excluded > 100


def sum_of_masks(groups: Iterable[list[int]]) -> int:
    return reduce(or_, (mask_of(group) for group in groups), 0)


def test_a_set_of_three_items_excludes_what_single_items_do_not() -> None:
    triangle = [[0, 1], [1, 2], [0, 2]]
    assert usable(triangle, 3, 1, (((10,), 1), ((11,), 1))) is not None
    assert usable(triangle, 3, 1, (((10, 11, 12), 1),)) is None


def split(groups: list[list[int]], needed: set[int], usable: list[int], left: int) -> Case:
    """A proof by cases alone, as far down as it takes."""
    item = min(needed)
    tried = [number for number in usable if item in groups[number]]
    if left == 0 or not tried:
        return Case(((((item + 10,), 1),),))
    parts = [
        split(groups, needed - set(groups[number]), [g for g in usable if g not in tried[: i + 1]], left - 1)
        for i, number in enumerate(tried)
    ]
    return Case((), item + 10, tuple(tried), tuple(parts))


LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]]
LINES += [[0, 4, 8], [1, 5, 6], [2, 3, 7], [0, 5, 7], [1, 3, 8], [2, 4, 6]]
HITTING = [[line for line, points in enumerate(LINES) if point in points] for point in range(9)]


def test_cases_close_exactly_what_cannot_be_covered() -> None:
    proof = split(HITTING, set(range(12)), list(range(9)), 4)
    covering(HITTING, 12).check(proof, 4)
    with pytest.raises(CertificateError, match="leaves open"):
        covering(HITTING, 12).check(proof, 5)


def test_a_cover_that_exists_is_never_refuted() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        groups, items = random_covering(rng)
        minimum = len(smallest_cover([mask_of(group) for group in groups], (1 << items) - 1))
        for target in range(1, minimum):
            proof = split(groups, set(range(items)), list(range(len(groups))), target)
            covering(groups, items).check(proof, target)
            with pytest.raises(CertificateError):
                covering(groups, items).check(proof, minimum)


OPEN = Case(())
TWO = [[0], [1]]  # which cover both items together, and neither does alone


@pytest.mark.parametrize(
    "part",
    [
        Case(((((10,), 5),),)),  # weight on an item that is covered already
        Case(((((10, 11), 5),),)),  # a set of rows with such an item
        Case(((((11, 99), 5),),)),  # a set with a row that is not an item
        Case((), 10),  # a split by an item that is covered already
        Case((), 99),  # a split by a row that is not an item
        OPEN,
    ],
)
def test_what_is_covered_or_not_an_item_closes_no_case(part: Case) -> None:
    with pytest.raises(CertificateError, match="leaves open"):
        covering(TWO, 2).check(Case((), 10, (0,), (part,)), 2)


def test_sets_of_rows_that_are_not_all_items_weigh_nothing() -> None:
    node = Choice(OPEN, (), np.ones(2, dtype=np.bool_), 2)
    loads, needed = covering(TWO, 2).gains(node, (((11, 99), 5), ((99,), 7)))
    assert (loads.tolist(), needed) == ([0, 0], 0)


def test_an_item_in_no_usable_column_closes_a_case() -> None:
    covering([[0]], 2).check(Case((), 11), 1)
    covering(TWO, 2).check(Case((), 10, (0,), (Case((), 11, (1,), (OPEN,)),)), 1)  # nothing is left to choose
    with pytest.raises(CertificateError, match="reach what is to be excluded"):
        covering(TWO, 2).check(Case((), 10, (0,), (Case((), 11, (1,), (OPEN,)),)), 2)


def test_columns_that_were_tried_need_no_case_of_their_own() -> None:
    """Where the second column comes after the first, what the first would add to it is not asked again."""
    groups = [[0, 1], [0], [1, 2], [2], [3], [4]]
    short = Case(((((13,), 1), ((14,), 1)),))
    first, second = Case((), 12, (2, 3), (short, short)), Case((), 11, (0, 2), (OPEN, short))
    covering(groups, 5).check(Case((), 10, (0, 1), (first, second)), 3)
    with pytest.raises(CertificateError, match="leaves open"):
        covering(groups, 5).check(Case((), 10, (1, 0), (second, first)), 3)


def test_a_column_that_was_dropped_stays_dropped_whatever_weights_say() -> None:
    """No column covers three people; the second weights say so only of those beside the first column."""
    cases = PeopleCases(
        [[0, 1], [1], [2]], Items.single(range(10, 13)), Limits(), np.ones(3, dtype=np.int64), spare=0
    )
    weights: Filter = (((10,), TREE_SCALE), ((11,), TREE_SCALE))
    cases.check(Case((), None, (0,), (OPEN, Case(((), weights)))), 1)
    with pytest.raises(CertificateError, match="leaves open"):
        cases.check(Case((weights,)), 1)


def test_a_proof_ends_with_its_time_and_its_memory() -> None:
    proof = split(HITTING, set(range(12)), list(range(9)), 4)
    for limits in (Limits(time_limit=0.0), Limits(memory_limit=1e-9)):
        with pytest.raises(NotConfirmedError, match="too large to check"):
            covering(HITTING, 12, limits).check(proof, 4)
