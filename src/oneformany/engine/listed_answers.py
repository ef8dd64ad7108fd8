"""Between a listing and a result: known answers as columns, chosen columns as groups, and proofs."""

from collections.abc import Sequence

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import first_given, on_given, renumbered
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import cheapest as cheapest_alone
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.table.choice import renamed
from oneformany.engine.table.cost import CostAnswer
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.problem import Problem
from oneformany.result.build import Group
from oneformany.result.explanation import Explanation
from oneformany.result.proof import CostProof, CoverageProof, DualProof, EnumerationProof, Exclusion, Proof
from oneformany.stop import Stop


def columns_holding(table: ColumnTable, problem: Problem, explanations: Sequence[Explanation]) -> IntArray:
    """For each of some explanations a column that holds all of its rows, if there is one; none twice."""
    found = []
    for explanation in explanations:
        rows = np.unique(problem.row_of[list(explanation.members)])
        held = table.incidence.loads(np.isin(np.arange(table.n_rows), rows).astype(np.int64))
        if held.max(initial=0) == len(rows):
            found.append(int(held.argmax()))
    return np.unique(np.array(found, dtype=np.int64))


def groups_of(
    problem: Problem, table: ColumnTable, columns: IntArray, owner: IntArray, known: IntArray | None = None
) -> list[Group]:
    """The rows of each column that it serves, by the index of the column that each row has."""
    groups = []
    for number, column in enumerate(columns.tolist()):
        members = np.flatnonzero(owner == number)
        if not len(members):
            continue
        point, ends = np.asarray(table.targets[column], dtype=np.int64), None
        if problem.share == "features":
            point = np.full(len(point), NO_CELL, dtype=np.int64)
            ends = own_ends(problem, table, column, members, known)
        groups.append(Group(point, members, ends))
    return groups


def own_ends(
    problem: Problem, table: ColumnTable, column: int, rows: IntArray, known: IntArray | None = None
) -> IntArray:
    """The cells that rows go to which share features only: those that are known, or where it is cheapest.

    ``known`` holds cells for each row of the problem; they serve where they cost what the column says.
    """
    ends, changed = (problem.rows if known is None else known)[rows], table.changed[column]
    ground, features = Ground.of(problem, only=rows), np.flatnonzero(changed)
    moves, cost = ends != ground.rows, ground.paid(np.arange(len(rows)), ends)
    told = table.costs[table.starts[column] + np.searchsorted(table.group(column), rows)]
    open_ = np.flatnonzero(~moves.any(axis=1) | moves[:, ~changed].any(axis=1) | (cost != told))
    _, cells = cheapest_alone(ground, Batches(ground, Stop()), open_, features, len(features))
    ends[open_] = np.where(cells >= 0, cells, ground.rows[open_])
    return ends


class ListedProofs:
    """Turns what was proved about a complete table, and rows beyond help, into proofs about the problem."""

    def __init__(self, problem: Problem, table: ColumnTable, unreachable: BoolArray) -> None:
        self.problem, self.table = problem, table
        self.rows = int(problem.multiplicity[~unreachable].sum())
        self._unreachable = unreachable
        self._first = first_given(problem)

    def dual(self, weights: IntArray, capacity: int) -> DualProof:
        """Weights of distinct rows, and what no column weighs more than."""
        return DualProof(on_given(self.problem, weights), capacity)

    def one(self) -> DualProof:
        """At least one explanation is needed where there is a column."""
        return self.dual(np.eye(1, self.table.n_rows, self.table.rows[0], dtype=np.int64)[0], 1)

    def cover(self, answer: Standing) -> Proof:
        """Why no fewer columns cover everybody."""
        weights = answer.weights
        dual = self.dual(weights.weights, weights.capacity) if weights.total else self.one()
        if answer.exclusion is None or answer.exclusion.target + 1 <= dual.bound:
            return dual
        tree = renumbered(answer.exclusion.tree, self._first[answer.exclusion.rows])
        if tree is None:
            return dual
        columns = self._rows(answer.exclusion.columns)
        return EnumerationProof(dual.weights, dual.capacity, answer.exclusion.target, columns, tree)

    def people(self, answer: Standing) -> CoverageProof:
        """Why so many columns cover no more people, or no fewer columns so many people."""
        weights = on_given(self.problem, np.where(self._unreachable, 0, answer.weights.weights))
        capacity = max(1, answer.weights.capacity)
        return CoverageProof(weights, capacity, ONE_IN_TABLES, self.rows, self._exclusion(answer.exclusion))

    def cost(self, answer: CostAnswer) -> CostProof:
        """Why so many columns that cover so many people cost no less."""
        prices = tuple(answer.prices[self.problem.row_of].tolist())
        exclusion = self._exclusion(answer.proof)
        return CostProof(prices, ONE_IN_COVERS, answer.budget, answer.needed, answer.bound, exclusion)

    def _rows(self, columns: ColumnTable) -> tuple[tuple[int, ...], ...]:
        """The first given row of each row of some columns."""
        return tuple(tuple(self._first[columns.group(one)].tolist()) for one in range(len(columns)))

    def _exclusion(self, proof: TreeProof | None) -> Exclusion | None:
        if proof is None:
            return None
        changed, targets = proof.columns.changed, proof.columns.targets
        features = [tuple(np.flatnonzero(some).tolist()) for some in changed]
        cells = [tuple(some.tolist()) for some in targets]
        columns = tuple(zip(self._rows(proof.columns), features, cells, strict=True))
        tree = renamed(proof.tree, self._first[proof.rows][:, None].tolist())
        return Exclusion(proof.budget, proof.target, columns, tree)
