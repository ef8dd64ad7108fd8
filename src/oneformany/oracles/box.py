"""All points that a question admits: how many they are, and one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.oracles.protocol import Question


def choices(question: Question) -> list[IntArray]:
    """For each feature the levels that it may take when it moves: for a free one all of its domain."""
    inside = question.domain.copy()
    paid = np.flatnonzero(~question.free)
    inside[paid, question.anchor[paid]] = False
    return [np.flatnonzero(row) for row in inside]


def admits(question: Question, points: IntArray) -> BoolArray:
    """Whether each of the points is one of the question's."""
    inside = question.domain[np.arange(points.shape[1]), points]
    stays = points == question.anchor
    fits = np.where(question.free, inside, inside | stays).all(axis=1)
    return np.asarray(fits & ((~stays & ~question.free).sum(axis=1) <= question.extra))


def count_points(question: Question) -> int:
    """Count the points.

    Those in which exactly ``k`` features that are not free move are the elementary symmetric polynomial of
    degree ``k`` in the numbers of their choices.
    """
    sizes = [len(levels) for levels in choices(question)]
    moved = [1] + [0] * question.extra
    for feature in np.flatnonzero(~question.free):
        for k in range(question.extra, 0, -1):
            moved[k] += moved[k - 1] * sizes[feature]
    return sum(moved) * prod(sizes[feature] for feature in np.flatnonzero(question.free))


def list_points(question: Question) -> Iterator[IntArray]:
    """List the points in arrays, those with fewer moves first; meant for boxes that are small."""
    levels = choices(question)
    free = np.flatnonzero(question.free).tolist()
    paid = [feature for feature in np.flatnonzero(~question.free).tolist() if len(levels[feature])]
    for k in range(min(question.extra, len(paid)) + 1):
        for moved in combinations(paid, k):
            features = [*free, *moved]
            grid = np.meshgrid(*(levels[feature] for feature in features), indexing="ij")
            points = np.tile(question.anchor, (grid[0].size if grid else 1, 1))
            for feature, values in zip(features, grid, strict=True):
                points[:, feature] = values.ravel()
            yield points
