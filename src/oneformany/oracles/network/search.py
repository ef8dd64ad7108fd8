"""How the points of a network are searched: parts are bounded, narrowed and split.

A part is split at a unit's sign or a feature's levels, whatever lowers both bounds most. Deep narrow
networks are best split at units, wide shallow ones at features, so both are tried out.
"""

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.box import Part, halves, narrowed
from oneformany.oracles.network.bounds import LOOSENESS, SIDE, bound_logit, reserve
from oneformany.oracles.network.kernels import Arrays
from oneformany.oracles.search import Scores, climb

ROUNDS = 10  # how often a bound is improved
PROBES = 12  # how many units are tried out
PROBE_ROUNDS = 3  # how often a bound is improved while trying
LEAST_STEP = 1e-6  # of the slopes of a bound: with less, nothing moves any more
"""The share of the distance to the threshold that a bound loses at least, so that products compare."""


class NetworkSteps:
    """The steps of one question: scores below ``least`` are not positive, scores from ``sure`` on are."""

    def __init__(self, net: Arrays, whole: Part, least: float, sure: float, scores: Scores) -> None:
        self.net, self.least, self.sure, self.scores = net, least, sure, scores
        self.point = whole.first_point  # the best of the last bound
        self._work = reserve(net, whole.domain.shape[1])

    def climb(self, part: Part) -> None:
        """Improve the point of the last bound."""
        climb(part, self.scores, self.sure, self.point)

    def step(self, part: Part, number: int) -> tuple[IntArray, list[Part]]:
        """Bound a part; the point of the bound, and what may hold a positive one."""
        value, constant = self._bound(part, ROUNDS)
        # After 1, 2, 4, 8 ... parts: a point is sometimes near although no bound peaks there.
        if value >= self.least and number.bit_count() == 1:
            self.climb(part)
        point = self.point[None].copy()
        return point, self._divided(part, value, constant) if value >= self.least else []

    def _bound(self, part: Part, rounds: int) -> tuple[float, float]:
        value, constant = bound_logit(self.net, part, rounds, self.least, self.point, self._work)[0].tolist()
        return value, constant

    def _divided(self, part: Part, value: float, constant: float) -> list[Part]:
        """Drop levels that no positive point takes, by the bound just made, and split what is left.

        Where these were many the part is bounded again. Halves whose bound is below the threshold are left
        out; the one with the larger bound comes last.
        """
        gains = self._work.gains.copy()
        points = narrowed(part, gains, constant, self.least)
        if points is None or points.many or points.split < 0:
            return [] if points is None else [points.but(stale=0)]
        known = len(self.net.widths)
        units = self._probe_units(points.but(stale=known), value)
        if all(bound < self.least for bound, _ in units):
            return []
        levels = []
        for half in halves(points, gains, constant, self.least):
            part = half.but(lines=points.lines.copy(), stale=0)
            levels.append((self._bound(part, PROBE_ROUNDS)[0], part.but(stale=known)))
        losses = [self._loss([bound for bound, _ in split], value).prod() for split in (levels, units)]
        best = units if losses[1] > losses[0] * (value - self.least) ** (2 - len(levels)) else levels
        return [half for bound, half in sorted(best, key=itemgetter(0)) if bound >= self.least]

    def _loss(self, bounds: Sequence[float] | FloatArray, value: float) -> FloatArray:
        """How much of its way to the threshold each bound has gone."""
        way = value - self.least
        return np.minimum(np.maximum(value - np.array(bounds), LEAST_STEP * way), way)

    def _probe_units(self, part: Part, value: float) -> list[tuple[float, Part]]:
        """Find the unit to split: the two halves with their bounds, or the part twice if there is none."""
        loose = self._work.layers[LOOSENESS]
        order = np.argsort(-loose, axis=None, kind="stable")[:PROBES]
        order = order[loose.flat[order] > 0.0]
        if len(order) == 0:
            return [(np.inf, part), (np.inf, part)]
        demands = np.empty((2 * len(order), 3), dtype=np.int64)
        demands[:, 0], demands[:, 1] = np.divmod(order.repeat(2), loose.shape[1])
        demands[::2, 2], demands[1::2, 2] = 1, -1
        bounds = bound_logit(self.net, part, PROBE_ROUNDS, self.least, self.point, self._work, demands)[:, 0]
        best = 2 * int(self._loss(bounds, value).reshape(-1, 2).prod(axis=1).argmax())
        found = []
        for bound, (layer, unit, side) in zip(bounds[best : best + 2], demands[best:], strict=False):
            lines = part.lines.copy()
            lines[SIDE, layer, unit] = side
            found.append((bound, part.but(lines=lines, stale=layer + 1)))
        return found
