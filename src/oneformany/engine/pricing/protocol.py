"""The contract of pricing: columns worth adding, and a proved bound on the weight of every column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.items import Items
from oneformany.stop import Stop

NO_LIMIT = 2**62


@dataclass(frozen=True, eq=False)
class Priced:
    """What pricing found and proved.

    Attributes
    ----------
    columns : list of Column
        Heavier than ``ONE_IN_PRICING`` under the weights, heaviest first.
    weights : integer array
        The duals as integers, one per item.
    capacity : int or None
        No column weighs more; ``None`` when nothing was proved.
    complete : bool
        Whether every search ran to its end.
    """

    columns: list[Column]
    weights: IntArray
    capacity: int | None
    complete: bool

    @property
    def bound(self) -> int:
        """Lower bound on the number of explanations that the weights prove.

        Weights divided by the capacity are feasible duals of the full covering program, so their sum bounds
        it from below at any moment (Farley, Operations Research 38, 1990).
        """
        return 0 if self.capacity is None else -(-int(self.weights.sum()) // self.capacity)

    @property
    def proves_optimal(self) -> bool:
        """Whether no column improves the relaxation: proved, not merely none found."""
        return self.complete and not self.columns and self.capacity is not None


class Pricer(Protocol):
    """Finds heavy columns of one branching node."""

    @property
    def nodes(self) -> int:
        """Search nodes so far."""
        ...

    def price(self, weights: IntArray, stop: Stop, node_limit: int = NO_LIMIT) -> Priced:
        """Look for heavy columns and bound the heaviest.

        Parameters
        ----------
        weights : (items,) integer array
            Duals of the items, of which ``ONE_IN_PRICING`` stands for 1.
        stop : Stop
            When it expires, return what was found and proved by then.
        node_limit : int
            Search nodes per item; few make it quick and its bound weak.
        """
        ...


PricerFactory = Callable[[Items, CachedOracle], Pricer]
