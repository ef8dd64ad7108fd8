"""The answer without its bound: counts, rows and changes. Each check returns how it was confirmed."""

from __future__ import annotations

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims, Explanation
from oneformany.verify.problem import Problem

__all__ = ["check_assignment", "check_changes", "check_counts"]


def check_counts(claims: Claims) -> str:
    """Count, bound and status fit together."""
    count, bound = claims.count, claims.lower_bound
    if count != len(claims.explanations):
        raise CertificateError(f"count is {count}, but {len(claims.explanations)} explanations are given")
    if not bound == claims.bound == claims.proof.bound:
        raise CertificateError(
            f"lower_bound is {bound}, the certificate says {claims.bound}, its proof {claims.proof.bound}"
        )
    if bound > count:
        raise CertificateError(f"lower_bound {bound} exceeds count {count}")
    status = "optimal" if bound == count and not claims.undecided else "feasible"
    if len(set(claims.unreachable)) == len(claims.assignment):
        status = "infeasible"
    if claims.status != status:
        raise CertificateError(f"status is {claims.status!r}, what is given makes it {status!r}")
    return f"{count} explanations, at least {bound} needed: {status}"


def check_assignment(claims: Claims) -> str:
    """Every row is covered, unreachable or undecided, and members are the rows assigned."""
    covered = {row for row, number in enumerate(claims.assignment) if number >= 0}
    sides = {"assigned": covered}
    for name, rows in (("unreachable", claims.unreachable), ("undecided", claims.undecided)):
        if len(set(rows)) != len(rows):
            raise CertificateError(f"a row is listed as {name} twice")
        for other, taken in sides.items():
            if both := taken & set(rows):
                raise CertificateError(f"row {min(both)} is {other} although it is listed as {name}")
        sides[name] = set(rows)
    if left := set(range(len(claims.assignment))) - set().union(*sides.values()):
        raise CertificateError(f"row {min(left)} is neither assigned nor unreachable nor undecided")
    if claims.covered != len(covered):
        raise CertificateError(f"covered is {claims.covered}, but {len(covered)} rows are assigned")
    _check_members(claims)
    told = f"{len(covered)} of {len(claims.assignment)} rows assigned"
    return f"{told}, {len(claims.unreachable)} unreachable, {len(claims.undecided)} undecided"


def _check_members(claims: Claims) -> None:
    assigned: list[list[int]] = [[] for _ in claims.explanations]
    for row, number in enumerate(claims.assignment):
        if number >= 0:
            assigned[number].append(row)
    for number, (rows, explanation) in enumerate(zip(assigned, claims.explanations, strict=True)):
        if not rows:
            raise CertificateError(f"explanation {number} explains no row")
        if sorted(explanation.members) != rows:
            raise CertificateError(f"the members of explanation {number} are not the rows assigned to it")


def check_changes(claims: Claims) -> str:
    """Members agree with their point outside the changed features, few enough, and moves are allowed."""
    most = claims.problem.max_changes
    for number, explanation in enumerate(claims.explanations):
        claims.problem.limits.check()
        if len(explanation.changed) > most:
            raise CertificateError(
                f"explanation {number} changes {len(explanation.changed)} features, {most} are allowed"
            )
        _check_moves(claims.problem, number, explanation)
    return f"at most {most} features changed, every move allowed"


def _check_moves(problem: Problem, number: int, explanation: Explanation) -> None:
    rows, point = problem.codes[list(explanation.members)], np.array(explanation.point)
    for feature in np.flatnonzero((rows != point).any(axis=0)).tolist():
        old, new = rows[:, feature], explanation.point[feature]
        if feature not in explanation.changed:
            row = explanation.members[int(np.argmax(old != new))]
            raise CertificateError(
                f"row {row} must change feature {feature}, which explanation {number} keeps"
            )
        rule = problem.rules[feature]
        if rule is not None and not rule[old, new].all():
            wrong = int(np.argmin(rule[old, new]))
            raise CertificateError(
                f"explanation {number} moves feature {feature} of row {explanation.members[wrong]} "
                f"from {old[wrong]} to {new}, which is not allowed"
            )
