"""A cover, or the best use of a budget, over few columns: a mixed-integer program for HiGHS."""

from __future__ import annotations

from typing import NamedTuple

import highspy
import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.large_incidence import Incidence
from oneformany.engine.cover.merging import merged
from oneformany.engine.cover.tree import covering

__all__ = ["Programmed", "program"]


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
    budget: int | None = None,
) -> Programmed:
    """Cover all rows by as few columns, or as many people as possible by so many columns.

    Parameters
    ----------
    incidence : Incidence
        Few columns and rows.
    seconds : float
        Time for it.
    start : array of int
        Columns of a solution that is known.
    people : array of int or None
        How many each row counts, where rows may stay uncovered.
    budget : int or None
        Most columns.
    """
    each = np.ones(incidence.n_rows, dtype=np.int64) if people is None else people
    starts, rows, _, counts, _ = merged(incidence.starts, incidence.rows, np.zeros_like(incidence.rows), each)
    n, m = len(counts), incidence.n_columns
    highs = covering(starts, rows, n, 1.0 if people is None else 0.0)
    highs.setOptionValue("time_limit", max(0.1, seconds))
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.99)
    columns = np.arange(m, dtype=np.int32)
    highs.changeColsIntegrality(m, columns, np.full(m, highspy.HighsVarType.kInteger))
    values = np.zeros(m)
    values[start] = 1.0
    if people is not None:
        identity, ones = np.arange(n, dtype=np.int32), np.ones(n)
        highs.addCols(n, counts.astype(np.float64), np.zeros(n), ones, n, identity, identity, ones)
        missed = ones.copy()
        for column in start.tolist():
            missed[rows[starts[column] : starts[column + 1]]] = 0.0
        values = np.concatenate((values, missed))
    if budget is not None:
        highs.addRow(-highspy.kHighsInf, float(budget), m, columns, np.ones(m))
    known = highspy.HighsSolution()
    known.col_value = values.tolist()
    highs.setSolution(known)
    highs.run()
    found = np.array(highs.getSolution().col_value)
    if len(found) < m or not np.isfinite(found).all():
        return Programmed(None, proved=False)
    proved = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Programmed(np.flatnonzero(found[:m] > 0.5), proved)
