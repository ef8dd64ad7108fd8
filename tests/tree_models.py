"""Data and checks that the readers of all tree libraries share."""

from __future__ import annotations

from functools import cache

import numpy as np

from oneformany import datasets
from oneformany.schema.encoding import Encoding
from tree_questions import all_points, random_question, usable

LEVELS = (2, 3, 2, 4)


@cache
def german():
    """German credit: the data set, its one-hot columns and its encoding."""
    data = datasets.load("german")
    return data, data.one_hot, data.schema.encoding()


def small_encoding(rng):
    """Three one-hot or 0/1 features and one feature that is a column of numbers."""
    blocks = [np.array([[0.0], [1.0]]), np.eye(3), np.array([[0.0], [1.0]]), np.arange(4.0)[:, None]]
    if rng.random() < 0.5:
        blocks[1] = np.sort(rng.normal(size=(3, 1)), axis=0)
    return Encoding.from_blocks(blocks)


def small_rows(rng):
    """Rows of both classes that some feature pairs tell apart, with noise."""
    codes = rng.integers(LEVELS, size=(60, len(LEVELS)))
    noise = rng.random(60) < 0.2
    target = ((codes[:, 0] + codes[:, 1] > 1) ^ (codes[:, 3] * codes[:, 2] > 1) ^ noise).astype(int)
    target[:2] = [0, 1]
    return codes, target


def check_answers(rng, read, chance, tolerance):
    """Compare answers with what the model itself says of every point.

    ``read`` makes the oracle for a threshold, ``chance`` is the model's probability for codes. Within the
    tolerance above the threshold, which covers the oracle's margin, "no" is a right answer too.
    """
    points = all_points(LEVELS)
    chances = chance(points)
    for _ in range(4):
        threshold = float(np.clip(np.quantile(chances, rng.uniform(0.5, 1.0)), 0.01, 0.98))
        oracle = read(threshold)
        question = random_question(rng, LEVELS)
        candidates = usable(question, points)
        answer = oracle.reach(question)
        if answer.proved_none:
            assert not (candidates & (chances > threshold + tolerance)).any()
        else:
            assert answer.point.tolist() in points[candidates].tolist()
            assert chance(answer.point[None])[0] >= threshold
        bound = oracle.upper_bound(question.domain)
        inside = question.domain[np.arange(len(LEVELS)), points].all(axis=1)
        assert (oracle.score(points[inside]) <= bound).all()
