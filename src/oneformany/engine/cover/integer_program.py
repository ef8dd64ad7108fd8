"""A cover, or the best use of a budget, over few columns: a mixed-integer program for HiGHS."""

from __future__ import annotations

from typing import NamedTuple

import highspy
import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.merging import merged
from oneformany.engine.cover.program import budgeted, covering


class Programmed(NamedTuple):
    """Columns of the best solution found, if one was; ``proved``: HiGHS says that nothing is better.

    That is good for guiding a search, not a certificate.
    """

    chosen: IntArray | None
    proved: bool


def program(
    incidence: Incidence,
    seconds: float,
    start: IntArray,
    people: IntArray | None = None,
    budget: int = 0,
) -> Programmed:
    """Cover all rows by as few columns, or, where rows count ``people``, as many by a ``budget`` of columns.

    ``start`` holds the columns of a solution that is known.
    """
    each = np.ones(incidence.n_rows, dtype=np.int64) if people is None else people
    starts, rows, _, counts, _ = merged(incidence.starts, incidence.rows, np.zeros_like(incidence.rows), each)
    m = incidence.n_columns
    if people is None:
        highs = covering(starts, rows, len(counts), 1.0)
    else:
        highs = budgeted(starts, rows, counts, budget)
    highs.setOptionValue("time_limit", max(0.1, seconds))
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.99)
    integers = np.full(m, highspy.HighsVarType.kInteger)
    highs.changeColsIntegrality(m, np.arange(m, dtype=np.int32), integers)
    values = np.zeros(m)
    values[start] = 1.0
    if people is not None:
        missed = np.ones(len(counts))
        for column in start.tolist():
            missed[rows[starts[column] : starts[column + 1]]] = 0.0
        values = np.concatenate((values, missed))
    known = highspy.HighsSolution()
    known.col_value = values.tolist()
    highs.setSolution(known)
    highs.run()
    found = np.array(highs.getSolution().col_value)
    if len(found) < m or not np.isfinite(found).all():
        return Programmed(None, proved=False)
    proved = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Programmed(np.flatnonzero(found[:m] > 0.5), proved)
