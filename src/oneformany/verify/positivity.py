"""The points of explanations: positive under the classifier of the file, and under the caller's score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims
from oneformany.verify.limits import NotConfirmedError

__all__ = ["Score", "check_points", "check_scores"]

Score = Callable[[NDArray[np.int64]], ArrayLike]

SCORE_SLACK = 1e-9
BATCH = 2**16


def check_points(claims: Claims) -> str:
    """Every point is surely positive under the classifier of the file, evaluated anew."""
    kind, judge, points = claims.problem.classifier.kind, claims.problem.classifier.judge, claims.points
    if judge is None:
        raise NotConfirmedError(f"the file does not hold the {kind} classifier; give its score to verify")
    for first in range(0, len(points), BATCH):
        claims.problem.limits.check()
        surely, possibly = judge(points[first : first + BATCH])
        if not possibly.all():
            number = first + int(np.argmin(possibly))
            raise CertificateError(f"the point of explanation {number} is not positive")
        if not surely.all():
            raise NotConfirmedError(
                f"the point of explanation {first + int(np.argmin(surely))} is so near the threshold that "
                f"rounding decides about it under the {kind}"
            )
    return f"{len(points)} points positive under the {kind} classifier of the file"


def check_scores(claims: Claims, score: Score) -> str:
    """Every point is positive under the caller's own score."""
    cutoff, points = claims.problem.classifier.cutoff, claims.points
    if cutoff is None:
        raise NotConfirmedError("the file does not tell the threshold of the score")
    scores = np.asarray(score(points), dtype=np.float64)
    if scores.shape != (len(points),):
        raise CertificateError(f"score returned shape {scores.shape} for {len(points)} points")
    low = ~(scores >= cutoff)
    if low.any():
        number = int(np.argmin(np.where(np.isnan(scores), -np.inf, scores)))
        told = f"the point of explanation {number} scores {scores[number]}, below {cutoff}"
        if scores[number] >= cutoff - SCORE_SLACK * max(1.0, abs(cutoff)):
            raise NotConfirmedError(f"{told} by no more than rounding may do")
        raise CertificateError(told)
    return f"{len(points)} points score at least {cutoff:g}"
