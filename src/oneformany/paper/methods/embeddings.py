"""Classifiers as constraints of a mixed-integer program: additive scores, tree ensembles, ReLU networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.ensemble import LEAF, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.paper.methods.model import LinearExpression, Model, Objective, Request
from oneformany.paper.methods.one_hot import OneHot
from oneformany.paper.methods.solvers.highs import Highs
from oneformany.stop import Stop

SMALLEST = 1e-9  # what solvers take for zero
ROUNDING = 1e-9  # more than float64 loses in a row scaled to 1
WIDENING = 1e-6  # relative; more than the tolerance of the linear programs behind the bounds


class Embedding(Protocol):
    """A classifier's score as linear constraints on one-hot columns."""

    one_hot: OneHot  # the columns it reads
    threshold: float  # a point is positive when its score is at least this
    slack: float  # proved: no embedded score is further than this from the classifier's

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add what defines the score of the point ``x``, and return the score."""
        ...

    def hidden(self, point: IntArray) -> FloatArray:
        """Values at a point of the variables that :meth:`add` adds, in their order."""
        ...


def embed(oracle: Oracle, stop: Stop | None = None) -> Embedding:
    """Write a classifier as constraints on one-hot columns; looser ones where there is no time."""
    if isinstance(oracle, AdditiveOracle):
        return AdditiveEmbedding(oracle)
    if isinstance(oracle, NetworkOracle):
        return NetworkEmbedding(oracle.network, oracle.threshold, stop or Stop())
    if isinstance(oracle, TreeOracle):
        return TreeEmbedding(oracle.ensemble, oracle.threshold)
    raise UnsupportedModelError(
        f"{type(oracle).__name__} cannot be written as constraints: the paper's methods need an additive "
        'score, a ReLU network or a tree ensemble; use method="exact"'
    )


def require_positive(model: Model, score: LinearExpression, threshold: float, slack: float) -> None:
    """Add ``score >= threshold - slack``, scaled to coefficients of size 1.

    The row never excludes a positive point: what is lost in dropped coefficients and rounding is given
    to the slack. A point that only the slack lets in is for the caller to reject.
    """
    scale = float(np.abs(score.values).max(initial=0.0)) or 1.0
    values = score.values / scale
    kept = np.abs(values) >= SMALLEST
    dropped = score.columns[~kept]
    reach = np.maximum(np.abs(model.variables.lower[dropped]), np.abs(model.variables.upper[dropped]))
    lost = float(np.abs(values[~kept]) @ reach) + ROUNDING
    model.constraints.add(
        score.columns[kept], values[kept], lower=(threshold - slack - score.constant) / scale - lost
    )


class AdditiveEmbedding:
    """Embeds an :class:`oneformany.AdditiveOracle`: linear in the one-hot columns as it is."""

    slack = 0.0

    def __init__(self, oracle: AdditiveOracle) -> None:
        self.one_hot = OneHot(oracle.levels)
        self.threshold = oracle.threshold
        unit = 10**oracle.digits
        self._intercept = oracle.intercept_units / unit
        self._tables = [row[:n] / unit for row, n in zip(oracle.units, oracle.levels, strict=True)]

    def add(self, model: Model, x: IntArray) -> LinearExpression:  # noqa: ARG002 (others add to it)
        """Return the score of the point ``x``."""
        score = self.one_hot.affine(self._tables, x)
        return LinearExpression(score.columns, score.values, score.constant + self._intercept)

    def hidden(self, point: IntArray) -> FloatArray:  # noqa: ARG002 (as others do)
        """Nothing is hidden."""
        return np.empty(0)


class TreeEmbedding:
    """Embeds a :class:`oneformany.TreeEnsemble`: a leaf is selected when a point goes its way at each split.

    For a tree with leaves ``s`` and a split of feature ``f`` that sends the levels ``A`` to the left::

        sum of selected[s] over all leaves             =  1
        sum of selected[s] over leaves to the left    <=  [level of f in A]
        sum of selected[s] over leaves to the right   <=  [level of f not in A]

    With integer one-hot columns exactly one leaf is left: the selections need not be integer variables.
    """

    slack = 0.0

    def __init__(self, ensemble: TreeEnsemble, threshold: float) -> None:
        self.one_hot = OneHot(ensemble.levels)
        self.threshold = threshold
        self._ensemble = ensemble
        self._leaves = np.flatnonzero(ensemble.feature == LEAF)
        columns = np.arange(self.one_hot.width)
        self._ways = [  # the leaves behind each way out of a split, and when a point goes that way
            (self._below(child), self.one_hot.choice(int(ensemble.feature[node]), levels, columns))
            for node in np.flatnonzero(ensemble.feature != LEAF)
            for child, levels in zip(
                ensemble.children[node], (ensemble.left[node], ~ensemble.left[node]), strict=True
            )
        ]

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add the selection of leaves and return the score of the point ``x``."""
        ensemble = self._ensemble
        selected = np.full(len(ensemble.feature), -1)
        selected[self._leaves] = model.variables.add(len(self._leaves), integer=False)
        for root in ensemble.roots:
            model.constraints.add(selected[self._below(root)], 1.0, lower=1.0, upper=1.0)
        for leaves, way in self._ways:
            model.constraints.add(
                np.concatenate([selected[leaves], x[way.columns]]),
                np.concatenate([np.ones(len(leaves)), -way.values]),
                upper=way.constant,
            )
        unit = 10**ensemble.digits
        return LinearExpression(
            selected[self._leaves], ensemble.units[self._leaves] / unit, ensemble.intercept / unit
        )

    def hidden(self, point: IntArray) -> FloatArray:
        """1 for the leaf of each tree that the point falls into."""
        ensemble = self._ensemble
        reached = np.zeros(len(ensemble.feature))
        for root in ensemble.roots:
            node = int(root)
            while (feature := ensemble.feature[node]) != LEAF:
                node = int(ensemble.children[node, 0 if ensemble.left[node, point[feature]] else 1])
            reached[node] = 1.0
        return reached[self._leaves]

    def _below(self, node: int) -> IntArray:
        """All leaves under a node."""
        leaves, pending = [], [int(node)]
        while pending:
            here = pending.pop()
            if self._ensemble.feature[here] == LEAF:
                leaves.append(here)
            else:
                pending += self._ensemble.children[here].tolist()
        return np.array(leaves, dtype=np.int64)


