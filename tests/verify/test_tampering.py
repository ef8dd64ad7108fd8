"""Each way to bend a true result into a false one is noticed by the check it concerns."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from certificates import TWO_TRIANGLES, build_result, sealed, weighed
from oneformany.exceptions import CertificateError
from oneformany.verify import Outcome, verify

Edit = Callable[[dict[str, Any]], object]


def failing(result: dict[str, Any]) -> dict[str, str]:
    """The checks that fail, with their details; a forger knows how to compute a digest."""
    return {check.name: check.detail for check in verify(sealed(result)).checks if not check.ok}


def swap_assignment(result: dict[str, Any]) -> None:
    result["assignment"][0], result["assignment"][1] = result["assignment"][1], result["assignment"][0]


def drop_explanation(result: dict[str, Any]) -> None:
    """Leave the last explanation out and hand its rows to the first."""
    gone = result["explanations"].pop()
    result["explanations"][0]["members"] += gone["members"]
    for row in gone["members"]:
        result["assignment"][row] = 0
    result["count"] -= 1


def claim_less(result: dict[str, Any]) -> None:
    result["lower_bound"] -= 1
    result["certificate"]["bound"] -= 1


def hide_reachable_row(result: dict[str, Any]) -> None:
    """List a row as unreachable although it could be helped."""
    row = result["explanations"][-1]["members"].pop()
    result["assignment"][row] = -1
    result["unreachable"].append({"row": row, "reason": "too far"})


def forget_row(result: dict[str, Any]) -> None:
    result["unreachable"] = []


def call_undecided(result: dict[str, Any]) -> None:
    """Say that nothing is known of a row, and yet that all is proved."""
    result["unreachable"], result["undecided"] = [], [7]


def empty_explanation(result: dict[str, Any]) -> None:
    result["explanations"].append({"point": [1, 1, 1, 0, 0], "changed": [], "members": []})
    result["count"] += 1


def edit(*path: str | int, to: object) -> Edit:
    def apply(result: dict[str, Any]) -> None:
        inner: Any = result
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("tamper", "check", "detail"),
    [
        (edit("count", to=3), "counts", "count is 3"),
        (edit("covered", to=8), "every row", "covered is 8, but 7 people"),
        (edit("lower_bound", to=3), "counts", "lower_bound is 3"),
        (edit("certificate", "bound", to=3), "counts", "certificate says 3"),
        (edit("certificate", "proof", "bound", to=3), "counts", "its proof 3"),
        (claim_less, "counts", "its proof 4"),
        (edit("status", to="infeasible"), "counts", "'optimal'"),
        (edit("status", to="feasible"), "counts", "'optimal'"),
        (edit("undecided", to=[7]), "every row", "row 7 is unreachable although it is listed as undecided"),
        (edit("undecided", to=[0]), "every row", "row 0 is assigned although it is listed as undecided"),
        (forget_row, "every row", "row 7 is neither"),
        (call_undecided, "counts", "'feasible'"),
        (edit("assignment", 0, to=-1), "every row", "row 0 is neither"),
        (edit("assignment", 7, to=0), "every row", "row 7 is assigned although"),
        (swap_assignment, "every row", "members of explanation"),
        (edit("explanations", 0, "members", to=[]), "every row", "members of explanation 0"),
        (edit("unreachable", to=[]), "every row", "row 7 is neither"),
        (edit("unreachable", to=[{"row": 7, "reason": ""}] * 2), "every row", "twice"),
        (edit("unreachable", 0, "row", to=3), "every row", "row 3 is assigned although"),
        (empty_explanation, "every row", "explains no row"),
        (drop_explanation, "changes", "explanation 0 keeps"),
        (edit("explanations", 0, "changed", to=[]), "changes", "explanation 0 keeps"),
        (edit("explanations", 0, "changed", to=[0, 1, 2]), "changes", "changes 3 features"),
        (edit("problem", "max_changes", to=1), "changes", "1 are allowed"),
        (edit("problem", "allowed", 0, to=[[1, 0], [0, 1]]), "changes", "not allowed"),
        (edit("problem", "codes", 1, 4, to=1), "changes", "keeps"),
        (hide_reachable_row, "unreachable", "it can be helped"),
        (edit("problem", "oracle", "tables", 4, 1, to=0), "unreachable", "row 7"),
        (edit("problem", "oracle", "threshold", to=3), "points are positive", "is not positive"),
        (edit("problem", "oracle", "intercept", to=-9), "points are positive", "is not positive"),
    ],
)
def test_a_bent_answer_is_rejected(tamper: Edit, check: str, detail: str) -> None:
    result = copy.deepcopy(build_result(TWO_TRIANGLES, "enumeration"))
    explanations = result["explanations"]
    explanations.sort(key=lambda explanation: len(explanation["members"]), reverse=True)
    for number, explanation in enumerate(explanations):
        for row in explanation["members"]:
            result["assignment"][row] = number
    assert not failing(result)
    tamper(result)
    wrong = failing(result)
    assert any(name.startswith(check) and detail in said for name, said in wrong.items()), wrong


def test_the_status_optimal_needs_a_proof_of_the_count() -> None:
    result = build_result(TWO_TRIANGLES, "dual")
    assert (result["status"], result["count"], result["lower_bound"]) == ("feasible", 4, 3)
    assert not failing(result)
    assert "counts and status agree" in failing({**result, "status": "optimal"})
    assert "counts and status agree" in failing({**result, "status": "infeasible"})


def bound_failure(proof: dict[str, Any], bound: int) -> str:
    """What the verifier says to another proof of the two triangles."""
    result = build_result(TWO_TRIANGLES, "best")
    result["certificate"] = {"bound": bound, "proof": proof}
    result["lower_bound"] = bound
    result["status"] = "optimal" if bound == result["count"] else "feasible"
    return failing(result).get("lower bound holds", "")


WEIGHTS = [30, 30, 30, 30, 30, 30, 0, 0]


def test_weights_that_a_group_exceeds_prove_nothing() -> None:
    assert not bound_failure(weighed(WEIGHTS, 60, 3), 3)
    wrong = bound_failure(weighed(WEIGHTS, 59, 4), 4)
    assert "weighs more than 59" in wrong


def test_weights_prove_exactly_their_share() -> None:
    for bound in (2, 4):
        wrong = bound_failure(weighed(WEIGHTS, 60, bound), bound)
        assert "the proof shows that 3 are needed" in wrong


@pytest.mark.parametrize("row", [6, 7])
def test_repeats_and_unreachable_rows_have_no_weight(row: int) -> None:
    weights = list(WEIGHTS)
    weights[row] = 60
    wrong = bound_failure(weighed(weights, 60, 4), 4)
    assert f"names row {row}" in wrong


def test_an_empty_scope_proves_nothing() -> None:
    nobody = weighed([0] * 8, 60, 0)
    assert not bound_failure(nobody, 0)
    exclusion = {"explanations": 3, "at_most": 0, "columns": [], "tree": {"filters": []}}
    assert "reach what is to be excluded" in bound_failure({**nobody, "exclusion": exclusion, "bound": 4}, 4)


def test_a_row_weighs_no_more_than_its_people_count() -> None:
    proof = weighed(WEIGHTS, 60, 3)
    assert "row 0 weighs more than its people count" in bound_failure({**proof, "scale": 14}, 3)
    assert "row 1 weighs more than its people count" in bound_failure({**proof, "scale": 15}, 3)


def enumeration(**edits: object) -> dict[str, Any]:
    """The proof by listed columns, which is edited itself or in its exclusion."""
    proof: dict[str, Any] = copy.deepcopy(build_result(TWO_TRIANGLES, "enumeration")["certificate"]["proof"])
    for name, value in edits.items():
        (proof if name in proof else proof["exclusion"])[name] = value
    return proof


def test_a_forgotten_column_is_found() -> None:
    columns = enumeration()["exclusion"]["columns"]
    assert not bound_failure(enumeration(), 4)
    for i, column in enumerate(columns):
        wrong = bound_failure(enumeration(columns=columns[:i] + columns[i + 1 :]), 4)
        assert "no listed column contains it" in wrong
        shorter = [*columns[:i], column[1:], *columns[i + 1 :]]
        assert "no listed column contains it" in bound_failure(enumeration(columns=shorter), 4)


def test_columns_that_suffice_leave_the_proof_open() -> None:
    generous = enumeration()["exclusion"]["columns"] + [[0, 1, 2]]
    wrong = bound_failure(enumeration(columns=generous), 4)
    assert "leaves open" in wrong or "forgets" in wrong or "is to be excluded" in wrong


def test_an_enumeration_without_the_proof_of_its_set_cover_is_not_read() -> None:
    proof = enumeration()
    del proof["exclusion"]["tree"]
    with pytest.raises(CertificateError, match=r"exclusion\.tree is missing"):
        bound_failure(proof, 4)


def test_listed_columns_name_distinct_reachable_rows() -> None:
    for row in (6, 7):
        wrong = bound_failure(enumeration(columns=[*enumeration()["exclusion"]["columns"], [row]]), 4)
        assert f"row {row}" in wrong


def test_an_enumeration_proves_one_more_than_it_excludes() -> None:
    assert "shows that 3 are needed, not 4" in bound_failure(enumeration(explanations=2), 4)


def test_an_enumeration_needs_a_true_capacity() -> None:
    assert "weighs more than 1" in bound_failure(enumeration(weights=[1, 1, 1, 1, 0, 0], capacity=1), 4)


def cases(edit_cover: Edit) -> dict[str, Any]:
    """The enumeration with its set cover's proof, edited."""
    proof = enumeration()
    edit_cover(proof["exclusion"]["tree"])
    return proof


