"""Columns to start from: around every row that can be helped, as many as time allows."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.run import Run

__all__ = ["first_columns"]


def first_columns(run: Run, points: list[IntArray]) -> list[Column]:
    """A column around every row; when time is short, at least one that holds the row itself.

    Parameters
    ----------
    run : Run
        Whose rows they are.
    points : list of integer arrays
        A positive point within reach of each row.
    """
    nothing = np.full(run.arena.problem.n_features, -1)
    made: dict[int, Column] = {}
    covered = np.zeros(len(run.arena.rows), dtype=np.bool_)
    for uncovered_only in (True, False):
        for row, point in enumerate(points):
            if row in made or (uncovered_only and covered[row]):
                continue
            if run.stop.expired():
                if not covered[row]:
                    made[row] = Column(point, point != run.arena.rows[row], np.array([row]))
                continue
            column = run.oracle.column(row, nothing)
            if column is not None:
                made[row] = column
                covered[column.rows] = True
    return [made[row] for row in sorted(made)]
