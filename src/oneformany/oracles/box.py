"""Points of a question: how many they are, all of them, and those that a linear bound on the score leaves.

A bound here is a constant and a gain per level: no point of a part scores more than the constant plus the
gains of its levels. Networks and tree ensembles bound their scores so, each in a way of its own.
"""

from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oneformany.anything import AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.compiled import lean
from oneformany.oracles.protocol import Question


@dataclass(frozen=True, eq=False)
class Part(Question):
    """Points of a question. What is not free has its anchor's level, and no other once no change is left."""

    size: float = 0.0  # how many they are
    split: int = -1  # the feature whose levels differ most in their gains; -1: none has two levels
    many: bool = False  # whether the bound that made the part dropped many levels
    lines: FloatArray = field(default_factory=lambda: np.zeros(0))  # what is known of a network there
    stale: int = 0  # the first layer of a network whose ranges are those of a larger part

    def but(self, **new: AnyValue) -> Self:
        """Make a part with other fields; much quicker than ``replace``."""
        return type(self)(**(vars(self) | new))

    @property
    def first_point(self) -> IntArray:
        """The anchor, or where a feature cannot stay there, its first level."""
        stays = self.domain[np.arange(len(self.anchor)), self.anchor]
        return np.where(stays, self.anchor, self.domain.argmax(axis=1))


@dataclass(frozen=True, eq=False)
class Narrowed:
    """What a bound says of the points of a part."""

    left: Part | None  # all that may be positive; None: nothing is
    points: IntArray  # some that may be
    gains: FloatArray  # no point scores more than the constant and the gains of its levels
    constant: float
    least: float  # what scores less is not positive


@runtime_checkable
class Narrows(Protocol):
    """An oracle whose bounds can be put together with those of others, part by part."""

    def narrow(self, part: Part, near: IntArray) -> Narrowed:
        """Leave what may be positive of a part; bounds may be tightest around the point ``near``."""
        ...

    def judge(self, points: IntArray) -> NDArray[np.int8]:
        """``POSITIVE``, ``NEGATIVE`` or, where the model has to be asked, ``NEAR``."""
        ...


@lean(inner=True)
def _force(domain: BoolArray, free: BoolArray, anchor: IntArray, extra: int) -> int:
    """A feature without its anchor's level has to move: it is free, with one change less; what is left."""
    for f in range(len(free)):
        if not free[f] and not domain[f, anchor[f]]:
            free[f] = True
            extra -= 1
    return extra


@lean()
def _narrow(
    domain: BoolArray,
    free: BoolArray,
    anchor: IntArray,
    extra: int,
    gains: FloatArray,
    constant: float,
    least: float,
    most: FloatArray,
    lift: FloatArray,
    ways: FloatArray,
) -> tuple[int, float, int, bool]:
    """Drop the levels of which no point reaches ``least``, and apply what follows from the budget of changes.

    Returns the changes that are left, the number of points, the feature to split, and whether more than an
    eighth of the levels was dropped.
    """
    p, width = domain.shape
    value = constant
    total = dropped = 0
    extra = _force(domain, free, anchor, extra)
    for f in range(p):
        most[f] = -np.inf
        for v in range(width):
            if domain[f, v]:
                total += 1
                most[f] = max(most[f], gains[f, v])
        if not free[f]:
            lift[f] = most[f] - gains[f, anchor[f]]
        value += most[f] - lift[f]
    taken = left = 0.0  # the least lift that is taken, the most that is left
    for turn in range(extra + 1):
        at, taken, left = -1, left, 0.0
        for f in range(p):
            if lift[f] > left:
                at, left = f, lift[f]
        if at >= 0:
            lift[at] = -left
            value += left if turn < extra else 0.0
    for f in range(p):
        for v in range(width):
            if domain[f, v]:
                if free[f]:
                    ceiling = value - most[f] + gains[f, v]
                elif v == anchor[f]:
                    ceiling = value - max(0.0, abs(lift[f]) - left)
                else:
                    ceiling = value - max(abs(lift[f]), taken) + gains[f, v] - gains[f, anchor[f]]
                if ceiling < least:
                    domain[f, v] = False
                    dropped += 1
    extra = _force(domain, free, anchor, extra)
    if extra < 0:
        return extra, 0.0, -1, True
    ways[0] = 1.0  # points by how many features that are not free have moved
    split, widest = -1, -1.0
    for f in range(p):
        low, high, several = np.inf, -np.inf, 0
        for v in range(width):
            domain[f, v] = domain[f, v] and (free[f] or extra > 0 or v == anchor[f])
            if domain[f, v]:
                several += 1
                low, high = min(low, gains[f, v]), max(high, gains[f, v])
        if several > 1 and high - low > widest:
            split, widest = f, high - low
        for k in range(extra, -1, -1):
            ways[k] *= several if free[f] else 1
            if k > 0 and not free[f]:
                ways[k] += ways[k - 1] * (several - 1)
    size = 0.0
    for k in range(extra + 1):
        size += ways[k]
    return extra, size, split, 8 * dropped > total


def narrowed(question: Question, gains: FloatArray, constant: float, least: float) -> Part | None:
    """Leave the points that a bound lets reach ``least``; ``None``: there are none."""
    domain, free = question.domain.copy(), question.free.copy()
    most, lift, ways = np.zeros((3, len(free) + 1))
    extra, size, split, many = _narrow(
        domain, free, question.anchor, question.extra, gains, constant, least, most, lift, ways
    )
    if size == 0:
        return None
    new = {"domain": domain, "free": free, "extra": extra, "size": size, "split": split, "many": many}
    return Part(**(vars(question) | new))


def anchored(question: Question) -> Part | None:
    """All points of a question; ``None``: there are none."""
    domain = np.array(question.domain, dtype=np.bool_)
    anchor = np.array(question.anchor, dtype=np.int64)
    domain[~question.free, anchor[~question.free]] = True
    free = np.array(question.free, dtype=np.bool_)
    whole = Question(anchor, free, min(int(question.extra), len(free)), domain, question.stop)
    return narrowed(whole, np.zeros(domain.shape), np.inf, 0.0)


def halves(part: Part, gains: FloatArray, constant: float, least: float) -> list[Part]:
    """Divide in two, at smaller and larger gains of a free feature, at staying and moving where it costs."""
    feature = part.split
    levels = np.flatnonzero(part.domain[feature])
    larger = levels != part.anchor[feature]
    if part.free[feature]:
        values = gains[feature, levels]
        larger = values > 0.5 * (values.max() + values.min())
        larger[values.argmin()], larger[values.argmax()] = False, True
    found = []
    for some in (levels[~larger], levels[larger]):
        domain = part.domain.copy()
        domain[feature] = False
        domain[feature, some] = True
        found.append(narrowed(part.but(domain=domain), gains, constant, least))
    return [half for half in found if half is not None]


def list_points(part: Part) -> IntArray:
    """List the points, those with fewer moves first; meant for parts that are small."""
    points = part.first_point[None]
    moves = np.zeros(1, dtype=np.int64)
    for feature in np.flatnonzero(part.domain.sum(axis=1) > 1):
        levels = np.flatnonzero(part.domain[feature])
        levels = levels[levels != points[0, feature]]
        able = part.free[feature] | (moves < part.extra)
        moved = points[able].repeat(len(levels), axis=0)
        moved[:, feature] = np.tile(levels, able.sum())
        points = np.concatenate((points, moved))
        moves = np.concatenate((moves, moves[able].repeat(len(levels)) + (not part.free[feature])))
    return points[np.argsort(moves, kind="stable")]
