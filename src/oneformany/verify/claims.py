"""Everything a result file claims, read strictly: what is not as it should be is an error that says where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.codes import read_codes
from oneformany.verify.json_object import JsonObject
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.problem import Problem, read_problem
from oneformany.verify.proofs import LARGEST_NUMBER, Proof, read_proof

__all__ = ["Claims", "Explanation", "read_claims"]

STATUSES = ("optimal", "feasible", "infeasible")
ENDINGS = ("proved", "time limit", "interrupted", "limit")
PARTS = (
    *("format", "version", "status", "count", "lower_bound", "method", "seed", "versions", "problem"),
    *("explanations", "assignment", "unreachable", "undecided", "certificate", "statistics", "schema"),
    *("covered", "ended", "index", "digest"),
)
# What a result may claim beyond this release, each with the value at which it claims nothing.
UNCHECKED = {"share": "point", "covered_bound": None, "cost": None, "cost_bound": None, "budget": None}


@dataclass(frozen=True)
class Explanation:
    """A point, the features it changes, and the rows assigned to it."""

    point: tuple[int, ...]
    changed: tuple[int, ...]
    members: tuple[int, ...]


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

    @property
    def points(self) -> NDArray[np.int64]:
        """The points of all explanations, one per row."""
        points = np.array([explanation.point for explanation in self.explanations], dtype=np.int64)
        return points.reshape(-1, len(self.problem.levels))


def read_claims(content: Mapping[str, Any], limits: Limits) -> Claims:
    """Read what a result file claims.

    Raises
    ------
    CertificateError
        The content is not exactly of the format.
    NotConfirmedError
        It claims what this release cannot check, or is too large.
    """
    fields = JsonObject(content).only(*PARTS, optional=("index_type", *UNCHECKED))
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
    certificate = fields.inner("certificate").only("bound", "proof")
    assignment = fields.integers("assignment", -1, len(explanations) - 1, rows)
    return Claims(
        problem=problem,
        status=fields.text("status", STATUSES),
        count=fields.integer("count", 0, rows),
        lower_bound=fields.integer("lower_bound", 0, rows),
        explanations=explanations,
        assignment=assignment,
        covered=fields.integer("covered", 0, rows),
        unreachable=tuple(_unreachable(entry, rows) for entry in fields.inners("unreachable")),
        undecided=fields.integers("undecided", 0, rows - 1),
        bound=certificate.integer("bound", 0, rows),
        proof=read_proof(certificate, rows),
    )


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
    for name, nothing in UNCHECKED.items():
        if name in fields and fields.value(name) != nothing:
            raise NotConfirmedError(f"this release does not check {name}; install a newer one")


def _explanations(fields: JsonObject, problem: Problem) -> tuple[Explanation, ...]:
    rows, features = problem.codes.shape
    entries = [entry.only("point", "changed", "members") for entry in fields.inners("explanations")]
    points = read_codes([entry.value("point") for entry in entries], "points", problem.levels)
    return tuple(
        Explanation(
            tuple(point), entry.distinct("changed", features - 1), entry.distinct("members", rows - 1)
        )
        for point, entry in zip(points.tolist(), entries, strict=True)
    )


def _unreachable(fields: JsonObject, rows: int) -> int:
    fields.only("row", "reason").text("reason")
    return fields.integer("row", 0, rows - 1)
