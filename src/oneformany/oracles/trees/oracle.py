"""Tree ensembles as oracles: exact answers by branch and bound over features."""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import Answer, Question, Relaxation
from oneformany.oracles.ties import Acceptance, Decide
from oneformany.oracles.trees.core import Core, narrow
from oneformany.oracles.trees.ensemble import LARGEST_SUM, TreeEnsemble
from oneformany.oracles.trees.kernels import best_leaves, leaf_sets, reachable, totals
from oneformany.oracles.trees.moves_kernels import judge_moves
from oneformany.oracles.trees.search import FOUND, NODES, NONE, TIES, begin_walk, branch, climb

DEFAULT_MAX_NODES = 10_000_000
NODES_PER_LOOK = 5_000
"""How many nodes are searched between two looks at the clock."""

TIES_KEPT = 1024
MOST_TIES = 1_000_000
"""How many near points one question may ask the model about before its answer is "unknown"."""


class TreeOracle:
    """A classifier whose score is an intercept plus one leaf per tree, decided in exact integers.

    Parameters
    ----------
    ensemble : TreeEnsemble
        The trees, on levels.
    threshold : float
        A point is positive when its score is at least this.
    margin : float
        Scores within this distance of the threshold are too near to tell what a library that rounds would
        say. They do not count as positive, unless :meth:`decided_by` says who to ask.
    rounds : bool
        False: the library adds up the leaves without rounding, so that points with the same score are
        both positive or both not.
    max_nodes : int
        Search nodes that one question may take before its answer is "unknown". A node costs 10 to 100
        microseconds on usual ensembles; questions of thousands of nodes are rare.

    Attributes
    ----------
    unanswered : int
        Questions that ended "unknown" so far.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import Tree, TreeEnsemble
    >>> left = np.array([[True, False], [True, True], [True, True]])
    >>> children = np.array([[1, 2], [-1, -1], [-1, -1]])
    >>> tree = Tree(np.array([0, -1, -1]), left, children, np.array([0, -1.0, 1.0]))
    >>> TreeOracle(TreeEnsemble.from_trees((2,), [tree])).positive([[0], [1]]).tolist()
    [False, True]
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        threshold: float = 0.0,
        margin: float = 0.0,
        *,
        rounds: bool = True,
        max_nodes: int = DEFAULT_MAX_NODES,
    ) -> None:
        scale = 10**ensemble.digits
        if not abs(threshold) * scale < LARGEST_SUM:
            raise InputError(f"threshold is {threshold}; it must be a number of the size of the scores")
        if not 0 <= margin * scale < LARGEST_SUM:
            raise InputError(f"margin is {margin}; it must be small and not negative")
        if max_nodes < 1:
            raise InputError(f"max_nodes is {max_nodes}; it must be at least 1")
        self.ensemble = ensemble
        self.max_nodes = max_nodes
        self.unanswered = 0
        least = round((threshold + margin) * scale)
        self._acceptance = Acceptance(least, least)
        self._band = (math.floor((threshold - margin) * scale), math.ceil((threshold + margin) * scale))
        self._rounds = rounds
        self._sets = leaf_sets(ensemble)
        self._words = np.arange(self._sets.first[-1])

    def decided_by(self, decide: Decide) -> TreeOracle:
        """Let the model decide about points within the margin, one by one, when a search meets them.

        Where the model adds up without rounding, its first answer settles all points with the same score. Of
        a single tree nothing is added up: it is asked about each leaf within the margin at once.

        Parameters
        ----------
        decide : callable
            Says of points whether the model calls them positive.
        """
        oracle = copy(self)
        acceptance = Acceptance(*self._band, decide, self._rounds)
        if len(self.ensemble.roots) == 1:
            points = self.ensemble.point_of_each_leaf()
            acceptance = acceptance.by_score(points, self._totals(points)) or acceptance
        oracle._acceptance = acceptance  # noqa: SLF001 (a copy of itself)
        return oracle

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether the score of each row of codes is so near the threshold that rounding could decide."""
        low, high = self._band
        scores = self._totals(codes)
        return np.asarray((scores >= low) & (scores <= high))

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self.ensemble.levels

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this, unless the model itself says otherwise."""
        return float(self._acceptance.least / 10**self.ensemble.digits)

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes."""
        return np.asarray(self._totals(codes) / 10**self.ensemble.digits)

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive, exactly."""
        points = np.atleast_2d(codes)
        return self._acceptance.met(points, self._totals(points))

    def upper_bound(self, domain: BoolArray) -> float:
        """Sum the best leaves that points inside ``domain`` reach; minus infinity when there is no point."""
        if not domain.any(axis=1).all():
            return -np.inf
        sets = self._sets
        best = best_leaves(reachable(domain, sets.allowed), sets.first, self._words, sets.units)
        return float((self.ensemble.intercept + best) / 10**self.ensemble.digits)

    def reach(self, question: Question) -> Answer:
        """Find a positive point for the question or prove that there is none, within ``max_nodes``."""
        sets = self._sets
        core = narrow(
            np.array(question.anchor, dtype=np.int64),
            np.array(question.free),
            question.extra,
            np.array(question.domain, order="C"),
            *sets,
        )
        constant = self.ensemble.intercept + core.constant
        if (
            not core.possible
            or best_leaves(core.alive, core.first, core.origin, sets.units) < self._needed(constant)[0]
        ):
            return Answer.none()
        paid = ~question.free[core.features]
        point = np.zeros_like(core.features)
        reached = climb(point, paid, question.extra, self._needed(constant)[1], core, sets.units)
        found = _point(core, point)
        if self._acceptance.met(found[None], np.array([reached + constant]))[0]:
            return Answer(found)
        point[paid] = 0
        answer = self._search(question, core, constant, point, paid)
        if answer.point is None and not answer.proved_none:
            self.unanswered += 1
        return answer

    def judge_moves(
        self, values: IntArray, features: IntArray, goals: NDArray[np.int32], choices: IntArray
    ) -> NDArray[np.int8]:
        """Judge each row after each choice; see :class:`~oneformany.oracles.protocol.JudgesMoves`."""
        judged = np.empty((len(values), len(choices)), dtype=np.int8)
        needed = self._needed(self.ensemble.intercept)
        judge_moves(values, features, goals, choices, *self._sets, *needed, judged)
        return judged

    def relaxation(self) -> Relaxation | None:
        """The score itself when no tree reads two features, otherwise nothing.

        Additive bounds on deeper trees leave so much slack (on german credit, a forest of depth 6: more
        than the full range of probabilities) that they would prune nothing.
        """
        tables = self.ensemble.tables()
        if tables is None:
            return None
        intercept = self.ensemble.intercept
        self._acceptance = self._acceptance.listed(tables, self.levels, intercept) or self._acceptance
        least, sure = self._acceptance.least, self._acceptance.sure
        return Relaxation(tables, intercept, int(least), exact=least == sure)

    def describe(self) -> dict[str, Any]:
        """Integer leaves and sets of levels that rebuild the oracle exactly.

        A point starts at each root and goes to the first child when its level of ``feature`` is listed
        in ``left``, else to the second, until ``feature`` is -1. It is positive only when the intercept and
        the units of its leaves sum to at least the threshold; below ``sure``, only when the model says so.
        """
        return {"kind": "trees", **self.ensemble.to_dict(), **self._acceptance.describe()}

    def _search(
        self, question: Question, core: Core, constant: int, point: IntArray, paid: BoolArray
    ) -> Answer:
        """Branch and bound, with looks at the clock, asking the model about ties on the way."""
        walk = begin_walk(point, question.extra, core, TIES_KEPT)
        asked = 0
        while True:
            limit = min(self.max_nodes, int(walk.state[NODES]) + NODES_PER_LOOK)
            outcome = branch(walk, paid, *self._needed(constant), core, self._sets.units, limit)
            if outcome == FOUND:
                return Answer(_point(core, walk.point))
            if walk.state[TIES]:
                ties = np.array([_point(core, tie) for tie in walk.ties[: walk.state[TIES]]])
                asked += len(ties)
                accepted = self.positive(ties)
                if accepted.any():
                    return Answer(ties[int(accepted.argmax())])
                walk.state[TIES] = 0
            if outcome == NONE:
                return Answer.none()
            late = question.stop is not None and question.stop.expired()
            if late or asked > MOST_TIES or walk.state[NODES] >= self.max_nodes:
                return Answer.unknown()

    def _needed(self, constant: int) -> tuple[int, int]:
        """Units, beside a constant, below which no point is positive, and from which on every one is."""
        return int(self._acceptance.least) - constant, int(self._acceptance.sure) - constant

    def _totals(self, codes: IntArray) -> IntArray:
        rows = np.ascontiguousarray(np.atleast_2d(codes), dtype=np.int64)
        sums = np.full(len(rows), self.ensemble.intercept)
        totals(rows, *self.ensemble.nodes, sums)
        return sums


def _point(core: Core, choices: IntArray) -> IntArray:
    """Turn choices of the core's features into a point."""
    point = core.home.copy()
    point[core.features] = core.levels[np.arange(len(choices)), choices]
    return point
