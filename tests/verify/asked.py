"""Small random questions of every kind that a file can ask, and the solver's answers to them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

import oneformany as ofm
from engine.listing.sharing_problems import draw_problem
from oneformany.engine.cover.large_options import TableOptions
from oneformany.goal import Goal
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.problem import Problem
from oneformany.schema.rules.implies import ImpliesCells
from oneformany.schema.rules.linked import LinkedCells
from oneformany.schema.rules.not_together import NotTogetherCells
from oneformany.schema.rules.observed import ObservedCells

KINDS = ("additive", "tree", "network")
SHARES = ("point", "action", "features")
GOALS = ("everybody", "explanations", "coverage", "both")


def question(rng: np.random.Generator, kind: str, share: str) -> Problem:
    """A problem with own values, rules on features and rows, costs and people, each by chance."""
    problem = draw_problem(rng, kind, share, restricted=False)
    if isinstance(problem.oracle, NetworkOracle):
        # Between two scores, where rounding does not decide.
        problem = replace(
            problem, oracle=NetworkOracle(problem.oracle.network, problem.oracle.threshold - 1e-6)
        )
    people = rng.integers(1, 4, size=len(problem.codes)) if rng.random() < 0.3 else None
    restrictions = (
        (restriction(rng, problem.levels),) if len(problem.levels) > 1 and rng.random() < 0.5 else ()
    )
    return replace(problem, restrictions=restrictions, people=people)


def restriction(rng: np.random.Generator, levels: tuple[int, ...]) -> Any:
    """A rule on two features."""
    one, other = rng.permutation(len(levels))[:2].tolist()
    number = int(rng.integers(4))
    if number == 0:
        levels_of = {feature: (int(rng.integers(levels[feature])),) for feature in (one, other)}
        return ImpliesCells(((one, levels_of[one]),), ((other, levels_of[other]),))
    if number == 1:
        return LinkedCells((one, other), bool(rng.random() < 0.5))
    if number == 2:
        return NotTogetherCells((one, other))
    reference = rng.integers(levels, size=(6, len(levels)))[:, [one, other]]
    rows, counts = np.unique(reference, axis=0, return_counts=True)
    return ObservedCells((one, other), rows, counts, int(rng.integers(1, 3)))


def goal(rng: np.random.Generator, name: str) -> Goal:
    """Cover everybody, or less."""
    explanations = int(rng.integers(1, 4)) if name in {"explanations", "both"} else None
    coverage = float(rng.choice([0.3, 0.5, 0.9, 1.0])) if name in {"coverage", "both"} else None
    return Goal(explanations, coverage)


def answered(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """The file of an answer; the number tells kind, share and goal, all combinations in turn."""
    kind, share = KINDS[number % 3], SHARES[number // 3 % 3]
    problem, wanted = question(rng, kind, share), goal(rng, GOALS[number // 9 % 4])
    # Few rounds leave bad weights and prices, so that proofs need searches.
    table = TableOptions(max_rounds=int(rng.integers(0, 3)), repair=bool(rng.random() < 0.5))
    result = ofm.solve(
        problem,
        explanations=wanted.explanations,
        coverage=wanted.coverage,
        options=ofm.Options(way="listing", least_cost=bool(rng.random() < 0.8), table=table),
    )
    content: dict[str, Any] = json.loads(result.to_json())
    return content
