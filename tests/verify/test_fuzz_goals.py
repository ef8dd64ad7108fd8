"""Altered files over all ways to share, own values, rules, costs and goals: whatever is confirmed is true."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from judgement_goals import is_true_of_goals
from oneformany.verify import Outcome
from verify.asked import SHARES, answered
from verify.test_fuzz import (
    Alteration,
    alter_list,
    alter_number,
    altered,
    give_up_row,
    leave_open,
    move_scope,
    outcome_of,
    tell_bounds,
)

FILES, ALTERATIONS_PER_FILE = 144, 8


def _any_of(rng: np.random.Generator, entries: list[Any]) -> Any:
    return entries[int(rng.integers(len(entries)))]


def claim_more(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Tighten a bound by a little."""
    certificate = result["certificate"]
    choice = int(rng.integers(4))
    if choice == 0 and "covered_bound" in result:
        result["covered_bound"] -= 1
    elif choice == 1 and certificate.get("cost"):
        certificate["cost"]["bound"] += 1
        result["cost_bound"] = certificate["cost"]["bound"]
    elif choice == 2 and certificate.get("proof"):
        certificate["proof"]["bound"] += 1
        if certificate["proof"].get("exclusion"):
            certificate["proof"]["exclusion"]["explanations"] += 1
        result["lower_bound"] = certificate["bound"] = certificate["proof"]["bound"]
    else:
        result["lower_bound"] += 1
        certificate["bound"] = result["lower_bound"]


