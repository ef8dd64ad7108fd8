"""The verification of a whole result: composes the checks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.bound import check_bound
from oneformany.verify.checks import (
    check_assignment,
    check_changes,
    check_counts,
    check_points,
    check_positive,
    check_scores,
    check_unreachable,
)
from oneformany.verify.claims import Claims
from oneformany.verify.reader import read_claims
from oneformany.verify.report import Check, Report

__all__ = ["verify"]


def verify(
    source: str | os.PathLike[str] | Mapping[str, Any],
    *,
    score: Callable[[NDArray[np.int64]], ArrayLike] | None = None,
) -> Report:
    """Re-check a result: the explanations, the rows that cannot be helped, and the lower bound.

    Parameters
    ----------
    source : path, str or mapping
        A file written by ``Result.to_json``, its text, or its content as plain data.
    score : callable, optional
        The classifier's score of each row of an ``(n, p)`` array of codes, to check the points with.
        Without it, points are not checked when the file does not hold the classifier; the report says
        so among its caveats.

    Returns
    -------
    Report
        One check per claim; ``report.ok`` only if all are confirmed.

    Raises
    ------
    CertificateError
        The source is not a whole result of this format.
    """
    claims = read_claims(source)
    checks: dict[str, Callable[[Claims], str]] = {
        "counts and status agree": check_counts,
        "every row is accounted for": check_assignment,
        "changes are few and allowed": check_changes,
        "unreachable rows cannot be helped": check_unreachable,
    }
    caveats: tuple[str, ...] = ()
    if claims.statement.classifier.exact:
        checks["points are positive"] = check_points
    elif claims.statement.classifier.positive is not None:
        checks["points are positive"] = check_positive
    elif score is None:
        caveats = ("points' positivity not re-checked: the model is not part of the file",)
    if score is not None:
        checks["points are positive under the given score"] = lambda said: check_scores(said, score)
    examined = [_examine(name, check, claims) for name, check in checks.items()]
    if all(check.ok for check in examined):
        examined.append(_examine("lower bound holds", check_bound, claims))
    else:
        examined.append(
            Check("lower bound holds", ok=False, detail="not examined: the answer is wrong already")
        )
    return Report(tuple(examined), caveats)


def _examine(name: str, check: Callable[[Claims], str], claims: Claims) -> Check:
    try:
        return Check(name, ok=True, detail=check(claims))
    except CertificateError as error:
        return Check(name, ok=False, detail=str(error))
