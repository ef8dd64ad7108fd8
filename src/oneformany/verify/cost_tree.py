"""The proof that so many listed columns cannot serve so many people for less: a tree, checked by addition.

In each case some columns are chosen and some are excluded. With prices per person, whoever serves the needed
people pays at least the prices of the cheapest of them, less what the chosen columns save against the prices,
less the most that as many usable ones save as are left to choose. A column with which that exceeds the target
is dropped; a case in which it exceeds it is closed. Where nothing is left to choose, costs are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.coverage_tree import TREE_SCALE
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.proofs import LARGEST_NUMBER, Case, Exclusion

__all__ = ["check_cost_tree", "paid_by_cheapest"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


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


@dataclass(frozen=True, eq=False)
class _Node:
    case: Case
    chosen: tuple[int, ...]
    usable: BoolArray


def check_cost_tree(
    exclusion: Exclusion,
    columns: Sequence[Sequence[int]],
    costs: Sequence[Sequence[int]],
    people: IntArray,
    index_of: Mapping[int, int],
    needed: int,
    limits: Limits,
) -> None:
    """Check a given proof that so many columns serve the needed people only above the target.

    Parameters
    ----------
    exclusion : Exclusion
        How many columns, the target, and the tree.
    columns, costs : sequences of sequences of int
        Indices of the rows of each column, and what each pays there.
    people : (m,) integer array
        How many people each row stands for.
    index_of : mapping
        From given row to index; rows that are not there have no price.
    needed : int
        How many people have to be served.
    limits : Limits
        For time.

    Raises
    ------
    CertificateError
        The proof leaves a case open.
    """
    tree = _Tree(exclusion, columns, costs, people, index_of, needed, limits)
    waiting = [_Node(exclusion.tree, (), np.ones(len(columns), dtype=np.bool_))]
    while waiting:
        limits.check()
        node = waiting.pop()
        usable = tree.filtered(node)
        if usable is None:
            continue
        if node.case.short:
            tree.check_short(node.chosen, usable)
            continue
        if node.case.evaluated:
            tree.evaluate(node.chosen, usable)
            continue
        if node.case.column is None:
            raise CertificateError("the proof leaves open whether the listed columns cost less")
        column, (with_it, without) = node.case.column, node.case.parts
        rest = usable.copy()
        rest[column] = False
        waiting.append(_Node(without, node.chosen, rest))
        if usable[column] and len(node.chosen) < tree.most:
            waiting.append(_Node(with_it, (*node.chosen, column), rest))


class _Tree:
    """Columns with costs, and what prices say about them."""

    def __init__(
        self,
        exclusion: Exclusion,
        columns: Sequence[Sequence[int]],
        costs: Sequence[Sequence[int]],
        people: IntArray,
        index_of: Mapping[int, int],
        needed: int,
        limits: Limits,
    ) -> None:
        self.limits = limits
        self.target, self.needed, self.index_of = exclusion.target, needed, index_of
        self.most = min(exclusion.explanations, len(columns))
        self.rows = np.array([row for column in columns for row in column], dtype=np.int64)
        self.costs = np.array([cost for paid in costs for cost in paid], dtype=np.int64)
        self.column = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
        self.count = len(columns)
        # Nobody else can be served by these columns.
        self.able = np.unique(self.rows)
        self.people = people

    def filtered(self, node: _Node) -> BoolArray | None:
        """Apply the prices of a case, one after the other; ``None`` when all that is left costs too much."""
        usable, left = node.usable.copy(), self.most - len(node.chosen)
        for pairs in node.case.filters:
            prices = np.zeros(len(self.people), dtype=np.int64)
            for row, price in pairs:
                if row in self.index_of:
                    prices[self.index_of[row]] = price
            if (
                sum(a * b for a, b in zip(prices.tolist(), self.people.tolist(), strict=True))
                > LARGEST_NUMBER
            ):
                raise NotConfirmedError(f"the prices add up to more than {LARGEST_NUMBER}")
            savings = self._savings(prices)
            best = np.sort(savings[usable])[::-1][:left].tolist()
            bound = paid_by_cheapest(prices[self.able], self.people[self.able], self.needed)
            bound -= sum(savings[list(node.chosen)].tolist()) + sum(best)
            if bound > self.target * TREE_SCALE:
                return None
            least = best[-1] if left and len(best) == left else 0
            usable &= savings >= least - (self.target * TREE_SCALE - bound)
        return usable

    def _savings(self, prices: IntArray) -> IntArray:
        dear = np.minimum(self.costs, LARGEST_NUMBER // TREE_SCALE)
        gain = self.people[self.rows] * np.maximum(0, prices[self.rows] - TREE_SCALE * dear)
        total = np.zeros(self.count, dtype=np.int64)
        np.add.at(total, self.column, gain)
        return total

    def check_short(self, chosen: tuple[int, ...], usable: BoolArray) -> None:
        """Add up whom all columns serve that are chosen or could be."""
        mine = usable[self.column] | np.isin(self.column, chosen)
        if int(self.people[np.unique(self.rows[mine])].sum()) >= self.needed:
            raise CertificateError("columns that are said to serve too few people serve enough")

    def evaluate(self, chosen: tuple[int, ...], usable: BoolArray) -> None:
        """Add up what the chosen columns cost the needed people, each served where it is cheapest."""
        if usable.any() and len(chosen) < self.most:
            raise CertificateError("the proof stops where another column could be chosen")
        mine = np.isin(self.column, chosen)
        least = np.full(len(self.people), LARGEST_NUMBER, dtype=np.int64)
        np.minimum.at(least, self.rows[mine], self.costs[mine])
        served = np.flatnonzero(least < LARGEST_NUMBER)
        if int(self.people[served].sum()) < self.needed:
            return
        costs, people = least[served], self.people[served]
        if paid_by_cheapest(costs, people, self.needed) > self.target:
            return
        if _paid_by_whole_rows(costs, people, self.needed, self.limits) <= self.target:
            raise CertificateError(f"listed columns {chosen} cost no more than {self.target}")