def forget_column(cover: dict[str, Any]) -> None:
    cover["columns"].pop()
    cover["parts"].pop()


def forget_cases(cover: dict[str, Any]) -> None:
    for name in ("row", "columns", "parts"):
        del cover[name]


def close_without_reason(cover: dict[str, Any]) -> None:
    cover["parts"][0] = {"filters": [[[5, 0]]]}


def close_with_covered_row(cover: dict[str, Any]) -> None:
    cover["parts"][0] = {"filters": [[[cover["row"], 9]]]}


def split_on_covered_row(cover: dict[str, Any]) -> None:
    cover["parts"][0] = copy.deepcopy(cover)


def split_on_no_item(cover: dict[str, Any]) -> None:
    cover["row"] = 6


def test_the_proof_of_the_set_cover_is_checked_by_addition() -> None:
    result = build_result(TWO_TRIANGLES, "enumeration")
    assert not failing(result)
    assert "listed columns that do not suffice" in verify(result).checks[-1].detail


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (forget_column, "the proof forgets that column"),
        (forget_cases, "leaves open"),
        (close_without_reason, "leaves open"),
        (close_with_covered_row, "leaves open"),
        (split_on_covered_row, "leaves open"),
        (split_on_no_item, "leaves open"),
    ],
)
def test_a_set_cover_with_a_case_left_open_is_rejected(tamper: Edit, said: str) -> None:
    assert said in bound_failure(cases(tamper), 4)


