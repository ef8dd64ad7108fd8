"""What the engine asks of a classifier, and the three answers it can get."""

from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.stop import Stop

NEGATIVE, POSITIVE, NEAR = range(3)
"""What a quick look says about a point; near: ask whether it is positive."""


@dataclass(frozen=True, eq=False)
class Question:
    """Is there a positive point near ``anchor``?

    A point may be used when every feature ``l`` with ``free[l]`` takes a level of ``domain[l]``, and
    every other feature keeps the anchor's level, except that at most ``extra`` of them may also take
    a level of their ``domain[l]``.

    Attributes
    ----------
    anchor : (p,) integer array
        The codes to start from.
    free : (p,) boolean array
        Features that may move at no cost.
    extra : int
        How many further features may move.
    domain : (p, max levels) boolean array
        ``domain[l, v]``: feature ``l``, when it moves, may take level ``v``.
    stop : Stop or None
        When it expires, "unknown" is better than an answer that takes long.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import AdditiveOracle
    >>> question = Question(np.array([0, 0]), np.array([True, False]), 0, np.ones((2, 2), dtype=bool))
    >>> AdditiveOracle([[0, 1], [0, 1]], intercept=-1).reach(question).point.tolist()
    [1, 0]
    """

    anchor: IntArray
    free: BoolArray
    extra: int
    domain: BoolArray
    stop: Stop | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """A positive point, a proof that there is none, or neither within the oracle's budget.

    Examples
    --------
    >>> Answer.none().proved_none, Answer.unknown().proved_none
    (True, False)
    """

    point: IntArray | None
    proved_none: bool = False

    @classmethod
    def none(cls) -> Self:
        """No such point exists: proved."""
        return cls(None, proved_none=True)

    @classmethod
    def unknown(cls) -> Self:
        """No point found, none excluded."""
        return cls(None)


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A sum of per-feature units that is never below the score, in exact integers.

    A point whose units sum to less than ``threshold`` is certainly not positive. With ``exact`` the
    converse holds as well, so the engine never has to ask.

    Examples
    --------
    >>> import numpy as np
    >>> relaxation = Relaxation(np.array([[0, 3], [0, 2]]), intercept=-4, threshold=0, exact=True)
    >>> int(relaxation.intercept + relaxation.units.max(axis=1).sum())
    1
    """

    units: IntArray
    intercept: int
    threshold: int
    exact: bool


class Oracle(Protocol):
    """A classifier on codes, as the engine sees it.

    There is one predicate: ``positive``. ``reach`` returns points for which it holds and calls a question
    hopeless only when it holds for none of the question's points; ``relaxation`` excludes only points for
    which it does not hold. Where the score is so near the threshold that rounding could decide, it is what
    the library itself says.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> oracle: Oracle = AdditiveOracle([[0.0, 1.0]], threshold=0.5)
    >>> oracle.levels
    (2,)
    """

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        ...

    @property
    def threshold(self) -> float:
        """No point with a lower score is positive, and every point with a clearly higher one is."""
        ...

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes."""
        ...

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive."""
        ...

    def upper_bound(self, domain: BoolArray) -> float:
        """Bound from above the score of every point with levels inside ``domain`` ``(p, max levels)``."""
        ...

    def reach(self, question: Question) -> Answer:
        """Find a positive point for the question, or prove that there is none."""
        ...

    def relaxation(self) -> Relaxation | None:
        """Bound the score by a sum over the features for pruning inside the search, if that is possible."""
        ...

    def describe(self) -> dict[str, Any]:
        """Plain data from which a stranger can tell which points are positive, or at least the kind."""
        ...


@runtime_checkable
class JudgesMoves(Protocol):
    """An oracle that judges many moves of many rows at once, quicker than point by point."""

    def judge_moves(
        self, values: IntArray, features: IntArray, goals: NDArray[np.int32], choices: IntArray
    ) -> NDArray[np.int8]:
        """``NEGATIVE``, ``POSITIVE`` or ``NEAR`` for each of ``(m, p)`` rows after each choice, ``(m, c)``.

        Of the ``(k,)`` features that move, ``goals`` ``(m, k, cells)`` has the code that each row takes at
        each cell, -1 where it may not go; ``choices`` ``(c, k)`` name cells, quick where neighbours begin
        alike.
        """
        ...
