"""Rows fall into classes exactly by what they are outside of some features."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.verify import listing
from oneformany.verify.listing import Classes


@pytest.mark.parametrize("largest_key", [0, listing.LARGEST_KEY])
def test_rows_of_a_class_agree_outside_of_the_features(
    largest_key: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "LARGEST_KEY", largest_key)
    rng = np.random.default_rng(0)
    for _ in range(100):
        codes = rng.integers(3, size=(12, 4))
        rows = np.flatnonzero(rng.random(12) < 0.8)
        features = tuple(np.flatnonzero(rng.random(4) < 0.5).tolist())
        found, starts = Classes(codes).outside(features, rows)
        kept = [feature for feature in range(4) if feature not in features]
        same: dict[tuple[int, ...], set[int]] = {}
        for row in rows.tolist():
            same.setdefault(tuple(codes[row, kept].tolist()), set()).add(row)
        parts = np.split(found, starts[1:]) if len(found) else []
        assert sorted(sorted(part.tolist()) for part in parts) == sorted(map(sorted, same.values()))
