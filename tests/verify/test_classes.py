"""Group-bys leave out only what no heavy group contains."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from oneformany.verify import classes
from oneformany.verify.classes import in_heavy_classes
from oneformany.verify.limits import Limits, NotConfirmedError


@pytest.fixture(autouse=True)
def small_problems_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "WORTH", 0)


def test_an_item_is_left_out_exactly_when_no_class_with_it_is_heavy() -> None:
    rng = np.random.default_rng(0)
    left_out = 0
    for _ in range(150):
        levels = tuple(rng.integers(2, 4, size=4).tolist())
        codes = rng.integers(levels, size=(8, 4))
        spread = rng.random((8, 4)) < 0.1
        weight = rng.integers(0, 2**58, size=8)
        most, floor = int(rng.integers(1, 5)), int(rng.integers(2**60))
        heavy = np.zeros(8, dtype=bool)
        for changed in combinations(range(4), most):
            kept = [feature for feature in range(4) if feature not in changed]
            for item in range(8):
                same = (codes[:, kept] == codes[item, kept]).all(axis=1) & ~spread[:, kept].any(axis=1)
                heavy[item] |= same[item] and sum(weight[same].tolist()) >= floor
        found = in_heavy_classes(codes, spread, most, weight, floor, Limits())
        assert np.array_equal(found, heavy)
        left_out += np.count_nonzero(~heavy)
    assert left_out > 100


def test_where_a_search_is_quicker_all_items_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, nothing = np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=bool)
    weight = np.ones(3, dtype=np.int64)
    assert not in_heavy_classes(codes, nothing, 1, weight, 9, Limits()).any()
    monkeypatch.setattr(classes, "WORTH", 1)
    assert in_heavy_classes(codes, nothing, 1, weight, 9, Limits()).all()


def test_it_ends_with_its_time() -> None:
    codes, nothing = np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=bool)
    with pytest.raises(NotConfirmedError):
        in_heavy_classes(codes, nothing, 1, np.ones(3, dtype=np.int64), 1, Limits(time_limit=0.0))
