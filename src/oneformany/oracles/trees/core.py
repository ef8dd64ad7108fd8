"""What a question leaves of a tree ensemble: the trees, leaves, features and levels that still matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import outer
from oneformany.oracles.trees.kernels import WordArray, open_words, reachable


class Core(NamedTuple):
    """What is left of an ensemble when the levels are limited to those of a question."""

    possible: bool  # whether every free feature has a level to take; if not, the rest is without meaning
    home: IntArray  # (p,): the anchor, moved into the domain where it has to
    constant: int  # sum of the trees that have one leaf left
    features: IntArray  # (m,): the features that can still tell leaves apart
    choices: IntArray  # (m,): how many levels of each of them differ in effect
    # (p, max levels): these levels, for each index in ``features``; choice 0 is the home level
    levels: IntArray
    allowed: WordArray  # (p, max levels, words): remaining leaves whose box contains the level of each choice
    alive: WordArray  # (words,): remaining leaves
    first: IntArray  # (trees + 1,): first word of each remaining tree, and the number of words
    origin: IntArray  # (words,): the word of the complete ensemble that each word stands for


@outer
def narrow(
    anchor: IntArray,
    free: BoolArray,
    extra: int,
    domain: BoolArray,
    allowed: WordArray,
    first: IntArray,
    units: IntArray,
) -> Core:
    """Keep the trees, leaves, features and levels that matter to a question."""
    n_features, width = domain.shape
    home = anchor.copy()
    usable = np.empty((n_features, width), dtype=np.bool_)
    possible = True
    for f in range(n_features):
        for level in range(width):
            moves = domain[f, level] and (free[f] or extra > 0)
            usable[f, level] = moves or (level == anchor[f] and not free[f])
        level = 0
        while level < width - 1 and not usable[f, level]:
            level += 1
        if not usable[f, home[f]]:
            home[f] = level
        possible &= usable[f, level]
    everywhere = reachable(usable, allowed)
    origin = np.empty(len(everywhere), dtype=np.int64)
    trees = np.empty(len(everywhere), dtype=np.int64)
    constant, n_words = open_words(everywhere, first, units, origin, trees)
    starts = np.zeros(len(first), dtype=np.int64)
    n_trees = 0
    for w in range(n_words):
        n_trees += w == 0 or trees[w] != trees[w - 1]
        starts[n_trees] = w + 1
    alive = np.empty(n_words, dtype=np.uint64)
    for w in range(n_words):
        alive[w] = everywhere[origin[w]]
    features = np.empty(n_features, dtype=np.int64)
    choices = np.empty(n_features, dtype=np.int64)
    levels = np.empty((n_features, width), dtype=np.int64)
    kept = np.empty((n_features, width, n_words), dtype=np.uint64)
    m = 0
    for f in range(n_features):
        count = 0
        for turn in range(-1, width):
            level = home[f] if turn < 0 else turn
            if not usable[f, level] or turn == home[f]:
                continue
            for w in range(n_words):
                kept[m, count, w] = allowed[f, level, origin[w]] & alive[w]
            fresh = True
            for other in range(count):
                w = 0
                while w < n_words and kept[m, count, w] == kept[m, other, w]:
                    w += 1
                fresh &= w < n_words
            if fresh:
                levels[m, count] = level
                count += 1
        if count > 1:
            features[m] = f
            choices[m] = count
            m += 1
    return Core(
        possible=possible,
        home=home,
        constant=constant,
        features=features[:m],
        choices=choices[:m],
        levels=levels,
        allowed=kept,
        alive=alive,
        first=starts[: n_trees + 1],
        origin=origin[:n_words],
    )
