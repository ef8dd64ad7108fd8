"""Between a listing and a result: known answers as columns, chosen columns as groups, and proofs."""

from collections.abc import Sequence

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import DEEPEST, cost_proof, exclusion_proof, weights_proof
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import cheapest as cheapest_alone
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.table.cost import CostAnswer
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.problem import Problem
from oneformany.result.build import Group
from oneformany.result.explanation import Explanation
from oneformany.result.proof import Cost, Exclusion, Weights
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
        self._unreachable, self._helpable = unreachable, np.flatnonzero(~unreachable)

    def dual(self, weights: IntArray, capacity: int) -> Weights:
        """Weights of distinct rows, and what no column weighs more than."""
        return weights_proof(self.problem, weights, capacity)

    def one(self) -> Weights:
        """At least one explanation is needed where there is a column."""
        return self.dual(self._alone(), 1)

    def _alone(self) -> IntArray:
        """All weight on one row that a column holds."""
        weights = np.zeros(self.table.n_rows, dtype=np.int64)
        weights[self.table.rows[0]] = 1
        return weights

    def cover(self, answer: Standing) -> Weights:
        """Why no fewer columns cover everybody."""
        found, proof = answer.weights, answer.exclusion
        weights = found.weights if found.total else self._alone()
        dual = self.dual(weights, found.capacity)
        if proof is None or proof.target + 1 <= dual.bound:
            return dual
        exclusion = exclusion_proof(
            self.problem, proof.target, 0, _groups(proof), proof.tree, rows=proof.rows, deepest=DEEPEST
        )
        if exclusion is None:
            return dual
        scope = np.union1d(proof.rows, np.flatnonzero(weights))
        return weights_proof(self.problem, weights, dual.capacity, exclusion=exclusion, scope=scope)

    def people(self, answer: Standing) -> Weights:
        """Why so many columns cover no more people, or no fewer columns so many people."""
        weights, proof = np.where(self._unreachable, 0, answer.weights.weights), answer.exclusion
        exclusion = None if proof is None else self._exclusion(proof, self.rows - proof.target)
        return weights_proof(
            self.problem,
            weights,
            answer.weights.capacity,
            scale=ONE_IN_TABLES,
            exclusion=exclusion,
            scope=self._helpable if exclusion else None,
        )

    def cost(self, answer: CostAnswer) -> Cost:
        """Why so many columns that cover so many people cost no less."""
        proof = answer.proof
        exclusion = None if proof is None else self._exclusion(proof, proof.target, costed=True)
        return cost_proof(
            self.problem,
            np.where(self._unreachable, 0, answer.prices),
            ONE_IN_COVERS,
            answer.budget,
            answer.needed,
            answer.bound,
            exclusion=exclusion,
            scope=self._helpable if exclusion else None,
        )

    def _exclusion(self, proof: TreeProof, at_most: int, *, costed: bool = False) -> Exclusion | None:
        moves = []
        for changed, targets in (
            zip(proof.columns.changed, proof.columns.targets, strict=True) if costed else ()
        ):
            moves.append(
                tuple((feature, int(targets[feature])) for feature in np.flatnonzero(changed).tolist())
            )
        groups, rows = _groups(proof), proof.rows
        return exclusion_proof(
            self.problem, proof.budget, at_most, groups, proof.tree, tuple(moves), rows=rows
        )


def _groups(proof: TreeProof) -> list[IntArray]:
    """The distinct rows of each column that a search is about."""
    columns = proof.columns
    return [np.asarray(columns.group(column), dtype=np.int64) for column in range(len(columns))]
