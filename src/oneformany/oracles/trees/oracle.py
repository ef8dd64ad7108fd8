"""Tree ensembles as oracles: exact answers by branch and bound over features."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import Answer, Question, Relaxation
from oneformany.oracles.trees.ensemble import LARGEST_SUM, TreeEnsemble
from oneformany.oracles.trees.kernels import best_leaves, leaf_sets, reachable, totals
from oneformany.oracles.trees.search import FOUND, UNKNOWN, branch, climb, narrow

__all__ = ["TreeOracle"]

DEFAULT_MAX_NODES = 10_000_000


class TreeOracle:
    """A classifier whose score is an intercept plus one leaf per tree, decided in exact integers.

    Parameters
    ----------
    ensemble : TreeEnsemble
        The trees, on levels.
    threshold : float
        A point is positive when its score is at least this.
    margin : float
        Added to the threshold, so that rounding in the original model never flips an answer.
    max_nodes : int
        Search nodes that one question may take before its answer is "unknown". A node costs 10 to 100
        microseconds on usual ensembles; questions of thousands of nodes are rare.

    Attributes
    ----------
    unanswered : int
        Questions that ended "unknown" so far.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        threshold: float = 0.0,
        margin: float = 0.0,
        *,
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
        self.threshold_units = round((threshold + margin) * scale)
        self._sets = leaf_sets(ensemble)
        self._words = np.arange(self._sets.first[-1])

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self.ensemble.levels

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this."""
        return float(self.threshold_units / 10**self.ensemble.digits)

    @property
    def proves(self) -> bool:
        """Whether every question so far ended with a point or a proof; false once one was "unknown"."""
        return self.unanswered == 0

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes."""
        return np.asarray(self._totals(codes) / 10**self.ensemble.digits)

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive, exactly."""
        return np.asarray(self._totals(codes) >= self.threshold_units)

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
        goal = self.threshold_units - self.ensemble.intercept - core.constant
        if not core.possible or best_leaves(core.alive, core.first, core.origin, sets.units) < goal:
            return Answer.none()
        paid = ~question.free[core.features]
        point = np.zeros_like(core.features)
        if climb(point, paid, question.extra, goal, core, sets.units) < goal:
            point[paid] = 0
            outcome, _ = branch(point, paid, question.extra, goal, core, sets.units, self.max_nodes)
            if outcome == UNKNOWN:
                self.unanswered += 1
                return Answer.unknown()
            if outcome != FOUND:
                return Answer.none()
        answer = core.home
        answer[core.features] = core.levels[np.arange(len(point)), point]
        return Answer(answer)

    def relaxation(self) -> Relaxation | None:
        """The score itself when no tree reads two features, otherwise nothing.

        Additive bounds on deeper trees leave so much slack (on german credit, a forest of depth 6: more
        than the whole range of probabilities) that they would prune nothing.
        """
        tables = self.ensemble.tables()
        if tables is None:
            return None
        return Relaxation(tables, self.ensemble.intercept, self.threshold_units, exact=True)

    def describe(self) -> dict[str, Any]:
        """Integer leaves and sets of levels that rebuild the oracle exactly.

        A point starts at each root and goes to the first child when its level of ``feature`` is listed
        in ``left``, else to the second, until ``feature`` is -1. It is positive when the intercept and
        the units of its leaves sum to at least the threshold.
        """
        return {"kind": "trees", **self.ensemble.to_dict(), "threshold": self.threshold_units}

    @classmethod
    def rebuild(cls, data: dict[str, Any]) -> TreeOracle:
        """Rebuild from :meth:`describe`."""
        ensemble = TreeEnsemble.from_dict(data)
        return cls(ensemble, data["threshold"] / 10**ensemble.digits)

    def _totals(self, codes: IntArray) -> IntArray:
        rows = np.ascontiguousarray(np.atleast_2d(codes), dtype=np.int64)
        return np.asarray(self.ensemble.intercept + totals(rows, *self.ensemble.nodes))
