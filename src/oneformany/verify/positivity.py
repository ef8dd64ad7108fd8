"""Where rows end: positive under the classifier of the file, and under the caller's score."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    """Every row ends surely positive under the classifier of the file, evaluated anew."""
    kind, judge = claims.problem.classifier.kind, claims.problem.classifier.judge
    if judge is None:
        raise NotConfirmedError(f"the file does not hold the {kind} classifier; give its score to verify")
    total = 0
    for points, numbers in _batches(claims):
        claims.problem.limits.check()
        total += len(points)
        surely, possibly = judge(points)
        if not possibly.all():
            raise CertificateError(
                f"the point of explanation {numbers[int(np.argmin(possibly))]} is not positive"
            )
        if not surely.all():
            raise NotConfirmedError(
                f"the point of explanation {numbers[int(np.argmin(surely))]} is so near the threshold that "
                f"rounding decides about it under the {kind}"
            )
    return f"{total} points positive under the {kind} classifier of the file"


def check_scores(claims: Claims, score: Score) -> str:
    """Every row ends positive under the caller's own score."""
    cutoff = claims.problem.classifier.cutoff
    if cutoff is None:
        raise NotConfirmedError("the file does not tell the threshold of the score")
    total = 0
    for points, numbers in _batches(claims):
        total += len(points)
        scores = np.asarray(score(points), dtype=np.float64)
        if scores.shape != (len(points),):
            raise CertificateError(f"score returned shape {scores.shape} for {len(points)} points")
        low = ~(scores >= cutoff)
        if low.any():
            lowest = int(np.argmin(np.where(np.isnan(scores), -np.inf, scores)))
            told = f"the point of explanation {numbers[lowest]} scores {scores[lowest]}, below {cutoff}"
            if scores[lowest] >= cutoff - SCORE_SLACK * max(1.0, abs(cutoff)):
                raise NotConfirmedError(f"{told} by no more than rounding may do")
            raise CertificateError(told)
    return f"{total} points score at least {cutoff:g}"


def _batches(claims: Claims) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Give the different ends of each explanation's members, as the classifier reads them, and its number."""
    waiting: list[NDArray[np.int64]] = []
    numbers: list[int] = []
    for number, explanation in enumerate(claims.explanations):
        rows = np.array(explanation.members, dtype=np.int64)
        ends = claims.problem.followed(rows, explanation.cells_after(claims.problem))
        if (ends < 0).any():
            raise CertificateError(f"explanation {number} sends rows to a cell that offers no value")
        ends = np.unique(ends, axis=0)
        waiting.append(ends)
        numbers += [number] * len(ends)
        if len(numbers) >= BATCH:
            yield np.concatenate(waiting), np.array(numbers)
            waiting, numbers = [], []
    if waiting:
        yield np.concatenate(waiting), np.array(numbers)
