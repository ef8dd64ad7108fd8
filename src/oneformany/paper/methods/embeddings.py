"""Points as one-hot columns, and classifiers as constraints on them: additive scores, trees, networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.ensemble import LEAF, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.paper.methods.model import LinearExpression, Model, Request
from oneformany.paper.methods.solvers import Highs
from oneformany.stop import Stop

ROUNDING = 1e-9  # more than float64 loses in a row scaled to 1
WIDENING = 1e-6  # relative; more than the tolerance of the linear programs behind the bounds


class OneHot:
    """The paper's expanded features: a column per level, and a single one for a two-level feature.

    "Feature ``l`` takes level ``v``" reads ``offset[l, v] + sign[l, v] * x[column[l, v]]``. For a two-level
    feature this is its only column or one minus it; a feature of one level has no column (sign 0).
    ``feature`` says which one each column belongs to.
    """

    def __init__(self, levels: Sequence[int]) -> None:
        self.levels = tuple(levels)
        count, level = np.array(self.levels)[:, None], np.arange(max(self.levels))
        widths = np.where(count > 2, count, count - 1)
        starts, exists = np.cumsum(widths)[:, None] - widths, (level < count) & (count > 1)
        self.column = np.where(exists, starts + np.where(count > 2, level, 0), 0)
        self.sign = np.where(exists, np.where(count > 2, 1.0, 2.0 * level - 1.0), 0.0)
        self.offset = np.where((count <= 2) & (level == 0), 1.0, 0.0)
        self.feature = np.repeat(np.arange(len(self.levels)), widths.ravel())
        self.width = len(self.feature)
        self.variable = np.unique(self.feature)  # features of more than one level: those with columns

    @property
    def categorical(self) -> list[IntArray]:
        """Columns of each feature of which exactly one must be 1: the paper's ``T_c``."""
        return [np.flatnonzero(self.feature == number) for number, n in enumerate(self.levels) if n >= 3]

    def encode(self, codes: IntArray) -> FloatArray:
        """Expand an ``(n, p)`` array of codes."""
        codes = np.atleast_2d(codes)[:, self.variable]
        values = np.zeros((len(codes), self.width))
        row, index = np.nonzero(self.sign[self.variable, codes] > 0)
        values[row, self.column[self.variable, codes][row, index]] = 1.0
        return values

    def decode(self, values: FloatArray) -> IntArray:
        """Read one code per feature off (nearly) integer values of the columns."""
        padded = np.append(values, 0.0)
        present = self.offset + self.sign * padded[self.column]
        return np.asarray(present.argmax(axis=1), dtype=np.int64)

    def affine(self, tables: Sequence[FloatArray], x: IntArray) -> LinearExpression:
        """Write ``sum of tables[l][level of l]`` in the variables ``x`` of the columns."""
        constant = 0.0
        values = np.zeros(self.width)
        for feature, table in enumerate(tables):
            n = len(table)
            constant += float(self.offset[feature, :n] @ table)
            if n > 1:
                np.add.at(values, self.column[feature, :n], self.sign[feature, :n] * table)
        used = values != 0.0
        return LinearExpression(x[used], values[used], constant)

    def choice(self, feature: int, levels: BoolArray, x: IntArray) -> LinearExpression:
        """Write "``feature`` takes one of these levels" as 1 or 0 in the variables ``x``."""
        tables = [np.zeros(n) for n in self.levels]
        tables[feature] = levels[: self.levels[feature]].astype(np.float64)
        return self.affine(tables, x)

    def add_point(self, model: Model, count: int) -> IntArray:
        """Add the columns of so many points to a model, each with one level per feature."""
        x = model.add_variables(count, self.width)
        for columns in self.categorical:
            model.add_rows(x[:, columns], 1.0, lower=1.0, upper=1.0)
        return x


def embed(oracle: Oracle, stop: Stop | None = None) -> Embedding:
    """Write a classifier as constraints on one-hot columns; looser ones where there is no time."""
    if isinstance(oracle, AdditiveOracle):
        unit = 10**oracle.digits
        tables = [row[:n, None] / unit for row, n in zip(oracle.units, oracle.levels, strict=True)]
        return NetworkEmbedding(tables, np.array([oracle.intercept_units / unit]), (), oracle.threshold)
    if isinstance(oracle, NetworkOracle):
        network = oracle.network
        return NetworkEmbedding(network.tables, network.bias, network.layers, oracle.threshold, stop)
    if isinstance(oracle, TreeOracle):
        return TreeEmbedding(oracle.ensemble, oracle.threshold)
    raise UnsupportedModelError(
        f"{type(oracle).__name__} cannot be written as constraints: the paper's methods need an additive "
        'score, a ReLU network or a tree ensemble; use method="exact"'
    )


def require_positive(model: Model, score: LinearExpression, threshold: float) -> None:
    """Add ``score >= threshold``, scaled to coefficients of size 1, less what rounding can do.

    The row never excludes a positive point. One that only this or the solver's tolerance lets in is for the
    caller to reject.
    """
    scale = float(np.abs(score.values).max(initial=0.0)) or 1.0
    model.add_rows(score.columns, score.values / scale, lower=(threshold - score.constant) / scale - ROUNDING)


