"""What the rows of a column become by following it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.table import ColumnTable
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.cheapest import cheapest
from oneformany.engine.listing.ground import Ground
from oneformany.exceptions import InputError
from oneformany.problem import Problem
from oneformany.stop import Stop

__all__ = ["Followed", "follow"]


class Followed(NamedTuple):
    """Rows after following a column.

    Attributes
    ----------
    cells : (m, p) array
        Their cells.
    values : (m, p) array
        Their values as the classifier reads them.
    """

    cells: IntArray
    values: IntArray


def follow(problem: Problem, table: ColumnTable, column: int, rows: IntArray | None = None) -> Followed:
    """Let rows follow a column; where rows share features only, each goes where it is cheapest for it.

    Parameters
    ----------
    problem : Problem
        The question.
    table : ColumnTable
        Its columns.
    column : int
        Which column.
    rows : array or None
        Which distinct rows of it; ``None``: all.
    """
    rows = np.asarray(table.group(column) if rows is None else rows, dtype=np.int64)
    changed = table.changed[column]
    cells = problem.rows[rows].copy()
    if problem.share == "features":
        ground = Ground.of(problem, only=rows)
        features = np.flatnonzero(changed)
        everybody = np.arange(len(rows))
        costs, goals = cheapest(ground, Batches(ground, Stop()), everybody, features, len(features))
        if (costs < 0).any():
            row = int(rows[np.flatnonzero(costs < 0)[0]])
            raise InputError(f"row {row} does not belong to column {column}: nothing there helps it")
        cells = np.where(goals >= 0, goals, cells)
    else:
        cells[:, changed] = table.targets[column, changed]
    if problem.own is None:
        return Followed(cells, cells)
    return Followed(
        cells, problem.own.follow(problem.values[rows], cells, np.ones(cells.shape, dtype=np.bool_))
    )
