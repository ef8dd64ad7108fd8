"""Several classifiers as one: a point is positive when all of them accept it, or enough of them do."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.actions import ActionJudge, Actions, JudgesActions
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.box import Narrowed, Narrows, Part, anchored, halves, narrowed
from oneformany.oracles.protocol import (
    NEAR,
    NEGATIVE,
    POSITIVE,
    Answer,
    JudgesMoves,
    Oracle,
    Question,
    Relaxation,
)
from oneformany.oracles.search import climb, search

FEW = 8  # parts with at most so many points are looked through, as with trees: bounds are quick
MOST_ASKED = 10_000  # points of a question that classifiers without bounds are asked about, as for one alone
SAMPLES = 1024  # random points on which it is seen whose bound excludes most

Judged: TypeAlias = NDArray[np.int8]
Counts: TypeAlias = NDArray[np.int64] | NDArray[np.int16]  # of members that accept, or refuse


class Conjunction:
    """A classifier whose positive points are those that all of several classifiers accept, or enough of them.

    Everything is put together from the members: no point is positive that a single one excludes, so the
    cheapest "no" decides; parts of a question are narrowed by each bound in turn and split by the tightest.
    With fewer than all, a level or a part is dropped only when too many members drop it.

    Parameters
    ----------
    members : sequence of oracles
        The classifiers, on the same levels.
    at_least : int or None
        How many of them have to accept a point; ``None``: all.
    names : sequence of str, optional
        What to call the members when one of them alone keeps a row from being helped.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> members = [AdditiveOracle([[0, 1], [0, 1]], threshold=t) for t in (1, 2)]
    >>> conjunction(members).positive([[0, 1], [1, 1]]).tolist()
    [False, True]
    >>> conjunction(members, at_least=1).positive([[0, 1], [1, 1]]).tolist()
    [True, True]
    """

    def __init__(
        self, members: Sequence[Oracle], at_least: int | None = None, names: Sequence[str] = ()
    ) -> None:
        self.members = tuple(members)
        if not self.members:
            raise InputError("a conjunction needs at least one classifier")
        self.needed = len(self.members) if at_least is None else at_least
        if isinstance(at_least, bool) or not 1 <= self.needed <= len(self.members):
            raise InputError(f"at_least is {at_least!r}; it must be an integer from 1 to {len(self.members)}")
        for number, member in enumerate(self.members):
            if tuple(member.levels) != self.levels:
                raise InputError(
                    f"member {number} reads levels {tuple(member.levels)}, the first one {self.levels}; read "
                    "all of them with one encoding"
                )
        self.names = tuple(names) or tuple(f"member {number}" for number in range(len(self.members)))
        if len(self.names) != len(self.members):
            raise InputError(f"{len(self.names)} names are given for {len(self.members)} members")
        # How many points each was asked about, and how many of them it refused; one each, so that none is 0
        self._record = np.ones((2, len(self.members)))

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return tuple(self.members[0].levels)

    @property
    def threshold(self) -> float:
        """Zero: the score is the least margin by which a member that is needed accepts."""
        return 0.0

    @property
    def spare(self) -> int:
        """How many members may refuse a positive point."""
        return len(self.members) - self.needed

    @property
    def asked(self) -> int:
        """Points that members which have to be asked were asked about so far; there is none without these."""
        counts = [int(member.asked) for member in self.members if hasattr(member, "asked")]
        if not counts:
            raise AttributeError("no member of the conjunction has to be asked")
        return sum(counts)

    @property
    def max_calls(self) -> int | None:
        """How many points may be asked about in all, if that is limited."""
        limited = [m for m in self.members if getattr(m, "max_calls", None) is not None]
        left = [int(getattr(m, "max_calls", 0)) - int(getattr(m, "asked", 0)) for m in limited]
        return self.asked + max(0, min(left)) if left else None

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of codes: the margin of that member which is needed and accepts it least."""
        points = np.atleast_2d(codes)
        return self._needed_of([member.score(points) - member.threshold for member in self.members])

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether all members, or enough of them, accept each row of an ``(n, p)`` array of codes."""
        points = np.atleast_2d(codes)

        def ask(number: int, rows: IntArray) -> Judged:
            return np.where(self.members[number].positive(points[rows]), POSITIVE, NEGATIVE).astype(np.int8)

        return np.asarray(self._counted(ask, len(points)) == POSITIVE)

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether rounding could decide for a member about each row of codes."""
        points, found = np.atleast_2d(codes), np.zeros(len(np.atleast_2d(codes)), dtype=np.bool_)
        for member in self.members:
            if hasattr(member, "doubtful"):
                found |= member.doubtful(points)
        return found

    def turn_down(self, codes: IntArray) -> BoolArray:
        """Let members take back that they accept points, where rounding can be the reason."""
        points, found = np.atleast_2d(codes), np.zeros(len(np.atleast_2d(codes)), dtype=np.bool_)
        for member in self.members:
            if hasattr(member, "turn_down"):
                found |= member.turn_down(points)
        return found & ~self.positive(points)

    def upper_bound(self, domain: BoolArray) -> float:
        """Bound from above the score of every point with levels inside ``domain``."""
        bounds = [np.array([member.upper_bound(domain) - member.threshold]) for member in self.members]
        return float(self._needed_of(bounds)[0])

    def reach(self, question: Question) -> Answer:
        """Find a point that enough members accept, or prove that there is none, or end "unknown"."""
        whole = anchored(question)
        if whole is None:
            return Answer.none()
        asked = 0

        def positive(points: IntArray) -> BoolArray:
            nonlocal asked
            asked += len(points)
            left = MOST_ASKED - asked if self.max_calls is None else self.max_calls - self.asked - len(points)
            if self._unbounded and left < 0:
                raise _SpentError
            return self.positive(points)

        best = whole.first_point

        def step(part: Part, _: int) -> tuple[IntArray, list[Part]]:
            found = self.narrow(part, best)
            left = found.left
            if left is None or left.many or left.split < 0:
                return found.points, [] if left is None else [left]
            return found.points, halves(left, found.gains, found.constant, found.least)

        try:
            climb(whole, self._closeness, 0.0, best)
            if positive(best[None])[0]:
                return Answer(best)
            return search(whole, step, self.judge, positive, few=FEW)
        except _SpentError:
            return Answer.unknown()

    def narrow(self, part: Part, near: IntArray) -> Narrowed:
        """Leave what may be positive of a part; see :class:`~oneformany.oracles.box.Narrows`."""
        points, bounds, lost = [part.anchor[None][:0]], [], 0
        kept = np.zeros(part.domain.shape, dtype=np.int64)
        inner = part
        for number in self._order():
            member = self.members[number]
            if not isinstance(member, Narrows):
                kept += inner.domain
                continue
            found = member.narrow(inner, near)
            points.append(found.points)
            if found.left is None:
                lost += 1
                if lost > self.spare:
                    return replace(found, points=found.points[:0])
                continue
            kept += found.left.domain
            bounds.append(found)
            if not self.spare:
                inner = found.left  # what is left holds for the next one too
        if self.spare:
            nothing = np.zeros(part.domain.shape)
            left = narrowed(part.but(domain=part.domain & (kept >= self.needed)), nothing, np.inf, 0.0)
        else:
            left = inner
        gains, constant, least = np.zeros(part.domain.shape), np.inf, 0.0  # which drops nothing
        if left is not None and bounds:  # to be split where the tightest bound differs most
            tight = bounds[int(np.argmax([_tightness(left, found) for found in bounds]))]
            gains = tight.gains
            if not self.spare:
                constant, least = tight.constant, tight.least
            left = narrowed(left, gains, constant, least)
        if left is not None:
            dropped, total = part.domain.sum() - left.domain.sum(), part.domain.sum()
            left = left.but(many=bool(8 * dropped > total))
        return Narrowed(left, np.concatenate(points), gains, constant, least)

    def judge(self, points: IntArray) -> Judged:
        """``POSITIVE``, ``NEGATIVE`` or, where a model has to be asked, ``NEAR``."""

        def ask(number: int, rows: IntArray) -> Judged:
            member = self.members[number]
            if isinstance(member, Narrows):
                return member.judge(points[rows])
            return np.full(len(rows), NEAR, dtype=np.int8)

        return self._counted(ask, len(points))

    def relaxation(self) -> Relaxation | None:
        """What bounds the score of the member that excludes most; nothing where members may refuse."""
        if self._tightest is None:
            return None
        relaxation = self.members[self._tightest].relaxation()
        if relaxation is None or len(self.members) == 1:
            return relaxation
        return replace(relaxation, exact=False)

    def describe(self) -> dict[str, Any]:
        """Plain data of all members, and how many of them are needed if not all are."""
        described = {"kind": "all", "members": [member.describe() for member in self.members]}
        return {**described, "at_least": self.needed} if self.spare else described

    def alone(self) -> Iterator[tuple[str, Oracle]]:
        """Each classifier that is needed by itself, inside members too, with its name."""
        for name, member in zip(self.names, self.members, strict=True):
            if self.spare:
                return
            yield name, member
            if isinstance(member, Conjunction):
                yield from member.alone()

    @cached_property
    def _unbounded(self) -> bool:
        """Whether a member can only be asked."""
        return any(
            member._unbounded if isinstance(member, Conjunction) else not isinstance(member, Narrows)  # noqa: SLF001
            for member in self.members
        )

    @cached_property
    def _tightest(self) -> int | None:
        """The member whose relaxation excludes most random points; ``None``: there is none."""
        points = np.random.default_rng(0).integers(self.levels, size=(SAMPLES, len(self.levels)))
        rows = np.arange(len(self.levels))
        passing: dict[int, int] = {}
        for number, member in enumerate(self.members if not self.spare else ()):
            if (bound := member.relaxation()) is not None:
                sums = bound.intercept + bound.units[rows, points].sum(axis=1)
                passing[number] = int((sums >= bound.threshold).sum())
        return min(passing, key=passing.__getitem__, default=None)

    @cached_property
    def _scales(self) -> FloatArray:
        """How far the best score of each member is from its threshold; 1 where nobody knows."""
        exists = np.arange(max(self.levels)) < np.array(self.levels)[:, None]
        away = [abs(member.upper_bound(exists) - member.threshold) for member in self.members]
        return np.array([size if math.isfinite(size) and size > 0 else 1.0 for size in away])

    def _closeness(self, points: IntArray) -> FloatArray:
        """Zero where enough members accept a point; otherwise less, the farther the others are from it.

        Those that can only be asked are not: they count as if they accepted.
        """
        away = []
        for member, scale in zip(self.members, self._scales, strict=True):
            if isinstance(member, Conjunction):
                away.append(member._closeness(points) / member.needed)  # noqa: SLF001 (one of its own kind)
            elif not isinstance(member, Narrows):
                away.append(np.zeros(len(points)))
            else:
                away.append(np.minimum(member.score(points) - member.threshold, 0.0) / scale)
        return np.asarray(np.sort(np.stack(away), axis=0)[self.spare :].sum(axis=0))

    def _needed_of(self, each: Sequence[FloatArray]) -> FloatArray:
        """Of what members say, the least among the greatest that are needed."""
        return np.asarray(np.sort(np.stack(each), axis=0)[self.spare])

    def _order(self) -> list[int]:
        """Members that need not be asked first, and of these the one that refuses most."""
        share = self._record[1] / self._record[0]
        slow = [not isinstance(member, Narrows) for member in self.members]
        return sorted(range(len(self.members)), key=lambda number: (slow[number], -share[number], number))

    def _counted(self, ask: Callable[[int, IntArray], Judged], n: int) -> Judged:
        """Ask members one after the other about what is still open; see what all say together."""
        refused, accepted = np.zeros((2, n), dtype=np.int64)
        for number in self._order():
            rows = np.flatnonzero((refused <= self.spare) & (accepted < self.needed))
            if not len(rows):
                break
            said = ask(number, rows)
            refused[rows] += said == NEGATIVE
            accepted[rows] += said == POSITIVE
            self._record[:, number] += len(rows), (said == NEGATIVE).sum()
        return self._together(refused, accepted)

    def _together(self, refused: Counts, accepted: Counts) -> Judged:
        """Negative if too many refuse, positive if enough accept, otherwise near."""
        found = np.where(accepted >= self.needed, POSITIVE, NEAR)
        return np.where(refused > self.spare, NEGATIVE, found).astype(np.int8)


