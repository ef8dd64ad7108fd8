"""Trees too large for a table of every level, as oracles: read at the levels that are in question."""

from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.oracles.actions import MOVES, NOWHERE, Actions
from oneformany.oracles.dense import DENSE
from oneformany.oracles.protocol import NEAR, POSITIVE, Answer, Question
from oneformany.oracles.scored import Acceptance, ScoredOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.oracles.trees.polynomial import RunPolynomial
from oneformany.oracles.trees.run_kernels import run_totals
from oneformany.oracles.trees.runs import RunTrees

# Nodes times levels up to which trees are read for a question: some 250 MB, in a second or two
MOST_ENTRIES = 1 << 28
# Actions up to which all are judged to answer a question: a tenth of a second, where reading trees takes more
MOST_ACTIONS = 1 << 22
ASKED_AT_ONCE = 1 << 10


class LargeTreeOracle(ScoredOracle):
    """Answers as :class:`~oneformany.oracles.trees.oracle.TreeOracle` does, for trees of any size.

    A question names a few levels of each feature. Over these most splits leave no choice, and what is left of
    the trees is an ensemble of ordinary size, which answers.

    Parameters
    ----------
    trees : RunTrees
        The trees.
    threshold : float
        A point is positive when its score is at least this.
    margin : float
        Scores within this distance of the threshold are too near to tell what a library that rounds would
        say.
    rounds : bool
        False: the library adds up the leaves without rounding.
    """

    def __init__(
        self, trees: RunTrees, threshold: float = 0.0, margin: float = 0.0, *, rounds: bool = True
    ) -> None:
        super().__init__(trees.levels, threshold, margin, scale=10**trees.digits, rounds=rounds)
        self.trees = trees

    def upper_bound(self, domain: BoolArray) -> float:
        """Sum the best leaves that points inside ``domain`` reach; infinity where that takes too long."""
        if not domain.any(axis=1).all():
            return -np.inf
        levels = [np.flatnonzero(some) for some in domain]
        if self._too_large(levels):
            return np.inf
        return self._asked_at(levels).upper_bound(_all_of(levels))

    def reach(self, question: Question) -> Answer:
        """Find a positive point for the question, or prove that there is none."""
        if not question.free.any() and question.extra <= DENSE:
            elsewhere = question.domain.copy()
            elsewhere[np.arange(len(elsewhere)), question.anchor] = False
            actions = Actions.of([np.flatnonzero(some) for some in elsewhere], question.extra)
            if actions.count <= MOST_ACTIONS:
                return self._reach_by(actions, question)
        domain = question.domain.copy()
        domain[~question.free & (question.extra == 0)] = False
        domain[np.arange(len(domain)), question.anchor] = True
        levels = [np.flatnonzero(some) for some in domain]
        if self._too_large(levels):
            return Answer.unknown()
        anchor = np.array(
            [np.searchsorted(some, level) for some, level in zip(levels, question.anchor, strict=True)]
        )
        allowed = _all_of(levels)
        for feature, some in enumerate(levels):
            allowed[feature, : len(some)] = question.domain[feature, some]
        asked = Question(anchor, question.free, question.extra, allowed, question.stop)
        answer = self._asked_at(levels).reach(asked)
        if answer.point is None:
            return answer
        return Answer(np.array([some[level] for some, level in zip(levels, answer.point, strict=True)]))

    def action_judge(self, actions: Actions) -> RunPolynomial:
        """Judge all actions of a row together; see :class:`~oneformany.oracles.actions.JudgesActions`."""
        return RunPolynomial(self.trees, actions, self._needed)

    def relaxation(self) -> None:
        """Nothing: additive bounds on deep trees would prune nothing."""

    def describe(self) -> dict[str, Any]:
        """Integer leaves and runs of levels that rebuild the oracle exactly.

        A point starts at each root and goes to the first child when its level of ``feature`` lies in one of
        the node's ``runs``, each a first level and the one after its last, else to the second, until
        ``feature`` is -1. It is positive only when the intercept and the units of its leaves sum to at least
        the threshold; below ``sure``, only when the model says so.
        """
        return {"kind": "trees", **self.trees.to_dict(), **self._acceptance.describe()}

    def _reach_by(self, actions: Actions, question: Question) -> Answer:
        """Answer by judging all actions of the anchor together."""
        may = np.full((1, len(actions.owner)), MOVES, dtype=np.int8)
        judged = self.action_judge(actions).judge(question.anchor[None], may)[0]
        sure, near = np.flatnonzero(judged == POSITIVE), np.flatnonzero(judged == NEAR)
        some = sure[:1] if len(sure) else near
        for first in range(0, len(some), ASKED_AT_ONCE):
            if first and question.stop is not None and question.stop.expired():
                return Answer.unknown()
            points = self._after(actions, some[first : first + ASKED_AT_ONCE], question.anchor)
            for point in points[self.positive(points)][:1]:
                return Answer(point)
        return Answer.none()

    @staticmethod
    def _after(actions: Actions, numbers: IntArray, row: IntArray) -> IntArray:
        """Where a row ends after some actions."""
        slots, points = actions.slots(numbers), np.tile(row, (len(numbers), 1))
        which, at = np.nonzero(slots != NOWHERE)
        taken = slots[which, at]
        points[which, actions.owner[taken]] = actions.goals[taken]
        return points

    def _too_large(self, levels: list[IntArray]) -> bool:
        """Whether reading the trees at some levels may take too much."""
        return len(self.trees.nodes) * max(map(len, levels)) > MOST_ENTRIES

    def _asked_at(self, levels: list[IntArray]) -> TreeOracle:
        """The same classifier over some levels; what has to be asked is asked in all levels."""
        acceptance = self._acceptance

        def decide(points: IntArray) -> BoolArray:
            own = [some[points[:, feature]] for feature, some in enumerate(levels)]
            return self.positive(np.stack(own, axis=1))

        known = Acceptance(acceptance.least, acceptance.sure, decide)
        return TreeOracle(self.trees.at(levels), self.threshold).accepting(known)

    def _needed(self) -> tuple[int, int]:
        intercept = self.trees.intercept
        return int(self._acceptance.least) - intercept, int(self._acceptance.sure) - intercept

    def _sums(self, codes: IntArray) -> IntArray:
        rows = np.ascontiguousarray(np.atleast_2d(codes), dtype=np.int64)
        sums = np.full(len(rows), self.trees.intercept)
        run_totals(rows, self.trees.nodes, self.trees.units, self.trees.roots, sums)
        return sums


def _all_of(levels: list[IntArray]) -> BoolArray:
    """Every level of each feature."""
    counts = np.array([len(some) for some in levels])
    return np.asarray(np.arange(counts.max()) < counts[:, None])
