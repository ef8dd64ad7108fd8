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
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import TREE_SCALE, Choice, Pairs, check_exclusion
from oneformany.verify.items import HelpableRows
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.proofs import LARGEST_NUMBER, Exclusion


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
    check_exclusion(exclusion, tree.gains, tree.is_closed, "cost less", limits)


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

    def gains(self, node: Choice, pairs: Pairs) -> tuple[IntArray, int]:
        """Tell what columns save at these prices, and what must be saved beside what the chosen ones do."""
        prices = self.helpable.known(pairs)
        check_prices(prices.tolist(), self.people)
        savings = self._savings(prices, len(node.usable))
        paid = paid_by_cheapest(prices[self.able], self.people[self.able], self.needed)
        return savings, paid - sum(savings[list(node.chosen)].tolist()) - self.target * TREE_SCALE

    def is_closed(self, node: Choice) -> bool:
        """Check what is said of the columns of a case that is not split, if anything is."""
        if node.case.short:
            self._check_short(node)
        elif node.case.evaluated:
            if node.left and node.usable.any():
                raise CertificateError("the proof stops where another column could be chosen")
            self._check_dear(node.chosen)
        return node.case.short or node.case.evaluated

    def _savings(self, prices: IntArray, columns: int) -> IntArray:
        dear = np.minimum(self.costs, LARGEST_NUMBER // TREE_SCALE)
        gain = self.people[self.rows] * np.maximum(0, prices[self.rows] - TREE_SCALE * dear)
        total = np.zeros(columns, dtype=np.int64)
        np.add.at(total, self.column, gain)
        return total

    def _check_short(self, node: Choice) -> None:
        """Add up whom all columns serve that are chosen or could be."""
        mine = node.usable[self.column] | np.isin(self.column, node.chosen)
        if int(self.people[np.unique(self.rows[mine])].sum()) >= self.needed:
            raise CertificateError("columns that are said to serve too few people serve enough")

    def _check_dear(self, chosen: tuple[int, ...]) -> None:
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
