"""Rows that are said to be beyond help: no allowed change of so many features makes them positive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.neighbourhood import SURELY, Neighbourhood, doubt_of_point
from oneformany.verify.problem import Problem

__all__ = ["check_unreachable"]


def check_unreachable(claims: Claims) -> str:
    """Confirm for every row that is called unreachable that nothing helps it."""
    if not claims.unreachable:
        return "no row is listed"
    open_rows = _not_excluded_by_gains(claims)
    if not open_rows:
        return f"{len(claims.unreachable)} rows stay negative under every allowed change"
    if claims.problem.classifier.additive:
        raise _helped(open_rows[0])
    return _check_by_looking(claims, open_rows)


def _not_excluded_by_gains(claims: Claims) -> list[int]:
    """List rows whose largest gains reach what is needed: with additive scores those can be helped."""
    problem = claims.problem
    codes = problem.codes[list(claims.unreachable)]
    gains = np.stack([_gains(problem, feature)[column] for feature, column in enumerate(codes.T)], axis=1)
    most = -np.sort(-gains, axis=1)[:, : problem.max_changes].sum(axis=1)
    helped = most >= problem.classifier.lacking(codes)
    return [claims.unreachable[i] for i in np.flatnonzero(helped)]


def _gains(problem: Problem, feature: int) -> NDArray[np.int64]:
    """Tell how much each level of a feature can gain."""
    start, rule = problem.classifier.starts[feature], problem.rules[feature]
    table = problem.classifier.tables[start : start + problem.levels[feature]]
    best = table.max() if rule is None else np.where(rule, table, table.min()).max(axis=1)
    return np.asarray(best - table)


def _check_by_looking(claims: Claims, rows: list[int]) -> str:
    """Look at every point that an unreachable row could move to."""
    problem = claims.problem
    distinct = {problem.codes[row].tobytes(): row for row in reversed(rows)}
    for row in distinct.values():
        doubt = doubt_of_point(problem, Neighbourhood(problem, problem.codes[[row]]))
        if doubt == SURELY:
            raise _helped(row)
        if doubt is not None:
            raise NotConfirmedError(f"row {row}: {doubt}")
    return f"{len(claims.unreachable)} rows stay negative: every point around them was looked at"


def _helped(row: int) -> CertificateError:
    return CertificateError(f"row {row} is listed as unreachable, but it can be helped")
