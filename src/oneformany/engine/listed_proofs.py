"""Proofs over a listing, in the numbering of the rows as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import renumbered
from oneformany.engine.cover.budget import PeopleAnswer
from oneformany.engine.cover.cost import CostAnswer
from oneformany.engine.cover.large_cover import CoverAnswer
from oneformany.engine.cover.table import ColumnTable
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.problem import Problem
from oneformany.result.goal_proofs import CostProof, CoverageProof, Exclusion
from oneformany.result.proof import DualProof, EnumerationProof, Proof

__all__ = ["ListedProofs"]


class ListedProofs:
    """Turns what was proved about a complete table into proofs about the problem.

    ``unreachable`` are the distinct rows that are proved to be beyond help.
    """

    def __init__(self, problem: Problem, table: ColumnTable, unreachable: BoolArray) -> None:
        self.problem = problem
        self.table = table
        self.rows = int(problem.multiplicity[~unreachable].sum())
        self._unreachable = unreachable
        _, self._first = np.unique(problem.row_of, return_index=True)

    def one(self) -> DualProof:
        """At least one explanation is needed where there is a column."""
        weights = np.zeros(self.table.n_rows, dtype=np.int64)
        weights[self.table.rows[0]] = 1
        return self.dual(weights, 1)

    def dual(self, weights: IntArray, capacity: int) -> DualProof:
        """Weights of distinct rows, and what no column weighs more than."""
        return DualProof(self._given(weights), capacity)

    def cover(self, answer: CoverAnswer) -> Proof:
        """Why no fewer columns cover everybody."""
        weights, capacity = self._given(answer.weights.weights), answer.weights.capacity
        dual = DualProof(weights, capacity) if answer.weights.total else self.one()
        if answer.proof is None or answer.proof.target + 1 <= dual.bound:
            return dual
        tree = renumbered(answer.proof.tree, self._first[answer.proof.items])
        columns = tuple(self._rows(column) for column in answer.proof.columns.tolist())
        return EnumerationProof(weights, capacity, answer.proof.target, columns, tree)

    def people(self, answer: PeopleAnswer) -> CoverageProof:
        """Why so many columns cover no more people, or no fewer columns so many people."""
        found, settled, exclusion = answer.weights, answer.proof, None
        if settled is not None and settled.tree is not None:
            found = settled.weights
            tree = self._tree(settled.tree, np.unique(self.table.rows))
            columns = tuple(self._column(column) for column in settled.columns.tolist())
            exclusion = Exclusion(settled.budget, settled.target, columns, tree)
        weights = self._given(np.where(self._unreachable, 0, found.weights))
        return CoverageProof(weights, max(1, found.capacity), ONE_IN_TABLES, self.rows, exclusion)

    def cost(self, answer: CostAnswer) -> CostProof:
        """Why so many columns that cover so many people cost no less."""
        prices = answer.prices[self.problem.row_of]
        exclusion = None
        if answer.proof is not None:
            tree = self._tree(answer.proof.tree, np.arange(self.table.n_rows))
            columns = tuple(self._column(column) for column in answer.proof.columns.tolist())
            exclusion = Exclusion(answer.budget, answer.proof.target, columns, tree)
        return CostProof(
            tuple(prices.tolist()), ONE_IN_COVERS, answer.budget, answer.needed, answer.bound, exclusion
        )

    def _given(self, weights: IntArray) -> tuple[int, ...]:
        """Weights of distinct rows on the first given row that equals each."""
        given = np.zeros(len(self.problem.codes), dtype=np.int64)
        given[self._first] = weights
        return tuple(given.tolist())

    def _rows(self, column: int) -> tuple[int, ...]:
        return tuple(self._first[self.table.group(column)].tolist())

    def _column(self, column: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        changed = tuple(np.flatnonzero(self.table.changed[column]).tolist())
        return self._rows(column), changed, tuple(self.table.targets[column].tolist())

    def _tree(self, tree: dict[str, Any], rows: IntArray) -> dict[str, Any]:
        """Rows of a tree as given rows."""
        filters = [
            [[int(self._first[rows[row]]), weight] for row, weight in pairs]
            for pairs in tree.get("filters", [])
        ]
        copied: dict[str, Any] = {**tree, "filters": filters}
        if "parts" in tree:
            copied["parts"] = [self._tree(part, rows) for part in tree["parts"]]
        return copied
