"""From chosen columns to explanations: who follows which, and where each goes."""

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import cheapest
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.problem import Problem
from oneformany.result.build import Group
from oneformany.stop import Stop


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
    _, cells = cheapest(ground, Batches(ground, Stop()), open_, features, len(features))
    ends[open_] = np.where(cells >= 0, cells, ground.rows[open_])
    return ends
