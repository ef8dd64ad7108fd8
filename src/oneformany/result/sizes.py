"""How large the groups of a result are, and how much its rows change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oneformany.arrays import IntArray

if TYPE_CHECKING:
    from oneformany.result.explanation import Unreachable
    from oneformany.result.result import Result
    from oneformany.statistics import Round

SCORE = re.compile(r"(score|at most) (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)")
MEASURED = {
    "explanations": ("explanations", "proved: no fewer"),
    "people": ("rows covered", "proved: no more"),
    "cost": ("cost", "proved: no less"),
}


def people_in(result: Result, rows: Sequence[int]) -> int:
    """How many people some of the given rows stand for."""
    return int(result.people_of_rows[list(rows)].sum())


def noun(result: Result, number: int) -> str:
    """What is counted: rows, or people where a row stands for several."""
    one, several = ("person", "people") if "people" in result.problem else ("row", "rows")
    return one if number == 1 else several


def rows_by_reason(result: Result) -> dict[str, list[int]]:
    """Rows that are proved to be beyond help, together where their reasons differ in scores only."""
    found: dict[str, list[Unreachable]] = {}
    for entry in result.unreachable:
        found.setdefault(SCORE.sub(r"\1", entry.reason), []).append(entry)
    return {_common([entry.reason for entry in of]): [entry.row for entry in of] for of in found.values()}


def _common(reasons: Sequence[str]) -> str:
    """One reason for all: scores from the lowest to the highest, and the most that any of them can reach."""
    found = [dict(SCORE.findall(reason)) for reason in reasons]

    def told(match: re.Match[str]) -> str:
        low, high = (of((one[match[1]] for one in found), key=float) for of in (min, max))
        return f"{match[1]} {high}" if match[1] == "at most" or low == high else f"scores {low} to {high}"

    return SCORE.sub(told, reasons[0])


def group_sizes(result: Result) -> IntArray:
    """How many people each explanation covers: rows, unless a row stands for several."""
    return np.array([people_in(result, one.members) for one in result.explanations], dtype=np.int64)


def coverage_curve(result: Result) -> list[float]:
    """Percentage of all people that the 0, 1, 2, ... largest groups hold together."""
    largest_first = np.sort(group_sizes(result))[::-1]
    reached = np.concatenate(([0], np.cumsum(largest_first)))
    return [float(part) for part in 100.0 * reached / max(result.people, 1)]


def changes_by_feature(result: Result) -> IntArray:
    """How many people change each feature."""
    covered = np.array(result.assignment, dtype=np.int64) >= 0
    moved = np.array(result.problem["codes"])[covered] != result.points[covered]
    return np.asarray(result.people_of_rows[covered] @ moved, dtype=np.int64)


def shown_rounds(result: Result) -> list[Round]:
    """Rounds that can stand in one picture: with an answer, and about what the first of them is about."""
    rounds = [step for step in result.statistics.rounds if step.count]
    return [step for step in rounds if step.measure == rounds[0].measure]
