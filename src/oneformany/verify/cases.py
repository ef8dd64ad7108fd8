"""Proofs by cases: trees that are walked depth first, each case closed by addition or split by columns."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from oneformany.exceptions import CertificateError
from oneformany.verify.proofs import LARGEST_NUMBER, Case, Filter, Items
from oneformany.verify.reading import BoolArray, IntArray, Limits, NotConfirmedError

TREE_SCALE = 2**20
"""What one person counts in the weights of a tree, and a cost of one in its prices."""
BATCH = 2**22


def incidence(columns: Sequence[Sequence[int]], rows: int) -> csr_array:
    """Write columns as a sparse matrix, columns by rows."""
    edges = np.cumsum([0, *(len(column) for column in columns)])
    flat = np.array([row for column in columns for row in column], dtype=np.int64)
    return csr_array((np.ones(len(flat), dtype=np.int64), flat, edges), shape=(len(columns), rows))


def check_prices(prices: Sequence[int] | IntArray, people: IntArray) -> None:
    """Stop where sums of prices could be too large for arrays of integers."""
    if sum(int(price) * count for price, count in zip(prices, people.tolist(), strict=True)) > LARGEST_NUMBER:
        raise NotConfirmedError("the prices or costs are too large to be added up in integers")


def paid_by_cheapest(prices: IntArray, people: IntArray, needed: int) -> int:
    """Tell what so many people pay at least: the cheapest, at a price per person of each row."""
    order = np.argsort(prices, kind="stable")
    before = np.cumsum(people[order]) - people[order]
    taken = np.clip(min(needed, LARGEST_NUMBER) - before, 0, people[order])
    return int((taken * prices[order]).sum())


@dataclass(frozen=True, eq=False)
class Choice:
    """A case in which some columns are chosen, and only some others, so many, may still be."""

    case: Case
    chosen: tuple[int, ...]
    usable: BoolArray
    left: int


@dataclass(frozen=True, eq=False)
class Cases(ABC):
    """Listed columns, and what so many of them are said not to do; each kind of proof says what that is."""

    question: ClassVar[str]  # what the proof must not leave open about the listed columns

    columns: Sequence[Sequence[int]]  # indices of items
    items: Items
    limits: Limits

    @cached_property
    def matrix(self) -> csr_array:
        """The columns, columns by items."""
        return incidence(self.columns, len(self.items.members))

    @cached_property
    def able(self) -> BoolArray:
        """Whom some column covers; nobody else can be covered by them."""
        return np.asarray(self.matrix.sum(axis=0)).ravel() > 0

    @abstractmethod
    def gains(self, node: Choice, numbers: Filter) -> tuple[IntArray, int]:
        """Tell what each column gains by the numbers of a filter, and what is needed to do it after all."""

    @abstractmethod
    def is_closed(self, node: Choice) -> bool:
        """Tell whether a case is closed although what is needed is not out of reach."""

    def check(self, tree: Case, most: int) -> None:
        """Check the whole proof; cases that wait are not built before it is their turn."""
        columns = len(self.columns)
        self.limits.need(16 * self.matrix.nnz, "the listed columns")
        waiting = [iter([Choice(tree, (), np.ones(columns, dtype=np.bool_), min(most, columns))])]
        while waiting:
            self.limits.check()
            self.limits.need(2 * len(waiting) * columns, "the cases of a proof")
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
            else:
                waiting.append(self._parts(node))

    def _parts(self, node: Choice) -> Iterator[Choice]:
        """Give the cases that a case is split into; none if it is closed, an error if it is left open."""
        for numbers in node.case.filters:
            self.limits.check()
            gained, needed = self.gains(node, numbers)
            # Of so many different columns all but one gain at most what the best gain.
            best = np.sort(gained[node.usable])[::-1][: node.left].tolist()
            if sum(best) < needed:
                return
            node = replace(node, usable=node.usable & (gained >= needed - sum(best[: node.left - 1])))
        if self.is_closed(node):
            return
        case, rest = node.case, node.usable
        if case.row is None and not case.parts:
            raise CertificateError(f"the proof leaves open whether the listed columns {self.question}")
        for column, part in zip(case.columns, case.parts, strict=False):
            could, rest = rest[column] and node.left, rest.copy()
            rest[column] = False
            if could:
                yield Choice(part, (*node.chosen, column), rest, node.left - 1)
        if case.row is None:
            yield Choice(case.parts[-1], node.chosen, rest, node.left)

    def covered(self, node: Choice) -> BoolArray:
        """Tell which items the chosen columns cover."""
        return np.asarray(self.matrix[list(node.chosen)].sum(axis=0)).ravel() > 0

    def known(self, numbers: Filter) -> IntArray:
        """Take numbers of single rows as numbers of the items; others are passed over."""
        found = np.zeros(len(self.items.members), dtype=np.int64)
        for rows, number in numbers:
            if len(rows) == 1 and rows[0] in self.items.index_of:
                found[self.items.index_of[rows[0]]] = number
        return found


@dataclass(frozen=True, eq=False)
class PeopleCases(Cases):
    """So many of the listed columns leave more people uncovered than may be spared.

    Rows that may be spared weigh at most as much as they count. More columns add at most what they weigh,
    and what the weights leave. An item with more people than may still be spared has to be covered: it weighs
    whatever it says, and so do sets of such items.
    """

    question = "suffice"
    people: IntArray  # (m,) of each item
    spare: int

    def _left(self, node: Choice) -> tuple[BoolArray, int]:
        """Tell whom columns may still cover, and how many of these may be spared; negative: too many are."""
        open_items = ~self.covered(node)
        beyond = int(self.people[open_items & ~self.able].sum())
        return open_items & self.able, self.spare - beyond

    def gains(self, node: Choice, numbers: Filter) -> tuple[IntArray, int]:
        """Tell what columns carry of the weights, and what they have to carry at least.

        A column carries the weight of a set once for every two of its items, rounded up. Columns that cover
        all items of the set share them out, so together they carry it at least half as often as it has items,
        rounded up. Sets with an item that is covered, or may be spared, are ignored. All in exact integers.
        """
        left, spare = self._left(node)
        must = left & (self.people > spare)
        weights = np.where(left, self.known(numbers), 0)
        weights = np.where(must, weights, np.minimum(weights, TREE_SCALE * self.people))
        loads = self.matrix @ weights
        needed = int(weights.sum()) - min(TREE_SCALE * spare, int(weights[~must].sum()))
        sets = []
        for rows, weight in numbers:
            chosen = [self.items.index_of.get(row, -1) for row in rows] if len(rows) > 1 else []
            if chosen and min(chosen) >= 0 and must[chosen].all():
                sets.append((chosen, weight))
        matrix = self.matrix[node.usable]
        step = max(1, BATCH // max(1, matrix.shape[0]))
        for first in range(0, len(sets), step):
            self.limits.check()
            some = sets[first : first + step]
            carried = matrix @ incidence([chosen for chosen, _ in some], len(left)).T
            carried.data = (carried.data + 1) // 2
            loads[node.usable] += carried @ np.array([weight for _, weight in some], dtype=np.int64)
        return loads, needed + sum((len(chosen) + 1) // 2 * weight for chosen, weight in sets)

    def is_closed(self, node: Choice) -> bool:
        """Tell whether too many are beyond reach, or nothing is left to choose.

        A split by a row that need not be covered, or that forgets a column with the row, is refused.
        """
        left, spare = self._left(node)
        if spare < 0:
            return True
        if int(self.people[left].sum()) <= spare:
            raise CertificateError(f"listed columns {node.chosen} reach what is to be excluded")
        if not (node.left and node.usable.any()):
            return True
        row = node.case.row
        if row is not None:
            item = self.items.index_of.get(row)
            if item is None or not left[item] or self.people[item] <= spare:
                raise CertificateError(f"the proof leaves open whether the listed columns {self.question}")
            covers = np.flatnonzero(node.usable)[self.matrix[node.usable][:, [item]].nonzero()[0]]
            if left_out := set(covers.tolist()) - set(node.case.columns):
                raise CertificateError(f"the proof forgets that column {min(left_out)} covers row {row}")
        return False


@dataclass(frozen=True, eq=False)
class CostCases(Cases):
    """So many of the listed columns serve the needed people only above what is to be excluded.

    With prices per person, whoever serves the needed people pays at least the prices of the cheapest of them,
    less what the chosen columns save against the prices, less the most that as many usable ones save as are
    left to choose. Where nothing is left to choose, costs are added up.
    """

    question = "cost less"
    costs: Sequence[IntArray]  # what the items of each column pay
    people: IntArray  # (m,) of each item
    at_most: int
    needed: int

    @cached_property
    def paid(self) -> IntArray:
        """What is paid, for all entries of the matrix, one after the other."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.costs])

    @cached_property
    def column(self) -> IntArray:
        """The columns of these entries."""
        return np.repeat(np.arange(len(self.columns)), [len(column) for column in self.columns])

    def gains(self, node: Choice, numbers: Filter) -> tuple[IntArray, int]:
        """Tell what columns save at these prices, and what must be saved beside what the chosen ones do."""
        prices, rows = self.known(numbers), self.matrix.indices
        check_prices(prices, self.people)
        dear = TREE_SCALE * np.minimum(self.paid, LARGEST_NUMBER // TREE_SCALE)
        savings = np.zeros(len(self.columns), dtype=np.int64)
        np.add.at(savings, self.column, self.people[rows] * np.maximum(0, prices[rows] - dear))
        least = paid_by_cheapest(prices[self.able], self.people[self.able], self.needed)
        return savings, least - sum(savings[list(node.chosen)].tolist()) - self.at_most * TREE_SCALE

    def is_closed(self, node: Choice) -> bool:
        """Tell whether columns serve too few people, or nothing is left to choose; then add up costs."""
        mine = np.isin(self.column, node.chosen)
        usable = mine | (node.usable[self.column] if node.left else False)
        if int(self.people[np.unique(self.matrix.indices[usable])].sum()) < self.needed:
            return True
        if node.left and node.usable.any():
            return False
        least = np.full(len(self.people), LARGEST_NUMBER, dtype=np.int64)
        np.minimum.at(least, self.matrix.indices[mine], self.paid[mine])
        served = least < LARGEST_NUMBER
        if not self._is_dear(least[served], self.people[served]):
            raise CertificateError(f"listed columns {node.chosen} cost as little as is to be excluded")
        return True

    def _is_dear(self, costs: IntArray, people: IntArray) -> bool:
        """Tell whether the needed people pay more; a row is left out with all of its people or not at all."""
        spare = int(people.sum()) - self.needed
        if spare < 0 or paid_by_cheapest(costs, people, self.needed) > self.at_most:
            return True
        check_prices(costs, people)
        self.limits.need(16 * (spare + 1), "leaving out rows of several people")
        saved = np.zeros(spare + 1, dtype=np.int64)
        for cost, size in zip(costs.tolist(), people.tolist(), strict=True):
            self.limits.check()
            if size <= spare:
                saved[size:] = np.maximum(saved[size:], saved[: spare + 1 - size] + size * cost)
        return int((costs * people).sum()) - int(saved[-1]) > self.at_most