class _SpentError(Exception):
    """Classifiers that can only be asked were asked as often as they may be."""


class MovesConjunction(Conjunction):
    """A conjunction with members that judge many moves of many rows at once."""

    def judge_moves(
        self, values: IntArray, features: IntArray, goals: NDArray[np.int32], choices: IntArray
    ) -> Judged:
        """Judge each row after each choice; see :class:`~oneformany.oracles.protocol.JudgesMoves`.

        Negative if too many members say so, positive if enough do, and otherwise near: that is not the
        least of what they say. Later members are asked about rows and choices that are still open somewhere.
        """
        refused, accepted = np.zeros((2, len(values), len(choices)), dtype=np.int16)
        for number in self._order():
            member = self.members[number]
            if isinstance(member, JudgesMoves):
                asks = member.judge_moves
            elif isinstance(member, AdditiveOracle):
                asks = member.judge_sums
            else:
                continue
            open_ = (refused <= self.spare) & (accepted < self.needed)
            rows, which = (np.flatnonzero(open_.any(axis=axis)) for axis in (1, 0))
            if not len(rows):
                break
            said = asks(values[rows], features, goals[rows], choices[which])
            at = np.ix_(rows, which)
            refused[at] += said == NEGATIVE
            accepted[at] += said == POSITIVE
            self._record[:, number] += said.size, (said == NEGATIVE).sum()
        if self._unbounded:  # who can only be asked does not know where rows may not go
            for j, cells in enumerate(choices.T):
                refused[goals[:, j, cells] < 0] = len(self.members)
        return self._together(refused, accepted)


