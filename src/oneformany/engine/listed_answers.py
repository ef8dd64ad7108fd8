"""Between columns of a listing and explanations: known answers as columns, chosen columns as groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.cheapest import cheapest as cheapest_alone
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.screening import screen
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.problem import Problem
from oneformany.result.build import Group
from oneformany.result.explanation import Explanation
from oneformany.result.goal_proofs import CostProof, CoverageProof
from oneformany.result.proof import Proof
from oneformany.statistics import Statistics
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class ChosenColumns:
    """Columns of the table, which of them serves each row (``None``: the cheapest), and what is proved."""

    columns: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    owner: IntArray | None = None
    proof: Proof | None = None
    bound: int | None = None
    coverage: CoverageProof | None = None
    cost: CostProof | None = None
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
