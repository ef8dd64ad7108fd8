"""True results are accepted, whatever their proof; whatever is accepted is true."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import oneformany as ofm
from certificates import TWO_TRIANGLES, build_result, sealed
from judgement import is_true
from oneformany.engine.options import Options
from oneformany.exceptions import CertificateError
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.verify import Outcome, Report, typed, verify
from strategies import SmallProblem, random_problem, small_problems

PROOFS = [
    ("dual", 0),
    ("best", 0),
    ("enumeration", 0),
    ("best", 1),
    ("enumeration", 1),
    ("enumeration", 2),
    ("dual", 3),
]


def accepted(result: dict[str, Any]) -> bool:
    """Whether a file is confirmed once its digest is computed anew."""
    try:
        return verify(sealed(result)).ok
    except CertificateError:
        return False


@settings(max_examples=60, deadline=None)
@given(small_problems(), st.sampled_from(PROOFS))
def test_true_results_are_accepted(problem: SmallProblem, proof: tuple[str, int]) -> None:
    result = build_result(problem, *proof)
    assert is_true(result)
    report = verify(result)
    assert report.ok, report


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


def test_a_printed_report_tells_each_claim_and_how_it_was_checked() -> None:
    told = str(verify(build_result(TWO_TRIANGLES, "dual", 0))).splitlines()
    assert told[0] == "confirmed"
    assert "    counts and status agree: confirmed" in told[2]
    assert told[-1].startswith("    lower bound holds: confirmed (at least ")


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
        assert accepted({**result, "status": "feasible"})
        result["lower_bound"] += 1
        certificate = result["certificate"]
        certificate["bound"] += 1
        result["status"] = "optimal" if result["lower_bound"] == result["count"] else "feasible"
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
    if proof["exclusion"] is not None:
        scope = zip(proof["scope"], proof["weights"], strict=True)
        closed = {"filters": [[[row, 1]] for row, weight in scope if weight]}
        more = {**proof["exclusion"], "explanations": bound - 1}
        claims.append({**proof, "exclusion": {**more, "columns": [], "tree": closed}, "bound": bound})
        claims.append({**proof, "exclusion": more, "bound": bound})
    total = sum(proof["weights"])
    if total and bound > 1:
        smaller = max((total - 1) // (bound - 1), 1)
        claims.append({**proof, "capacity": smaller, "exclusion": None, "bound": -(-total // smaller)})
    return claims


def of_kind(result: dict[str, Any], oracle: dict[str, Any]) -> dict[str, Any]:
    return sealed({**result, "problem": {**result["problem"], "oracle": oracle}})


POSITIVE_EVERYWHERE = SmallProblem(
    codes=TWO_TRIANGLES.codes[:7],
    levels=TWO_TRIANGLES.levels,
    tables=[[0, 0]] * 5,
    intercept=0,
    threshold=0,
    max_changes=2,
    allowed=TWO_TRIANGLES.allowed,
)


BOUND, POINTS = "lower bound holds", "points are positive"


def still_open(report: Report) -> dict[str, str]:
    return {check.name: check.detail for check in report.checks if check.outcome is Outcome.UNCONFIRMED}


def test_a_bound_that_needs_no_classifier_is_confirmed_without_it() -> None:
    result = build_result(POSITIVE_EVERYWHERE, "best")
    report = verify(of_kind(result, {"kind": "black box", "sha": "abc", "threshold": 0.5}))
    assert report.outcome is Outcome.UNCONFIRMED
    assert list(still_open(report)) == [POINTS]
    assert "does not hold the black box classifier" in still_open(report)[POINTS]


def test_a_bound_that_needs_the_classifier_is_not_confirmed_without_it() -> None:
    helped_one_by_one = SmallProblem([[0, 0], [0, 1]], [2, 2], [[0, 1], [0, 0]], 0, 1, 1)
    result = build_result(helped_one_by_one, "best")
    assert verify(result).ok
    report = verify(of_kind(result, {"kind": "black box", "threshold": 1}))
    assert report.outcome is Outcome.UNCONFIRMED
    assert "does not hold the black box classifier" in still_open(report)[BOUND]


def of_solver(result: dict[str, Any], bound: int) -> dict[str, Any]:
    word = {"bound": bound, "proof": None, "solver": "highs 1.15.1"}
    status = "optimal" if bound == result["count"] else "feasible"
    return sealed({**result, "status": status, "lower_bound": bound, "certificate": word})


@pytest.mark.parametrize("bound", [2, 4])
def test_a_bound_on_the_word_of_a_solver_is_not_confirmed(bound: int) -> None:
    report = verify(of_solver(build_result(TWO_TRIANGLES), bound))
    assert report.outcome is Outcome.UNCONFIRMED
    assert list(still_open(report)) == [BOUND]
    said = still_open(report)[BOUND]
    assert said.startswith(f"that at least {bound} are needed is the word of the solver highs 1.15.1")


def test_what_the_compact_model_writes_is_read(tmp_path: Path) -> None:
    codes = np.array([[1, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1]])
    problem = Problem(codes, (2,) * 4, AdditiveOracle([[0, 1]] * 4, threshold=3), 2)
    file = tmp_path / "result.json"
    solve(problem, method="mip").to_json(file)
    report = verify(file)
    assert list(still_open(report)) == [BOUND]
    assert "the word of the solver highs" in report.checks[-1].detail


def test_unreachable_rows_are_not_confirmed_without_the_classifier() -> None:
    report = verify(of_kind(build_result(TWO_TRIANGLES), {"kind": "black box", "threshold": 1}))
    assert "does not hold the black box" in still_open(report)["unreachable rows cannot be helped"]


def test_where_nothing_is_claimed_of_any_point_no_classifier_is_missed() -> None:
    result = build_result(TWO_TRIANGLES)
    rows = list(range(len(result["assignment"])))
    nothing = {"explanations": [], "unreachable": [], "undecided": rows, "assignment": [-1] * len(rows)}
    nothing |= {"count": 0, "lower_bound": 0, "covered": 0, "status": "feasible"}
    content = {**result, **nothing, "certificate": {"bound": 0, "proof": None}}
    assert verify(of_kind(content, {"kind": "black box", "threshold": 1})).ok


def test_of_undecided_rows_nothing_is_claimed() -> None:
    result = build_result(TWO_TRIANGLES)
    (beyond_help,) = result["unreachable"]
    nothing_said = {**result, "unreachable": [], "undecided": [beyond_help["row"]], "status": "feasible"}
    assert verify(sealed(nothing_said)).ok
    assert "1 undecided" in verify(sealed(nothing_said)).checks[2].detail


def test_rows_left_undecided_prove_no_smaller_bound() -> None:
    """The bound of a file is about the rows it covers; others have no weight in it."""
    result = build_result(TWO_TRIANGLES)
    row = result["explanations"][-1]["members"][-1]
    proof = result["certificate"]["proof"]
    result["assignment"][row] = -1
    result["explanations"][-1]["members"].remove(row)
    result.update(undecided=[row], status="feasible", covered=result["covered"] - 1)
    assert row not in proof["scope"] or not verify(sealed(result)).ok


def constant_score(score: float) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    return lambda codes: np.full(len(codes), score)


def test_the_callers_score_judges_the_points() -> None:
    result = build_result(POSITIVE_EVERYWHERE, "best")
    other = of_kind(result, {"kind": "black box", "threshold": 0.5})
    assert verify(other, score=constant_score(0.5)).ok
    assert verify(other, score=constant_score(0.5 - 1e-12)).outcome is Outcome.UNCONFIRMED
    for bad in (0.49, float("nan")):
        report = verify(other, score=constant_score(bad))
        assert not report.ok
        with pytest.raises(CertificateError, match="scores"):
            report.raise_if_rejected()
    assert not verify(other, score=lambda codes: np.zeros((len(codes), 2))).ok
    assert not verify(of_kind(result, {"kind": "black box"}), score=constant_score(1.0)).ok
    assert not verify(result, score=constant_score(-1.0)).ok


@pytest.mark.parametrize("threshold", ["0.5", True, [0.5], 10**400])
def test_a_threshold_that_is_not_a_number_is_refused(threshold: object) -> None:
    result = build_result(POSITIVE_EVERYWHERE, "best")
    with pytest.raises(CertificateError, match="threshold"):
        verify(of_kind(result, {"kind": "black box", "threshold": threshold}))


def test_the_verifier_shares_nothing_with_the_engine() -> None:
    script = "import sys, oneformany.verify; print(*(name for name in sys.modules if 'oneformany' in name))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    own = {"oneformany", "oneformany.exceptions", "oneformany.public"}  # the last one: where names live
    assert {name for name in done.stdout.split() if not name.startswith("oneformany.verify")} == own


def test_the_package_itself_can_be_called(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(build_result(TWO_TRIANGLES)), encoding="utf-8")
    assert ofm.verify(str(file)) == ofm.verify.verify(file) == verify(file)
    assert ofm.verify(file, time_limit=0.0).outcome is ofm.verify.Outcome.UNCONFIRMED
    assert inspect.ismodule(ofm.verify)
    assert inspect.signature(ofm.verify) == inspect.signature(verify)


def test_a_type_checker_is_told_what_can_be_called_and_what_the_package_holds() -> None:
    tree = ast.parse(Path(typed.__file__).read_text(encoding="utf-8"))
    (told,) = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    (call,) = [node for node in told.body if isinstance(node, ast.FunctionDef)]
    assert [arg.arg for arg in (*call.args.args[1:], *call.args.kwonlyargs)] == [
        *inspect.signature(verify).parameters
    ]
    targets = [target for node in told.body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in told.body if isinstance(node, ast.AnnAssign)]
    assert {ast.unparse(target) for target in targets} == set(vars(ofm.verify)["__all__"])


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
    with pytest.raises(CertificateError, match=r"wrong; .*digest.*count is 3.*row 0.*not examined"):
        report.raise_if_rejected()


def test_one_explanation_is_told_as_one() -> None:
    oracle = AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    problem = Problem([[0, 0]], (2, 2), oracle, max_changes=1)
    result = solve(problem, options=Options(least_cost=True))
    told = " ".join(check.detail for check in verify(result.to_json()).checks)
    assert "1 explanation, at least 1 needed" in told
    assert "1 explanations" not in told


def test_what_is_being_checked_is_told() -> None:
    told: list[str] = []
    report = verify(build_result(TWO_TRIANGLES), progress=told.append)
    assert told == ["reading the file", *(check.name for check in report.checks)]
    oracle = AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    result = solve(Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    told.clear()
    assert result.verify(progress=told.append).ok
    assert "lower bound holds" in told


def test_the_page_names_every_claim_in_order_and_the_function_that_examines_it() -> None:
    page = (Path(__file__).parents[2] / "docs" / "checking.md").read_text(encoding="utf-8")
    table = re.findall(
        r"^\| ([a-z ]+)[^|]* \| ([^|]*`(?:reading|answer|bound)\.[^|]*) \|", page, re.MULTILINE
    )
    for _, functions in table:
        for module, function in re.findall(r"`(\w+)\.(\w+)`", functions):
            assert callable(getattr(import_module(f"oneformany.verify.{module}"), function))
    problem = Problem([[0, 0]], (2, 2), AdditiveOracle([[0, 1], [0, 1]], threshold=1), 1)
    report = verify(solve(problem, explanations=1))
    named = [check.name for check in report.checks]
    named.insert(
        named.index("unreachable rows cannot be helped"), "your own rules are kept"
    )  # if there are any
    assert [claim.strip() for claim, _ in table] == named
