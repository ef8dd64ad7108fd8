"""Cells of the paper's tables that an open solver settles in seconds."""

from __future__ import annotations

import pytest

from oneformany.paper.methods.formulation import CgOptions, CompactOptions
from oneformany.paper.methods.published import solve_published
from oneformany.paper.runs.prepare import prepare
from oneformany.problem import Problem


def german(n_rows: int, max_changes: int) -> Problem:
    return prepare("german", "lr").problem("published", n_rows, max_changes)


@pytest.mark.parametrize(("max_changes", "published"), [(5, 9), (10, 4), (15, 2)])
def test_column_generation_certifies_the_published_counts(max_changes: int, published: int) -> None:
    result = solve_published(german(10, max_changes), CgOptions(pricing="compact"))
    assert (result.status, result.count) == ("optimal", published)


def test_the_compact_model_certifies_a_published_count() -> None:
    result = solve_published(german(10, 15), CompactOptions(break_symmetry=True))
    assert (result.status, result.count) == ("optimal", 2)