def branch(**edits: object) -> dict[str, Any]:
    proof = build_result(TWO_TRIANGLES, "best", branchings=1)["certificate"]["proof"]
    return {**copy.deepcopy(proof), **edits}


def test_a_branch_proves_the_weaker_of_its_cases() -> None:
    assert not bound_failure(branch(), 4)
    weak = weighed([0] * 8, 1, 0)
    assert "a branch claims 4" in bound_failure(branch(apart=weak), 4)
    assert "a branch claims 4" in bound_failure(branch(together=weak), 4)


def test_the_cases_of_a_branch_cannot_be_swapped() -> None:
    proof = branch()
    assert bound_failure(branch(together=proof["apart"], apart=proof["together"]), 4)


def test_the_case_of_another_pair_proves_nothing() -> None:
    proof = branch()
    assert proof["pair"] == [0, 1]
    assert bound_failure(branch(pair=[0, 3]), 4)


def test_a_branch_decides_on_distinct_reachable_rows_and_once() -> None:
    for row in (6, 7):
        assert f"row {row}" in bound_failure(branch(pair=[1, row]), 4)
    assert "twice" in bound_failure(branch(together=branch()), 4)
    assert "twice" in bound_failure(branch(apart=branch()), 4)


def test_merged_rows_carry_weight_on_the_smaller_one() -> None:
    together = weighed([0, 60, 60, 60, 0, 0, 0, 0], 60, 3)
    assert "names row 1" in bound_failure(branch(together=together, bound=3), 3)
    assert "names row 1" not in bound_failure(branch(together=nothing_on(1, together), bound=3), 3)


