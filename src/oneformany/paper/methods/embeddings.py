"""Points as one-hot columns, and classifiers as constraints on them: additive scores, trees, networks."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

import oneformany as ofm
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles import NetworkOracle, Oracle, TreeEnsemble, TreeOracle
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.paper.methods.model import LinearExpression, Model, Request
from oneformany.paper.methods.solvers import Highs

ROUNDING = 1e-9  # more than float64 loses in a row scaled to 1
WIDENING = 1e-6  # relative; more than the tolerance of the linear programs behind the bounds
NOTICEABLE = 1e-3  # relative; bounds of a unit whose sign is open are at least so far from 0


class OneHot:
    """The paper's expanded features: a column per level, and a single one for a two-level feature.

    "Feature ``l`` takes level ``v``" reads ``offset[l, v] + level[l, v] @ x``. For a two-level feature this
    is its only column or one minus it; a feature of one level has no column. ``feature`` says which one each
    column belongs to.
    """

    def __init__(self, levels: Sequence[int]) -> None:
        self.levels = tuple(levels)
        blocks = [np.eye(n) if n > 2 else np.array([[-1.0], [1.0]])[:n, : n - 1] for n in self.levels]
        self.feature = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
        self.width = len(self.feature)
        self.variable = np.unique(self.feature)  # features of more than one level: those with columns
        self.offset = np.zeros((len(blocks), max(self.levels)))
        self.level = np.zeros((*self.offset.shape, self.width))
        for feature, block in enumerate(blocks):
            self.offset[feature, 0] = len(block) <= 2
            self.level[feature, : len(block)][:, self.feature == feature] = block

    def encode(self, codes: IntArray) -> FloatArray:
        """Expand an ``(n, p)`` array of codes."""
        taken = self.level[np.arange(len(self.levels)), np.atleast_2d(codes)]
        return np.asarray(np.maximum(taken, 0.0).sum(axis=1))

    def decode(self, values: FloatArray) -> IntArray:
        """Read one code per feature off (nearly) integer values of the columns."""
        return np.asarray((self.offset + self.level @ values).argmax(axis=1))

    def affine(self, tables: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Write ``sum of tables[l][level of l]``, vectors, as ``constant + x @ values``; return both."""
        constant, values = np.zeros(tables[0].shape[1]), np.zeros((self.width, tables[0].shape[1]))
        for feature, table in enumerate(tables):
            constant += self.offset[feature, : len(table)] @ table
            values += self.level[feature, : len(table)].T @ table
        return constant, values

    def add_point(self, model: Model, count: int) -> IntArray:
        """Add the columns of so many points to a model, each with one level per feature (6)."""
        x = model.add_variables(count, self.width)
        for feature in self.variable:
            if self.levels[feature] > 2:
                model.add_rows(x[:, self.feature == feature], 1.0, lower=1.0, upper=1.0)
        return x

    def add_rows(
        self, model: Model, columns: IntArray, values: ArrayLike, x: IntArray, feature: int, levels: BoolArray
    ) -> None:
        """Add ``values @ model[columns] <= [the point x takes one of the levels]``, per row of these."""
        own = self.feature == feature
        taken = levels @ self.level[feature, : levels.shape[1]][:, own]
        table = np.column_stack([columns, np.tile(x[own], (len(levels), 1))])
        fixed = np.broadcast_to(values, (len(levels), table.shape[1] - taken.shape[1]))
        constants = levels @ self.offset[feature, : levels.shape[1]]
        model.add_rows(table, np.column_stack([fixed, -taken]), upper=constants)


def require_positive(model: Model, score: LinearExpression, threshold: float) -> None:
    """Add ``score >= threshold``, scaled to coefficients of size 1, less what rounding can do.

    No positive point is excluded; one that only the tolerance lets in is for the caller to reject.
    """
    scale = float(np.abs(score.values).max(initial=0.0)) or 1.0
    model.add_rows(score.columns, score.values / scale, lower=(threshold - score.constant) / scale - ROUNDING)


