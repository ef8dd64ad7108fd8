"""Squares are read as they were written, but for staying."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oneformany.result import squares
from oneformany.result.squares import SMALL, Square, written_square


@pytest.mark.parametrize("small", [1, SMALL])
def test_a_square_says_of_every_move_what_the_matrix_said(
    small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(squares, "SMALL", small)
    rng = np.random.default_rng(0)
    for n in rng.integers(1, 12, size=200).tolist():
        matrix = rng.integers(0, int(rng.choice([2, 9])), size=(n, n))
        if rng.random() < 0.6:
            matrix = matrix[:, :1] * np.tri(n, dtype=np.int64) if rng.random() < 0.5 else matrix[[0] * n]
        matrix = matrix > 0 if rng.random() < 0.5 else matrix
        written = written_square(matrix)
        read = Square.read(json.loads(json.dumps(written)), matrix.dtype)
        before, after = np.nonzero(~np.eye(n, dtype=bool))
        assert np.array_equal(read.at(before, after), matrix[before, after])


def test_one_way_rules_and_equal_lines_are_short() -> None:
    levels = 500
    for matrix in (
        np.tri(levels, dtype=bool),
        np.ones((levels, levels), dtype=bool),
        7 - 7 * np.eye(levels, dtype=int),
    ):
        assert len(json.dumps(written_square(matrix))) < 40 * levels
    mixed = np.random.default_rng(0).random((levels, levels)) < 0.5
    assert isinstance(written_square(mixed), list)
