"""Altered proofs of every kind: none that is confirmed is false, and most are found wrong."""

from __future__ import annotations

import numpy as np
import pytest

from verify.altered_proofs import KINDS, judged

EACH = 120  # of each kind; benchmarks/altered_proofs.py takes 5,000


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_altered_proof_is_believed_only_where_it_is_true(kind: str) -> None:
    found, believed = judged(kind, np.random.default_rng(list(KINDS).index(kind)), EACH)
    assert believed == []
    assert found.total() == EACH
    assert found["wrong"] > EACH // 6, found
    assert found["confirmed"] > 0, found
