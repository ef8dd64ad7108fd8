"""Tree ensembles as oracles: exact answers by branch and bound over features."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.actions import Actions
from oneformany.oracles.box import Narrowed, Part, anchored, halves, narrowed
from oneformany.oracles.protocol import Answer, Question, Relaxation
from oneformany.oracles.scored import Acceptance, Decide, ScoredOracle
from oneformany.oracles.search import climb, search
from oneformany.oracles.trees import kernels
from oneformany.oracles.trees.ensemble import LARGEST_UNITS, LEAF, TreeEnsemble
from oneformany.oracles.trees.polynomial import TreePolynomial

FEW = 8  # parts with at most so many points are looked through: bounds are quick


class TreeOracle(ScoredOracle):
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

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany.oracles import Tree, TreeEnsemble
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
    ) -> None:
        scale = 10**ensemble.digits
        for name, number in (("threshold", threshold), ("margin", margin)):
            if not abs(number) * scale < LARGEST_UNITS:
                raise InputError(f"{name} is {number}; it must be a number of the size of the scores")
        super().__init__(ensemble.levels, threshold, margin, scale=scale, rounds=rounds)
        self.ensemble = ensemble
        self._sets = kernels.leaf_sets(ensemble)

    def decided_by(self, decide: Decide) -> Self:
        """Let the model decide; of a single tree nothing is added up, so each leaf is asked about at once."""
        asked = super().decided_by(decide)
        tree, *others = self.ensemble.trees()
        if others:
            return asked
        points = tree.boxes(self.levels)[tree.feature == LEAF].argmax(axis=2)
        sums, accepted = self._sums(points), asked.positive(points)
        least = int(sums[accepted].min(initial=self._band[1]))
        return asked if (sums[~accepted] >= least).any() else self.accepting(Acceptance(least, least))

    def upper_bound(self, domain: BoolArray) -> float:
        """Sum the best leaves that points inside ``domain`` reach; minus infinity when there is no point."""
        if not domain.any(axis=1).all():
            return -np.inf
        return float((self.ensemble.intercept + self._best(domain)) / self._scale)

    def reach(self, question: Question) -> Answer:
        """Find a positive point for the question, or prove that there is none."""
        whole = anchored(question)
        if whole is None or self._best(whole.domain) < self._needed()[0]:
            return Answer.none()
        best = whole.first_point

        def step(part: Part, _: int) -> tuple[IntArray, list[Part]]:
            found = self.narrow(part, best)
            left = found.left
            if left is None or left.many or left.split < 0:
                return found.points, [] if left is None else [left]
            return found.points, halves(left, found.gains, found.constant, found.least)

        climb(whole, self._sums, self._acceptance.sure, best)
        if self.positive(best[None])[0]:
            return Answer(best)
        return search(whole, step, self.judge, self.positive, few=FEW)

    def narrow(self, part: Part, near: IntArray) -> Narrowed:
        """Leave what may be positive of a part; see :class:`~oneformany.oracles.box.Narrows`."""
        least, home, gains = self._needed()[0], part.anchor.copy(), np.zeros(part.domain.shape)
        inside = np.flatnonzero(part.domain.sum(axis=1) > 1)
        total = kernels.bound_total(
            part.domain, inside, part.free, part.extra, near, home, least, self._sets, gains
        )
        left = narrowed(part, gains, total, least) if total > -np.inf else None
        point = home[None][: int(total >= least)]  # others are not positive
        return Narrowed(left, point, gains, total, least)

    def judge_moves(
        self, values: IntArray, features: IntArray, goals: NDArray[np.int32], choices: IntArray
    ) -> NDArray[np.int8]:
        """Judge each row after each choice; see :class:`~oneformany.oracles.protocol.JudgesMoves`."""
        judged = np.empty((len(values), len(choices)), dtype=np.int8)
        kernels.judge_moves(values, features, goals, choices, *self._sets, *self._needed(), judged)
        return judged

    def action_judge(self, actions: Actions) -> TreePolynomial:
        """Judge all actions of a row together; see :class:`~oneformany.oracles.actions.JudgesActions`."""
        return TreePolynomial(self._sets, self.levels, actions, self._needed)

    def relaxation(self) -> Relaxation | None:
        """The score itself when no tree reads two features, otherwise nothing.

        Additive bounds on deeper trees leave so much slack (on german credit, a forest of depth 6: more
        than the full range of probabilities) that they would prune nothing.
        """
        tables = self.ensemble.tables()
        if tables is None:
            return None
        least, sure = int(self._acceptance.least), int(self._acceptance.sure)
        return Relaxation(tables, self.ensemble.intercept, least, exact=least == sure)

    def describe(self) -> dict[str, Any]:
        """Integer leaves and sets of levels that rebuild the oracle exactly.

        A point starts at each root and goes to the first child when its level of ``feature`` is listed
        in ``left``, else to the second, until ``feature`` is -1. It is positive only when the intercept and
        the units of its leaves sum to at least the threshold; below ``sure``, only when the model says so.
        """
        return {"kind": "trees", **self.ensemble.to_dict(), **self._acceptance.describe()}

    def _best(self, domain: BoolArray) -> int:
        allowed, first, units = self._sets
        return kernels.best_leaves(kernels.reachable(domain, allowed), first, units)

    def _needed(self) -> tuple[int, int]:
        """Units of leaves below which no point is positive, and from which on every one is."""
        intercept = self.ensemble.intercept
        return int(self._acceptance.least) - intercept, int(self._acceptance.sure) - intercept

    def _sums(self, codes: IntArray) -> IntArray:
        rows = np.ascontiguousarray(np.atleast_2d(codes), dtype=np.int64)
        sums = np.full(len(rows), self.ensemble.intercept)
        kernels.totals(rows, *self.ensemble.nodes, sums)
        return sums