class NetworkEmbedding:
    """Embeds a :class:`oneformany.Network`; ``ranges`` are proved bounds on the hidden pre-activations.

    Each hidden unit whose sign is open gets a binary variable and derived big-M bounds. For a unit
    ``h = max(0, z)`` with ``z`` proved to lie in ``[low, high]``::

        h >= z      h >= 0      h <= z - low * (1 - on)      h <= high * on

    Units that are never on vanish, units that are always on are plain sums.
    """

    def __init__(self, network: Network, threshold: float, stop: Stop) -> None:
        weights = [matrix for matrix, _ in network.layers]
        self.one_hot = OneHot(network.levels)
        self.threshold = threshold
        self._tables = network.tables
        self._weights = [np.where(np.abs(matrix) < SMALLEST, 0.0, matrix) for matrix in weights]
        self._biases = [network.bias, *(bias for _, bias in network.layers)]
        self.ranges: list[tuple[FloatArray, FloatArray]] = []
        self._bound_units(stop)
        self.slack = self._slack(weights)

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add the hidden units and return the score of the point ``x``."""
        inputs = self._first(x)
        for layer in range(len(self.ranges)):
            inputs = self._next(self._add_units(model, inputs, layer), layer)
        return inputs[0]

    def hidden(self, point: IntArray) -> FloatArray:
        """Compute outputs of the units that have a variable, and which open ones are on, layer by layer."""
        values: list[FloatArray] = []
        before = self._biases[0] + sum(table[level] for table, level in zip(self._tables, point, strict=True))
        for layer, (low, high) in enumerate(self.ranges):
            after = np.maximum(before, 0.0)
            values += [after[high > 0.0], (before > 0.0)[(low < 0.0) & (high > 0.0)].astype(np.float64)]
            before = after @ self._weights[layer] + self._biases[layer + 1]
        return np.concatenate([np.empty(0), *values])

    def _first(self, x: IntArray) -> list[LinearExpression]:
        sums = (
            self.one_hot.affine([table[:, unit] for table in self._tables], x)
            for unit in range(len(self._biases[0]))
        )
        return [
            _without_dust(LinearExpression(part.columns, part.values, part.constant + float(bias)))
            for part, bias in zip(sums, self._biases[0], strict=True)
        ]

    def _next(self, units: IntArray, layer: int) -> list[LinearExpression]:
        """Pre-activations behind a layer whose units have these variables; -1: always off."""
        inputs = []
        for column, bias in zip(self._weights[layer].T, self._biases[layer + 1], strict=True):
            used = (units >= 0) & (column != 0.0)
            inputs.append(LinearExpression(units[used], column[used], float(bias)))
        return inputs

    def _add_units(self, model: Model, inputs: list[LinearExpression], layer: int) -> IntArray:
        low, high = self.ranges[layer]
        used = high > 0.0
        split = used & (low < 0.0)
        units = np.full(len(low), -1)
        units[used] = model.variables.add(
            int(used.sum()), lower=np.maximum(low[used], 0.0), upper=high[used], integer=False
        )
        on = np.full(len(low), -1)
        on[split] = model.variables.add(int(split.sum()))
        for unit in np.flatnonzero(used):
            z = inputs[unit]
            columns, values = np.append(z.columns, units[unit]), np.append(-z.values, 1.0)
            if not split[unit]:
                model.constraints.add(columns, values, lower=z.constant, upper=z.constant)
                continue
            model.constraints.add(columns, values, lower=z.constant)
            model.constraints.add(
                np.append(columns, on[unit]), np.append(values, -low[unit]), upper=z.constant - low[unit]
            )
            model.constraints.add([units[unit], on[unit]], [1.0, -high[unit]], upper=0.0)
        return units

    def _bound_units(self, stop: Stop) -> None:
        """Bound each layer over the linear relaxation of the layers before it, as long as there is time."""
        model = Model()
        inputs = self._first(self.one_hot.add_point(model, 1)[0])
        for layer in range(len(self._weights)):
            ranges = np.array([_range(model, z, stop) for z in inputs])
            self.ranges.append((ranges[:, 0], ranges[:, 1]))
            inputs = self._next(self._add_units(model, inputs, layer), layer)

    def _slack(self, weights: Sequence[FloatArray]) -> float:
        """Bound what dropping coefficients of less than ``SMALLEST`` does to the score."""
        error = np.full(len(self._biases[0]), SMALLEST * self.one_hot.width)
        for kept, given, (_, high) in zip(self._weights, weights, self.ranges, strict=True):
            error = np.abs(kept).T @ error + np.abs(given - kept).T @ (np.maximum(high, 0.0) + error)
        return float(error[0])


def _without_dust(expression: LinearExpression) -> LinearExpression:
    kept = np.abs(expression.values) >= SMALLEST
    return LinearExpression(expression.columns[kept], expression.values[kept], expression.constant)


def _range(model: Model, z: LinearExpression, stop: Stop) -> tuple[float, float]:
    """Bound an expression, by linear programs where the variables' bounds leave its sign open."""
    ends = np.stack([model.variables.lower[z.columns], model.variables.upper[z.columns]]) * z.values
    low, high = z.constant + float(ends.min(axis=0).sum()), z.constant + float(ends.max(axis=0).sum())
    if low < 0.0 < high and not stop.expired():
        low, high = max(low, -_peak(model, z, -1.0, stop)), min(high, _peak(model, z, 1.0, stop))
    room = WIDENING * (1.0 + abs(low) + abs(high))
    return low - room, high + room


def _peak(model: Model, z: LinearExpression, sign: float, stop: Stop) -> float:
    """Maximise ``sign * z`` over the linear relaxation of a model; infinite when time is too short."""
    objective = Objective(z.columns, sign * z.values, maximise=True)
    relaxed = replace(model, variables=model.variables.relaxed(), objective=objective)
    return Highs().solve(relaxed, Request(stop)).bound + sign * z.constant
