"""Everything a result file claims, read strictly: what is not as it should be is an error that says where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import IntArray
from oneformany.verify.items import Items
from oneformany.verify.limits import Limits
from oneformany.verify.problem import Problem, read_problem
from oneformany.verify.proofs import (
    LARGEST_NUMBER,
    CostProof,
    CoverageProof,
    Proof,
    read_cost,
    read_coverage,
    read_proof,
)
from oneformany.verify.reading import Json

NO_CELL = -1
STATUSES = ("optimal", "feasible", "infeasible")
ENDINGS = ("proved", "time limit", "interrupted", "limit")
ROUNDED = 9


@dataclass(frozen=True)
class Explanation:
    """What rows are told to change, and the rows assigned to it."""

    point: tuple[int, ...]  # cells; NO_CELL where the rows of a group share none
    changed: tuple[int, ...]
    members: tuple[int, ...]
    ends: IntArray | None = None  # (m, p) where each member ends, if they share the changed features only

    def cells_after(self, problem: Problem) -> IntArray:
        """Tell the cells of each member after following: the point's, the advice's, or the member's own."""
        if self.ends is not None:
            return self.ends
        cells, told = problem.codes[list(self.members)], list(self.changed)
        if problem.share == "point":
            told = list(range(len(self.point)))
        cells[:, told] = np.array(self.point, dtype=np.int64)[told]
        return cells


@dataclass(frozen=True)
class Goal:
    """What was wanted: at most so many explanations, or a share of the people."""

    explanations: int | None = None
    coverage: float | None = None

    @property
    def limited(self) -> bool:
        """Whether rows may be left out although they can be helped."""
        return self.explanations is not None or self.coverage is not None

    def needed(self, people: int) -> int:
        """Count the people that must be covered; 0.9 is nine tenths, not the binary number next to it."""
        share = 1.0 if self.coverage is None else self.coverage
        return min(people, ceil(round(share * people, ROUNDED)))


@dataclass(frozen=True, eq=False)
class Claims:
    """Everything a result file claims; of undecided rows nothing is."""

    problem: Problem
    status: str
    count: int
    lower_bound: int  # what the count cannot go below
    explanations: tuple[Explanation, ...]
    assignment: tuple[int, ...]  # for each row its explanation, or -1
    covered: int  # people
    unreachable: tuple[int, ...]
    undecided: tuple[int, ...]
    bound: int  # the lower bound as the certificate gives it
    proof: Proof
    goal: Goal
    covered_bound: int | None  # how many people can be covered at most; only with a goal
    cost: int | None
    cost_bound: int | None
    coverage: CoverageProof | None  # why covered_bound or lower_bound hold
    cost_proof: CostProof | None

    @property
    def helpable(self) -> int:
        """How many people are not proved to be beyond help."""
        return int(self.problem.people.sum() - self.problem.people[list(self.unreachable)].sum())

    @property
    def helpable_items(self) -> Items:
        """Different rows that are not called unreachable, nor equal to one that is."""
        kinds = self.problem.kinds
        others = np.flatnonzero(~np.isin(kinds, kinds[list(self.unreachable)]))
        return Items.single(self.problem.different(others).tolist())

    @property
    def wanted(self) -> int:
        """How many people the goal asks for, as far as they are not beyond help."""
        return min(self.helpable, self.goal.needed(int(self.problem.people.sum())))


def read_claims(content: Mapping[str, Any], limits: Limits) -> Claims:
    """Read what a result file claims.

    Raises
    ------
    CertificateError
        The content is not exactly of the format.
    NotConfirmedError
        It claims what this release cannot check, or is too large.
    """
    fields = Json(content)
    try:
        claims = _claims(fields, limits)
    except RecursionError as error:
        raise CertificateError("the proof is too deep to be read") from error
    fields.refuse_unknown()
    return claims


