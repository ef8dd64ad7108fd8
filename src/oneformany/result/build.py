"""The one place that builds results: from groups of rows, reasons and a proof, and no claim beyond these."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.plain import written
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.problem.goal import Goal
from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.facts import Asker
from oneformany.result.least_cost import least_move, proof_by_single_moves
from oneformany.result.own_rules import written_rule
from oneformany.result.proof import Proof
from oneformany.result.result import Ended, Result, Status
from oneformany.result.squares import written_square
from oneformany.statistics import Statistics
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class Group:
    """Distinct rows that share an explanation."""

    point: IntArray  # where they go; -1 where they stay
    rows: IntArray  # which of the problem's distinct rows they are
    ends: IntArray | None = None  # where each of them goes, if they go to different points


def build_result(
    problem: Problem,
    groups: Sequence[Group],
    *,
    reasons: Mapping[int, str],
    helpable: IntArray,
    proof: Proof | None,
    stop: Stop,
    goal: Goal | None = None,
    bound: int | None = None,
    covered_bound: int | None = None,
    cost_open: bool = False,
    notes: tuple[str, str] = ("", ""),
    by_time: bool = False,
    settled: bool = False,
    asker: Asker | None = None,
    **told: AnyValue,
) -> Result:
    """State what was found and what was proved, in the numbering of the given rows.

    No distinct row is in two groups. ``reasons`` say why distinct rows are proved to be beyond help, and
    ``helpable`` are those that are known to be helpable; all others are undecided. ``bound`` explanations are
    needed where a proof of coverage says so, and ``cost_open`` is a least cost that was asked for and that no
    search proved. The ``notes`` say why the cost, and the number, may not be proved, for where they are not;
    ``by_time``: whatever other limit was met, more time would have helped; ``settled``: all was proved by
    other means. Whoever asked sees a draft, and what it knows gets into the result. What else is ``told`` is
    as in :class:`~oneformany.Result`.
    """
    explanations, assignment = explanations_of(problem, groups)
    # Before the classifier is described: what it answers here may be about doubtful points
    alone = least_move(problem) if cost_open else None
    beyond = [row for row, distinct in enumerate(problem.row_of.tolist()) if distinct in reasons]
    known = np.zeros(len(problem.rows), dtype=np.bool_)
    known[[*helpable, *reasons]] = True
    undecided = np.flatnonzero(~known[problem.row_of])
    proved = bound if bound is not None else 0 if proof is None else proof.bound
    lower_bound = min(len(explanations), proved)
    best = lower_bound == len(explanations)
    if covered_bound is not None:
        best = covered_bound <= int(problem.multiplicity[[r for g in groups for r in g.rows]].sum())
    status: Status = "optimal" if best and not len(undecided) else "feasible"
    if len(beyond) == len(problem.codes):
        status = "infeasible"
    stated: dict[str, Any] = dict(
        status=status,
        count=len(explanations),
        lower_bound=lower_bound,
        explanations=explanations,
        assignment=tuple(assignment.tolist()),
        unreachable=tuple(Unreachable(row, reasons[int(problem.row_of[row])]) for row in beyond),
        undecided=tuple(undecided.tolist()),
        proof=proof,
        problem=problem_to_dict(problem),
        goal=goal or Goal(),
        covered_bound=covered_bound,
        **{"statistics": Statistics(), "cost_proof": None, **told},
    )
    draft = Result(**stated)
    if alone is not None:
        proofs = [one for one in (proof_by_single_moves(problem, alone, draft), draft.cost_proof) if one]
        stated["cost_proof"] = max(proofs, key=lambda one: one.bound)
    proved_cost = None if stated["cost_proof"] is None else stated["cost_proof"].bound
    why_cost, why_count = notes
    if why_cost and proved_cost != draft.cost_units:
        draft.statistics.notes.append(why_cost)
    if why_count and status == "feasible":
        draft.statistics.notes.append(why_count)
    draft.statistics.limits[:] = stop.limits
    dearer = cost_open and (proved_cost is None or proved_cost < draft.cost_units)
    if (status == "feasible" or dearer) and not settled:
        ended = _why_ended(stop)
        stated["ended"] = "time limit" if by_time and ended == "limit" else ended
    return Result(**stated) if asker is None else _with_facts(stated, asker)


def _with_facts(stated: dict[str, Any], asker: Asker) -> Result:
    """Show a draft to whoever asked, and make the result of what is stated and what it knows."""
    facts = asker.facts(Result(**stated))
    more = {} if facts.unreachable is None else {"unreachable": facts.unreachable}
    question = {**stated["problem"], **facts.problem}
    return Result(**{**stated, **more, "problem": question}, schema=facts.schema, index=facts.index)


def _why_ended(stop: Stop) -> Ended:
    """Why a run ended before everything was proved; which limit it was, statistics say."""
    if stop.interrupted:
        return "interrupted"
    return "time limit" if stop.cut_by_time else "limit"


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Write down a problem as plain data, the classifier included; see ``docs/format.md``."""
    moves = (None if matrix is None else written_square(matrix) for matrix in problem.moves)
    costs = problem.costs
    people = {} if problem.people is None else {"people": np.asarray(problem.people).tolist()}
    slack = {} if problem.slack is None else {"slack": _written_slack(problem)}
    return {
        "codes": problem.codes.tolist(),
        "levels": list(problem.levels),
        "max_changes": problem.max_changes,
        "allowed": None if problem.allowed is None else list(moves),
        "oracle": problem.oracle.describe(),
        "share": problem.share,
        "own": written(problem.own),
        "costs": costs and _written_costs(costs),
        "restrictions": [*map(written_rule, problem.restrictions)],
        **people,
        **slack,
    }


def _written_slack(problem: Problem) -> dict[str, Any]:
    """How much more rows may pay, and the moves of each given row that are its cheapest way alone."""
    told = written(problem.slack)
    ways: list[list[list[int]] | None] = [None] * len(problem.rows)
    if problem.alone is not None:
        for row in np.flatnonzero(problem.alone.known).tolist():
            ends = problem.alone.ends[row]
            ways[row] = [[f, int(ends[f])] for f in np.flatnonzero(ends != problem.rows[row]).tolist()]
    return {**told, "alone": [ways[row] for row in problem.row_of.tolist()]}


def _written_costs(costs: Costs) -> dict[str, Any]:
    measured = {} if costs.measure is None else {"measure": costs.measure}
    return {"tables": list(map(written_square, costs.tables)), "scale": costs.scale, **measured}


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Look up the installed versions of packages."""
    found = dict.fromkeys(packages, "unknown")
    for package in found:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def explanations_of(problem: Problem, groups: Sequence[Group]) -> tuple[tuple[Explanation, ...], IntArray]:
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
        goal = group.point if group.ends is None else group.ends
        changed = ((problem.rows[group.rows] != goal) & (goal >= 0)).any(axis=0)
        # What nobody changes is not a part of the advice
        point = np.where(changed | (problem.share != "action"), group.point, -1).tolist()
        ends = None if group.ends is None else group.ends[position[problem.row_of[members]]].tolist()
        point, features, rows = map(tuple, (point, np.flatnonzero(changed).tolist(), members.tolist()))
        explanations.append(Explanation(point, features, rows, ends))
    return tuple(explanations), assignment