class ActionsConjunction(MovesConjunction):
    """A conjunction whose members all judge every action of a row together."""

    def action_judge(self, actions: Actions) -> ActionJudge:
        """Judge all actions of a row together; see :class:`~oneformany.oracles.actions.JudgesActions`."""
        judges = [
            member.action_judge(actions) for member in self.members if isinstance(member, JudgesActions)
        ]
        return _JointJudge(judges, self._together)


class _JointJudge:
    """What several judges of actions say together."""

    def __init__(self, judges: Sequence[ActionJudge], together: Callable[[Counts, Counts], Judged]) -> None:
        self._judges, self._together = judges, together

    def judge(self, values: IntArray, may: NDArray[np.int8]) -> Judged:
        """Judge every action of every row."""
        said = [judge.judge(values, may) for judge in self._judges]
        refused, accepted = np.zeros((2, *said[0].shape), dtype=np.int16)
        for judged in said:
            refused += judged == NEGATIVE
            accepted += judged == POSITIVE
        return self._together(refused, accepted)


def conjunction(
    members: Sequence[Oracle], at_least: int | None = None, names: Sequence[str] = ()
) -> Conjunction:
    """Join classifiers to one that judges moves and actions as far as its members do."""
    if all(isinstance(member, JudgesActions) for member in members):
        return ActionsConjunction(members, at_least, names)
    if any(isinstance(member, JudgesMoves | AdditiveOracle) for member in members):
        return MovesConjunction(members, at_least, names)
    return Conjunction(members, at_least, names)


def _tightness(left: Part, found: Narrowed) -> float:
    """How much a split would lower a bound, as a share of what the bound leaves above the threshold."""
    there = np.where(left.domain, found.gains, -np.inf)
    most, least = there.max(axis=1), np.where(left.domain, found.gains, np.inf).min(axis=1)
    home = found.gains[np.arange(len(most)), left.anchor]
    lift = np.sort(np.where(left.free, 0.0, most - home))[::-1][: left.extra]
    total = found.constant + np.where(left.free, most, home).sum() + np.maximum(lift, 0.0).sum()
    return float((most - least).max() / max(total - found.least, 1e-12 * (1.0 + abs(found.least))))
