"""Proofs over a listing, in the numbering of the rows as they were given."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import first_given, on_given, renumbered
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.table.budget import PeopleAnswer
from oneformany.engine.table.choice import TreeProof, renamed
from oneformany.engine.table.cost import CostAnswer
from oneformany.engine.table.fewest import CoverAnswer
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.result.goal_proofs import CostProof, CoverageProof, Exclusion
from oneformany.result.proof import DualProof, EnumerationProof, Proof


class ListedProofs:
    """Turns what was proved about a complete table into proofs about the problem.

    ``unreachable`` are the distinct rows that are proved to be beyond help.
    """

    def __init__(self, problem: Problem, table: ColumnTable, unreachable: BoolArray) -> None:
        self.problem = problem
        self.table = table
        self.rows = int(problem.multiplicity[~unreachable].sum())
        self._unreachable = unreachable
        self._first = first_given(problem)

    def one(self) -> DualProof:
        """At least one explanation is needed where there is a column."""
        weights = np.zeros(self.table.n_rows, dtype=np.int64)
        weights[self.table.rows[0]] = 1
        return self.dual(weights, 1)

    def dual(self, weights: IntArray, capacity: int) -> DualProof:
        """Weights of distinct rows, and what no column weighs more than."""
        return DualProof(on_given(self.problem, weights), capacity)

    def cover(self, answer: CoverAnswer) -> Proof:
        """Why no fewer columns cover everybody."""
        weights, capacity = on_given(self.problem, answer.weights.weights), answer.weights.capacity
        dual = DualProof(weights, capacity) if answer.weights.total else self.one()
        if answer.proof is None or answer.proof.target + 1 <= dual.bound:
            return dual
        tree = renumbered(answer.proof.tree, self._first[np.unique(self.table.rows)])
        columns = tuple(self._rows(column) for column in answer.proof.columns.tolist())
        return EnumerationProof(weights, capacity, answer.proof.target, columns, tree)

    def people(self, answer: PeopleAnswer) -> CoverageProof:
        """Why so many columns cover no more people, or no fewer columns so many people."""
        weights = on_given(self.problem, np.where(self._unreachable, 0, answer.weights.weights))
        capacity = max(1, answer.weights.capacity)
        return CoverageProof(weights, capacity, ONE_IN_TABLES, self.rows, self._exclusion(answer.proof))

    def cost(self, answer: CostAnswer) -> CostProof:
        """Why so many columns that cover so many people cost no less."""
        prices = tuple(answer.prices[self.problem.row_of].tolist())
        exclusion = self._exclusion(answer.proof)
        return CostProof(prices, ONE_IN_COVERS, answer.budget, answer.needed, answer.bound, exclusion)

    def _rows(self, column: int) -> tuple[int, ...]:
        return tuple(self._first[self.table.group(column)].tolist())

    def _column(self, column: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        changed = tuple(np.flatnonzero(self.table.changed[column]).tolist())
        return self._rows(column), changed, tuple(self.table.targets[column].tolist())

    def _exclusion(self, proof: TreeProof | None) -> Exclusion | None:
        if proof is None:
            return None
        columns = tuple(self._column(column) for column in proof.columns.tolist())
        tree = renamed(proof.tree, self._first[:, None].tolist())
        return Exclusion(proof.budget, proof.target, columns, tree)
