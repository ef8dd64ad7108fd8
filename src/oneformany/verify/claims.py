"""Everything a result file claims, read strictly: what is not as it should be is an error that says where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.codes import read_codes
from oneformany.verify.goal_proofs import (
    AnchoredCostProof,
    CostProof,
    CoverageProof,
    read_cost,
    read_coverage,
)
from oneformany.verify.json_object import JsonObject
from oneformany.verify.limits import Limits
from oneformany.verify.problem import Problem, read_problem
from oneformany.verify.proofs import LARGEST_NUMBER, Proof, read_proof

__all__ = ["NO_CELL", "Claims", "Explanation", "Goal", "read_claims"]

NO_CELL = -1
STATUSES = ("optimal", "feasible", "infeasible")
ENDINGS = ("proved", "time limit", "interrupted", "limit")
PARTS = (
    *("format", "version", "status", "count", "lower_bound", "method", "seed", "versions", "problem"),
    *("explanations", "assignment", "unreachable", "undecided", "certificate", "statistics", "schema"),
    *("covered", "ended", "index", "digest"),
)
OPTIONAL = ("index_type", "goal", "covered_bound", "cost", "cost_bound")
ROUNDED = 9


@dataclass(frozen=True)
class Explanation:
    """What rows are told to change, and the rows assigned to it.

    Attributes
    ----------
    point : tuple of int
        Cells; -1 where the rows of a group share none.
    changed : tuple of int
        Features that may change.
    members : tuple of int
        The given rows that follow it.
    ends : (m, p) integer array or None
        Where each member ends, if they share the changed features only.
    """

    point: tuple[int, ...]
    changed: tuple[int, ...]
    members: tuple[int, ...]
    ends: NDArray[np.int64] | None = None


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
    """Everything a result file claims.

    Attributes
    ----------
    problem : Problem
        What was asked.
    status : str
        "optimal", "feasible" or "infeasible".
    count, lower_bound : int
        Number of explanations, and what it cannot go below.
    explanations : tuple of Explanation
        The answer.
    assignment : tuple of int
        For each row its explanation, or -1.
    covered : int
        How many rows are covered.
    unreachable : tuple of int
        Rows that no explanation can help.
    undecided : tuple of int
        Rows of which nothing is claimed.
    bound : int
        The lower bound as the certificate gives it.
    proof : Proof
        Why the bound holds.
    goal : Goal
        What was wanted.
    covered_bound : int or None
        How many people can be covered at most; only with a goal.
    cost, cost_bound : int or None
        What the covered people change, and what it cannot cost less than.
    coverage, cost_proof : proofs or None
        Why ``covered_bound`` or ``lower_bound``, and ``cost_bound``, hold.
    """

    problem: Problem
    status: str
    count: int
    lower_bound: int
    explanations: tuple[Explanation, ...]
    assignment: tuple[int, ...]
    covered: int
    unreachable: tuple[int, ...]
    undecided: tuple[int, ...]
    bound: int
    proof: Proof
    goal: Goal
    covered_bound: int | None
    cost: int | None
    cost_bound: int | None
    coverage: CoverageProof | None
    cost_proof: CostProof | AnchoredCostProof | None

    @property
    def helpable(self) -> int:
        """How many people are not proved to be beyond help."""
        return int(self.problem.people.sum() - self.problem.people[list(self.unreachable)].sum())


def read_claims(content: Mapping[str, Any], limits: Limits) -> Claims:
    """Read what a result file claims.

    Raises
    ------
    CertificateError
        The content is not exactly of the format.
    NotConfirmedError
        It claims what this release cannot check, or is too large.
    """
    fields = JsonObject(content).only(*PARTS, optional=OPTIONAL)
    try:
        return _claims(fields, limits)
    except RecursionError as error:
        raise CertificateError("the proof is too deep to be read") from error


def _claims(fields: JsonObject, limits: Limits) -> Claims:
    _check_free_parts(fields)
    problem = read_problem(fields.inner("problem"), limits)
    rows = len(problem.codes)
    limits.check()
    fields.entries("index", rows)
    explanations = _explanations(fields, problem)
    certificate = fields.inner("certificate").only("bound", "proof", optional=("coverage", "cost"))
    goal = _goal(fields)
    _check_fit(fields, certificate, goal)
    features, people = len(problem.levels), int(problem.people.sum())
    assignment = fields.integers("assignment", -1, len(explanations) - 1, rows)
    return Claims(
        problem=problem,
        status=fields.text("status", STATUSES),
        count=fields.integer("count", 0, rows),
        lower_bound=fields.integer("lower_bound", 0, rows),
        explanations=explanations,
        assignment=assignment,
        covered=fields.integer("covered", 0, people),
        unreachable=tuple(_unreachable(entry, rows) for entry in fields.inners("unreachable")),
        undecided=fields.integers("undecided", 0, rows - 1),
        bound=certificate.integer("bound", 0, rows),
        proof=read_proof(certificate, rows),
        goal=goal,
        covered_bound=fields.integer("covered_bound", 0, people) if goal.limited else None,
        cost=fields.integer("cost", 0, LARGEST_NUMBER) if "cost" in fields else None,
        cost_bound=fields.integer("cost_bound", 0, LARGEST_NUMBER) if "cost_bound" in fields else None,
        coverage=read_coverage(certificate.inner("coverage"), rows, features)
        if certificate.has("coverage")
        else None,
        cost_proof=read_cost(certificate.inner("cost"), rows, features) if certificate.has("cost") else None,
    )


def _goal(fields: JsonObject) -> Goal:
    if not fields.has("goal"):
        return Goal()
    asked = fields.inner("goal").only("explanations", "coverage")
    coverage = asked.number("coverage")
    if coverage is not None and not 0 < coverage <= 1:
        raise CertificateError(f"{asked.path('coverage')} must be above 0 and at most 1")
    most = asked.integer("explanations", 1, LARGEST_NUMBER) if asked.has("explanations") else None
    return Goal(most, coverage)


def _check_fit(fields: JsonObject, certificate: JsonObject, goal: Goal) -> None:
    """What belongs together is there together."""
    if ("covered_bound" in fields) != goal.limited:
        raise CertificateError("covered_bound is given exactly where the goal is not to cover every row")
    if certificate.has("coverage") and not goal.limited:
        raise CertificateError("certificate.coverage is given where the goal is to cover every row")
    if goal.limited and certificate.value("proof") is not None:
        raise CertificateError("certificate.proof is given where the goal is not to cover every row")
    if len({"cost" in fields, "cost_bound" in fields, certificate.has("cost")}) != 1:
        raise CertificateError("cost, cost_bound and certificate.cost are given together or not at all")


def _check_free_parts(fields: JsonObject) -> None:
    """What only the digest binds has a type at least."""
    fields.text("method")
    fields.integer("seed", -LARGEST_NUMBER, LARGEST_NUMBER)
    fields.inner("versions")
    fields.inner("statistics")
    fields.text("ended", ENDINGS)
    fields.text("digest")
    if fields.value("schema") is not None:
        fields.inner("schema")


def _explanations(fields: JsonObject, problem: Problem) -> tuple[Explanation, ...]:
    rows, features = problem.codes.shape
    names = ("point", "changed", "members", *(("ends",) if problem.share == "features" else ()))
    entries = [entry.only(*names) for entry in fields.inners("explanations")]
    found = []
    for entry in entries:
        changed = entry.distinct("changed", features - 1)
        point = _point(entry, problem, changed)
        members = entry.distinct("members", rows - 1)
        ends = (
            read_codes(entry.entries("ends", len(members)), entry.path("ends"), problem.levels)
            if problem.share == "features"
            else None
        )
        found.append(Explanation(point, changed, members, ends))
    return tuple(found)


def _point(entry: JsonObject, problem: Problem, changed: tuple[int, ...]) -> tuple[int, ...]:
    """Read a point: full where rows share it, of changed features where they share an action, else empty."""
    path = entry.path("point")
    point = entry.integers("point", NO_CELL, max(problem.levels) - 1, len(problem.levels))
    told = {"point": range(len(point)), "action": changed, "features": ()}[problem.share]
    for feature, (cell, n) in enumerate(zip(point, problem.levels, strict=True)):
        if cell >= n:
            raise CertificateError(f"{path} has code {cell} in feature {feature}, which has {n} levels")
        if (cell == NO_CELL) == (feature in told):
            raise CertificateError(f"{path} must tell a level in {len(told)} features, and -1 in all others")
    return point


def _unreachable(fields: JsonObject, rows: int) -> int:
    """Read a row beyond help; what blocks it, and how many changes would help it, is for readers."""
    fields.only("row", "reason", optional=("needed_changes", "blocked_by")).text("reason")
    return fields.integer("row", 0, rows - 1)