class TreeEmbedding:
    """Embeds a :class:`oneformany.TreeEnsemble`: a leaf is selected when a point goes its way at each split.

    For a tree with leaves ``s`` and a split of feature ``f`` that sends the levels ``A`` to the left::

        sum of selected[s] over all leaves             =  1
        sum of selected[s] over leaves to the left    <=  [level of f in A]
        sum of selected[s] over leaves to the right   <=  [level of f not in A]

    With integer one-hot columns exactly one leaf is left: the selections need not be integer variables.
    """

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
        selected[self._leaves] = model.add_variables(len(self._leaves), integer=False)
        for root in ensemble.roots:
            model.add_rows(selected[self._below(root)], 1.0, lower=1.0, upper=1.0)
        for leaves, way in self._ways:
            columns = np.concatenate([selected[leaves], x[way.columns]])
            values = np.concatenate([np.ones(len(leaves)), -way.values])
            model.add_rows(columns, values, upper=way.constant)
        unit = 10**ensemble.digits
        return LinearExpression(
            selected[self._leaves], ensemble.units[self._leaves] / unit, ensemble.intercept / unit
        )

    def hidden(self, point: IntArray) -> FloatArray:
        """Values of the variables that :meth:`add` adds: 1 for a leaf to which the point goes every way."""
        x = self.one_hot.encode(point)[0]
        reached = np.ones(len(self._ensemble.feature))
        for leaves, way in self._ways:
            reached[leaves] *= way.at(x)
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
    """Embeds a :class:`oneformany.Network`; without layers, an additive score.

    Each hidden unit whose sign is open gets a binary variable and derived big-M bounds. For a unit
    ``h = max(0, z)`` with ``z`` proved to lie in ``[low, high]``::

        h >= z      h >= 0      h <= z - low * (1 - on)      h <= high * on

    Units that are never on vanish, units that are always on are plain sums. ``ranges`` are the proved bounds
    of each layer, over the linear relaxation of the layers before it, as long as there is time.
    """

    def __init__(
        self,
        tables: Sequence[FloatArray],
        bias: FloatArray,
        layers: Sequence[tuple[FloatArray, FloatArray]],
        threshold: float,
        stop: Stop | None = None,
    ) -> None:
        self.one_hot = OneHot([len(table) for table in tables])
        self.threshold = threshold
        self._tables, self._bias, self._layers = tables, bias, layers
        self._stop = stop or Stop()
        self.ranges: list[FloatArray] = []
        model = Model()
        self.add(model, self.one_hot.add_point(model, 1)[0])

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add the hidden units and return the score of the point ``x``; the first time, find their ranges."""
        inputs = [self._first(unit, x) for unit in range(len(self._bias))]
        for layer, (weights, biases) in enumerate(self._layers):
            if layer == len(self.ranges):
                self.ranges.append(np.array([_range(model, z, self._stop) for z in inputs]).T)
            units = _add_units(model, inputs, *self.ranges[layer])
            on = units >= 0
            inputs = [
                LinearExpression(units[on], column[on], float(bias))
                for column, bias in zip(weights.T, biases, strict=True)
            ]
        return inputs[0]

    def hidden(self, point: IntArray) -> FloatArray:
        """Values of the variables that :meth:`add` adds: layer by layer, outputs, and which units are on."""
        values: list[FloatArray] = [np.empty(0)]
        before = self._bias + sum(table[level] for table, level in zip(self._tables, point, strict=True))
        for (low, high), (weights, bias) in zip(self.ranges, self._layers, strict=True):
            after = np.maximum(before, 0.0)
            values += [after[high > 0.0], (before > 0.0)[(low < 0.0) & (high > 0.0)].astype(np.float64)]
            before = after @ weights + bias
        return np.concatenate(values)

    def _first(self, unit: int, x: IntArray) -> LinearExpression:
        z = self.one_hot.affine([table[:, unit] for table in self._tables], x)
        return LinearExpression(z.columns, z.values, z.constant + float(self._bias[unit]))


def _add_units(
    model: Model, inputs: Sequence[LinearExpression], low: FloatArray, high: FloatArray
) -> IntArray:
    """Add a layer of units with these inputs; return their variables, -1 for those that are always off."""
    used = high > 0.0
    split = used & (low < 0.0)
    units, on = np.full((2, len(low)), -1)
    lower = np.maximum(low[used], 0.0)
    units[used] = model.add_variables(int(used.sum()), lower=lower, upper=high[used], integer=False)
    on[split] = model.add_variables(int(split.sum()))
    for unit in np.flatnonzero(used).tolist():
        z = inputs[unit]
        columns, values = np.append(z.columns, units[unit]), np.append(-z.values, 1.0)
        model.add_rows(columns, values, lower=z.constant, upper=np.inf if split[unit] else z.constant)
        if split[unit]:
            columns, values = np.append(columns, on[unit]), np.append(values, -low[unit])
            model.add_rows(columns, values, upper=z.constant - low[unit])
            model.add_rows([units[unit], on[unit]], [1.0, -high[unit]], upper=0.0)
    return units


def _range(model: Model, z: LinearExpression, stop: Stop) -> tuple[float, float]:
    """Bound an expression, by linear programs where the variables' bounds leave its sign open."""
    ends = np.stack([model.lower[z.columns], model.upper[z.columns]]) * z.values
    low, high = z.constant + float(ends.min(axis=0).sum()), z.constant + float(ends.max(axis=0).sum())
    if low < 0.0 < high and not stop.expired():
        low, high = max(low, -_peak(model, z, -1.0, stop)), min(high, _peak(model, z, 1.0, stop))
    room = WIDENING * (1.0 + abs(low) + abs(high))
    return low - room, high + room


def _peak(model: Model, z: LinearExpression, sign: float, stop: Stop) -> float:
    """Maximise ``sign * z`` over the linear relaxation of a model; infinite when time is too short."""
    relaxed = model.relaxed().towards(z.columns, sign * z.values, maximise=True)
    return Highs().solve(relaxed, Request(stop)).bound + sign * z.constant


Embedding: TypeAlias = NetworkEmbedding | TreeEmbedding
