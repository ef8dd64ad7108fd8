"""What the engine asks of a classifier, and the three answers it can get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.stop import Stop

__all__ = ["Answer", "Oracle", "Question", "Relaxation"]


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
    """

    anchor: IntArray
    free: BoolArray
    extra: int
    domain: BoolArray
    stop: Stop | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """A positive point, a proof that there is none, or neither within the oracle's budget."""

    point: IntArray | None
    proved_none: bool = False

    @classmethod
    def none(cls) -> Answer:
        """No such point exists: proved."""
        return cls(None, proved_none=True)

    @classmethod
    def unknown(cls) -> Answer:
        """No point found, none excluded."""
        return cls(None)


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A sum of per-feature units that is never below the score, in exact integers.

    A point whose units sum to less than ``threshold`` is certainly not positive. With ``exact`` the
    converse holds as well, so the engine never has to ask.
    """

    units: IntArray
    intercept: int
    threshold: int
    exact: bool


class Oracle(Protocol):
    """A classifier on codes, as the engine sees it."""

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        ...

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this."""
        ...

    @property
    def proves(self) -> bool:
        """Whether every ``reach`` ends with a point or a proof, given time."""
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
        """An additive bound on the score for pruning inside the search, if there is one."""
        ...

    def describe(self) -> dict[str, Any]:
        """Plain data that identifies the oracle; for additive ones enough to rebuild it."""
        ...
