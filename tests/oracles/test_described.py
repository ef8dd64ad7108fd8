"""Oracles that are rebuilt from what a file says of them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles import BlackBoxOracle, Network, NetworkOracle, Tree, TreeEnsemble, TreeOracle
from oneformany.oracles.conjunction import conjunction
from oneformany.oracles.described import described


def additive(rng, levels):
    return ofm.AdditiveOracle([rng.normal(size=n) for n in levels], rng.normal(), margin=rng.random() / 2)


def trees(rng, levels):
    made = []
    for _ in range(3):
        feature, width = int(rng.integers(len(levels))), max(levels)
        left = np.zeros((3, width), dtype=bool)
        left[0] = rng.random(width) < 0.5
        children = np.array([[1, 2], [-1, -1], [-1, -1]])
        made.append(Tree(np.array([feature, -1, -1]), left, children, rng.normal(size=3)))
    return TreeOracle(TreeEnsemble.from_trees(levels, made, rng.normal()), margin=rng.random() / 2)


def network(rng, levels):
    tables = tuple(rng.normal(size=(n, 3)) for n in levels)
    layers = ((rng.normal(size=(3, 1)), rng.normal(size=1)),)
    return NetworkOracle(Network(tables, rng.normal(size=3), layers), margin=rng.random() / 2)


def several(rng, levels):
    return conjunction([additive(rng, levels), trees(rng, levels)], int(rng.integers(1, 3)))


def everything(levels):
    return np.stack([grid.ravel() for grid in np.meshgrid(*map(np.arange, levels), indexing="ij")], axis=1)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), make=st.sampled_from([additive, trees, network, several]))
def test_what_a_file_says_of_a_classifier_brackets_what_the_model_says(seed, make):
    rng = np.random.default_rng(seed)
    levels = tuple(int(n) for n in rng.integers(2, 4, size=3))
    points, model = everything(levels), rng.random(36) < 0.5
    oracle = make(rng, levels)
    if make is not several:  # a model that decides within the margin as it likes
        oracle = oracle.decided_by(lambda codes: model[codes @ [9, 3, 1] % 36])
    asked = points[rng.random(len(points)) < 0.7]
    oracle.positive(asked)
    written = json.loads(json.dumps(oracle.describe()))
    surely, perhaps = described(written), described(written, perhaps=True)
    truth = oracle.positive(points)
    assert (surely.positive(points) <= truth).all()
    assert (truth <= perhaps.positive(points)).all()
    assert (surely.positive(asked) == oracle.positive(asked)).all()
    assert np.allclose(surely.score(points), oracle.score(points))


def test_a_black_box_is_not_in_its_file():
    box = BlackBoxOracle(lambda codes: codes[:, 0] / 1.0, (2,))
    with pytest.raises(UnsupportedModelError, match="only that it is a black box"):
        described(box.describe())
