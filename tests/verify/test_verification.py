"""True results are accepted, whatever their proof; whatever is accepted is true."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from certificates import TWO_TRIANGLES, build_result
from oneformany.exceptions import CertificateError
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.verify import Report, verify
from reference import brute_force
from strategies import SmallProblem, random_problem, small_problems

PROOFS = [
    ("dual", 0),
    ("best", 0),
    ("enumeration", 0),
    ("best", 1),
    ("enumeration", 2),
    ("dual", 3),
    ("cases", 0),
    ("cases", 1),
]


def accepted(result: dict[str, Any]) -> bool:
    try:
        return verify(result).ok
    except CertificateError:
        return False


def is_true(result: dict[str, Any]) -> bool:
    """Judge a well-formed result by brute force."""
    problem = result["problem"]
    oracle, codes, allowed = problem["oracle"], problem["codes"], problem["allowed"]
    optimum, unreachable = brute_force(
        codes,
        problem["levels"],
        oracle["tables"],
        oracle["intercept"],
        oracle["threshold"],
        problem["max_changes"],
        allowed,
    )
    explanations = result["explanations"]
    covered = sorted(row for explanation in explanations for row in explanation["members"])
    if covered != sorted(set(range(len(codes))) - set(unreachable)):
        return False
    for explanation in explanations:
        point, changed = explanation["point"], explanation["changed"]
        score = oracle["intercept"] + sum(t[v] for t, v in zip(oracle["tables"], point, strict=True))
        if score < oracle["threshold"] or len(changed) > problem["max_changes"]:
            return False
        for row in explanation["members"]:
            for feature, (old, new) in enumerate(zip(codes[row], point, strict=True)):
                rule = None if allowed is None else allowed[feature]
                if old != new and (feature not in changed or (rule is not None and not rule[old][new])):
                    return False
    count, bound = result["count"], result["lower_bound"]
    status = "infeasible" if unreachable else "optimal" if count == bound else "feasible"
    return (
        [entry["row"] for entry in result["unreachable"]] == list(unreachable)
        and count == len(explanations)
        and bound <= optimum <= count
        and result["status"] == status
    )


@settings(max_examples=60, deadline=None)
@given(small_problems(), st.sampled_from(PROOFS))
def test_true_results_are_accepted(problem: SmallProblem, proof: tuple[str, int]) -> None:
    result = build_result(problem, *proof)
    assert is_true(result)
    report = verify(result)
    assert report.ok, report
    assert not report.caveats


def test_true_results_are_accepted_in_bulk() -> None:
    rng = np.random.default_rng(11)
    for number in range(300):
        report = verify(build_result(random_problem(rng), *PROOFS[number % len(PROOFS)]))
        assert report.ok, report


@pytest.mark.parametrize("proof", PROOFS)
def test_the_two_triangles_are_accepted_with_every_proof(proof: tuple[str, int]) -> None:
    report = verify(build_result(TWO_TRIANGLES, *proof))
    assert report.ok, report
    report.raise_if_rejected()


def numbers(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Places of all whole numbers."""
    if isinstance(value, int):
        yield path
    elif isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(part, (*path, key))


