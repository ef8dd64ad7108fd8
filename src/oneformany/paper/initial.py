"""Where both methods of the paper start: one explanation per row, equal points merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.engine.screening import Screened, screen
from oneformany.paper.columns import Column, Rows
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop

__all__ = ["Initial", "initial_solution"]


@dataclass(frozen=True, eq=False)
class Initial:
    """A first solution.

    Attributes
    ----------
    rows : Rows
        The rows that can be helped.
    columns : list of Column
        Together they cover these rows, each row once.
    screened : Screened
        What is known about the other rows.
    """

    rows: Rows
    columns: list[Column]
    screened: Screened


def initial_solution(problem: Problem, statistics: Statistics, stop: Stop, *, merge: bool = True) -> Initial:
    """Ask the classifier for one positive point per distinct row.

    Parameters
    ----------
    problem : Problem
        What is asked.
    statistics : Statistics
        Where the time goes.
    stop : Stop
        Rows not asked about in time are left out, and said to be.
    merge : bool
        Let rows with the same point share an explanation as long as they change at most
        ``max_changes`` features together.
    """
    screened = screen(problem, statistics, stop)
    rows = Rows(problem, screened.places)
    columns: list[Column] = []
    for row, point in enumerate(screened.points):
        changed = rows.codes[row] != point
        for k, column in enumerate(columns if merge else ()):
            together = column.changed | changed
            if (column.point == point).all() and together.sum() <= problem.max_changes:
                columns[k] = Column(point, together, np.append(column.group, row))
                break
        else:
            columns.append(Column(point, changed, np.array([row])))
    return Initial(rows, columns, screened)
