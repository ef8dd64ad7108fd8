"""Random questions to classifiers on few codes, and their answers by full enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from oneformany.oracles.protocol import Question


def all_points(levels):
    """Every vector of levels."""
    return np.array(list(product(*(range(n) for n in levels))), dtype=np.int64)


def usable(question, points):
    """Which points a question admits."""
    rows = np.arange(points.shape[1])
    inside = question.domain[rows, points]
    stays = points == question.anchor
    fits = np.where(question.free, inside, inside | stays).all(axis=1)
    return fits & ((~stays & ~question.free).sum(axis=1) <= question.extra)


@st.composite
def questions(draw, levels):
    """Any anchor, free features, budget and domain, also domains without the anchor or without any level."""
    width = max(levels)
    p = len(levels)
    flags = st.lists(st.booleans(), min_size=p, max_size=p)
    row = st.lists(st.booleans(), min_size=width, max_size=width) | st.just([True] * width)
    domain = np.array(draw(st.lists(row, min_size=p, max_size=p)), dtype=np.bool_)
    return Question(
        anchor=np.array([draw(st.integers(0, n - 1)) for n in levels], dtype=np.int64),
        free=np.array(draw(flags), dtype=np.bool_),
        extra=draw(st.integers(0, p)),
        domain=domain & (np.arange(width) < np.array(levels)[:, None]),
    )


def random_question(rng, levels):
    """The same from a generator, with the anchor always in the domain."""
    p, width = len(levels), max(levels)
    anchor = rng.integers(levels)
    domain = (rng.random((p, width)) < rng.choice([0.6, 1.0])) & (
        np.arange(width) < np.array(levels)[:, None]
    )
    domain[np.arange(p), anchor] = True
    return Question(anchor, rng.random(p) < rng.choice([0.0, 0.4]), int(rng.integers(p + 1)), domain)
