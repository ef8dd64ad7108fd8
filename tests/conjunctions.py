"""Random small problems under several classifiers at once, compared with brute force and verified."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

import oneformany as ofm
from engine.listing.sharing_problems import draw_oracle
from oneformany.oracles.conjunction import conjunction
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.verify import Outcome, verify
from test_goals import check_best, solved
from tree_questions import all_points
from verify.asked import GOALS, SHARES, goal, question, tied

KINDS = ("additive", "tied", "tree", "network", "black box")
PAIRS = tuple(combinations_with_replacement(KINDS, 2))


def draw_member(rng: np.random.Generator, kind: str, levels: tuple[int, ...]) -> Any:
    """Draw a classifier that accepts a good part of all points, so that several together accept some."""
    if kind == "tied":
        return tied(rng, levels)
    oracle, share = draw_oracle(rng, kind, levels), float(rng.choice([0.2, 0.5, 0.7]))
    threshold = float(np.quantile(oracle.score(all_points(levels)), share, method="nearest"))
    if kind == "tree":
        return TreeOracle(oracle.ensemble, threshold)
    if kind == "network":  # between two scores, where rounding does not decide
        return NetworkOracle(oracle.network, threshold - 1e-6)
    return oracle


def draw_conjunction(rng: np.random.Generator, pair: tuple[str, str], levels: tuple[int, ...]) -> Any:
    """Draw two or three members; all are needed, or all but one, or one and one of two others."""
    kinds = [*pair, str(rng.choice(KINDS))][: int(rng.integers(2, 4))]
    members = [draw_member(rng, kind, levels) for kind in kinds]
    wanted = rng.random()
    if wanted < 0.25:
        return conjunction(members, len(members) - 1)
    if wanted < 0.4:
        return conjunction([members[0], conjunction(members[1:], 1)])
    return conjunction(members)


def drawn(seed: int, number: int) -> tuple[Problem, Goal]:
    """Draw a problem; the number tells the pair of kinds, what is shared and the goal."""
    rng = np.random.default_rng([seed, number])
    share, wanted = SHARES[number // len(PAIRS) % 3], goal(rng, GOALS[number // (3 * len(PAIRS)) % 4])
    problem = question(rng, "additive", share)
    joint = draw_conjunction(rng, PAIRS[number % len(PAIRS)], problem.oracle.levels)
    return replace(problem, oracle=joint, people=None), wanted


def kinds_in(described: dict[str, Any]) -> set[str]:
    """The kinds of all classifiers in a description, however deep."""
    inside = [kinds_in(member) for member in described.get("members", ())]
    return set().union({described["kind"]}, *inside)


def disagreement(seed: int, number: int) -> str:
    """What is wrong with the answer to a problem, or with what ``verify`` says of it; empty when nothing."""
    problem, wanted = drawn(seed, number)
    result = solved(problem, wanted)
    try:
        check_best(problem, wanted, result)
    except AssertionError as error:
        return f"brute force: {error}"
    report = verify(result.to_json())
    known = "black box" not in kinds_in(problem.oracle.describe())
    if report.outcome is Outcome.WRONG or (known and report.outcome is not Outcome.CONFIRMED):
        return "; ".join(f"{check.name}: {check.detail}" for check in report.checks if not check.ok)
    return ""


def answered(seed: int, number: int) -> dict[str, Any]:
    """The file of an answer."""
    problem, wanted = drawn(seed, number)
    way: Any = "search" if number % 2 and problem.share == "point" else "listing"
    result = ofm.solve(
        problem,
        explanations=wanted.explanations,
        coverage=wanted.coverage,
        options=ofm.Options(least_cost=True, way=way) if way == "listing" else ofm.Options(least_cost=True),
    )
    content: dict[str, Any] = json.loads(result.to_json())
    return content
