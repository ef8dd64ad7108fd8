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
    if claims.problem.classifier.additive:
        return _check_by_gains(claims)
    return _check_by_looking(claims)


def _check_by_gains(claims: Claims) -> str:
    """Sum up the largest gains: for additive scores nothing does better."""
    problem = claims.problem
    codes = problem.codes[list(claims.unreachable)]
    gains = np.stack(
        [_gains(problem, feature)[codes[:, feature]] for feature in range(codes.shape[1])], axis=1
    )
    most = -np.sort(-gains, axis=1)[:, : problem.max_changes].sum(axis=1)
    helped = most >= problem.classifier.lacking(codes)
    if helped.any():
        raise _helped(claims.unreachable[int(np.argmax(helped))])
    return f"{len(codes)} rows stay negative under every allowed change"


def _gains(problem: Problem, feature: int) -> NDArray[np.int64]:
    """Tell how much each level of a feature can gain."""
    start, rule = problem.classifier.starts[feature], problem.rules[feature]
    table = problem.classifier.tables[start : start + problem.levels[feature]]
    best = table.max() if rule is None else np.where(rule, table, table.min()).max(axis=1)
    return np.asarray(best - table)


def _check_by_looking(claims: Claims) -> str:
    """Look at every point that an unreachable row could move to."""
    problem = claims.problem
    distinct = {problem.codes[row].tobytes(): row for row in reversed(claims.unreachable)}
    for row in distinct.values():
        doubt = doubt_of_point(problem, Neighbourhood(problem, problem.codes[[row]]))
        if doubt == SURELY:
            raise _helped(row)
        if doubt is not None:
            raise NotConfirmedError(f"row {row}: {doubt}")
    return f"{len(claims.unreachable)} rows stay negative: every point around them was looked at"


def _helped(row: int) -> CertificateError:
    return CertificateError(f"row {row} is listed as unreachable, but it can be helped")
