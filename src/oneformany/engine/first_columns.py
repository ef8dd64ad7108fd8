"""Columns to start from: around every row that can be helped, as many as time allows."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.cached_oracle import POINTS_KEPT
from oneformany.engine.run import Run


def first_columns(run: Run, points: list[IntArray]) -> list[Column]:
    """A column around every row; when time is short, at least one for rows of the same point and changes.

    ``points`` holds a positive point within reach of each row of the run.
    """
    for point in points[-POINTS_KEPT:]:
        run.oracle.learn(point)
    nothing = np.full(run.space.problem.n_features, -1)
    made: dict[int, Column] = {}
    covered = np.zeros(len(run.space.rows), dtype=np.bool_)
    for uncovered_only in (True, False):
        for row in range(len(points)):
            if row in made or (uncovered_only and covered[row]):
                continue
            if run.stop.expired():
                break
            column = run.oracle.column(row, nothing)
            if column is not None:
                made[row] = column
                covered[column.rows] = True
    waiting = np.flatnonzero(~covered).tolist()
    return [made[row] for row in sorted(made)] + _by_point(run, points, waiting)


def _by_point(run: Run, points: list[IntArray], rows: list[int]) -> list[Column]:
    """One column for all of these rows that go to the same point by the same features."""
    alike: dict[bytes, list[int]] = {}
    for row in rows:
        changed = points[row] != run.space.rows[row]
        alike.setdefault(points[row].tobytes() + changed.tobytes(), []).append(row)
    return [
        Column(points[group[0]], points[group[0]] != run.space.rows[group[0]], np.array(group))
        for group in alike.values()
    ]
