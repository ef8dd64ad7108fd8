"""Random small problems with everything that a listing has to respect."""

from __future__ import annotations

import numpy as np

from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.problem.own import OwnValues
from tree_questions import all_points

KINDS = ("additive", "tree", "network", "black box")


class NotBoth:
    """Two features may not both change."""

    def __init__(self, one, other):
        self.one, self.other = one, other

    def holds(self, before, after):
        moved = before != after
        return ~(moved[:, self.one] & moved[:, self.other])

    def to_dict(self):
        return {"kind": "not both", "features": [int(self.one), int(self.other)]}


class AtLeast:
    """A sum of cells after the change is large enough."""

    def __init__(self, least):
        self.least = least

    def holds(self, before, after):
        return (after.sum(axis=1) >= self.least) | (before == after).all(axis=1)

    def to_dict(self):
        return {"kind": "at least", "least": self.least}


def draw_problem(rng, kind, share, own=None, ruled=None, restricted=None, costed=None):
    """Draw a problem; what is ``None`` is left to chance."""
    p = int(rng.integers(1, 5))
    levels = tuple(int(n) for n in rng.integers(1, 4, size=p))
    n = int(rng.integers(1, 8))
    centres = rng.integers(levels, size=(2, p))
    codes = np.where(
        rng.random((n, p)) < 0.5, rng.integers(levels, size=(n, p)), centres[rng.integers(2, size=n)]
    )
    own, ruled, restricted, costed = (
        bool(rng.random() < 0.5) if given is None else given for given in (own, ruled, restricted, costed)
    )
    values = draw_own(rng, codes, levels) if own else None
    fine = levels if values is None else tuple(len(cells) for cells in values.cell_of)
    return Problem(
        codes,
        levels,
        draw_oracle(rng, kind, fine),
        int(rng.integers(1, min(p, 3) + 1)),
        draw_rules(rng, levels) if ruled else None,
        share,
        values,
        draw_costs(rng, levels) if costed else None,
        draw_restrictions(rng, p) if restricted else (),
    )


def draw_own(rng, codes, levels):
    cell_of, targets = [], []
    for n in levels:
        cells = np.sort(np.concatenate([np.arange(n), rng.integers(n, size=int(rng.integers(0, 3)))]))
        cell_of.append(cells)
        goals = np.array([rng.choice(np.flatnonzero(cells == cell)) for cell in range(n)])
        targets.append(np.where(rng.random(n) < 0.2, -1, goals))
    values = np.array(
        [[rng.choice(np.flatnonzero(cell_of[f] == cell)) for f, cell in enumerate(row)] for row in codes]
    )
    return OwnValues(values, tuple(cell_of), tuple(targets))


def draw_rules(rng, levels):
    return [None if rng.random() < 0.4 else rng.random((n, n)) < rng.choice([0.0, 0.5, 0.8]) for n in levels]


def draw_costs(rng, levels):
    tables = [rng.integers(0, 4, size=(n, n)) for n in levels]
    return Costs(tuple(table * (1 - np.eye(len(table), dtype=np.int64)) for table in tables))


def draw_restrictions(rng, p):
    return (NotBoth(*rng.integers(p, size=2)),) if rng.random() < 0.5 else (AtLeast(int(rng.integers(0, 4))),)


def draw_oracle(rng, kind, levels):
    """Draw a classifier whose threshold is the score of some point, so that ties occur."""
    if kind == "additive":
        tables = [rng.integers(-3, 4, size=n) for n in levels]
        return AdditiveOracle(
            tables, 0.0, float(sum(rng.choice(table) for table in tables) + rng.integers(3))
        )
    if kind == "tree":
        ensemble = TreeEnsemble.from_trees(levels, [draw_tree(rng, levels) for _ in range(3)])
        scores = TreeOracle(ensemble).score(all_points(levels))
        return TreeOracle(ensemble, float(np.quantile(scores, 0.8, method="nearest")))
    if kind == "network":
        tables = tuple(rng.normal(size=(n, 3)) for n in levels)
        network = Network(tables, rng.normal(size=3), ((rng.normal(size=(3, 1)), rng.normal(size=1)),))
        scores = NetworkOracle(network).score(all_points(levels))
        return NetworkOracle(network, float(np.quantile(scores, 0.8, method="nearest")))
    chances = rng.uniform(0.1, 0.9, size=levels)
    return BlackBoxOracle(
        lambda codes: chances[tuple(np.asarray(codes).T)], levels, float(np.quantile(chances, 0.8))
    )


def draw_tree(rng, levels):
    """Two splits in a row on any features."""
    left = rng.random((7, max(levels))) < 0.5
    feature = np.concatenate([rng.integers(len(levels), size=3), [LEAF] * 4])
    children = np.array([[1, 2], [3, 4], [5, 6], *[[0, 0]] * 4])
    return Tree(feature, left, children, rng.integers(-3, 4, size=7).astype(float))
