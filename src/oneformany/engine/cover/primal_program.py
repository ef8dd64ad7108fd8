"""A cover, or the best use of a budget, over few columns: a mixed-integer program for HiGHS."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.engine.cover.large_incidence import Incidence

__all__ = ["PROGRAM_ENTRIES", "Programmed", "program"]

PROGRAM_ENTRIES = 200_000


@dataclass(frozen=True, eq=False)
class Programmed:
    """Outcome of a program.

    Attributes
    ----------
    chosen : array of int or None
        Columns of the best solution found, if one was.
    proved : bool
        Whether HiGHS says that nothing better exists; good for guiding a search, not a certificate.
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
    starts, rows, counts = _merged(incidence, people)
    n, m = len(counts), incidence.n_columns
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("time_limit", max(0.1, seconds))
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.99)
    nothing = np.zeros(0, dtype=np.int32)
    lower = np.ones(n)
    highs.addRows(
        n, lower, np.full(n, highspy.kHighsInf), 0, np.zeros(n, dtype=np.int32), nothing, np.zeros(0)
    )
    price = 1.0 if people is None else 0.0
    highs.addCols(
        m,
        np.full(m, price),
        np.zeros(m),
        np.ones(m),
        len(rows),
        starts[:-1].astype(np.int32),
        rows,
        np.ones(len(rows)),
    )
    highs.changeColsIntegrality(m, np.arange(m, dtype=np.int32), np.full(m, highspy.HighsVarType.kInteger))
    if people is not None:
        identity = np.arange(n, dtype=np.int32)
        highs.addCols(
            n, counts.astype(np.float64), np.zeros(n), np.ones(n), n, identity, identity, np.ones(n)
        )
    if budget is not None:
        every = np.arange(m, dtype=np.int32)
        highs.addRow(-highspy.kHighsInf, float(budget), m, every, np.ones(m))
    known = highspy.HighsSolution()
    values = np.zeros(m)
    values[start] = 1.0
    if people is not None:
        covered = np.zeros(n, dtype=np.bool_)
        for column in start.tolist():
            covered[rows[starts[column] : starts[column + 1]]] = True
        values = np.concatenate((values, np.where(covered, 0.0, 1.0)))
    known.col_value = values.tolist()
    highs.setSolution(known)
    highs.run()
    status = highs.getModelStatus()
    proved = status == highspy.HighsModelStatus.kOptimal
    found = np.array(highs.getSolution().col_value)
    if len(found) < m or not np.isfinite(found).all():
        return Programmed(None, proved=False)
    return Programmed(np.flatnonzero(found[:m] > 0.5), proved)


def _merged(incidence: Incidence, people: IntArray | None) -> tuple[IntArray, NDArray[np.int32], IntArray]:
    """Join rows that are in exactly the same columns; leave out rows in none."""
    number: dict[bytes, int] = {}
    new = np.full(incidence.n_rows, -1, dtype=np.int32)
    first = np.zeros(incidence.n_rows, dtype=np.bool_)
    counts: list[int] = []
    for row in np.flatnonzero(incidence.reachable).tolist():
        key = incidence.row_columns[incidence.row_starts[row] : incidence.row_starts[row + 1]].tobytes()
        known = number.setdefault(key, len(counts))
        if known == len(counts):
            counts.append(0)
            first[row] = True
        counts[known] += 1 if people is None else int(people[row])
        new[row] = known
    keep = first[incidence.rows]
    owner = np.repeat(np.arange(incidence.n_columns), np.diff(incidence.starts))[keep]
    starts = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=incidence.n_columns))))
    return starts, new[incidence.rows[keep]], np.array(counts, dtype=np.int64)
