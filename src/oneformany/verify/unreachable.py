"""Rows that are said to be beyond help: no allowed change of so many features makes them positive."""

from __future__ import annotations

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.claims import Claims
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listing import Listing
from oneformany.verify.moves import Moves
from oneformany.verify.neighbourhood import SURELY, Neighbourhood, doubt_of_point
from oneformany.verify.problem import Problem


def check_unreachable(claims: Claims) -> str:
    """Confirm for every row that is called unreachable that nothing helps it, alone."""
    if not claims.unreachable:
        return "no row is listed"
    problem = claims.problem
    rows = problem.different(claims.unreachable)
    rows = rows[_helped_by_gains(problem, rows, np.full(len(rows), problem.max_changes))]
    if not len(rows):
        return f"{len(claims.unreachable)} rows stay negative under every allowed change"
    if problem.classifier.kind == "additive" and not problem.restrictions:
        changes = np.full(len(rows), problem.max_changes)
        surely = rows[_helped_by_gains(problem, rows, changes, problem.classifier.margin)]
        if len(surely):
            raise _helped(int(surely[0]))
    if problem.plain:
        for row in rows.tolist():
            if _surely_helped(problem, row, problem.max_changes):
                raise _helped(row)
    else:
        _check_all_changes(problem, rows)
    return f"{len(claims.unreachable)} rows stay negative: every point around them was looked at"


def check_fewest_changes(problem: Problem, rows: IntArray, changes: IntArray) -> None:
    """Confirm that fewer changes than said of each row help none, where all go to points of cells."""
    if (changes > problem.max_changes).any():
        raise CertificateError(f"a row is said to need more than {problem.max_changes} changes")
    some = np.flatnonzero(changes > 0)
    some = some[_helped_by_gains(problem, rows[some], changes[some] - 1)]
    for row, number in zip(rows[some].tolist(), changes[some].tolist(), strict=True):
        if problem.classifier.additive or _surely_helped(problem, row, number - 1):
            raise CertificateError(f"row {row} is said to need {number} changes, but fewer help it")


def _helped_by_gains(problem: Problem, rows: IntArray, changes: IntArray, margin: int = 0) -> BoolArray:
    """Tell rows whose largest gains reach what is needed: additive scores and moves alone decide so."""
    moves = Moves(problem, rows)
    if not moves.summed:
        return np.ones(len(rows), dtype=np.bool_)
    gains = np.stack([moves.most(feature) for feature in range(len(problem.levels))])
    totals = np.concatenate(
        [np.zeros((1, len(rows)), dtype=np.int64), np.cumsum(-np.sort(-gains, axis=0), axis=0)]
    )
    return np.asarray(totals[changes, np.arange(len(rows))] >= moves.lacking + margin)


def _surely_helped(problem: Problem, row: int, changes: int) -> bool:
    """Look at every point that a row could move to by so many changes: whether one is surely positive."""
    doubt = doubt_of_point(problem, Neighbourhood(problem, problem.codes[[row]], budget=changes))
    if doubt is not None and doubt != SURELY:
        raise NotConfirmedError(f"row {row}: {doubt}")
    return doubt == SURELY


def _check_all_changes(problem: Problem, rows: IntArray) -> None:
    """Let every row try every allowed change of so many features, by its own values."""
    classifier = problem.classifier
    if classifier.judge is None:
        raise NotConfirmedError(f"row {rows[0]}: the file does not hold the {classifier.kind} classifier")
    listing = Listing(problem, rows, share="features")
    for groups in listing.groups(np.ones(len(rows), dtype=np.int64), lambda: 1):
        row = int(rows[groups.rows[0]])
        if not listing.moves.doubt:
            raise _helped(row)
        raise NotConfirmedError(f"row {row}: rounding decides whether it can be helped")


def _helped(row: int) -> CertificateError:
    return CertificateError(f"row {row} is listed as unreachable, but it can be helped")
