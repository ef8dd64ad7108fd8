"""Costs proved by anchors: confirmed when true, rejected when forged."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import sealed
from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.exceptions import CertificateError
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.verify import Outcome, verify
from reference_goals import best_answer

SEARCH = ofm.Options(way="search", least_cost=True)
PARTS = ("prices", "changes", "savings")


def numbers_of(proof: dict[str, Any], part: str) -> list[int]:
    found: list[int] = proof[part] if part == "prices" else proof["anchors"][part]
    return found


def cube(people: list[int] | None = None) -> Problem:
    """Seven rows of six features, of which the first must change; they differ in many others."""
    codes = np.random.default_rng(5).integers(0, 2, size=(7, 6))
    codes[:, 0] = 0
    oracle = ofm.AdditiveOracle([[0, 1], *[[0, 0]] * 5], threshold=1)
    return Problem(codes, (2,) * 6, oracle, 5, people=people)


def written(problem: Problem) -> dict[str, Any]:
    """The file of the cheapest answer."""
    content: dict[str, Any] = json.loads(ofm.solve(problem, options=SEARCH).to_json())
    return content


def outcome_of(content: dict[str, Any]) -> tuple[Outcome, str]:
    """What the verifier says about the cost bound."""
    (check,) = [c for c in verify(sealed(content)).checks if c.name == "cost bound holds"]
    return check.outcome, check.detail


@pytest.mark.parametrize("people", [None, [1, 2, 3, 1, 2, 3, 1]])
def test_a_true_bound_is_confirmed(people: list[int] | None) -> None:
    content = written(cube(people=people))
    assert content["certificate"]["cost"]["anchors"] is not None
    assert content["cost_bound"] > 0
    assert verify(content).ok
    assert ofm.Result.from_json(json.dumps(content)).cost_bound == content["cost_bound"]


def test_forgeries_of_every_part_are_wrong() -> None:
    content = written(cube())
    proof = content["certificate"]["cost"]
    for forge, message in (
        (lambda p: p.update(bound=p["bound"] + 1), "cost_bound"),
        (lambda p: p.update(needed=p["needed"] - 1), "fewer people"),
        (lambda p: p.update(explanations=p["explanations"] - 1), "about"),
        (lambda p: p["anchors"]["changes"].__setitem__(0, p["anchors"]["changes"][0] + 1), "fewer help it"),
        (lambda p: p["prices"].__setitem__(0, p["prices"][0] + 50 * p["scale"]), "saves more"),
    ):
        bent = copy.deepcopy(content)
        forge(bent["certificate"]["cost"])
        outcome, detail = outcome_of(bent)
        assert outcome is Outcome.WRONG
        assert message in detail
    positive = [row for row, saving in enumerate(proof["anchors"]["savings"]) if saving]
    assert positive
    rejected = 0
    for row in positive:
        bent = copy.deepcopy(content)
        bent["certificate"]["cost"]["anchors"]["savings"][row] = 0
        rejected += outcome_of(bent)[0] is Outcome.WRONG
    assert rejected


def test_random_forgeries_are_never_confirmed_above_the_truth() -> None:
    rng = np.random.default_rng(0)
    confirmed, rejected = 0, 0
    for number in range(150):
        kind = KINDS[number % len(KINDS)]
        problem = draw_problem(rng, kind, "point", own=False, restricted=False)
        content = written(problem)
        if "cost" not in content or not content["certificate"]["cost"]["anchors"]:
            continue
        best = best_answer(problem, Goal())
        proof = content["certificate"]["cost"]
        part = PARTS[int(rng.integers(3))]
        numbers = numbers_of(proof, part)
        if not numbers:
            continue
        row = int(rng.integers(len(numbers)))
        step = 1 if part == "changes" else proof["scale"]
        numbers[row] = max(0, numbers[row] + int(rng.integers(-3, 4)) * step)
        value = sum(
            price * int(problem.multiplicity[problem.row_of[index]])
            for index, price in zip(proof["scope"], proof["prices"], strict=True)
        ) - sum(sorted(proof["anchors"]["savings"], reverse=True)[: proof["explanations"]])
        proof["bound"] = content["cost_bound"] = min(content["cost"], max(0, -(-value // proof["scale"])))
        try:
            outcome, _ = outcome_of(content)
        except CertificateError:
            continue
        if outcome is Outcome.CONFIRMED:
            confirmed += 1
            assert proof["bound"] <= best.cost
        rejected += outcome is Outcome.WRONG
    assert confirmed
    assert rejected


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"memory_limit": 1e-6}])
def test_what_takes_too_long_or_too_much_is_open(limits: dict[str, float]) -> None:
    assert verify(written(cube()), **limits).outcome is Outcome.UNCONFIRMED


def test_a_file_with_a_part_missing_is_refused() -> None:
    content = written(cube())
    for part in (*PARTS, "scale", "needed"):
        bent = copy.deepcopy(content)
        del (bent["certificate"]["cost"]["anchors"] if part in PARTS[1:] else bent["certificate"]["cost"])[
            part
        ]
        with pytest.raises(CertificateError, match=part):
            verify(sealed(bent))


def test_costs_whose_sums_look_like_moves_that_are_forbidden_are_open() -> None:
    """1,030 moves of 2^30 each would be taken for one that nobody may make."""
    content, width, dear = written(cube()), 1030, 2**30
    problem = content["problem"]
    problem["codes"] = [[*row, *[0] * (width - 6)] for row in problem["codes"]]
    problem["levels"] += [1] * (width - 6)
    problem["oracle"]["tables"] += [[0]] * (width - 6)
    problem["costs"] = {"scale": 1, "tables": [[[0, dear], [dear, 0]]] * 6 + [[[0]]] * (width - 6)}
    for explanation in content["explanations"]:
        explanation["point"] += [0] * (width - 6)
    proof = content["certificate"]["cost"]
    proof.update(scale=1, bound=1, scope=list(range(7)), prices=[1] * 7)
    proof["anchors"] = {"changes": [1] * 7, "savings": [0] * 7}
    content.update(cost=content["cost"] * dear, cost_bound=1)
    outcome, detail = outcome_of(content)
    assert outcome is Outcome.UNCONFIRMED
    assert "costs are too large" in detail
