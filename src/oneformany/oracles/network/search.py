"""Branch and bound over the points of a question.

A part is split at a unit's sign or a feature's choices, whatever lowers both bounds most. Deep narrow
networks are best split at units, wide shallow ones at features, so both are tried out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.box import (
    anchored,
    count_points,
    divided,
    first_point,
    lifts,
    look_through,
    restricted,
)
from oneformany.oracles.network.bounds import bound_logit
from oneformany.oracles.network.kernels import (
    GAINS,
    LOOSENESS,
    SIDE,
    Arrays,
    Region,
    climb,
    make_region,
    reserve,
    widest_lines,
)
from oneformany.oracles.protocol import Answer, Question

ROUNDS = 10  # how often a bound is improved
FIRST_ROUNDS = 40  # how often the first bound is, from which all others start
FEW = 64  # parts with at most so many points are looked through
PROBES = 12  # how many units are tried out
PROBE_ROUNDS = 3  # how often a bound is improved while trying
LEAST = 1e-6
"""The share of the distance to the threshold that a bound loses at least, so that products compare."""


class Part(NamedTuple):
    """Points of a question, and what is known of the network there."""

    points: Question  # anchored
    lines: FloatArray  # as those of a ``Region``
    stale: int = 0  # the first layer whose ranges are those of a larger part

    def with_side(self, layer: int, unit: int, side: int) -> Part:
        """Keep the points with a unit on one side of zero."""
        lines = self.lines.copy()
        lines[SIDE, layer, unit] = side
        return Part(self.points, lines, layer + 1)


class NetworkSearch:
    """Looks for positive points: scores below ``least`` are not, scores from ``sure`` on are."""

    def __init__(
        self,
        net: Arrays,
        exists: BoolArray,
        positive: Callable[[IntArray], BoolArray],
        least: float,
        sure: float,
    ) -> None:
        self.net = net
        self.positive = positive
        self.least = least
        self.sure = sure
        self._work = reserve(net)
        self._exists = exists
        self._choices = np.zeros(len(net.starts) - 1, dtype=np.int64)  # of the best point of the last bound

    def answer(self, question: Question, budget: int | None) -> Answer:
        """Find a positive point or prove that there is none, bounding at most ``budget`` parts."""
        whole = anchored(question)
        if whole is None:
            return Answer.none()
        parts = [Part(whole, widest_lines(self.net))]
        self._choices[:] = first_point(whole) + self.net.starts[:-1]
        point = self._climbed(parts[0])
        if self.positive(point[None])[0]:
            return Answer(point)
        n_bounded = 0
        while parts:
            part = parts.pop()
            if count_points(part.points, FEW + 1) <= FEW:
                answer = look_through(part.points, self.positive)
                if answer.point is not None:
                    return answer
                continue
            if n_bounded == budget or (question.stop is not None and question.stop.expired()):
                return Answer.unknown()
            n_bounded += 1
            value = self._bound(part, ROUNDS if n_bounded > 1 else FIRST_ROUNDS)
            # After 1, 2, 4, 8 ... parts: a point is sometimes near although no bound peaks there.
            climbs = value >= self.least and n_bounded.bit_count() == 1
            point = self._climbed(part) if climbs else self._choices - self.net.starts[:-1]
            if self.positive(point[None])[0]:
                return Answer(point)
            if value >= self.least:
                parts += self._divided(part, value)
        return Answer.none()

    def _region(self, part: Part) -> Region:
        return make_region(self.net, self._exists, part.points, part.lines, part.stale)

    def _climbed(self, part: Part) -> IntArray:
        """Improve the point of the last bound."""
        climb(self.net, self._region(part), self.sure, self._choices, self._work)
        return self._choices - self.net.starts[:-1]

    def _bound(self, part: Part, rounds: int) -> float:
        region = self._region(part)
        return float(bound_logit(self.net, region, rounds, self.least, self._choices, self._work)[0, 0])

    def _divided(self, part: Part, value: float) -> list[Part]:
        """Drop choices that no positive point makes, by the bound just made, and split what is left.

        Where these were many the part is bounded again. Halves whose bound is below the threshold are left
        out; the one with the larger bound comes last.
        """
        domain = part.points.domain
        gains = np.zeros(domain.shape)
        gains[self._exists] = self._work.choices[GAINS]
        sizes = domain.sum(axis=1)
        gains[sizes == 1] = 0.0
        kept = domain & (_ceilings(part.points, gains, value) >= self.least)
        points = restricted(part.points, kept)
        if points is None:
            return []
        most = np.where(points.domain, gains, -np.inf).max(axis=1)
        least = np.where(points.domain, gains, np.inf).min(axis=1)
        spread = np.where(points.domain.sum(axis=1) > 1, most - least, -1.0)
        feature = int(spread.argmax())
        if 8 * np.count_nonzero(domain & ~kept) > sizes[sizes > 1].sum() or spread[feature] < 0.0:
            return [Part(points, part.lines)]
        known = len(self.net.widths)
        units = self._probe_units(Part(points, part.lines, known), value)
        if all(bound < self.least for bound, _ in units):
            return []
        halves = [Part(half, part.lines.copy()) for half in divided(points, feature, gains[feature]) if half]
        levels = [(self._bound(half, PROBE_ROUNDS), half._replace(stale=known)) for half in halves]
        losses = [self._loss([bound for bound, _ in split], value).prod() for split in (levels, units)]
        best = units if losses[1] > losses[0] * (value - self.least) ** (2 - len(levels)) else levels
        return [half for bound, half in sorted(best, key=itemgetter(0)) if bound >= self.least]

    def _loss(self, bounds: Sequence[float], value: float) -> FloatArray:
        """How much of its way to the threshold each bound has gone."""
        way = value - self.least
        return np.minimum(np.maximum(value - np.array(bounds), LEAST * way), way)

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
        bounds = bound_logit(
            self.net, self._region(part), PROBE_ROUNDS, self.least, self._choices, self._work, demands
        )[:, 0].tolist()
        best = 2 * int(self._loss(bounds, value).reshape(-1, 2).prod(axis=1).argmax())
        return [(bounds[k], part.with_side(*demands[k].tolist())) for k in (best, best + 1)]


def _ceilings(question: Question, gains: FloatArray, value: float) -> FloatArray:
    """Bound the score of the points that take each level, given a bound on all and its gains."""
    home, most, lift = lifts(question, gains)
    free, paid = question.free, np.flatnonzero(~question.free)
    ranked = np.zeros(len(lift) + question.extra + 2)
    ranked[1 : len(lift) + 1] = np.sort(lift)[::-1]
    taken, left = ranked[
        question.extra : question.extra + 2
    ]  # the least that is taken, the most that is left
    given_up = np.where(free, gains[np.arange(len(free)), most], np.maximum(lift, taken))
    found = value - given_up[:, None] + gains - np.where(free, 0.0, home)[:, None]
    found[paid, question.anchor[paid]] = value - np.maximum(0.0, lift - left)[paid]
    return np.asarray(found)
