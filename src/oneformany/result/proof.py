"""Proofs that so many explanations are needed: typed plain data in the numbering of the given rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from oneformany.plain import Plain, integers

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
        _check_weights(self.weights, self.capacity)

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
    parts: tuple[CoverCase, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        data = super().to_dict()
        return {"filters": data["filters"]} if self.row is None else data


@dataclass(frozen=True)
class EnumerationProof(Plain):
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
    weights: tuple[int, ...]
    capacity: int
    target: int
    columns: tuple[tuple[int, ...], ...]
    cover: CoverCase

    def __post_init__(self) -> None:
        _check_weights(self.weights, self.capacity)

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
            if isinstance(part, BranchProof):
                yield from part.leaves
            else:
                yield part

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BranchProof:
        """Rebuild from :meth:`to_dict`."""
        one, other = integers(data["pair"])
        return cls((one, other), proof_from_dict(data["together"]), proof_from_dict(data["apart"]))


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


KINDS: dict[str, type[DualProof | EnumerationProof | BranchProof | SolverProof]] = {
    kind.kind: kind for kind in (DualProof, EnumerationProof, BranchProof, SolverProof)
}


def proof_from_dict(data: Mapping[str, Any]) -> Proof:
    """Rebuild a proof of any kind from its ``to_dict``; the bound must be what the rest of it proves."""
    if data["kind"] not in KINDS:
        raise ValueError(f"a proof of kind {data['kind']!r}; known are {', '.join(KINDS)}")
    proof = KINDS[data["kind"]].from_dict(data)
    if proof.bound != data["bound"]:
        raise ValueError(f"a proof of {proof.bound} explanations is said to prove {data['bound']!r}")
    return proof


def _check_weights(weights: tuple[int, ...], capacity: int) -> None:
    if capacity < 1 or any(weight < 0 for weight in weights):
        raise ValueError("weights of a proof must be at least 0 and its capacity at least 1")