def mutated(result: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """A copy with one to three numbers or lists slightly changed."""
    copied = copy.deepcopy(result)
    places = [place for place in numbers(copied) if place[0] not in {"seed", "version", "statistics"}]
    for number in rng.choice(len(places), size=int(rng.integers(1, 4))):
        *path, last = places[number]
        target: Any = copied
        try:
            for step in path:
                target = target[step]
            target[last] = max(0, int(target[last] + rng.choice([-7, -1, 1, 1, 7])))
            if isinstance(target, list) and rng.random() < 0.3:
                target.pop(int(rng.integers(len(target))))
            if isinstance(target, list) and target and rng.random() < 0.2:
                target.append(target[0])
        except (IndexError, KeyError, TypeError):
            continue
    copied["status"] = str(rng.choice([copied["status"]] * 8 + ["optimal", "feasible", "infeasible"]))
    return copied


def test_whatever_is_accepted_is_true() -> None:
    rng = np.random.default_rng(29)
    refused = 0
    for number in range(800):
        problem = TWO_TRIANGLES if number % 4 == 0 else random_problem(rng)
        result = mutated(build_result(problem, *PROOFS[number % len(PROOFS)]), rng)
        if accepted(result):
            assert is_true(result), json.dumps(result)
        else:
            refused += 1
    assert refused > 250


def test_an_inflated_bound_is_never_accepted() -> None:
    """With the explanations of another problem's larger answer, only the proof can tell."""
    rng = np.random.default_rng(31)
    tried = 0
    while tried < 150:
        problem = random_problem(rng)
        result = build_result(problem, *PROOFS[tried % len(PROOFS)])
        split = next((e for e in result["explanations"] if len(e["members"]) > 1), None)
        if split is None:
            continue
        tried += 1
        row = split["members"].pop()
        result["explanations"].append({**split, "members": [row]})
        result["assignment"][row] = result["count"]
        result["count"] += 1
        assert accepted({**result, "status": "infeasible" if result["unreachable"] else "feasible"})
        result["lower_bound"] += 1
        certificate = result["certificate"]
        certificate["bound"] += 1
        for proof in inflated(certificate["proof"]):
            assert not accepted({**result, "certificate": {**certificate, "proof": proof}})


def inflated(proof: dict[str, Any]) -> list[dict[str, Any]]:
    """The same proof, claiming one more in every way its format knows."""
    bound = proof["bound"] + 1
    if proof["kind"] == "branch":
        children = [inflated(proof[side])[-1] for side in ("together", "apart")]
        return [
            {**proof, "bound": bound},
            {**proof, "together": children[0], "apart": children[1], "bound": bound},
        ]
    claims = [{**proof, "bound": bound}, {**proof, "bound": bound, "capacity": proof["capacity"] + 1}]
    if proof["kind"] == "enumeration":
        claims.append({**proof, "target": bound - 1, "bound": bound, "columns": []})
        claims.append({**proof, "target": bound - 1, "bound": bound})
    total = sum(proof["weights"])
    if total and bound > 1:
        smaller = (total - 1) // (bound - 1)
        dual = {"kind": "dual", "weights": proof["weights"], "capacity": max(smaller, 1), "bound": 0}
        claims.append({**dual, "bound": -(-total // dual["capacity"])})
    return claims


def of_kind(result: dict[str, Any], oracle: dict[str, Any]) -> dict[str, Any]:
    return {**result, "problem": {**result["problem"], "oracle": oracle}}


POSITIVE_EVERYWHERE = SmallProblem(
    codes=TWO_TRIANGLES.codes[:7],
    levels=TWO_TRIANGLES.levels,
    tables=[[0, 0]] * 5,
    intercept=0,
    threshold=0,
    max_changes=2,
    allowed=TWO_TRIANGLES.allowed,
)


def test_a_bound_that_needs_no_classifier_is_confirmed_without_it() -> None:
    result = build_result(POSITIVE_EVERYWHERE, "best")
    report = verify(of_kind(result, {"kind": "black box", "sha": "abc", "threshold": 0.5}))
    assert report.ok, report
    assert report.caveats == ("points' positivity not re-checked: the model is not part of the file",)
    assert not any("positive" in check.name for check in report.checks)


def test_a_bound_that_needs_the_classifier_is_not_confirmed_without_it() -> None:
    helped_one_by_one = SmallProblem([[0, 0], [0, 1]], [2, 2], [[0, 1], [0, 0]], 0, 1, 1)
    result = build_result(helped_one_by_one, "best")
    assert verify(result).ok
    report = verify(of_kind(result, {"kind": "black box", "threshold": 1}))
    assert not report.ok
    assert "cannot be confirmed without the black box classifier" in report.checks[-1].detail


def of_solver(result: dict[str, Any], bound: int) -> dict[str, Any]:
    proof = {"kind": "solver", "name": "highs 1.15.1", "bound": bound}
    return {**result, "lower_bound": bound, "certificate": {"bound": bound, "proof": proof}}


@pytest.mark.parametrize("bound", [2, 4])
def test_a_bound_on_the_word_of_a_solver_is_not_confirmed(bound: int) -> None:
    report = verify(of_solver(build_result(TWO_TRIANGLES), bound))
    assert [check.name for check in report.checks if not check.ok] == ["lower bound holds"]
    said = report.checks[-1].detail
    assert said.startswith(f"cannot be confirmed: that at least {bound} are needed is the word of the solver")
    assert "highs 1.15.1" in said


def test_what_the_compact_model_writes_is_read(tmp_path: Path) -> None:
    codes = np.array([[1, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1]])
    problem = Problem(codes, (2,) * 4, AdditiveOracle([[0, 1]] * 4, threshold=3), 2)
    file = tmp_path / "result.json"
    solve(problem, method="mip").to_json(file)
    report = verify(file)
    assert [check.name for check in report.checks if not check.ok] == ["lower bound holds"]
    assert "the word of the solver highs" in report.checks[-1].detail


def test_unreachable_rows_are_not_confirmed_without_the_classifier() -> None:
    report = verify(of_kind(build_result(TWO_TRIANGLES), {"kind": "black box", "threshold": 1}))
    wrong = [check.detail for check in report.checks if check.name.startswith("unreachable") and not check.ok]
    assert wrong == ["cannot be confirmed without the black box classifier"]


def test_rows_may_be_left_open_only_by_a_classifier_outside_the_file() -> None:
    result = {**build_result(TWO_TRIANGLES), "status": "feasible"}
    assert not verify(result).ok
    assert verify(of_kind(result, {"kind": "black box", "threshold": 1})).ok


def constant_score(score: float) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    return lambda codes: np.full(len(codes), score)


def test_the_callers_score_judges_the_points() -> None:
    result = build_result(POSITIVE_EVERYWHERE, "best")
    other = of_kind(result, {"kind": "black box", "threshold": 0.5})
    good = verify(other, score=constant_score(0.5))
    assert good.ok
    assert not good.caveats
    for bad in (0.49, float("nan")):
        report = verify(other, score=constant_score(bad))
        assert not report.ok
        with pytest.raises(CertificateError, match="scores"):
            report.raise_if_rejected()
    assert not verify(other, score=lambda codes: np.zeros((len(codes), 2))).ok
    assert not verify(of_kind(result, {"kind": "black box"}), score=constant_score(1.0)).ok
    assert not verify(result, score=constant_score(-1.0)).ok


@pytest.mark.parametrize("threshold", ["0.5", True, [0.5], 10**400])
def test_a_threshold_that_is_no_number_is_refused(threshold: object) -> None:
    result = build_result(POSITIVE_EVERYWHERE, "best")
    with pytest.raises(CertificateError, match="threshold"):
        verify(of_kind(result, {"kind": "black box", "threshold": threshold}))


def test_the_verifier_shares_nothing_with_the_engine() -> None:
    script = "import sys, oneformany.verify; print(*(name for name in sys.modules if 'oneformany' in name))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    own = {"oneformany", "oneformany.exceptions"}
    assert {name for name in done.stdout.split() if not name.startswith("oneformany.verify")} == own


def test_files_are_verified_from_disk(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(build_result(TWO_TRIANGLES)), encoding="utf-8")
    assert verify(file).ok
    assert verify(str(file)).ok


def test_a_rejection_lists_everything_that_is_wrong() -> None:
    result = build_result(TWO_TRIANGLES)
    result["count"] = 3
    result["assignment"][0] = -1
    report = verify(result)
    assert isinstance(report, Report)
    assert not report.ok
    with pytest.raises(CertificateError, match=r"count is 3.*row 0.*not examined"):
        report.raise_if_rejected()