def nothing_on(row: int, proof: dict[str, Any]) -> dict[str, Any]:
    weights = [
        0 if one == row else weight for one, weight in zip(proof["scope"], proof["weights"], strict=True)
    ]
    return {**proof, "weights": weights}


def solved(bound: int = 4, name: object = "highs") -> dict[str, Any]:
    result = build_result(TWO_TRIANGLES)
    result["certificate"] = {"bound": bound, "proof": None, "solver": name}
    return result


def test_explanations_are_checked_although_only_a_solver_bounds_them() -> None:
    assert list(failing(solved())) == ["lower bound holds"]
    result = solved()
    result["explanations"][-1]["changed"] = []
    wrong = failing(result)
    assert "explanation 3 keeps" in wrong["changes are few and allowed"]
    assert "not examined" in wrong["lower bound holds"]
    result = solved()
    result["explanations"][0]["point"] = [0, 0, 0, 0, 0]
    assert "is not positive" in failing(result)["points are positive"]


def test_the_word_of_a_solver_is_not_wrong_but_cannot_be_confirmed() -> None:
    report = verify(sealed(solved()))
    assert report.outcome is Outcome.UNCONFIRMED
    assert "the word of the solver highs" in report.checks[-1].detail


def test_a_solver_cannot_say_more_than_the_file() -> None:
    assert "certificate says 3" in failing(solved(bound=3))["counts and status agree"]
    result = solved(bound=5)
    result["lower_bound"] = 5
    assert "exceeds count" in failing(result)["counts and status agree"]


@pytest.mark.parametrize("edits", [{"name": 1}, {"bound": "4"}, {"bound": -1}])
def test_the_word_of_a_solver_has_a_form(edits: dict[str, Any]) -> None:
    with pytest.raises(CertificateError, match=r"certificate\."):
        verify(sealed(solved(**edits)))


def test_the_word_of_a_solver_is_not_asked_for_where_there_is_a_proof() -> None:
    result = build_result(TWO_TRIANGLES)
    result["certificate"]["solver"] = "highs"
    assert not failing(result)
    result["certificate"]["proof"] = weighed(WEIGHTS, 60, 3)
    assert "its proof 3" in failing(result)["counts and status agree"]


def test_without_a_proof_the_bound_is_zero() -> None:
    result = build_result(TWO_TRIANGLES)
    result["certificate"]["proof"] = None
    assert "its proof 0" in failing(result)["counts and status agree"]
    result["certificate"]["bound"] = result["lower_bound"] = 0
    assert not failing({**result, "status": "feasible"})


def test_a_bound_for_nobody_is_zero() -> None:
    problem = type(TWO_TRIANGLES)(**{**TWO_TRIANGLES.arguments(), "threshold": 99})
    result = build_result(problem)
    assert not failing(result)
    assert (result["count"], result["lower_bound"], result["status"]) == (0, 0, "infeasible")


def test_infeasible_means_that_not_one_row_can_be_helped() -> None:
    problem = type(TWO_TRIANGLES)(**{**TWO_TRIANGLES.arguments(), "threshold": 99})
    result = build_result(problem)
    assert "'infeasible'" in failing({**result, "status": "optimal"})["counts and status agree"]
    result["undecided"] = [result["unreachable"].pop()["row"]]
    assert "'feasible'" in failing({**result, "status": "optimal"})["counts and status agree"]
    assert not failing({**result, "status": "feasible"})


@pytest.mark.parametrize(
    "tamper",
    [
        edit("index", 0, to="another name"),
        edit("versions", "oneformany", to="9"),
        edit("unreachable", 0, "reason", to="anything"),
        edit("seed", to=1),
        edit("ended", to="interrupted"),
        edit("digest", to="0" * 64),
    ],
)
def test_what_no_proof_covers_is_bound_by_the_digest(tamper: Edit) -> None:
    result = copy.deepcopy(build_result(TWO_TRIANGLES))
    tamper(result)
    report = verify(result)
    assert report.outcome is Outcome.WRONG
    assert [check.name for check in report.checks if check.outcome is Outcome.WRONG] == [
        "the file is as it was written"
    ]
