"""Files in which only the proof of one kind was altered, told as a careful forger would tell them."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from certificates import TWO_TRIANGLES, build_result, sealed
from engine.few.few_problems import FEW_ROWS, READ, SHARES, draw_few, draw_goal
from judgement_goals import is_true_of_goals
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import CertificateError
from oneformany.methods import solve
from oneformany.verify import Outcome, verify
from strategies import random_problem
from verify.asked import answered
from verify.test_forgeries import (
    bend_branch,
    bend_cover,
    bend_exclusion,
    huge_numbers,
    move_weight,
    true_file,
)
from verify.test_fuzz import Alteration, leaf_of, move_scope, tell_bounds
from verify.test_fuzz_goals import bend_proof, bend_tree, claim_more, made_consistent

ALTERATIONS: list[Alteration] = [
    *[bend_proof, bend_proof, bend_tree, bend_exclusion, bend_cover, move_scope, move_scope, move_weight],
    *[claim_more, claim_more, huge_numbers],
]
FEW = "few rows: "
Made = Callable[[np.random.Generator, int], dict[str, Any]]


def kinds_in(result: dict[str, Any]) -> set[str]:
    """The kinds of proof that a file holds."""
    found, certificate = set(), result["certificate"]
    proof, cost = certificate["proof"], certificate.get("cost")
    about = "some" if "goal" in result else "everybody"
    if proof and proof["kind"] == "branch":
        found.add("branch")
    elif proof:
        found.add(f"weights for {about}" + (" with an exclusion" if proof["exclusion"] else ""))
    if cost:
        found.add(
            "cost with anchors"
            if cost["anchors"]
            else "cost" + (" with an exclusion" if cost["exclusion"] else "")
        )
    return found


def by_hand(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """A file with a proof from brute force: branches, and equal weights with much to exclude."""
    ways = [("best", 1), ("enumeration", 1), ("dual", 2), ("enumeration", 0)]
    problem = TWO_TRIANGLES if number % 5 == 0 else random_problem(rng)
    return build_result(problem, *ways[number % len(ways)])


def by_few_rows(rng: np.random.Generator, _number: int) -> dict[str, Any]:
    """A file whose proofs speak of a few rows, and of all actions or feature sets of these."""
    problem = replace(draw_few(rng, READ, SHARES[int(rng.integers(2))]), restrictions=())
    wanted, limits = draw_goal(rng), TableOptions(max_rounds=int(rng.integers(0, 3)))
    asked = {"explanations": wanted.explanations, "coverage": wanted.coverage}
    result = solve(problem, options=replace(FEW_ROWS, table=limits), **asked)
    content: dict[str, Any] = json.loads(result.to_json())
    return content


KINDS: dict[str, Made] = {
    "weights for everybody": answered,
    "weights for everybody with an exclusion": by_hand,
    "weights for some": answered,
    "weights for some with an exclusion": answered,
    "branch": by_hand,
    "cost": answered,
    "cost with an exclusion": answered,
    "cost with anchors": lambda rng, number: true_file(rng, 3 * number + 2),
    FEW + "weights for everybody": by_few_rows,
    FEW + "weights for some": by_few_rows,
    FEW + "cost": by_few_rows,
}


def alterations_of(kind: str) -> list[Alteration]:
    """What may be done to a proof of this kind."""
    return [*ALTERATIONS, bend_branch, bend_branch] if kind == "branch" else ALTERATIONS


def only_one_proof(result: dict[str, Any], kind: str) -> dict[str, Any]:
    """The proof that is altered, by itself, so that alterations find no other one."""
    certificate = result["certificate"]
    return {"cost": certificate["cost"]} if kind.startswith("cost") else {"proof": certificate["proof"]}


def altered(result: dict[str, Any], kind: str, rng: np.random.Generator) -> dict[str, Any] | None:
    """A copy whose proof of the kind is altered; ``None`` where nothing came of it."""
    copied = copy.deepcopy(result)
    proof = only_one_proof(copied, kind)
    whole, copied["certificate"] = (
        copied["certificate"],
        {"bound": copied["lower_bound"], "proof": None, **proof},
    )
    before, choices = copy.deepcopy(copied["certificate"]), alterations_of(kind)
    for _ in range(int(rng.integers(1, 4))):
        with suppress(IndexError, KeyError, TypeError, AttributeError, ValueError):
            choices[int(rng.integers(len(choices)))](copied, rng)
    if copied["certificate"] == before:
        return None
    copied["certificate"] = {**whole, **{name: copied["certificate"][name] for name in proof}}
    with suppress(IndexError, KeyError, TypeError, ValueError):
        if kind.startswith("weights") and rng.random() < 0.5:  # weights that no scale contradicts
            leaf = leaf_of(copied["certificate"]["proof"], rng)
            leaf["scale"] = max([leaf["scale"], *leaf["weights"]])
        if copied["certificate"]["proof"]:
            tell_bounds(copied["certificate"]["proof"])
        made_consistent(copied)
    return sealed(copied)


def forged(kind: str, rng: np.random.Generator, count: int, each: int = 25) -> Iterator[dict[str, Any]]:
    """So many files whose proof of the kind was altered, some of each true file."""
    made, number, maker = 0, 0, KINDS[kind]
    kind = kind.removeprefix(FEW)
    while made < count:
        result = maker(rng, number)
        number += 1
        if kind not in kinds_in(result):
            continue
        result["problem"].setdefault("costs", None)
        for _ in range(each):
            bent = altered(result, kind, rng) if made < count else None
            if bent is not None:
                made += 1
                yield bent


def judged(kind: str, rng: np.random.Generator, count: int) -> tuple[Counter[str], list[str]]:
    """What becomes of so many altered files, and those that were confirmed although they are false."""
    found, believed = Counter[str](), list[str]()
    for bent in forged(kind, rng, count):
        try:
            outcome = str(verify(bent, time_limit=30).outcome)
        except CertificateError:
            outcome = "unreadable"
        found[outcome] += 1
        if outcome == Outcome.CONFIRMED and not is_true_of_goals(bent):
            believed.append(json.dumps(bent))
    return found, believed
