"""The one place that builds results: from groups of rows, reasons and a proof, and no claim beyond these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.result.asked import problem_to_dict
from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.goal_proofs import AnchoredCostProof, CostProof, CoverageProof
from oneformany.result.proof import Proof
from oneformany.result.result import Ended, Result, Status
from oneformany.statistics import Statistics
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class Group:
    """Distinct rows that share an explanation."""

    point: IntArray  # where they go
    rows: IntArray  # which of the problem's distinct rows they are
    changed: BoolArray | None = None  # what they may change; None: where one of them differs from the point
    ends: IntArray | None = None  # where each of them goes, if they go to different points


def build_result(
    problem: Problem,
    groups: Sequence[Group],
    *,
    reasons: Mapping[int, str],
    helpable: IntArray,
    proof: Proof | None,
    stop: Stop,
    statistics: Statistics,
    versions: Mapping[str, str],
    method: str,
    seed: int = 0,
    goal: Goal | None = None,
    bound: int | None = None,
    covered_bound: int | None = None,
    coverage_proof: CoverageProof | None = None,
    cost_proof: CostProof | AnchoredCostProof | None = None,
    cost_open: bool = False,
) -> Result:
    """State what was found and what was proved, in the numbering of the given rows.

    Parameters
    ----------
    problem : Problem
        What was asked.
    groups : sequence of Group
        The explanations; no distinct row is in two of them.
    reasons : mapping from int to str
        Distinct rows that are proved to be beyond help, and why.
    helpable : integer array
        Distinct rows that are known to be helpable. Rows neither there nor in ``reasons`` are undecided.
    proof : Proof or None
        Why so many explanations are needed; ``None``: nothing is proved.
    stop : Stop
        Tells what ended the run.
    bound : int or None
        Explanations that are proved to be needed, where ``coverage_proof`` says so.
    cost_open : bool
        Whether the least cost was asked for and is not proved.
    statistics, versions, method, seed, goal, covered_bound, coverage_proof, cost_proof
        As in :class:`~oneformany.Result`.
    """
    explanations, assignment = _explanations(problem, groups)
    unreachable = tuple(
        Unreachable(given, reasons[row])
        for given, row in enumerate(problem.row_of.tolist())
        if row in reasons
    )
    known = np.zeros(len(problem.rows), dtype=np.bool_)
    known[helpable] = True
    known[list(reasons)] = True
    undecided = tuple(np.flatnonzero(~known[problem.row_of]).tolist())
    proved = bound if bound is not None else 0 if proof is None else proof.bound
    lower_bound = min(len(explanations), proved)
    settled = (
        lower_bound == len(explanations)
        if covered_bound is None
        else covered_bound <= int(problem.multiplicity[[r for g in groups for r in g.rows]].sum())
    )
    status = _status(len(problem.codes), len(unreachable), len(undecided), settled=settled)
    return Result(
        status=status,
        count=len(explanations),
        lower_bound=lower_bound,
        explanations=explanations,
        assignment=tuple(assignment.tolist()),
        unreachable=unreachable,
        undecided=undecided,
        proof=proof,
        problem=problem_to_dict(problem),
        statistics=statistics,
        versions=dict(versions),
        seed=seed,
        method=method,
        ended=_ended(stop, proved=status != "feasible" and not cost_open),
        goal=goal or Goal(),
        covered_bound=covered_bound,
        coverage_proof=coverage_proof,
        cost_proof=cost_proof,
    )


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Look up the installed versions of packages."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def _status(rows: int, unreachable: int, undecided: int, *, settled: bool) -> Status:
    if unreachable == rows:
        return "infeasible"
    return "optimal" if settled and not undecided else "feasible"


def _ended(stop: Stop, *, proved: bool) -> Ended:
    if proved:
        return "proved"
    if stop.interrupted:
        return "interrupted"
    return "time limit" if stop.expired() else "limit"


def _explanations(problem: Problem, groups: Sequence[Group]) -> tuple[tuple[Explanation, ...], IntArray]:
    """Order explanations by people covered, then by first row."""
    order = sorted(groups, key=lambda g: (-int(problem.multiplicity[g.rows].sum()), int(g.rows.min())))
    owner = np.full(len(problem.rows), -1, dtype=np.int64)
    position = np.zeros(len(problem.rows), dtype=np.int64)
    for number, group in enumerate(order):
        if (owner[group.rows] >= 0).any():
            raise ValueError("a row is in two groups")
        owner[group.rows] = number
        position[group.rows] = np.arange(len(group.rows))
    assignment = owner[problem.row_of]
    by_owner = np.argsort(assignment, kind="stable")
    starts = np.searchsorted(assignment[by_owner], np.arange(len(order) + 1))
    explanations = []
    for number, group in enumerate(order):
        members = by_owner[starts[number] : starts[number + 1]]
        rows = problem.rows[group.rows]
        changed = (rows != group.point).any(axis=0) if group.changed is None else group.changed
        ends = None if group.ends is None else group.ends[position[problem.row_of[members]]].tolist()
        explanations.append(
            Explanation(
                tuple(group.point.tolist()),
                tuple(np.flatnonzero(changed).tolist()),
                tuple(members.tolist()),
                ends,
            )
        )
    return tuple(explanations), assignment
