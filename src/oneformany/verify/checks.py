"""The answer itself: is everything as the file says? Each check returns how it was confirmed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims, Statement
from oneformany.verify.points import Places, has_positive_point

__all__ = [
    "check_assignment",
    "check_changes",
    "check_counts",
    "check_points",
    "check_positive",
    "check_scores",
    "check_unreachable",
]

SCORE_SLACK = 1e-9


def check_counts(claims: Claims) -> str:
    """Count, bound and status fit together."""
    if claims.count != len(claims.explanations):
        raise CertificateError(
            f"count is {claims.count}, but {len(claims.explanations)} explanations are given"
        )
    if not claims.lower_bound == claims.bound == claims.proof.bound:
        raise CertificateError(
            f"lower_bound is {claims.lower_bound}, the certificate says {claims.bound}, "
            f"its proof {claims.proof.bound}"
        )
    if claims.lower_bound > claims.count:
        raise CertificateError(f"lower_bound {claims.lower_bound} exceeds count {claims.count}")
    proved = claims.count == claims.lower_bound
    status = "infeasible" if claims.unreachable else "optimal" if proved else "feasible"
    if claims.status != status and not _leaves_rows_open(claims):
        raise CertificateError(f"status is {claims.status!r}, what is given makes it {status!r}")
    return f"{claims.count} explanations, at least {claims.lower_bound} needed: {claims.status}"


def check_assignment(claims: Claims) -> str:
    """Every row is assigned to one explanation or listed as unreachable, and both sides agree."""
    unreachable = set(claims.unreachable)
    if len(unreachable) != len(claims.unreachable):
        raise CertificateError("a row is listed as unreachable twice")
    for row, place in enumerate(claims.assignment):
        if place < 0 and row not in unreachable:
            raise CertificateError(f"row {row} is neither assigned nor unreachable")
        if place >= 0 and row in unreachable:
            raise CertificateError(f"row {row} is assigned although it is listed as unreachable")
    for place, explanation in enumerate(claims.explanations):
        assigned = {row for row, other in enumerate(claims.assignment) if other == place}
        if not assigned:
            raise CertificateError(f"explanation {place} explains no row")
        if assigned != set(explanation.members):
            raise CertificateError(f"the members of explanation {place} are not the rows assigned to it")
    rows = len(claims.assignment)
    return f"{rows - len(unreachable)} of {rows} rows assigned, {len(unreachable)} unreachable"


def check_changes(claims: Claims) -> str:
    """Members agree with their point outside the changed features, few enough, and moves are allowed."""
    statement = claims.statement
    for place, explanation in enumerate(claims.explanations):
        if len(explanation.changed) > statement.max_changes:
            raise CertificateError(
                f"explanation {place} changes {len(explanation.changed)} features, "
                f"{statement.max_changes} are allowed"
            )
        for row in explanation.members:
            _check_row(statement, place, row, explanation.point, explanation.changed)
    return f"at most {statement.max_changes} features changed, every move allowed"


def check_points(claims: Claims) -> str:
    """Every point is positive under the tables of the file."""
    points = _points(claims)
    lacking = claims.statement.classifier.lacking(points)
    if (lacking > 0).any():
        raise CertificateError(f"the point of explanation {int(np.argmax(lacking > 0))} is not positive")
    return f"{len(points)} points positive in integer arithmetic"


def check_positive(claims: Claims) -> str:
    """Every point is positive under the classifier of the file, evaluated anew."""
    classifier, points = claims.statement.classifier, _points(claims)
    wrong = ~classifier.positive(points) if classifier.positive else np.zeros(len(points), dtype=np.bool_)
    if wrong.any():
        raise CertificateError(f"the point of explanation {int(np.argmax(wrong))} is not positive")
    return f"{len(points)} points positive under the {classifier.kind} of the file"


def check_scores(claims: Claims, score: Callable[[NDArray[np.int64]], ArrayLike]) -> str:
    """Every point is positive under the caller's own score."""
    cutoff = claims.statement.classifier.cutoff
    if cutoff is None:
        raise CertificateError("the file does not tell the threshold of the score")
    points = _points(claims)
    scores = np.asarray(score(points), dtype=np.float64)
    if scores.shape != (len(points),):
        raise CertificateError(f"score returned shape {scores.shape} for {len(points)} points")
    low = ~(scores >= cutoff - SCORE_SLACK * max(1.0, abs(cutoff)))
    if low.any():
        place = int(np.argmax(low))
        raise CertificateError(f"the point of explanation {place} scores {scores[place]}, below {cutoff}")
    return f"{len(points)} points score at least {cutoff:g}"


def check_unreachable(claims: Claims) -> str:
    """No allowed change of at most so many features makes an unreachable row positive."""
    statement = claims.statement
    if not claims.unreachable:
        return "no row is listed"
    if _leaves_rows_open(claims):
        return f"{len(claims.unreachable)} rows without explanation; it is not claimed that there is none"
    if not statement.classifier.exact:
        return _check_by_looking(claims)
    for row in claims.unreachable:
        codes = statement.codes[row]
        gains = sorted((_gain(statement, feature, code) for feature, code in enumerate(codes)), reverse=True)
        if sum(gains[: statement.max_changes]) >= statement.classifier.lacking(codes[None, :])[0]:
            raise CertificateError(f"row {row} is listed as unreachable, but it can be helped")
    return f"{len(claims.unreachable)} rows stay negative under every allowed change"


def _check_by_looking(claims: Claims) -> str:
    """Look at every point that an unreachable row could move to."""
    statement = claims.statement
    kind, nowhere = statement.classifier.kind, np.zeros(len(statement.levels), dtype=np.bool_)
    if statement.classifier.positive is None:
        raise CertificateError(f"cannot be confirmed without the {kind} classifier")
    for row in claims.unreachable:
        rows = statement.codes[[row]]
        answer = has_positive_point(
            statement, Places(statement, rows, nowhere, nowhere, statement.max_changes)
        )
        if answer is None:
            raise CertificateError(
                f"cannot be confirmed: row {row} has too many points around it to look at under the {kind}"
            )
        if answer:
            raise CertificateError(f"row {row} is listed as unreachable, but it can be helped")
    return f"{len(claims.unreachable)} rows stay negative: every point around them was looked at"


def _leaves_rows_open(claims: Claims) -> bool:
    """Whether rows are listed that a classifier too hard to search was not proved to refuse."""
    return claims.status == "feasible" and bool(claims.unreachable) and not claims.statement.classifier.exact


def _points(claims: Claims) -> NDArray[np.int64]:
    features = claims.statement.codes.shape[1]
    points = np.array([explanation.point for explanation in claims.explanations], dtype=np.int64)
    return points.reshape(-1, features)


def _check_row(
    statement: Statement, place: int, row: int, point: tuple[int, ...], changed: tuple[int, ...]
) -> None:
    for feature, (old, new) in enumerate(zip(statement.codes[row].tolist(), point, strict=True)):
        if old == new:
            continue
        if feature not in changed:
            raise CertificateError(
                f"row {row} must change feature {feature}, which explanation {place} keeps"
            )
        rule = statement.rules[feature]
        if rule is not None and not rule[old, new]:
            raise CertificateError(
                f"explanation {place} moves feature {feature} of row {row} from {old} to {new}, "
                "which is not allowed"
            )


def _gain(statement: Statement, feature: int, code: int) -> int:
    shares = statement.classifier.tables[feature, : statement.levels[feature]]
    rule = statement.rules[feature]
    reachable = shares if rule is None else shares[rule[code]]
    return int(reachable.max() - shares[code])
