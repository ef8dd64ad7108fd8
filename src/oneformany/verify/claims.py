"""Everything a result file claims, read strictly: what is not as it should be is an error that says where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.groups import Alike, read_alike
from oneformany.verify.problem import MOST_ROWS, OwnRule, Problem, read_problem
from oneformany.verify.proofs import LARGEST_NUMBER, Branch, Cost, Items, Proof, ProofReader
from oneformany.verify.reading import IntArray, Json, Limits

NO_CELL = -1
STATUSES = ("optimal", "feasible", "infeasible")
ENDINGS = ("proved", "time limit", "interrupted", "limit")
ROUNDED = 9


class Explanation(NamedTuple):
    """What rows are told to change, and the rows assigned to it."""

    point: tuple[int, ...]  # cells; NO_CELL where the rows of a group share none
    changed: tuple[int, ...]
    members: tuple[int, ...]
    ends: IntArray | None  # (m, p) where each member ends, if they share the changed features only


class Others(NamedTuple):
    """People of whom the file holds nothing but their number."""

    people: int = 0
    by: tuple[int, ...] = ()
    unreachable: int = 0
    undecided: int = 0

    @property
    def covered(self) -> int:
        """How many have an explanation."""
        return sum(self.by)

    @property
    def left_out(self) -> int:
        """How many can be helped, but have no explanation."""
        return self.people - self.covered - self.unreachable - self.undecided


class Goal(NamedTuple):
    """What was wanted: at most so many explanations, or a share of the people."""

    explanations: int | None = None
    coverage: float | None = None

    @property
    def limited(self) -> bool:
        """Whether rows may be left out although they can be helped."""
        return self.explanations is not None or self.coverage is not None

    def needed(self, people: int) -> int:
        """Count the people that must be covered; 0.9 is nine tenths, not the binary number next to it.

        However small the share is, it is somebody.
        """
        share = 1.0 if self.coverage is None else self.coverage
        return min(people, max(1, ceil(round(share * people, ROUNDED))))


@dataclass(frozen=True, eq=False)
class Claims:
    """Everything a result file claims; of undecided rows nothing is."""

    problem: Problem
    status: str
    count: int
    lower_bound: int  # what the count cannot go below
    explanations: tuple[Explanation, ...]
    assignment: IntArray  # for each row its explanation, or -1
    covered: int  # people
    unreachable: tuple[int, ...]
    undecided: tuple[int, ...]
    bound: int  # the lower bound as the certificate gives it
    proof: Proof | None  # why the bound holds, and covered_bound
    solver: str | None  # whose word the bound is, without a proof
    goal: Goal
    covered_bound: int  # how many people can be covered at most; only with a goal
    cost: int
    cost_bound: int
    cost_proof: Cost | None
    others: Others  # beside the rows
    alike: Alike | None = None  # groups of people who were to be helped alike

    @cached_property
    def covered_rows(self) -> IntArray:
        """The rows that have an explanation."""
        return np.flatnonzero(self.assignment >= 0)

    @cached_property
    def cells_after(self) -> IntArray:
        """The cells of all rows after following: the point's, the advice's, or a row's own."""
        cells, rows = self.problem.codes.copy(), self.covered_rows
        if len(rows):
            points = np.array([explanation.point for explanation in self.explanations], dtype=np.int64)
            told = points[self.assignment[rows]]
            cells[rows] = np.where(told == NO_CELL, cells[rows], told)
        for explanation in self.explanations:
            if explanation.ends is not None:
                cells[list(explanation.members)] = explanation.ends
        return cells

    @property
    def helpable(self) -> int:
        """How many people are not proved to be beyond help."""
        beyond = int(self.problem.people[list(self.unreachable)].sum()) + self.others.unreachable
        return self.people - beyond

    @property
    def open(self) -> int:
        """How many rows, or other people, are undecided."""
        return len(self.undecided) + self.others.undecided

    @property
    def people(self) -> int:
        """How many there are together."""
        return int(self.problem.people.sum()) + self.others.people

    @property
    def covered_items(self) -> Items:
        """Different rows that are covered."""
        return Items.single(self.problem.different(self.covered_rows).tolist())

    @property
    def helpable_items(self) -> Items:
        """Different rows that are not called unreachable, nor equal to one that is."""
        kinds = self.problem.kinds
        others = np.flatnonzero(~np.isin(kinds, kinds[list(self.unreachable)]))
        return Items.single(self.problem.different(others).tolist())

    @property
    def wanted(self) -> int:
        """How many people the goal asks for, as far as they are not beyond help."""
        return min(self.helpable, self.goal.needed(self.people))


def read_claims(content: Mapping[str, Any], limits: Limits, own: Sequence[OwnRule] = ()) -> Claims:
    """Read what a result file claims, if it is exactly of the format; ``own`` are rules it lacks."""
    top = Json(content, limits)
    try:
        claims = _claims(top, own)
    except RecursionError as error:
        raise CertificateError("the proof is too deep to be read") from error
    top.refuse_unknown()
    return claims


