"""Two thousand altered files over all kinds of proofs and classifiers: whatever is confirmed is true."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest

from certificates import TWO_TRIANGLES, build_result, sealed
from judgement import accepts, is_true, random_network, random_trees
from oneformany.exceptions import CertificateError
from oneformany.verify import Outcome, verify
from strategies import SmallProblem, random_problem

Alteration = Callable[[dict[str, Any], np.random.Generator], None]

PROOFS = [("dual", 0), ("best", 0), ("enumeration", 0), ("best", 1), ("enumeration", 1), ("dual", 2)]
KINDS: dict[str, Any] = {"additive": None, "trees": random_trees, "network": random_network}
FILES_PER_KIND, ALTERATIONS_PER_FILE = 67, 10
LARGEST_SPACE = 300


def small_problem(rng: np.random.Generator) -> SmallProblem:
    """A problem whose points are few enough to be scored in fractions."""
    while True:
        problem = random_problem(rng)
        if np.prod(problem.levels) <= LARGEST_SPACE:
            return problem


def original(kind: str, number: int, rng: np.random.Generator) -> dict[str, Any]:
    """A true result."""
    problem = TWO_TRIANGLES if number % 5 == 0 else small_problem(rng)
    proof = PROOFS[number % len(PROOFS)]
    if KINDS[kind] is None:
        return build_result(problem, *proof)
    oracle = KINDS[kind](rng, problem.levels)
    return build_result(problem, *proof, oracle=oracle, positive=partial(accepts, oracle))


def numbers(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of all numbers."""
    if isinstance(value, int | float):
        yield path
    elif isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(part, (*path, key))


def alter_number(result: dict[str, Any], rng: np.random.Generator) -> None:
    paths = [path for path in numbers(result) if path[0] not in {"seed", "version", "statistics", "index"}]
    *path, last = paths[int(rng.integers(len(paths)))]
    target: Any = result
    for step in path:
        target = target[step]
    target[last] += int(rng.choice([-7, -1, -1, 1, 1, 7]))


