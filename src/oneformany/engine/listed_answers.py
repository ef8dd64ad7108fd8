"""Between a listing and a result: known answers as columns, chosen columns as groups, and proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import first_given, on_given, renumbered
from oneformany.engine.exact import minimise
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.listing.single_rows import cheapest as cheapest_alone
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.run import Options, Run
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.screening import screen
from oneformany.engine.table.budget import PeopleAnswer
from oneformany.engine.table.choice import TreeProof, renamed
from oneformany.engine.table.cost import CostAnswer
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.fewest import CoverAnswer
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.build import Group
from oneformany.result.explanation import Explanation
from oneformany.result.proof import CostProof, CoverageProof, DualProof, EnumerationProof, Exclusion, Proof
from oneformany.statistics import Statistics
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class ChosenColumns:
    """Columns of the table, which of them serves each row (``None``: the cheapest), and what is proved.

    What is proved has the names that :func:`~oneformany.result.build.build_result` gives it.
    """

    columns: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    owner: IntArray | None = None
    proof: Proof | None = None
    bound: int | None = None
    coverage_proof: CoverageProof | None = None
    cost_proof: CostProof | None = None
    covered_bound: int | None = None
    cost_open: bool = False


def columns_holding(table: ColumnTable, problem: Problem, explanations: Sequence[Explanation]) -> IntArray:
    """For each of some explanations a column that holds all of its rows, if there is one; none twice."""
    if not explanations:
        return np.zeros(0, dtype=np.int64)
    column_of, found = table.column_of, []
    for explanation in explanations:
        rows = np.unique(problem.row_of[list(explanation.members)])
        inside = np.zeros(table.n_rows, dtype=np.bool_)
        inside[rows] = True
        held = np.bincount(column_of[inside[table.rows]], minlength=len(table))
        if held.max(initial=0) == len(rows):
            found.append(int(held.argmax()))
    return np.unique(np.array(found, dtype=np.int64))


def groups_of(problem: Problem, table: ColumnTable, choice: ChosenColumns) -> list[Group]:
    """Each covered row under the column that costs it least."""
    columns, owner = choice.columns, choice.owner
    if owner is None:
        owner, _ = cheapest(table, columns, table.n_rows)
    groups = []
    for number, column in enumerate(columns.tolist()):
        members = np.flatnonzero(owner == number)
        if not len(members):
            continue
        point, ends = np.asarray(table.targets[column], dtype=np.int64), None
        if problem.share == "features":
            point = np.full(len(point), NO_CELL, dtype=np.int64)
            ends = own_ends(problem, table, column, members)
        groups.append(Group(point, members, table.changed[column].astype(np.bool_), ends))
    return groups


def own_ends(problem: Problem, table: ColumnTable, column: int, rows: IntArray) -> IntArray:
    """The cells that rows go to which share features only: where it is cheapest for each."""
    ground = Ground.of(problem, only=rows)
    features, everybody = np.flatnonzero(table.changed[column]), np.arange(len(rows))
    _, cells = cheapest_alone(ground, Batches(ground, Stop()), everybody, features, len(features))
    return np.where(cells >= 0, cells, problem.rows[rows])


def reasons_of(problem: Problem, listing: FullListing, statistics: Statistics) -> dict[int, str]:
    """Why rows are beyond help: the closed form's own words where there is one."""
    rows = np.flatnonzero(listing.unreachable)
    if not len(rows):
        return {}
    told: dict[int, str] = {}
    relaxation = problem.oracle.relaxation()
    if relaxation is not None and relaxation.exact and not problem.restrictions:
        told = screen(problem, statistics, Stop()).reasons
    changes = "1 feature" if problem.max_changes == 1 else f"{problem.max_changes} features"
    plain = f"the classifier accepts no allowed change of at most {changes}"
    return {row: told.get(row, plain) for row in rows.tolist()}


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
        if tree is None:
            return dual
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


def optimistic_weights(problem: Problem, reachable: BoolArray, stop: Stop) -> tuple[IntArray, int] | None:
    """Weights of distinct rows that can be helped, and what no group weighs more than, by cells and moves.

    Rows share a point. Returns ``None`` where nothing was found in time.
    """
    rows = np.flatnonzero(reachable)
    kept = rows[np.sort(np.unique(problem.rows[rows], axis=0, return_index=True)[1])]
    anything = AdditiveOracle([np.zeros(n) for n in problem.levels])
    relaxed = Problem(problem.rows[kept], problem.levels, anything, problem.max_changes, problem.allowed)
    statistics = Statistics()
    space = SearchSpace(relaxed, np.arange(len(kept)))
    run = Run(space, CachedOracle(space, statistics, stop), stop, statistics, Options(branching=False))
    run.pool.add(run.first_columns(list(relaxed.rows)))
    proof = minimise(run)
    if not isinstance(proof, (DualProof, EnumerationProof)):
        return None
    weights = np.zeros(len(problem.rows), dtype=np.int64)
    weights[kept] = proof.weights
    return weights, proof.capacity
