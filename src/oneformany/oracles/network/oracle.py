"""ReLU networks: scores, bounds, and answers with proof."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.actions import Actions
from oneformany.oracles.box import Narrowed, Part, anchored, narrowed
from oneformany.oracles.network.actions import NetworkJudge
from oneformany.oracles.network.bounds import bound_logit, reserve, widest_lines
from oneformany.oracles.network.kernels import Arrays, judge_moves, score_points
from oneformany.oracles.network.search import ROUNDS, NetworkSteps
from oneformany.oracles.protocol import Answer, Question, Relaxation
from oneformany.oracles.scored import ScoredOracle
from oneformany.oracles.search import search

ROUNDOFF = 2.0**-53  # of float64, relative
TINIEST = 1e-290  # what a product of float64 can lose beyond that
LARGEST_WEIGHT = 1e100  # of a network that can be summed up without overflow
NETWORK_DIGITS = 9  # after the point: what float64 keeps of sums over layers
BOUND_ROUNDS = 100  # of improving the bound of a whole question
LARGEST_UNITS = 2**50  # units up to this size survive the way through a float and back


@dataclass(frozen=True, eq=False)
class Network:
    """A feed-forward network with ReLU between its layers and one logit at its end, on codes.

    Parameters
    ----------
    tables : sequence of (levels, width) arrays
        ``tables[l][v]``: what level ``v`` of feature ``l`` adds to the first pre-activations.
    bias : (width,) array
        What is added to them for every point.
    layers : sequence of (weights, bias) pairs
        Later pre-activations are ``relu(earlier) @ weights + bias``; the last has one entry. Without
        layers the first pre-activation is the logit.

    Examples
    --------
    >>> import numpy as np
    >>> hidden = (np.array([[0.0, 0.0], [1.0, -1.0]]),)
    >>> network = Network(hidden, np.zeros(2), ((np.array([[1.0], [1.0]]), np.array([-0.5])),))
    """

    tables: tuple[FloatArray, ...]
    bias: FloatArray
    layers: tuple[tuple[FloatArray, FloatArray], ...] = ()

    def __post_init__(self) -> None:
        copied = partial(np.array, dtype=np.float64)
        tables, bias = tuple(map(copied, self.tables)), copied(self.bias)
        layers = tuple((copied(weights), copied(shift)) for weights, shift in self.layers)
        _check(tables, bias, layers)
        for array in (*tables, bias, *(part for layer in layers for part in layer)):
            array.flags.writeable = False
        for name, value in (("tables", tables), ("bias", bias), ("layers", layers)):
            object.__setattr__(self, name, value)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = [np.abs(weights).sum(axis=0).max(initial=1.0) for weights, _ in layers]
            # How much larger the last entry can get than a change inside; bounds stay finite when this is.
            largest = max(float(np.prod(sums)), *(float(limit.max()) for limit in self.limits))
        if not largest <= LARGEST_WEIGHT:
            raise InputError(f"the network's sums reach {largest:g}; train it on scaled data")

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return tuple(len(table) for table in self.tables)

    @cached_property
    def limits(self) -> tuple[FloatArray, ...]:
        """For each layer how far its pre-activations, and all sums on the way to them, can be from zero."""
        limit = np.abs(self.bias) + sum(np.abs(table).max(axis=0) for table in self.tables)
        limits = [np.asarray(limit)]
        for weights, bias in self.layers:
            limits.append(limits[-1] @ np.abs(weights) + np.abs(bias))
        return tuple(limits)

    @cached_property
    def slack(self) -> tuple[FloatArray, ...]:
        """For each layer more than rounding changes in an entry and in a bound on it together.

        Each of the two is a sum of products along paths through the network. The absolute values of the
        products of one layer sum to at most ``limits``, the lines of a bound add as much again per layer, and
        each product passes through fewer rounded operations than ``operations``.
        """
        depth = len(self.layers)
        operations = len(self.tables) + sum(len(limit) for limit in self.limits) + 8 * (depth + 2)
        share = 8 * (depth + 4) * operations * ROUNDOFF
        tiny = [np.full(len(self.bias), TINIEST)]  # lost below the normal numbers; weights make it grow
        for weights, _ in self.layers:
            tiny.append(tiny[-1] @ np.abs(weights) + TINIEST)
        return tuple(share * limit + lost for limit, lost in zip(self.limits, tiny, strict=True))

    def arrays(self) -> Arrays:
        """Return the network as compiled functions read it."""
        widths = np.array([len(limit) for limit in self.limits], dtype=np.int64)
        widest = int(widths.max())
        weights = np.zeros((len(self.layers), widest, widest))
        for k, (matrix, _) in enumerate(self.layers):
            weights[k, : matrix.shape[0], : matrix.shape[1]] = matrix
        return Arrays(
            rows=_padded(np.concatenate(self.tables), widest),
            starts=np.cumsum([0, *self.levels], dtype=np.int64),
            weights=weights,
            biases=_padded([self.bias, *(bias for _, bias in self.layers)], widest),
            widths=widths,
            limits=_padded(self.limits, widest) * (1 + 1e-9) + TINIEST,
            slack=_padded(self.slack, widest),
        )


class NetworkOracle(ScoredOracle):
    """Answers for a ReLU network.

    The score is the network's logit in float64, added up in a fixed order. A point is positive when its score
    is at least ``threshold + margin``; with a smaller one, down to ``threshold - margin``, when the model
    says so (:meth:`decided_by`). A "no" is proved for exactly this: whatever the bounds in the proof do
    to rounding, no point of the question is positive. The margin makes the answers those of the framework the
    network comes from, although that adds up in another order or precision; readers derive it from the
    sizes of the weights.

    Parameters
    ----------
    network : Network
        The classifier.
    threshold : float
        What the logit has to reach.
    margin : float
        Scores nearer to the threshold do not count as positive, unless the model can be asked.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany.oracles import Network
    >>> hidden = (np.array([[0.0, 0.0], [1.0, -1.0]]),)
    >>> network = Network(hidden, np.zeros(2), ((np.array([[1.0], [1.0]]), np.array([-0.5])),))
    >>> NetworkOracle(network).positive(np.array([[0], [1]])).tolist()
    [False, True]
    """

    def __init__(self, network: Network, threshold: float = 0.0, *, margin: float = 0.0) -> None:
        super().__init__(network.levels, float(threshold), margin)
        self.network = network
        self.margin = float(margin)
        self._net = network.arrays()

    def upper_bound(self, domain: BoolArray) -> float:
        """Bound from above the score of every point with levels inside ``domain``; no point: -infinity."""
        return self._bound(domain)[0]

    def reach(self, question: Question) -> Answer:
        """Find a positive point for the question, or prove that there is none."""
        whole = anchored(question)
        if whole is None:
            return Answer.none()
        steps = NetworkSteps(self._net, whole, self._acceptance.least, self._acceptance.sure, self._sums)
        steps.climb(whole)
        if self.positive(steps.point[None])[0]:
            return Answer(steps.point)
        whole = whole.but(lines=widest_lines(self._net))
        return search(whole, steps.step, self.judge, self.positive)

    def narrow(self, part: Part, near: IntArray) -> Narrowed:
        """Leave what may be positive of a part; see :class:`~oneformany.oracles.box.Narrows`."""
        least, point, work = self._acceptance.least, near.copy(), reserve(self._net, part.domain.shape[1])
        whole = part.but(lines=widest_lines(self._net), stale=0)
        value, constant = bound_logit(self._net, whole, ROUNDS, least, point, work)[0].tolist()
        left = narrowed(part, work.gains, constant, least) if value >= least else None
        return Narrowed(left, point[None][: left is not None], work.gains.copy(), constant, least)

    def judge_moves(
        self, values: IntArray, features: IntArray, goals: NDArray[np.int32], choices: IntArray
    ) -> NDArray[np.int8]:
        """Judge each row after each choice; see :class:`~oneformany.oracles.protocol.JudgesMoves`.

        Sums are added up in another order than that of :meth:`score`; what rounding may decide is near.
        """
        judged = np.empty((len(values), len(choices)), dtype=np.int8)
        judge_moves(self._net, values, features, goals, choices, *self._needed(), judged)
        return judged

    def action_judge(self, actions: Actions) -> NetworkJudge:
        """Judge all actions of a row together; see :class:`~oneformany.oracles.actions.JudgesActions`."""
        return NetworkJudge(self._net, float(self.network.slack[-1][0]), actions, self._needed)

    def _needed(self) -> tuple[float, float]:
        """Scores below which no point is positive, and from which on every one is, added up in any order."""
        slack = float(self.network.slack[-1][0])
        return self._acceptance.least - slack, self._acceptance.sure + slack

    def relaxation(self) -> Relaxation | None:
        """One linear bound on the score over all points, rounded up to a decimal grid, unless it is huge."""
        exists = np.arange(max(self.levels)) < np.array(self.levels)[:, None]
        _, constant, gains = self._bound(exists)
        largest = abs(constant) + abs(self._acceptance.least) + float(np.abs(gains).max()) * len(gains)
        digits = min(NETWORK_DIGITS, math.floor(math.log10(LARGEST_UNITS / (largest + 1))))
        if digits < 0:
            return None
        scale = 10**digits
        units = np.where(exists, np.ceil(gains * scale).astype(np.int64) + 1, 0)
        least = math.floor(self._acceptance.least * scale) - 1
        return Relaxation(units, math.ceil(constant * scale) + 1, least, exact=False)

    def describe(self) -> dict[str, Any]:
        """Plain numbers that rebuild the oracle exactly, and a bound on what rounding does to a score."""
        return {
            "kind": "network",
            "tables": [table.tolist() for table in self.network.tables],
            "bias": self.network.bias.tolist(),
            "layers": [
                {"weights": weights.tolist(), "bias": bias.tolist()} for weights, bias in self.network.layers
            ],
            "rounding": float(self.network.slack[-1][0]),
            **self._acceptance.describe(),
        }

    def _sums(self, codes: IntArray) -> FloatArray:
        # A copy, so that the kernel is compiled for one kind of arrays, be they frozen or not
        points = np.array(codes, dtype=np.int64, order="C", ndmin=2)
        scores = np.empty(len(points))
        score_points(self._net, points, np.empty_like(self._net.biases), scores)
        return scores

    def _bound(self, domain: BoolArray) -> tuple[float, float, FloatArray]:
        """Bound the score of every point with these levels: the largest, the constant and gains per level."""
        p, width = domain.shape
        whole = anchored(Question(np.zeros(p, dtype=np.int64), np.ones(p, dtype=np.bool_), 0, domain))
        if whole is None:
            return -math.inf, -math.inf, np.zeros(domain.shape)
        work = reserve(self._net, width)
        bounds = bound_logit(self._net, whole, BOUND_ROUNDS, -math.inf, whole.first_point, work)
        return *bounds[0].tolist(), work.gains


def _padded(vectors: Iterable[FloatArray], width: int) -> FloatArray:
    """Stack vectors of different lengths, zeros behind them."""
    return np.stack([np.pad(vector, (0, width - len(vector))) for vector in vectors])


def _check(
    tables: tuple[FloatArray, ...], bias: FloatArray, layers: tuple[tuple[FloatArray, FloatArray], ...]
) -> None:
    """Refuse arrays that do not fit together, or hold something else than numbers."""
    if not tables:
        raise InputError("a network needs a table for at least one feature")
    for feature, table in enumerate(tables):
        if table.ndim != 2 or len(table) == 0 or bias.shape != table.shape[1:]:
            raise InputError(
                f"the table of feature {feature} has shape {table.shape}; it needs a row per level, as long "
                f"as the first bias, which has shape {bias.shape}"
            )
    width = len(bias)
    for number, (weights, shift) in enumerate(layers, start=1):
        if shift.ndim != 1 or weights.shape != (width, len(shift)):
            raise InputError(
                f"layer {number} has weights of shape {weights.shape} and a bias of shape {shift.shape}; "
                f"it reads {width} numbers, so the weights need {width} rows and a column per bias"
            )
        width = len(shift)
    if width != 1:
        raise InputError(f"the network ends in {width} numbers; it must end in one logit")
    for number, arrays in enumerate(((*tables, bias), *layers)):
        numbers = np.concatenate([array.ravel() for array in arrays])
        for wrong in numbers[~np.isfinite(numbers)]:
            raise InputError(f"layer {number} has a weight that is {wrong}; train the network on clean data")
