"""Rows that agree outside of some features, against comparing all pairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from engine.problems import random_additive
from oneformany.engine.listing.ground import CodedRows, Ground
from oneformany.engine.sources.bucketed import Buckets
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem


def ground_of(seed):
    problem = random_additive(np.random.default_rng(seed), rows=20, features=5, levels=3, max_changes=2)
    fixed = [np.eye(3) if feature == 4 else None for feature in range(5)]
    return Ground.of(replace(problem, allowed=fixed) if seed % 2 else problem)


def agreeing(rows, changed):
    """Sets of two or more rows that agree outside of the changed features."""
    outside = [feature for feature in range(rows.shape[1]) if feature not in changed]
    found = {}
    for row, cells in enumerate(rows):
        found.setdefault(tuple(cells[outside].tolist()), []).append(row)
    return {tuple(members) for members in found.values() if len(members) > 1}


@pytest.mark.parametrize("seed", range(6))
def test_buckets_are_the_sets_of_rows_that_agree_each_once_with_its_feature_sets(seed):
    ground = ground_of(seed)
    buckets = Buckets.of(ground, np.arange(len(ground.rows)))
    sets = list(combinations(ground.changeable.tolist(), ground.size))
    assert [tuple(features) for features in buckets.feature_sets.tolist()] == sets
    found = {}
    for bucket in range(len(buckets)):
        owners = buckets.sets[buckets.set_starts[bucket] : buckets.set_starts[bucket + 1]].tolist()
        rows = tuple(buckets.group(bucket).tolist())
        assert rows not in found
        found[rows] = set(owners)
    expected = {}
    for number, features in enumerate(sets):
        for rows in agreeing(ground.rows, features):
            expected.setdefault(rows, set()).add(number)
    assert found == expected


def test_words_are_the_same_for_equal_rows_only():
    ground = ground_of(0)
    coded = CodedRows.of(ground)
    assert len(np.unique(coded.words, axis=0)) == len(np.unique(ground.rows, axis=0))


def test_cells_that_one_word_cannot_tell_apart_take_several():
    rng = np.random.default_rng(0)
    levels = (50,) * 30
    cells = np.repeat(rng.integers(levels, size=(20, 30)), 2, axis=0)
    cells[::2, [0, 29]] = rng.integers(50, size=(20, 2))
    oracle = AdditiveOracle([np.arange(50)] * 30, threshold=0)
    coded = CodedRows.of(Ground.of(Problem(cells, levels, oracle, 2)))
    assert coded.words.shape[1] > 1
    for features in (np.array([0, 29]), np.array([3, 4])):
        order, starts = coded.agreeing(features)
        found = {tuple(order[begin:end].tolist()) for begin, end in pairwise(starts)}
        assert found == agreeing(coded.cells, features)
