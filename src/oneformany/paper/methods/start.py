"""What both methods of the paper start from: one point per row, rows that share one, and a first bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.screening import Screened, screen
from oneformany.paper.methods.columns import PaperColumn, PaperRows
from oneformany.paper.methods.embeddings import Embedding
from oneformany.paper.methods.model import Solver
from oneformany.problem import Problem
from oneformany.result.proof import DualProof
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop


class Log:
    """Writes one record per step into the statistics and hands it to whoever watches."""

    def __init__(self, stop: Stop, progress: Callable[[Round], None] | None) -> None:
        self.statistics = Statistics()
        self._stop = stop
        self._progress = progress
        self._spent = 0.0

    def __call__(self, phase: str, *, columns: int, value: float, bound: int, count: int) -> None:
        """Record a step; the time since the last one goes to its phase."""
        seconds = self._stop.elapsed()
        self.statistics.spend(phase, seconds - self._spent)
        self._spent = seconds
        record = Round(phase, len(self.statistics.rounds), columns, value, bound, count, seconds)
        record = self.statistics.record(record)
        if self._progress is not None:
            self._progress(record)


@dataclass(frozen=True, eq=False)
class Initial:
    """A first solution."""

    rows: PaperRows  # the rows that can be helped
    columns: list[PaperColumn]  # together they cover these rows, each row once
    screened: Screened  # what is known about the other rows


@dataclass(frozen=True, eq=False)
class Start:
    """A first solution, and everything that a method needs to improve it."""

    initial: Initial
    embedding: Embedding
    solver: Solver
    stop: Stop
    log: Log
    seed: int


def one_is_needed(rows: PaperRows) -> DualProof:
    """Start with what needs no search: where there are rows, there is an explanation."""
    return dual_proof(rows, np.arange(len(rows)) == 0, 1)


def dual_proof(rows: PaperRows, weights: IntArray | BoolArray, capacity: int) -> DualProof:
    """Write down what weights prove if no column weighs more than the capacity."""
    row_of = rows.problem.row_of
    given = np.zeros(len(row_of), dtype=np.int64)  # on the first occurrences of the distinct rows
    given[np.unique(row_of, return_index=True)[1][rows.index]] = weights
    return DualProof(tuple(given.tolist()), capacity)


def initial_solution(problem: Problem, statistics: Statistics, stop: Stop, *, merge: bool = True) -> Initial:
    """Ask the classifier for one positive point per distinct row; those not asked in time are left out.

    ``merge`` lets rows share the point of another row as long as they may move there and change at most
    ``max_changes`` features together. The paper leaves open which point a row is given, so it may be one that
    is there already.
    """
    screened = screen(problem, statistics, stop)
    rows = PaperRows(problem, screened.helpable)
    changes = [rows.codes != point for point in screened.points]
    groups = _greedy_cover(rows, screened.points, changes, stop) if merge else _alone(range(len(rows)))
    columns = [
        PaperColumn(screened.points[owner], changes[owner][group].any(axis=0), group)
        for owner, group in groups.items()
    ]
    return Initial(rows, columns, screened)


def _greedy_cover(
    rows: PaperRows, points: list[IntArray], changes: list[BoolArray], stop: Stop
) -> dict[int, IntArray]:
    """Take the point with the largest group of rows not yet covered, until all are; groups by owner.

    Where time is too short, the rows that are left keep their own points.
    """
    problem = rows.problem
    may_move = [problem.may_move(rows.codes, point).all(axis=1) for point in points]
    waiting = np.ones(len(rows), dtype=np.bool_)
    groups: dict[int, IntArray] = {}
    while waiting.any():
        if stop.expired():
            return groups | _alone(np.flatnonzero(waiting).tolist())
        candidates = {
            owner: _group_around(owner, changes[owner], waiting & may_move[owner], problem.max_changes)
            for owner in np.flatnonzero(waiting).tolist()
        }
        best = max(candidates, key=lambda owner: len(candidates[owner]))
        groups[best] = candidates[best]
        waiting[groups[best]] = False
    return groups


def _alone(rows: Iterable[int]) -> dict[int, IntArray]:
    return {row: np.array([row]) for row in rows}


def _group_around(owner: int, changes: BoolArray, candidates: BoolArray, max_changes: int) -> IntArray:
    """Let the owner of a point be joined by the row that changes least besides, as long as one fits."""
    changed = changes[owner].copy()
    while True:
        missing = (changes & ~changed).sum(axis=1)
        fits = candidates & (missing > 0) & (missing + changed.sum() <= max_changes)
        if not fits.any():
            return np.flatnonzero(candidates & (missing == 0))
        changed |= changes[np.where(fits, missing, len(changed) + 1).argmin()]