def alter_list(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Drop or repeat one entry of a list of numbers."""
    paths = sorted({path[:-1] for path in numbers(result) if isinstance(path[-1], int)}, key=repr)
    target: Any = result
    for step in paths[int(rng.integers(len(paths)))]:
        target = target[step]
    if rng.random() < 0.5:
        target.pop(int(rng.integers(len(target))))
    else:
        target.append(target[int(rng.integers(len(target)))])


def split_explanation(result: dict[str, Any], rng: np.random.Generator) -> None:
    """One explanation more than needed."""
    if result["explanations"]:
        chosen = result["explanations"][int(rng.integers(result["count"]))]
        result["explanations"].append({**chosen, "members": [chosen["members"][-1]]})
        if len(chosen["members"]) > 1:
            chosen["members"].pop()


def give_up_row(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Say of a covered row that it is undecided, or beyond help."""
    if result["explanations"]:
        rows = result["explanations"][int(rng.integers(len(result["explanations"])))]["members"]
        if rng.random() < 0.5:
            result["undecided"].append(rows.pop())
        else:
            result["unreachable"].append({"row": rows.pop(), "reason": "too far"})


def leave_open(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Say of an unreachable row that nobody knows."""
    if result["unreachable"]:
        entry = result["unreachable"].pop(int(rng.integers(len(result["unreachable"]))))
        result["undecided"].append(entry["row"])


def move_point(result: dict[str, Any], rng: np.random.Generator) -> None:
    if result["explanations"]:
        point = result["explanations"][int(rng.integers(len(result["explanations"])))]["point"]
        feature = int(rng.integers(len(point)))
        point[feature] = int(rng.integers(result["problem"]["levels"][feature]))


def tighten_proof(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Claim that no group weighs what some do, or that listed columns are not there."""
    proof = leaf_of(result["certificate"]["proof"], rng)
    choice = rng.integers(4)
    if choice == 0:
        proof["capacity"] = max(1, proof["capacity"] - int(rng.integers(1, 9)))
    elif choice == 1 and proof["exclusion"]:
        columns = proof["exclusion"]["columns"]
        columns.pop(int(rng.integers(len(columns))))
    elif choice == 2 and proof["exclusion"]:
        pairs = zip(proof["scope"], proof["weights"], strict=True)
        proof["exclusion"]["tree"] = {"filters": [[[row, 1] for row, weight in pairs if weight]]}
    else:
        row = int(rng.integers(len(proof["weights"])))
        proof["weights"][row] *= 2


def claim_more(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Raise the bound everywhere."""

    def raised(proof: dict[str, Any]) -> None:
        proof["bound"] += 1
        if proof.get("exclusion"):
            proof["exclusion"]["explanations"] += 1
        for side in ("together", "apart"):
            if side in proof:
                raised(proof[side])

    raised(result["certificate"]["proof"])
    if rng.random() < 0.7:
        split_explanation(result, rng)


def alter_classifier(result: dict[str, Any], rng: np.random.Generator) -> None:
    oracle = result["problem"]["oracle"]
    oracle["threshold"] += int(rng.choice([-2, -1, 1, 2]))


def leaf_of(proof: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    while proof["kind"] == "branch":
        proof = proof[str(rng.choice(["together", "apart"]))]
    return proof


def move_scope(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Take a row into the scope of a proof, or out of it."""
    proofs = [result["certificate"]["proof"], result["certificate"].get("cost")]
    given = [proof for proof in proofs if proof]
    proof = leaf_of(given[int(rng.integers(len(given)))], rng)
    anchors = proof.get("anchors") or {}
    numbers = [proof.get("weights", proof.get("prices")), *anchors.values()]
    if rng.random() < 0.5:
        index = int(rng.integers(len(proof["scope"])))
        for each in (proof["scope"], *numbers):
            each.pop(index)
    else:
        row = int(rng.integers(len(result["problem"]["codes"])))
        index = sum(other < row for other in proof["scope"])
        for each in numbers:
            each.insert(index, each[int(rng.integers(len(each)))])
        proof["scope"].insert(index, row)


def tell_bounds(proof: dict[str, Any]) -> int:
    """Let a proof claim what its numbers and cases say."""
    if proof["kind"] == "branch":
        proof["bound"] = min(tell_bounds(proof[side]) for side in ("together", "apart"))
    else:
        proof["bound"] = max(0, -(-sum(proof["weights"]) // max(1, proof["capacity"])))
        if proof["exclusion"]:
            proof["bound"] = max(proof["bound"], proof["exclusion"]["explanations"] + 1)
    return int(proof["bound"])


def made_consistent(result: dict[str, Any]) -> None:
    """Let everything that a careful forger can compute agree with the rest."""
    proof = result["certificate"]["proof"]
    tell_bounds(proof)
    result["explanations"] = [e for e in result["explanations"] if e["members"]]
    result["count"] = len(result["explanations"])
    result["lower_bound"] = result["certificate"]["bound"] = proof["bound"]
    result["assignment"] = [-1] * len(result["problem"]["codes"])
    for number, explanation in enumerate(result["explanations"]):
        for row in explanation["members"]:
            if row < len(result["assignment"]):
                result["assignment"][row] = number
    result["covered"] = sum(number >= 0 for number in result["assignment"])
    done = proof["bound"] == result["count"] and not result["undecided"]
    result["status"] = "optimal" if done else "feasible"
    if len(result["unreachable"]) == len(result["assignment"]):
        result["status"] = "infeasible"


ALTERATIONS: list[Alteration] = [
    *[alter_number, alter_list, split_explanation, give_up_row, leave_open],
    *[move_point, tighten_proof, tighten_proof, claim_more, alter_classifier, move_scope],
]


def altered(
    result: dict[str, Any],
    rng: np.random.Generator,
    alterations: list[Alteration] = ALTERATIONS,
    most: int = 3,
    consistent: Callable[[dict[str, Any]], None] = made_consistent,
) -> dict[str, Any]:
    """A copy with a few alterations, mostly told as if nothing had happened."""
    copied = copy.deepcopy(result)
    for _ in range(int(rng.integers(1, most + 1))):
        # There may be nothing of the kind to alter, or an earlier alteration took it away.
        with suppress(IndexError, KeyError, TypeError, AttributeError, ValueError):
            alterations[int(rng.integers(len(alterations)))](copied, rng)
    with suppress(IndexError, KeyError, TypeError, ValueError):
        if rng.random() < 0.8:
            consistent(copied)
    return sealed(copied)


def outcome_of(forged: dict[str, Any]) -> str:
    """What becomes of a file."""
    try:
        return verify(forged).outcome
    except CertificateError:
        return "unreadable"


@pytest.mark.parametrize("kind", list(KINDS))
def test_whatever_is_confirmed_is_true(kind: str) -> None:
    rng = np.random.default_rng(list(KINDS).index(kind))
    found: Counter[str] = Counter()
    proofs: Counter[str] = Counter()
    for number in range(FILES_PER_KIND):
        result = original(kind, number, rng)
        assert is_true(result)
        assert verify(result).outcome is not Outcome.WRONG
        for _ in range(ALTERATIONS_PER_FILE):
            forged = altered(result, rng)
            outcome = outcome_of(forged)
            found[outcome] += 1
            if outcome is Outcome.CONFIRMED:
                proof = result["certificate"]["proof"]
                proofs["enumeration" if proof.get("exclusion") else proof["kind"]] += 1
                assert is_true(forged), json.dumps(forged)
    assert found.total() == FILES_PER_KIND * ALTERATIONS_PER_FILE
    assert found["wrong"] > 200
    assert min(proofs[name] for name in ("weights", "enumeration", "branch")) > 5
