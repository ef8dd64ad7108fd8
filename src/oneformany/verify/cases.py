"""Proofs by cases: trees that are walked depth first, each case closed by addition or split by columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.items import Items
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.proofs import LARGEST_NUMBER, Case, Filter

TREE_SCALE = 2**20
"""What one person counts in the weights of a tree, and a cost of one in its prices."""


def incidence(columns: Sequence[Sequence[int]], rows: int) -> csr_array:
    """Write columns as a sparse matrix, columns by rows."""
    edges = np.cumsum([0, *(len(column) for column in columns)])
    flat = np.array([row for column in columns for row in column], dtype=np.int64)
    return csr_array((np.ones(len(flat), dtype=np.int64), flat, edges), shape=(len(columns), rows))


def check_prices(prices: Sequence[int] | IntArray, people: IntArray) -> None:
    """Stop where sums of prices could be too large for arrays of integers."""
    if sum(int(price) * count for price, count in zip(prices, people.tolist(), strict=True)) > LARGEST_NUMBER:
        raise NotConfirmedError(f"the prices or costs add up to more than {LARGEST_NUMBER}")


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
        for (row,), number in numbers:
            if row in self.items.index_of:
                found[self.items.index_of[row]] = number
        return found
