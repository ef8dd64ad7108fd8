"""What both methods of the paper start from: one point per row, rows that share one, and a first bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.columns import Column
from oneformany.engine.screening import Screened, screen
from oneformany.exceptions import InputError
from oneformany.paper.methods.embeddings import Embedding
from oneformany.paper.methods.formulation import PaperRows
from oneformany.paper.methods.solvers import Solver
from oneformany.problem import Problem
from oneformany.result.proof import DualProof
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop


def check_asked(problem: Problem) -> None:
    """Refuse what the paper does not ask: its formulas would answer another question."""
    beyond = {
        f'share="{problem.share}"': problem.share != "point",
        "rows with values of their own": problem.own is not None,
        "restrictions on whole rows": bool(problem.restrictions),
    }
    found = [words for words, present in beyond.items() if present]
    if found:
        raise InputError(f'the paper\'s methods do not take {" or ".join(found)}; use method="exact"')


@dataclass(frozen=True, eq=False)
class Initial:
    """A first solution."""

    rows: PaperRows  # the rows that can be helped
    columns: list[Column]  # every row is in one of them
    screened: Screened  # what is known about all rows


@dataclass(eq=False)
class PaperRun:
    """One call of a method under way, from its first solution on."""

    initial: Initial
    embedding: Embedding
    solver: Solver
    stop: Stop
    statistics: Statistics
    progress: Callable[[Round], None] | None
    seed: int
    spent: float = 0.0  # seconds that the phases so far have taken

    def log(self, phase: str, *, columns: int, value: float, bound: int, count: int) -> None:
        """Record a step and tell whoever watches; the time since the last one goes to its phase."""
        seconds = self.stop.elapsed()
        self.statistics.spend(phase, seconds - self.spent)
        self.spent = seconds
        step = Round(phase, len(self.statistics.rounds), columns, value, bound, count, seconds)
        step = self.statistics.record(step)
        if self.progress is not None:
            self.progress(step)


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
        Column(screened.points[owner], changes[owner][group].any(axis=0), group)
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
