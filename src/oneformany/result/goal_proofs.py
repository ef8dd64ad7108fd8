"""Proofs about what a few explanations can do: the most rows they cover, and the least that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from oneformany.plain import Plain


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
    prices : tuple of int
        One per given row, on the first of equal rows, times ``scale``.
    changes : tuple of int
        One per given row: fewer changes than these do not help it.
    savings : tuple of int
        One per given row, times ``scale``: no group whose anchor it is saves more.
    scale : int
        What a cost of one counts.
    explanations, needed : int
        The most explanations, and the rows, that the bound is about.
    bound : int
        What it costs at least.

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


def cost_proof_from_dict(data: Mapping[str, Any]) -> CostProof | AnchoredCostProof:
    """Rebuild a proof of either kind from its ``to_dict``."""
    kind = AnchoredCostProof if data["kind"] == AnchoredCostProof.kind else CostProof
    return kind.from_dict(data)