def _claims(fields: Json, limits: Limits) -> Claims:
    _check_free_parts(fields)
    problem = read_problem(fields["problem"], limits)
    rows, features = problem.codes.shape
    people = int(problem.people.sum())
    limits.check()
    fields["index"].values(rows)
    explanations = tuple(_explanation(entry, problem) for entry in fields["explanations"].entries())
    certificate = fields["certificate"]
    goal = _goal(fields)
    _check_fit(fields, certificate, goal)
    coverage = certificate["coverage"] if certificate.has("coverage") else None
    cost = certificate["cost"] if certificate.has("cost") else None
    return Claims(
        problem=problem,
        status=fields["status"].text(STATUSES),
        count=fields["count"].integer(0, rows),
        lower_bound=fields["lower_bound"].integer(0, rows),
        explanations=explanations,
        assignment=fields["assignment"].integers(-1, len(explanations) - 1, rows),
        covered=fields["covered"].integer(0, people),
        unreachable=tuple(_unreachable(entry, rows) for entry in fields["unreachable"].entries()),
        undecided=fields["undecided"].integers(0, rows - 1),
        bound=certificate["bound"].integer(0, rows),
        proof=read_proof(certificate["proof"], rows),
        goal=goal,
        covered_bound=fields["covered_bound"].integer(0, people) if goal.limited else None,
        cost=fields["cost"].integer(0, LARGEST_NUMBER) if cost else None,
        cost_bound=fields["cost_bound"].integer(0, LARGEST_NUMBER) if cost else None,
        coverage=read_coverage(coverage, rows, features) if coverage else None,
        cost_proof=read_cost(cost, rows, features) if cost else None,
    )


def _goal(fields: Json) -> Goal:
    if not fields.has("goal"):
        return Goal()
    asked = fields["goal"]
    most, share = asked["explanations"], asked["coverage"]
    coverage = None if share.value is None else share.number()
    if coverage is not None and not 0 < coverage <= 1:
        raise CertificateError(f"{share.path} must be above 0 and at most 1")
    return Goal(None if most.value is None else most.integer(1, LARGEST_NUMBER), coverage)


def _check_fit(fields: Json, certificate: Json, goal: Goal) -> None:
    """What belongs together is there together."""
    if ("covered_bound" in fields) != goal.limited:
        raise CertificateError("covered_bound is given exactly where the goal is not to cover every row")
    if certificate.has("coverage") and not goal.limited:
        raise CertificateError("certificate.coverage is given where the goal is to cover every row")
    if certificate.has("proof") and goal.limited:
        raise CertificateError("certificate.proof is given where the goal is not to cover every row")
    if len({"cost" in fields, "cost_bound" in fields, certificate.has("cost")}) != 1:
        raise CertificateError("cost, cost_bound and certificate.cost are given together or not at all")


def _check_free_parts(fields: Json) -> None:
    """What only the digest binds has a type at least."""
    fields["method"].text()
    fields["seed"].integer(-LARGEST_NUMBER, LARGEST_NUMBER)
    fields["ended"].text(ENDINGS)
    fields["digest"].text()
    for name in ("versions", "statistics", "schema"):
        if name != "schema" or fields[name].value is not None:
            fields[name].allow()
    fields.allow("format", "version", "index_type")


def _explanation(entry: Json, problem: Problem) -> Explanation:
    rows, features = problem.codes.shape
    changed = entry["changed"].distinct(features - 1)
    members = entry["members"].distinct(rows - 1)
    ends = entry["ends"].codes(problem.levels, len(members)) if problem.share == "features" else None
    return Explanation(_point(entry["point"], problem, changed), changed, members, ends)


def _point(cells: Json, problem: Problem, changed: tuple[int, ...]) -> tuple[int, ...]:
    """Read a point: full where rows share it, of changed features where they share an action, else empty."""
    point = cells.integers(NO_CELL, max(problem.levels) - 1, len(problem.levels))
    told = {"point": range(len(point)), "action": changed, "features": ()}[problem.share]
    for feature, (cell, n) in enumerate(zip(point, problem.levels, strict=True)):
        if cell >= n:
            raise CertificateError(f"{cells.path} has code {cell} in feature {feature}, which has {n} levels")
        if (cell == NO_CELL) == (feature in told):
            raise CertificateError(
                f"{cells.path} must tell a level in {len(told)} features, and -1 in all others"
            )
    return point


def _unreachable(fields: Json, rows: int) -> int:
    """Read a row beyond help; what blocks it, and how many changes would help it, is for readers."""
    fields["reason"].text()
    fields.allow("needed_changes", "blocked_by")
    return fields["row"].integer(0, rows - 1)