def _claims(top: Json, own: Sequence[OwnRule]) -> Claims:
    # What only the digest binds has a type at least.
    top["method"].text()
    top["seed"].integer(-LARGEST_NUMBER, LARGEST_NUMBER)
    top["ended"].text(ENDINGS)
    top["digest"].text()
    for name in ("versions", "statistics", "schema"):
        if name != "schema" or top[name].value is not None:
            top[name].allow()
    top.allow("format", "version", "index_type")
    problem = read_problem(top["problem"], own)
    rows, people = len(problem.codes), int(problem.people.sum())
    top["index"].values(rows)
    explanations = tuple(_explanation(entry, problem) for entry in top["explanations"].entries())
    certificate, goal = top["certificate"], _goal(top)
    others = _others(top["others"], len(explanations)) if "others" in top else Others()
    people += others.people
    if others.left_out and not goal.limited:
        raise CertificateError(f"{others.left_out} other people are neither covered nor unreachable")
    _check_fit(top, certificate, goal)
    unreachable = []
    for entry in top["unreachable"].entries():
        entry["reason"].text()
        entry.allow("needed_changes", "blocked_by")  # for readers
        unreachable.append(entry["row"].integer(0, rows - 1))
    reader, costed = ProofReader(rows, len(problem.levels)), certificate.has("cost")
    proof = None if certificate["proof"].value is None else reader.proof(certificate["proof"])
    if goal.limited and isinstance(proof, Branch):
        raise CertificateError("certificate.proof is by branching where the goal is not to cover every row")
    return Claims(
        problem=problem,
        status=top["status"].text(STATUSES),
        count=top["count"].integer(0, rows),
        lower_bound=top["lower_bound"].integer(0, rows),
        explanations=explanations,
        assignment=top["assignment"].array(-1, len(explanations) - 1, rows),
        covered=top["covered"].integer(0, people),
        unreachable=tuple(unreachable),
        undecided=top["undecided"].integers(0, rows - 1),
        bound=certificate["bound"].integer(0, rows),
        proof=proof,
        solver=certificate["solver"].printable(80) if certificate.has("solver") else None,
        goal=goal,
        covered_bound=top["covered_bound"].integer(0, people) if goal.limited else people,
        cost=top["cost"].integer(0, LARGEST_NUMBER) if costed else 0,
        cost_bound=top["cost_bound"].integer(0, LARGEST_NUMBER) if costed else 0,
        cost_proof=reader.cost(certificate["cost"]) if costed else None,
        others=others,
        alike=read_alike(top["problem"], rows),
    )


def _others(given: Json, explanations: int) -> Others:
    """Read how many people there are beside the rows, and what is said of them."""
    people = given["people"].integer(0, MOST_ROWS)
    by = given["by"].integers(0, people, explanations)
    unreachable, undecided = (given[name].integer(0, people) for name in ("unreachable", "undecided"))
    others = Others(people, by, unreachable, undecided)
    if others.left_out < 0:
        raise CertificateError(f"others are {people} people, of whom more are said to have a fate")
    return others


def _goal(top: Json) -> Goal:
    if not top.has("goal"):
        return Goal()
    most, share = top["goal"]["explanations"], top["goal"]["coverage"]
    coverage = None if share.value is None else share.number()
    if coverage is not None and not 0 < coverage <= 1:
        raise CertificateError(f"{share.path} must be above 0 and at most 1")
    return Goal(None if most.value is None else most.integer(1, LARGEST_NUMBER), coverage)


def _check_fit(top: Json, certificate: Json, goal: Goal) -> None:
    """What belongs together is there together."""
    if ("covered_bound" in top) != goal.limited:
        raise CertificateError("covered_bound is given exactly where the goal is not to cover every row")
    if "others" in top and certificate.has("cost"):
        raise CertificateError("no cost of other people can be known, but a cost is given")
    if len({"cost" in top, "cost_bound" in top, certificate.has("cost")}) != 1:
        raise CertificateError("cost, cost_bound and certificate.cost are given together or not at all")


def _explanation(given: Json, problem: Problem) -> Explanation:
    """Read a point: full where rows share it, of changed features where they share an action, else empty."""
    cells, changed = given["point"], given["changed"].distinct(len(problem.levels) - 1)
    members = given["members"].distinct(len(problem.codes) - 1)
    point = cells.integers(NO_CELL, max(problem.levels) - 1, len(problem.levels))
    told = {"point": range(len(point)), "action": changed, "features": ()}[problem.share]
    for feature, (cell, n) in enumerate(zip(point, problem.levels, strict=True)):
        if cell >= n:
            raise CertificateError(f"{cells.path} has code {cell} in feature {feature}, which has {n} levels")
        if (cell == NO_CELL) == (feature in told):
            raise CertificateError(
                f"{cells.path} must tell a level in {len(told)} features, and -1 in all others"
            )
    ends = given["ends"].codes(problem.levels, len(members)) if problem.share == "features" else None
    return Explanation(point, changed, members, ends)
