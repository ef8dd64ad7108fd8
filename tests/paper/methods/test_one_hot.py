from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from oneformany.arrays import IntArray
from oneformany.datasets import load
from oneformany.paper.methods.embeddings import OneHot
from oneformany.paper.methods.model import Model
from oneformany.paper.methods.solvers import Highs
from oneformany.paper.tables import PRINTED

LEVELS = (3, 2, 1, 4)


def every_point() -> IntArray:
    return np.array(list(product(*(range(n) for n in LEVELS))))


def test_a_two_level_feature_is_one_column_and_a_constant_none() -> None:
    one_hot = OneHot(LEVELS)
    assert one_hot.feature.tolist() == [0, 0, 0, 1, 3, 3, 3, 3]
    assert one_hot.variable.tolist() == [0, 1, 3]


@pytest.mark.parametrize("name", ["german", "students"])
def test_the_columns_of_the_data_are_as_many_as_the_papers_extended_features(name: str) -> None:
    assert OneHot(load(name).schema.levels).width == PRINTED[name][2]


def test_encoding_is_the_papers() -> None:
    assert OneHot(LEVELS).encode(np.array([[2, 1, 0, 0]])).tolist() == [[0, 0, 1, 1, 1, 0, 0, 0]]
    assert OneHot(LEVELS).encode(np.array([[0, 0, 0, 3]])).tolist() == [[1, 0, 0, 0, 0, 0, 0, 1]]


def test_every_point_survives_the_way_there_and_back() -> None:
    one_hot = OneHot(LEVELS)
    noise = np.random.default_rng(0).uniform(-1e-3, 1e-3, one_hot.width)
    for point in every_point():
        assert (one_hot.decode(one_hot.encode(point)[0] + noise) == point).all()


def test_points_without_any_choice_survive_too() -> None:
    one_hot = OneHot((1, 1))
    assert one_hot.width == 0
    assert one_hot.decode(one_hot.encode(np.array([[0, 0]]))[0]).tolist() == [0, 0]


def test_sums_of_tables_are_affine() -> None:
    rng = np.random.default_rng(1)
    one_hot, tables = OneHot(LEVELS), [rng.normal(size=n) for n in LEVELS]
    constant, values = one_hot.affine([table[:, None] for table in tables])
    for point in every_point():
        expected = sum(table[level] for table, level in zip(tables, point, strict=True))
        assert constant[0] + one_hot.encode(point)[0] @ values[:, 0] == pytest.approx(expected)


def test_a_point_in_a_model_has_one_level_per_feature() -> None:
    one_hot = OneHot(LEVELS)
    model = Model()
    x = one_hot.add_point(model, 2)
    for sign in (1.0, -1.0):
        outcome = Highs().solve(model.towards(x.ravel(), sign))
        for feature in (0, 3):
            chosen = outcome.solutions[0][x[:, one_hot.feature == feature]]
            assert chosen.sum(axis=1) == pytest.approx([1.0, 1.0])