def bend_proof(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let groups weigh or save less than they do, or forget a column or a case."""
    certificate = result["certificate"]
    proof = _any_of(rng, [certificate[name] for name in ("proof", "cost") if certificate.get(name)])
    numbers = proof["prices"] if "prices" in proof else proof["weights"]
    choice = int(rng.integers(5))
    if choice == 0 and "capacity" in proof:
        proof["capacity"] = max(1, int(proof["capacity"] * rng.choice([0.5, 0.9])))
    elif choice == 1:
        row = int(rng.integers(len(numbers)))
        numbers[row] = int(numbers[row] * rng.choice([0.5, 1.5, 2.0])) + int(rng.integers(2))
    elif choice == 2:
        for row, number in enumerate(numbers):
            numbers[row] = 2 * number
    elif proof.get("exclusion") and choice == 3:
        columns = proof["exclusion"]["columns"]
        _any_of(rng, [columns, _any_of(rng, columns)]).pop()
    elif proof.get("exclusion"):
        proof["exclusion"]["at_most"] += int(rng.choice([-1, 1]))


def bend_tree(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Cut a search short, or weigh otherwise in it."""
    proofs = [result["certificate"].get(name) for name in ("proof", "cost")]
    exclusion = _any_of(rng, [proof["exclusion"] for proof in proofs if proof and proof.get("exclusion")])
    case = exclusion["tree"]
    while "parts" in case and rng.random() < 0.6:
        case = _any_of(rng, case["parts"])
    if "parts" in case and rng.random() < 0.5:
        del case["parts"], case["column"]
        case[str(rng.choice(["evaluated", "short"]))] = True
    elif case.get("filters"):
        _any_of(rng, _any_of(rng, case["filters"]))[1] *= int(rng.choice([0, 2]))
    else:
        exclusion["explanations"] += int(rng.choice([-1, 1]))


def move_end(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Send rows elsewhere."""
    explanation = _any_of(rng, result["explanations"])
    point = _any_of(rng, explanation["ends"]) if "ends" in explanation else explanation["point"]
    feature = _any_of(rng, explanation["changed"])
    point[feature] = int(rng.integers(result["problem"]["levels"][feature]))


def leave_out(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Cover one row less."""
    explanation = _any_of(rng, result["explanations"])
    index = int(rng.integers(len(explanation["members"])))
    explanation["members"].pop(index)
    if "ends" in explanation:
        explanation["ends"].pop(index)


def take_in(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let an explanation cover a row that it did not, or another one covered."""
    row = int(rng.integers(len(result["assignment"])))
    for explanation in result["explanations"]:
        if row in explanation["members"]:
            index = explanation["members"].index(row)
            explanation["members"].pop(index)
            if "ends" in explanation:
                explanation["ends"].pop(index)
    explanation = _any_of(rng, result["explanations"])
    explanation["members"].append(row)
    if "ends" in explanation:
        explanation["ends"].append(list(_any_of(rng, explanation["ends"] or [explanation["point"]])))
    result["unreachable"] = [entry for entry in result["unreachable"] if entry["row"] != row]


def ask_otherwise(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Change the question under the answer."""
    problem = result["problem"]
    choice = int(rng.integers(7))
    if choice == 0:
        problem["share"] = str(rng.choice(SHARES))
    elif choice == 1 and problem["own"]:
        targets = _any_of(rng, problem["own"]["targets"])
        targets[int(rng.integers(len(targets)))] = -1
    elif choice == 2:
        problem["restrictions"] = []
    elif choice == 3:
        problem["costs"] = None
    elif choice == 4 and "goal" in result:
        name = str(rng.choice(["explanations", "coverage"]))
        result["goal"][name] = {"explanations": int(rng.integers(1, 4)), "coverage": 0.7}[name]
    elif choice == 5:
        problem["people"] = rng.integers(1, 4, size=len(problem["codes"])).tolist()
    else:
        problem["oracle"]["threshold"] += int(rng.choice([-2, -1, 1, 2]))


def speak_for_the_model(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Say otherwise of a point near the threshold, or nothing, or something of any point."""
    oracle = result["problem"]["oracle"]
    point = _any_of(rng, [*oracle["ties"], *oracle.get("rejected", [])])
    for name in ("ties", "rejected"):
        oracle[name] = [other for other in oracle.get(name, []) if other != point]
    if rng.random() < 0.5:
        point = [int(rng.integers(len(table))) for table in oracle["tables"]]
    if rng.random() < 0.7:
        oracle[str(rng.choice(["ties", "rejected"]))].append(point)


def made_consistent(result: dict[str, Any]) -> None:
    """Let everything that a careful forger can compute agree with the rest."""
    problem = result["problem"]
    people = problem.get("people") or [1] * len(problem["codes"])
    result["explanations"] = [e for e in result["explanations"] if e["members"]]
    result["count"] = len(result["explanations"])
    result["assignment"] = [-1] * len(problem["codes"])
    cost = 0
    for number, explanation in enumerate(result["explanations"]):
        for index, row in enumerate(explanation["members"]):
            result["assignment"][row] = number
            after = explanation["ends"][index] if "ends" in explanation else explanation["point"]
            cost += people[row] * cost_of(problem, problem["codes"][row], after)
    result["covered"] = sum(n for n, number in zip(people, result["assignment"], strict=True) if number >= 0)
    certificate = result["certificate"]
    if "cost" in result:
        result["cost"] = cost
        certificate["cost"]["bound"] = result["cost_bound"] = min(cost, certificate["cost"]["bound"])
    if certificate["proof"]:
        tell_bounds(certificate["proof"])
    if "goal" not in result and certificate["proof"]:
        result["lower_bound"] = certificate["bound"] = certificate["proof"]["bound"]
    tell_status(result, people)


def cost_of(problem: dict[str, Any], before: list[int], after: list[int]) -> int:
    total, costs = 0, problem.get("costs")
    for feature, (old, new) in enumerate(zip(before, after, strict=True)):
        if new not in {-1, old}:
            total += 1 if costs is None else costs["tables"][feature][old][new]
    return total


def tell_status(result: dict[str, Any], people: list[int]) -> None:
    beyond = [entry["row"] for entry in result["unreachable"]]
    helpable = sum(people) - sum(people[row] for row in beyond)
    goal = result.get("goal") or {"explanations": None, "coverage": 1.0}
    if goal["explanations"] is not None:
        settled = result["covered"] == result["covered_bound"]
    else:
        if "goal" in result:
            result["covered_bound"] = helpable
        needed = min(helpable, max(1, int(np.ceil(round(goal["coverage"] * sum(people), 9)))))
        settled = result["lower_bound"] == result["count"] and result["covered"] >= needed
    result["status"] = "optimal" if settled and not result["undecided"] else "feasible"
    if len(beyond) == len(people):
        result["status"] = "infeasible"


ALTERATIONS: list[Alteration] = [
    *[alter_number, alter_list, give_up_row, leave_open, claim_more, claim_more, bend_proof, bend_proof],
    *[bend_tree, bend_tree, move_end, leave_out, take_in, ask_otherwise, speak_for_the_model, move_scope],
]


def test_whatever_is_confirmed_of_goals_is_true() -> None:
    rng = np.random.default_rng(1)
    found: Counter[str] = Counter()
    for number in range(FILES):
        result = answered(rng, number)
        for _ in range(ALTERATIONS_PER_FILE):
            forged = altered(result, rng, ALTERATIONS, 2, made_consistent)
            outcome = outcome_of(forged)
            found[outcome] += 1
            if outcome is Outcome.CONFIRMED:
                assert is_true_of_goals(forged), json.dumps(forged)
    assert found.total() == FILES * ALTERATIONS_PER_FILE >= 1000
    assert found["wrong"] > 300
    assert found["confirmed"] > 100, found
