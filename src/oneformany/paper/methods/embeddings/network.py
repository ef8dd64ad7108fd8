"""ReLU networks: each hidden unit whose sign is open gets a binary variable and derived big-M bounds.

For a unit ``h = max(0, z)`` with ``z`` proved to lie in ``[low, high]``::

    h >= z      h >= 0      h <= z - low * (1 - on)      h <= high * on

Units that are never on vanish, units that are always on are plain sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.network.oracle import Network
from oneformany.paper.methods.embeddings.base import SMALLEST
from oneformany.paper.methods.model import LinearExpression, Model, Objective
from oneformany.paper.methods.one_hot import OneHot
from oneformany.paper.methods.solvers.highs import Highs

__all__ = ["NetworkEmbedding"]

WIDENING = 1e-6  # relative; more than the tolerance of the linear programs behind the bounds


class NetworkEmbedding:
    """Embeds a :class:`oneformany.Network`; ``ranges`` are proved bounds on the hidden pre-activations."""

    def __init__(self, network: Network, threshold: float) -> None:
        weights = [matrix for matrix, _ in network.layers]
        self.one_hot = OneHot(network.levels)
        self.threshold = threshold
        self._tables = network.tables
        self._weights = [np.where(np.abs(matrix) < SMALLEST, 0.0, matrix) for matrix in weights]
        self._biases = [network.bias, *(bias for _, bias in network.layers)]
        self.ranges: list[tuple[FloatArray, FloatArray]] = []
        self._bound_units()
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

    def _bound_units(self) -> None:
        """Bound each layer over the linear relaxation of the layers before it."""
        model = Model()
        inputs = self._first(self.one_hot.add_point(model, 1)[0])
        for layer in range(len(self._weights)):
            ranges = np.array([_range(model, z) for z in inputs])
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


def _range(model: Model, z: LinearExpression) -> tuple[float, float]:
    """Bound an expression, by linear programs where the variables' bounds leave its sign open."""
    ends = np.stack([model.variables.lower[z.columns], model.variables.upper[z.columns]]) * z.values
    low, high = z.constant + float(ends.min(axis=0).sum()), z.constant + float(ends.max(axis=0).sum())
    if low < 0.0 < high:
        low, high = max(low, -_peak(model, z, -1.0)), min(high, _peak(model, z, 1.0))
    room = WIDENING * (1.0 + abs(low) + abs(high))
    return low - room, high + room


def _peak(model: Model, z: LinearExpression, sign: float) -> float:
    """Maximise ``sign * z`` over the linear relaxation of a model."""
    objective = Objective(z.columns, sign * z.values, maximise=True)
    relaxed = replace(model, variables=model.variables.relaxed(), objective=objective)
    return Highs().solve(relaxed).bound + sign * z.constant
