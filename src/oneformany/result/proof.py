"""Proofs of what explanations can do, and what they cost: typed plain data, numbered as the given rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from oneformany.plain import Plain, one_of

Pairs = tuple[tuple[tuple[int, ...], int], ...]


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
        """Rebuild a proof of any kind from its ``to_dict``."""
        kind = one_of((DualProof, EnumerationProof, BranchProof, SolverProof), data)
        made: Proof = kind.from_dict(data)
        return made


@dataclass(frozen=True)
class DualProof(Plain):
    """No explanation covers rows that weigh more than the capacity (Farley's bound).

    Attributes
    ----------
    weights : tuple of int
        One per given row; 0 for rows that are not known to be helpable.
    capacity : int
        No group of rows that one explanation can cover weighs more.

    Examples
    --------
    >>> DualProof(weights=(2, 2, 1), capacity=3).bound
    2
    """

    kind: ClassVar[str] = "dual"
    weights: tuple[int, ...]
    capacity: int

    def __post_init__(self) -> None:
        if self.capacity < 1 or any(weight < 0 for weight in self.weights):
            raise ValueError("weights of a proof must be at least 0 and its capacity at least 1")

    @property
    def bound(self) -> int:
        """The weights in units of the capacity, rounded up."""
        return -(-sum(self.weights) // self.capacity)


@dataclass(frozen=True)
class CoverCase(Plain):
    """Why the groups usable in one case of a set cover do not cover what is needed.

    Attributes
    ----------
    filters : tuple of tuples of (rows, weight)
        Weights on sets of rows that exclude groups too light for a cover, or every cover, one after the
        other. A group carries the weight of a set once for every two of its rows, rounded up.
    row : int or None
        If the case is open then: a row that some group has to cover.
    columns : tuple of int
        The numbers of all usable groups that cover the row.
    parts : tuple of CoverCase
        For each of these the case that it is used, and none of those before it.

    Examples
    --------
    >>> CoverCase(filters=((((0,), 1), ((1,), 1)),)).to_dict()
    {'filters': [[[[0], 1], [[1], 1]]]}
    """

    filters: tuple[Pairs, ...]
    row: int | None = None
    columns: tuple[int, ...] = ()
    parts: tuple["CoverCase", ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        data = super().to_dict()
        return {"filters": data["filters"]} if self.row is None else data


@dataclass(frozen=True)
class EnumerationProof(DualProof):
    """Every group that a cover of ``target`` groups could use is listed, and no ``target`` of them cover all.

    Attributes
    ----------
    weights, capacity
        As in :class:`DualProof`: they tell which groups are too light to be part of such a cover.
    target : int
        So many explanations do not suffice.
    columns : tuple of tuples of int
        The rows of each listed group.
    cover : CoverCase
        Why no ``target`` of these cover every row.

    Examples
    --------
    >>> needs_two = CoverCase(filters=((((0,), 1), ((1,), 1)),))
    >>> EnumerationProof((1, 1), 1, target=1, columns=((0,), (1,)), cover=needs_two).bound
    2
    """

    kind: ClassVar[str] = "enumeration"
    target: int
    columns: tuple[tuple[int, ...], ...]
    cover: CoverCase

    @property
    def bound(self) -> int:
        """One more than the target."""
        return self.target + 1


@dataclass(frozen=True)
class BranchProof(Plain):
    """Two rows share an explanation, or they do not (Ryan and Foster); each case has its own proof.

    Attributes
    ----------
    pair : tuple of two int
        The rows.
    together, apart : Proof
        For the two cases.

    Examples
    --------
    >>> three, two = DualProof((1, 1, 1), 1), DualProof((1, 1, 0), 1)
    >>> BranchProof((0, 2), together=two, apart=three).bound
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
            yield from part.leaves if isinstance(part, BranchProof) else (part,)


@dataclass(frozen=True)
class SolverProof(Plain):
    """A solver says so; to check it, solve again.

    Attributes
    ----------
    name : str
        The solver and its version.
    bound : int
        What it claims.

    Examples
    --------
    >>> SolverProof("HiGHS 1.11", 4).to_dict()
    {'kind': 'solver', 'name': 'HiGHS 1.11', 'bound': 4}
    """

    kind: ClassVar[str] = "solver"
    name: str
    bound: int


@dataclass(frozen=True)
class Exclusion(Plain):
    """A complete search over all groups that something better could use, none of which leads there.

    Attributes
    ----------
    explanations : int
        How many may be used.
    target : int
        What is excluded: covering so many rows with them, or paying so little.
    columns : tuple of (rows, changed features, target cells)
        The groups: their rows, and the explanation that they follow.
    tree : dict
        The cases, over indices of ``columns`` and given rows; see ``docs/format.md``.

    Examples
    --------
    >>> Exclusion(explanations=1, target=3, columns=(), tree={}).target
    3
    """

    explanations: int
    target: int
    columns: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]
    tree: dict[str, Any]