class TreeEmbedding:
    """Embeds a :class:`.TreeEnsemble`: a point comes by a node if it goes its way at each split.

    For a split of feature ``f`` that sends the levels ``A`` to the left::

        at[root] = 1
        at[split]  =  at[left] + at[right]
        at[left]  <=  [level of f in A]
        at[right] <=  [level of f not in A]

    With integer one-hot columns one way is left: the variables of the nodes need not be integers.
    """

    def __init__(self, ensemble: TreeEnsemble, threshold: float) -> None:
        self.one_hot = OneHot(ensemble.levels)
        self.threshold = threshold
        self._ensemble = ensemble

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add the nodes and return the score of the point ``x``."""
        ensemble, nodes = self._ensemble, np.arange(len(self._ensemble.feature))
        at = model.add_variables(len(nodes), lower=np.isin(nodes, ensemble.roots), integer=False)
        splits = np.flatnonzero(ensemble.feature != LEAF)
        ways = np.column_stack([at[ensemble.children[splits]], at[splits]])
        model.add_rows(ways, [1.0, 1.0, -1.0], lower=0.0, upper=0.0)
        for feature in np.unique(ensemble.feature[splits]):
            here = np.flatnonzero(ensemble.feature == feature)
            left = ensemble.left[here, : ensemble.levels[feature]]
            for child, levels in zip(at[ensemble.children[here]].T, (left, ~left), strict=True):
                self.one_hot.add_rows(model, child, 1.0, x, feature, levels)
        leaves, unit = np.flatnonzero(ensemble.feature == LEAF), 10**ensemble.digits
        return LinearExpression(at[leaves], ensemble.units[leaves] / unit, ensemble.intercept / unit)

    def hidden(self, point: IntArray) -> FloatArray:
        """Values of the variables that :meth:`add` adds: 1 for a node that the point comes by."""
        levels = self._ensemble.levels
        boxes = [tree.boxes(levels)[:, np.arange(len(levels)), point] for tree in self._ensemble.trees()]
        return np.asarray(np.concatenate(boxes).all(axis=1), dtype=np.float64)


class NetworkEmbedding:
    """Embeds a :class:`oneformany.oracles.Network`; without layers, an additive score.

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
        stop: ofm.Stop | None = None,
    ) -> None:
        self.one_hot = OneHot([len(table) for table in tables])
        self.threshold = threshold
        self._tables, self._bias, self._layers = tables, bias, layers
        self._stop = stop or ofm.Stop()
        self.ranges: list[FloatArray] = []
        model = Model()
        self.add(model, self.one_hot.add_point(model, 1)[0])

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add the hidden units and return the score of the point ``x``; the first time, find their ranges."""
        constant, values = self.one_hot.affine(self._tables)
        inputs = _expressions(x, values, constant + self._bias)
        for layer, (weights, biases) in enumerate(self._layers):
            if layer == len(self.ranges):
                self.ranges.append(np.array([_range(model, z, self._stop) for z in inputs]).T)
            units = _add_units(model, inputs, *self.ranges[layer])
            inputs = _expressions(units[units >= 0], weights[units >= 0], biases)
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


def _expressions(columns: IntArray, values: FloatArray, constants: FloatArray) -> list[LinearExpression]:
    """One for each column of ``values``; what has no weight is left out."""
    return [
        LinearExpression(columns[own != 0.0], own[own != 0.0], float(constant))
        for own, constant in zip(values.T, constants, strict=True)
    ]


def _add_units(model: Model, inputs: list[LinearExpression], low: FloatArray, high: FloatArray) -> IntArray:
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


def _range(model: Model, z: LinearExpression, stop: ofm.Stop) -> tuple[float, float]:
    """Bound an expression, by linear programs where the variables' bounds leave its sign open."""
    ends = np.stack([model.lower[z.columns], model.upper[z.columns]]) * z.values
    low, high = z.constant + float(ends.min(axis=0).sum()), z.constant + float(ends.max(axis=0).sum())
    if low < 0.0 < high and not stop.expired():
        relaxed, highs = model.relaxed(), Highs()
        programs = [relaxed.towards(z.columns, sign * z.values, maximise=True) for sign in (-1.0, 1.0)]
        # how far below and above its constant; infinite when time is too short
        below, above = (highs.solve(program, Request(stop)).bound for program in programs)
        room = WIDENING * (1.0 + abs(low) + abs(high))
        low, high = max(low, z.constant - below - room), min(high, z.constant + above + room)
    if low < 0.0 < high:  # solvers go wrong where a binary variable decides about next to nothing
        least = NOTICEABLE * (1.0 + abs(low) + abs(high))
        return min(low, -least), max(high, least)
    return low, high


Embedding: TypeAlias = NetworkEmbedding | TreeEmbedding


def embed(oracle: Oracle, stop: ofm.Stop | None = None) -> Embedding:
    """Write a classifier as constraints on one-hot columns; looser ones where there is no time."""
    if isinstance(oracle, ofm.AdditiveOracle):
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
