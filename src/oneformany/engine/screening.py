"""Which rows can be helped at all: each with a point, with a proof that there is none, or undecided."""

from collections.abc import Iterator, Mapping

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import Reached, reach_rows
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop

BLOCK = 2**20  # rows times cells of a feature at once


def screen(
    problem: Problem,
    statistics: Statistics,
    stop: Stop | None = None,
    known: Mapping[int, IntArray] | None = None,
) -> Reached:
    """Look once at every distinct row, as long as there is time; the others stay undecided.

    It is a problem of cells without restrictions, or a closed form decides. ``known`` holds positive points
    in reach of some rows: the classifier is not asked about these again.
    """
    relaxation, stop = problem.oracle.relaxation(), stop or Stop()
    with statistics.timed("screening"):
        if relaxation is not None and relaxation.exact:
            found = _climb(problem, stop)
        else:
            found = reach_rows(Ground.of(problem), stop, known=known, try_all=False)
    statistics.count("rows screened", int((found.reachable | found.unreachable).sum()))
    return found


def _climb(problem: Problem, stop: Stop) -> Reached:
    """Take the moves that gain most; where they do not reach the threshold, nothing does."""
    reachable, unreachable = np.zeros((2, len(problem.rows)), dtype=np.bool_)
    found = Reached(reachable, problem.rows.copy(), unreachable)
    for block in _blocks(problem, np.arange(len(problem.rows))):
        if stop.expired():
            break
        cells, rank, needed = _greatest_moves(Ground.of(problem, block))
        enough = found.reachable[block] = needed <= problem.max_changes
        moved = enough[:, None] & (rank < needed[:, None])
        found.cells[block] = np.where(moved, cells, problem.rows[block])
        found.unreachable[block] = ~enough
    return found


def _blocks(problem: Problem, rows: IntArray) -> Iterator[IntArray]:
    """Some rows, so many at a time that their gains fit."""
    size = max(1, BLOCK // max(problem.levels))
    return (rows[first : first + size] for first in range(0, len(rows), size))


def _greatest_moves(ground: Ground) -> tuple[IntArray, IntArray, IntArray]:
    """Where each row gains most in each feature, the features in that order, and how many moves it takes."""
    cells = ground.rows.copy()
    for feature in range(cells.shape[1]):
        gain = ground.gain(feature, np.arange(len(cells)))
        gains = gain.max(axis=1) > 0
        cells[gains, feature] = gain[gains].argmax(axis=1)
    order = np.argsort(-ground.potential, axis=1, kind="stable")
    score = np.cumsum(np.take_along_axis(ground.potential, order, axis=1), axis=1)
    reached = np.column_stack((np.zeros(len(cells), dtype=np.int64), score))
    return cells, np.argsort(order, axis=1), (reached < ground.deficit[:, None]).sum(axis=1)


def reasons_of(problem: Problem, rows: IntArray, stop: Stop | None = None) -> dict[int, str]:
    """Why some distinct rows are beyond help, as is proved; without time, less is found out about them."""
    told: dict[int, str] = {}
    for block in _blocks(problem, rows):
        ground, oracle = Ground.of(problem, block), problem.oracle
        needed, most = [None] * len(block), np.full(len(block), np.inf)
        if ground.decided:
            cells, _, moves = _greatest_moves(ground)
            needed, most = moves.tolist(), oracle.score(ground.values_at(np.arange(len(block)), cells))
        else:
            for index, row in enumerate(block.tolist()):
                if stop is not None and stop.expired():
                    break
                most[index] = oracle.upper_bound(problem.targets(row))
        for row, *why in zip(block.tolist(), oracle.score(ground.values), most, needed, strict=True):
            told[row] = _reason(problem, *why)
    return told


def _reason(problem: Problem, score: float, best: float, needed: int | None) -> str:
    """Why a row cannot be helped: its score, the best of all its moves, and how many changes would do."""
    changes = "1 change" if problem.max_changes == 1 else f"{problem.max_changes} changes"
    if problem.restricted:  # what they forbid may be positive
        return f"the classifier accepts no allowed point within {changes}"
    threshold = problem.oracle.threshold
    told = f"{0.0 if abs(threshold) < 1e-6 else threshold:.6g}"  # 0 to the user, without its margin
    if best < threshold:
        return (
            f"no allowed move reaches the threshold: score {score:.6g} now, at most {best:.6g} "
            f"with every feature free, needed {told}"
        )
    remedy = "" if needed is None else f"; {needed} changes would do"
    return f"no positive point within {changes}: score {score:.6g} now, needed {told}{remedy}"