@dataclass(frozen=True)
class CoverageProof(Plain):
    """So many explanations cover at most so many rows.

    Rows carry weights, equal rows together at most ``scale`` for each of them. If no group weighs more than
    the capacity C, then k explanations cover at most ``k C + sum(scale - weight)`` over ``scale`` of the rows
    that are not proved to be beyond help.

    Attributes
    ----------
    weights : tuple of int
        One per given row; the weight of equal rows stands at the first of them.
    capacity : int
        No group of rows that one explanation can cover weighs more.
    scale : int
        What one row counts.
    rows : int
        Given rows that are not proved to be beyond help.
    exclusion : Exclusion or None
        Where less can be covered than the weights say: why.

    Examples
    --------
    >>> proof = CoverageProof(weights=(2, 2, 2), capacity=4, scale=2, rows=3)
    >>> proof.most(1), proof.fewest(3)
    (2, 2)
    """

    kind: ClassVar[str] = "coverage"
    weights: tuple[int, ...]
    capacity: int
    scale: int
    rows: int
    exclusion: Exclusion | None = None

    def most(self, explanations: int) -> int:
        """The most rows that so many explanations can cover, by the weights alone."""
        rest = self.scale * self.rows - sum(self.weights)
        return min(self.rows, (explanations * self.capacity + rest) // self.scale)

    def fewest(self, rows: int) -> int:
        """The fewest explanations that can cover so many rows, by the weights alone."""
        rest = self.scale * self.rows - sum(self.weights)
        return max(0, -(-(self.scale * rows - rest) // self.capacity))


@dataclass(frozen=True)
class CostProof(Plain):
    """So many explanations that cover so many rows cost at least so much.

    Each row has a price. A group saves, for each of its rows, what the price exceeds the cost. Whoever covers
    the needed rows pays at least the prices of the cheapest of them, less what the best groups save.

    Attributes
    ----------
    prices : tuple of int
        One per given row, equal for equal rows, times ``scale``.
    scale : int
        What a cost of one counts.
    explanations, needed : int
        The most explanations, and the fewest rows, that the bound is about.
    bound : int
        What it costs at least.
    exclusion : Exclusion or None
        Where it must cost more than the prices say: why.

    Examples
    --------
    >>> CostProof(prices=(2, 2), scale=1, explanations=1, needed=2, bound=3).bound
    3
    """

    kind: ClassVar[str] = "cost"
    prices: tuple[int, ...]
    scale: int
    explanations: int
    needed: int
    bound: int
    exclusion: Exclusion | None = None


@dataclass(frozen=True)
class AnchoredCostProof(Plain):
    """So many explanations that cover everybody cost at least so much, where rows share a point.

    Each row has a price, and the anchor of a group is the row of it that pays least. Everybody pays the
    prices, less what groups save; no two groups have the same anchor.

    Attributes
    ----------
    prices, scale, explanations, needed, bound
        As in :class:`CostProof`, but of equal rows only the first has a price.
    changes : tuple of int
        One per given row: fewer changes than these do not help it.
    savings : tuple of int
        One per given row, times ``scale``: no group whose anchor it is saves more.

    Examples
    --------
    >>> AnchoredCostProof((2, 2), (1, 1), (0, 0), scale=1, explanations=1, needed=2, bound=4).bound
    4
    """

    kind: ClassVar[str] = "anchored cost"
    prices: tuple[int, ...]
    changes: tuple[int, ...]
    savings: tuple[int, ...]
    scale: int
    explanations: int
    needed: int
    bound: int
