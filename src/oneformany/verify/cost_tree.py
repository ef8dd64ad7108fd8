"""The proof that so many listed columns cannot serve so many people for less: a tree, checked by addition.

In each case some columns are chosen and some are excluded. With prices per person, whoever serves the needed
people pays at least the prices of the cheapest of them, less what the chosen columns save against the prices,
less the most that as many usable ones save as are left to choose. A column with which that exceeds the target
is dropped; a case in which it exceeds it is closed. Where nothing is left to choose, costs are added up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.cases import TREE_SCALE, Choice, check_exclusion
from oneformany.verify.items import HelpableRows
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.proofs import LARGEST_NUMBER, Exclusion

__all__ = ["check_cost_tree", "check_prices", "paid_by_cheapest"]


def check_prices(prices: Sequence[int], people: IntArray) -> None:
    """Stop where sums of prices could be too large for arrays of integers."""
    if sum(price * count for price, count in zip(prices, people.tolist(), strict=True)) > LARGEST_NUMBER:
        raise NotConfirmedError(f"the prices or costs add up to more than {LARGEST_NUMBER}")


def paid_by_cheapest(prices: IntArray, people: IntArray, needed: int) -> int:
    """Tell what so many people pay at least: the cheapest, at a price per person of each row."""
    order = np.argsort(prices, kind="stable")
    before = np.cumsum(people[order]) - people[order]
    taken = np.clip(min(needed, LARGEST_NUMBER) - before, 0, people[order])
    return int((taken * prices[order]).sum())


def _paid_by_whole_rows(costs: IntArray, people: IntArray, needed: int, limits: Limits) -> int:
    """Tell what so many people pay at least, where a row is left out with all of its people or not at all."""
    spare = int(people.sum()) - needed
    limits.need(16 * (spare + 1), "leaving out rows of several people")
    saved = np.zeros(spare + 1, dtype=np.int64)
    for cost, size in zip(costs.tolist(), people.tolist(), strict=True):
        limits.check()
        if size <= spare:
            saved[size:] = np.maximum(saved[size:], saved[: spare + 1 - size] + size * cost)
    return int((costs * people).sum()) - int(saved[-1])


def check_cost_tree(
    exclusion: Exclusion,
    columns: Sequence[Sequence[int]],
    costs: Sequence[Sequence[int]],
    rows: HelpableRows,
    needed: int,
    limits: Limits,
) -> None:
    """Check a given proof that so many columns serve the needed people only above the target."""
    tree = _Tree(columns, costs, rows, exclusion.target, needed, limits)

    def filtered(node: Choice, left: int) -> BoolArray | None:
        usable = tree.filtered(node, left)
        if usable is None:
            return None
        if node.case.short:
            tree.check_short(node.chosen, usable)
            return None
        if node.case.evaluated:
            if usable.any() and left:
                raise CertificateError("the proof stops where another column could be chosen")
            tree.check_dear(node.chosen)
            return None
        return usable

    check_exclusion(exclusion, filtered, "cost less", limits)


class _Tree:
    """Columns with costs, and what prices say about them."""

    def __init__(
        self,
        columns: Sequence[Sequence[int]],
        costs: Sequence[Sequence[int]],
        helpable: HelpableRows,
        target: int,
        needed: int,
        limits: Limits,
    ) -> None:
        self.helpable, self.people = helpable, helpable.people
        self.target, self.needed, self.limits = target, needed, limits
        self.rows = np.array([row for column in columns for row in column], dtype=np.int64)
        self.costs = np.array([cost for paid in costs for cost in paid], dtype=np.int64)
        self.column = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
        # Nobody else can be served by these columns.
        self.able = np.unique(self.rows)

    def filtered(self, node: Choice, left: int) -> BoolArray | None:
        """Apply the prices of a case, one after the other; ``None`` when all that is left costs too much."""
        usable = node.usable.copy()
        for pairs in node.case.filters:
            self.limits.check()
            prices = self.helpable.known(pairs)
            check_prices(prices.tolist(), self.people)
            savings = self._savings(prices, len(usable))
            best = np.sort(savings[usable])[::-1][:left].tolist()
            bound = paid_by_cheapest(prices[self.able], self.people[self.able], self.needed)
            bound -= sum(savings[list(node.chosen)].tolist()) + sum(best)
            if bound > self.target * TREE_SCALE:
                return None
            least = best[-1] if left and len(best) == left else 0
            usable &= savings >= least - (self.target * TREE_SCALE - bound)
        return usable

    def _savings(self, prices: IntArray, columns: int) -> IntArray:
        dear = np.minimum(self.costs, LARGEST_NUMBER // TREE_SCALE)
        gain = self.people[self.rows] * np.maximum(0, prices[self.rows] - TREE_SCALE * dear)
        total = np.zeros(columns, dtype=np.int64)
        np.add.at(total, self.column, gain)
        return total

    def check_short(self, chosen: tuple[int, ...], usable: BoolArray) -> None:
        """Add up whom all columns serve that are chosen or could be."""
        mine = usable[self.column] | np.isin(self.column, chosen)
        if int(self.people[np.unique(self.rows[mine])].sum()) >= self.needed:
            raise CertificateError("columns that are said to serve too few people serve enough")

    def check_dear(self, chosen: tuple[int, ...]) -> None:
        """Add up what the chosen columns cost the needed people, each served where it is cheapest."""
        mine = np.isin(self.column, chosen)
        least = np.full(len(self.people), LARGEST_NUMBER, dtype=np.int64)
        np.minimum.at(least, self.rows[mine], self.costs[mine])
        served = np.flatnonzero(least < LARGEST_NUMBER)
        if int(self.people[served].sum()) < self.needed:
            return
        costs, people = least[served], self.people[served]
        if paid_by_cheapest(costs, people, self.needed) > self.target:
            return
        check_prices(costs.tolist(), people)
        if _paid_by_whole_rows(costs, people, self.needed, self.limits) <= self.target:
            raise CertificateError(f"listed columns {chosen} cost no more than {self.target}")
