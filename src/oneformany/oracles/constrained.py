"""Rules on complete points around any classifier: only permitted points count as positive."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.box import anchored
from oneformany.oracles.protocol import Answer, Oracle, Question, Relaxation
from oneformany.oracles.search import search

MOST_RULED = 100_000  # questions with at most so many points are settled by looking at all of them


class ConstrainedOracle:
    """A classifier whose positive points are those that another one calls positive and a rule permits.

    A question is first asked of the classifier alone. If there is no point, that is the answer, and if the
    point is permitted, so is that. Otherwise the question is settled by looking at all of its points where
    these are few; else the answer is "unknown".

    Parameters
    ----------
    oracle : Oracle
        The classifier.
    permits : callable
        Says for each row of an ``(n, p)`` array of codes whether it is permitted.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> inner = AdditiveOracle([[0.0, 1.0], [0.0, 1.0]], intercept=-1.0)
    >>> oracle = ConstrainedOracle(inner, lambda points: points[:, 0] == 1)
    >>> oracle.positive([[0, 1], [1, 0]]).tolist()
    [False, True]
    """

    def __init__(self, oracle: Oracle, permits: Callable[[IntArray], BoolArray]) -> None:
        self.oracle = oracle
        self.permits = permits

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self.oracle.levels

    @property
    def threshold(self) -> float:
        """No point with a lower score is positive."""
        return self.oracle.threshold

    @property
    def max_calls(self) -> int | None:
        """How many points the classifier may be asked about, if that is limited."""
        return getattr(self.oracle, "max_calls", None)

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes, permitted or not."""
        return self.oracle.score(codes)

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive and permitted."""
        answers = np.asarray(self.permits(np.atleast_2d(codes)), dtype=np.bool_)
        allowed = np.flatnonzero(answers)
        if len(allowed):
            answers[allowed] = self.oracle.positive(np.atleast_2d(codes)[allowed])
        return answers

    def upper_bound(self, domain: BoolArray) -> float:
        """Bound from above the score of every point with levels inside ``domain``."""
        return self.oracle.upper_bound(domain)

    def reach(self, question: Question) -> Answer:
        """Find a positive and permitted point, or prove that there is none, or end "unknown"."""
        whole, answer = anchored(question), self.oracle.reach(question)
        permitted = answer.point is not None and self.permits(answer.point[None])[0]
        if whole is None or permitted or answer.proved_none:
            return answer
        calls = MOST_RULED if self.max_calls is None else self.max_calls - getattr(self.oracle, "asked", 0)
        return search(whole, None, self.positive, self.positive, few=min(MOST_RULED, calls))

    def relaxation(self) -> Relaxation | None:
        """What bounds the classifier bounds fewer points as well, but no longer exactly."""
        relaxation = self.oracle.relaxation()
        return None if relaxation is None else replace(relaxation, exact=False)

    def describe(self) -> dict[str, Any]:
        """The kind alone: nobody can tell from the classifier without the rule which points are positive."""
        return {"kind": f"constrained {self.oracle.describe()['kind']}"}
