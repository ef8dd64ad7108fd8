"""Proofs of what explanations can do, and what they cost: typed plain data, numbered as the given rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from oneformany.plain import Plain, one_of

Moves = tuple[tuple[int, int], ...]
"""Pairs of a feature and the cell that it moves to."""


class Proof(Protocol):
    """Why no fewer than ``bound`` explanations cover the rows that can be helped.

    Examples
    --------
    >>> from oneformany import AdditiveOracle, Problem, solve
    >>> oracle = AdditiveOracle([[0, 1], [0, 1]], intercept=-1)
    >>> proof: Proof = solve(Problem([[0, 0]], (2, 2), oracle, max_changes=1)).certificate["proof"] or {}
    """

    kind: ClassVar[str]

    @property
    def bound(self) -> int:
        """The number of explanations that are proved to be needed."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        ...

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Proof":
        """Rebuild a proof of either kind from its ``to_dict``."""
        kind = one_of((Weights, Branch), data)
        made: Proof = kind.from_dict(data)
        return made


@dataclass(frozen=True)
class Exclusion(Plain):
    """A complete search over all groups that something better could use, none of which leads there.

    Attributes
    ----------
    explanations : int
        How many may be used.
    at_most : int
        What is excluded: leaving at most so many people of the scope uncovered, or paying at most so much.
    columns : tuple of tuples of int
        The rows of each of these groups.
    tree : dict
        The cases, over indices of ``columns`` and given rows; see ``docs/format.md``.
    moves : tuple of tuples of (feature, cell)
        Where costs count: what the rows of each group change.

    Examples
    --------
    >>> Exclusion(explanations=1, at_most=0, columns=((0,), (1,)), tree={}).to_dict()
    {'explanations': 1, 'at_most': 0, 'columns': [[0], [1]], 'tree': {}}
    """

    _sparse: ClassVar[bool] = True
    explanations: int
    at_most: int
    columns: tuple[tuple[int, ...], ...]
    tree: dict[str, Any]
    moves: tuple[Moves, ...] = ()


@dataclass(frozen=True)
class Weights(Plain):
    """No explanation covers rows that weigh more than the capacity (Farley's bound).

    So k explanations cover weight of at most ``k * capacity``, and whoever is left uncovered makes up for the
    rest. The proof speaks of the rows of its scope only: all others may be covered or not, so they need not
    be looked at.

    Attributes
    ----------
    scope : tuple of int
        Given rows, rising; of equal ones the first.
    weights : tuple of int
        One per row of the scope.
    capacity : int
        No group of rows that one explanation can cover weighs more.
    scale : int
        What one person counts: no row weighs more than that for each of the people who are equal to it.
    exclusion : Exclusion or None
        Where more is proved than the weights say: why.

    Examples
    --------
    Three of five people weigh 2, and no explanation covers two of these.

    >>> proof = Weights(scope=(0, 2, 4), weights=(2, 2, 2), capacity=2, scale=2)
    >>> proof.bound, proof.fewest(spare=1), proof.spared(explanations=1)
    (3, 2, 2)
    """

    kind: ClassVar[str] = "weights"
    scope: tuple[int, ...]
    weights: tuple[int, ...]
    capacity: int
    scale: int
    exclusion: Exclusion | None = None

    def __post_init__(self) -> None:
        if len(self.scope) != len(self.weights):
            raise ValueError("weights of a proof must be one per row of its scope")
        if min(self.capacity, self.scale) < 1 or any(weight < 0 for weight in self.weights):
            raise ValueError("weights of a proof must be at least 0, its capacity and scale at least 1")

    @property
    def bound(self) -> int:
        """The explanations needed to cover everybody in the scope."""
        return self.fewest()

    def fewest(self, spare: int = 0) -> int:
        """The explanations needed where at most so many people of the scope may be left uncovered."""
        needed = max(0, -(-(sum(self.weights) - self.scale * spare) // self.capacity))
        if self.exclusion is not None and spare <= self.exclusion.at_most:
            needed = max(needed, self.exclusion.explanations + 1)
        return needed

    def spared(self, explanations: int) -> int:
        """The people of the scope whom so many explanations leave uncovered at least."""
        left = max(0, -(-(sum(self.weights) - explanations * self.capacity) // self.scale))
        if self.exclusion is not None and explanations <= self.exclusion.explanations:
            left = max(left, self.exclusion.at_most + 1)
        return left


@dataclass(frozen=True)
class Branch(Plain):
    """Two rows share an explanation, or they do not (Ryan and Foster); each case has its own proof.

    Attributes
    ----------
    pair : tuple of two int
        The rows.
    together, apart : Proof
        For the two cases.

    Examples
    --------
    >>> three = Weights(scope=(0, 1, 2), weights=(1, 1, 1), capacity=1, scale=1)
    >>> two = Weights(scope=(0, 1), weights=(1, 1), capacity=1, scale=1)
    >>> Branch((0, 2), together=two, apart=three).bound
    2
    """

    kind: ClassVar[str] = "branch"
    pair: tuple[int, int]
    together: Proof
    apart: Proof

    @property
    def bound(self) -> int:
        """The smaller of the two."""
        return min(self.together.bound, self.apart.bound)

    @property
    def leaves(self) -> Iterator[Proof]:
        """The proofs of all cases, without further cases in them."""
        for part in (self.together, self.apart):
            yield from part.leaves if isinstance(part, Branch) else (part,)


@dataclass(frozen=True)
class Anchors(Plain):
    """What groups save at most, by the row of each that pays least: its anchor.

    Attributes
    ----------
    changes : tuple of int
        One per row of the scope: fewer changes than these do not help it.
    savings : tuple of int
        One per row of the scope: no group whose anchor it is saves more, times the scale of the prices.

    Examples
    --------
    >>> Anchors(changes=(1, 1), savings=(0, 0)).to_dict()
    {'changes': [1, 1], 'savings': [0, 0]}
    """

    changes: tuple[int, ...]
    savings: tuple[int, ...]


@dataclass(frozen=True)
class Cost(Plain):
    """So many explanations that cover so many people cost at least so much.

    Each person has a price: nothing outside the scope. A group saves, for each of its people, what the price
    exceeds the cost. Whoever covers the needed people pays at least the prices of the cheapest of them, less
    what the best groups save; or, with anchors, everybody pays the prices, less what groups save, and no two
    groups have the same anchor.

    Attributes
    ----------
    scope : tuple of int
        Given rows, rising; of equal ones the first.
    prices : tuple of int
        One per row of the scope, for each of the people who are equal to it, times ``scale``.
    scale : int
        What a cost of one counts.
    explanations, needed : int
        The most explanations, and the fewest people, that the bound is about.
    bound : int
        What it costs at least.
    exclusion : Exclusion or None
        Where it must cost more than the prices say: why.
    anchors : Anchors or None
        Where rows share a point, and columns were not listed: what groups save.

    Examples
    --------
    >>> Cost(scope=(0, 1), prices=(2, 2), scale=1, explanations=1, needed=2, bound=3).bound
    3
    """

    kind: ClassVar[str] = "cost"
    scope: tuple[int, ...]
    prices: tuple[int, ...]
    scale: int
    explanations: int
    needed: int
    bound: int
    exclusion: Exclusion | None = None
    anchors: Anchors | None = None

    def __post_init__(self) -> None:
        if len(self.scope) != len(self.prices):
            raise ValueError("prices of a proof must be one per row of its scope")
