"""Decisions accumulate: together is transitive, and merged rows inherit whom they are apart from."""

from __future__ import annotations

import pytest

from oneformany.exceptions import CertificateError
from oneformany.verify.proofs import Items


def test_rows_start_on_their_own() -> None:
    assert Items.single([4, 1, 7]) == Items(((1,), (4,), (7,)))


def test_merging_is_transitive() -> None:
    items = Items.single([1, 4, 7, 9]).merged(7, 4).merged(1, 7)
    assert items.members == ((1, 4, 7), (9,))
    assert items.first == [1, 9]


def test_merged_rows_inherit_whom_they_are_apart_from() -> None:
    items = Items.single([0, 1, 2, 3]).separated(3, 1).merged(2, 3)
    assert items.members == ((0,), (1,), (2, 3))
    assert items.apart == {(1, 2)}


def test_places_move_up_when_an_item_disappears() -> None:
    items = Items.single([0, 1, 2, 3]).separated(2, 3).merged(0, 1)
    assert items.members == ((0, 1), (2,), (3,))
    assert items.apart == {(1, 2)}


@pytest.mark.parametrize("decided", [Items.single([0, 1]).merged(0, 1), Items.single([0, 1]).separated(0, 1)])
def test_a_pair_is_decided_only_once(decided: Items) -> None:
    for decide in (decided.merged, decided.separated):
        with pytest.raises(CertificateError, match="twice"):
            decide(0, 1)


def test_a_row_that_is_no_item_cannot_be_decided_on() -> None:
    with pytest.raises(CertificateError, match="row 5"):
        Items.single([0, 1]).merged(0, 5)
