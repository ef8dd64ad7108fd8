"""Tests that a result is plain data, survives a file exactly, and tells itself in words."""

import json
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from oneformany.exceptions import CertificateError, OneForManyError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.result import Explanation, Result, Unreachable, problem_to_dict
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.statistics import Round, Statistics

CODES = [[0, 0, 0], [0, 1, 0], [1, 1, 2], [0, 0, 1]]


@pytest.fixture
def problem():
    oracle = AdditiveOracle([[0.0, 1.0], [0.0, 1.0], [0.0, 0.5, -5.0]], threshold=2.0)
    return Problem(np.array(CODES), (2, 2, 3), oracle, max_changes=2, allowed=[None, None, np.eye(3)])


@pytest.fixture
def result(problem):
    return Result(
        status="infeasible",
        count=2,
        lower_bound=2,
        explanations=(Explanation((1, 1, 0), (0, 1), (0, 1)), Explanation((1, 1, 1), (0, 1), (3,))),
        assignment=(0, 0, -1, 1),
        unreachable=(Unreachable(2, "its best score within 2 changes is -3"),),
        certificate={
            "bound": 2,
            "proof": {"kind": "dual", "weights": [1, 0, 0, 1], "capacity": 1, "bound": 2},
        },
        problem=problem_to_dict(problem),
        statistics=Statistics(
            rounds=[Round("start", 0, 3, math.inf, 0, 3, 0.1), Round("columns", 1, 5, 2.0, 2, 2, 0.25)],
            timings={"pricing": 0.1},
            counters={"nodes": 7},
        ),
        versions={"oneformany": "0.1.0"},
        seed=3,
    )


def test_gap_is_relative_to_the_count(result):
    assert result.gap == 0.0
    assert replace(result, status="feasible", lower_bound=1).gap == 0.5


def test_gap_is_zero_when_no_row_can_be_helped(result):
    nothing = replace(result, count=0, lower_bound=0, explanations=(), assignment=(-1,) * 4)
    assert nothing.gap == 0.0


def test_results_and_their_parts_cannot_be_changed(result):
    with pytest.raises(FrozenInstanceError):
        result.count = 1
    with pytest.raises(FrozenInstanceError):
        result.explanations[0].point = (0, 0, 0)


def test_numpy_integers_become_plain_ones():
    explanation = Explanation(np.array([1, 0]), np.array([0]), np.array([4, 5]))
    assert explanation == Explanation((1, 0), (0,), (4, 5))
    assert type(explanation.point[0]) is int


def test_fractions_are_no_codes():
    with pytest.raises(TypeError):
        Explanation((0.5, 1), (0,), (0,))


def test_the_problem_is_written_down_as_in_the_file_format(problem):
    data = problem_to_dict(problem)
    assert data["codes"] == CODES
    assert data["levels"] == [2, 2, 3]
    assert data["max_changes"] == 2
    assert data["allowed"] == [None, None, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
    assert data["oracle"] == problem.oracle.describe()


def test_a_problem_without_rules_has_null_for_allowed(problem):
    free = Problem(problem.codes, problem.levels, problem.oracle, max_changes=1)
    assert problem_to_dict(free)["allowed"] is None


def test_a_result_survives_text_and_file_exactly(result, tmp_path):
    path = tmp_path / "result.json"
    text = result.to_json(path)
    assert path.read_text() == text
    assert Result.from_json(text) == result
    assert Result.from_json(path) == result
    assert Result.from_json(str(path)) == result
    assert Result.from_json(path).to_json() == text


def test_the_file_is_strict_json_with_the_agreed_parts(result):
    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(result.to_json(), parse_constant=refuse)
    assert data["format"] == "oneformany-result"
    assert data["version"] == 1
    assert set(data) == {
        "format", "version", "status", "count", "lower_bound", "method", "seed", "versions", "problem",
        "explanations", "assignment", "unreachable", "certificate", "statistics", "schema",
    }  # fmt: skip


def test_writing_leaves_no_other_file_behind(result, tmp_path):
    result.to_json(tmp_path / "result.json")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_failed_write_keeps_the_old_file(result, tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    result.to_json(path)
    before = path.read_text()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        replace(result, seed=99).to_json(path)
    assert path.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_every_half_written_file_is_refused(result, tmp_path):
    text = result.to_json()
    path = tmp_path / "half.json"
    for length in range(0, len(text) - 3, 29):
        path.write_text(text[:length])
        with pytest.raises(CertificateError, match=r"half\.json"):
            Result.from_json(path)


def test_a_missing_or_binary_file_is_refused(tmp_path):
    with pytest.raises(CertificateError, match="cannot be read"):
        Result.from_json(tmp_path / "none.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CertificateError, match="cannot be read"):
        Result.from_json(tmp_path / "binary.json")


def test_certificate_errors_are_also_value_errors():
    with pytest.raises(ValueError, match="no result"):
        Result.from_json("{}")
    with pytest.raises(OneForManyError):
        Result.from_json("{}")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("format", "something"),
        ("version", 2),
        ("status", "great"),
        ("count", "2"),
        ("count", 1),
        ("lower_bound", 1.5),
        ("explanations", [{"point": [0]}]),
        ("explanations", None),
        ("assignment", [0, 0]),
        ("assignment", [0, 0, -1, 2]),
        ("explanations", [{"point": [1, 1, 0], "changed": [0], "members": [4]}] * 2),
        ("explanations", [{"point": [1, 1], "changed": [0], "members": [0]}] * 2),
        ("assignment", ["a", "b", "c", "d"]),
        ("unreachable", [{"row": None, "reason": ""}]),
        ("certificate", []),
        ("problem", None),
        ("versions", 1),
        ("method", None),
        ("seed", None),
        ("statistics", {"rounds": [{"phase": "start"}]}),
        ("statistics", []),
    ],
)
def test_files_with_a_wrong_part_are_refused(result, part, value):
    data = json.loads(result.to_json())
    data[part] = value
    with pytest.raises(CertificateError):
        Result.from_json(json.dumps(data))


@pytest.mark.parametrize("part", ["count", "problem", "explanations", "certificate", "schema", "statistics"])
def test_files_without_a_part_are_refused_by_its_name(result, part):
    data = json.loads(result.to_json())
    del data[part]
    with pytest.raises(CertificateError, match=part):
        Result.from_json(json.dumps(data))


def test_the_frame_has_one_line_per_explanation(result):
    frame = result.to_frame()
    assert frame.index.tolist() == [1, 2]
    assert frame["rows_covered"].tolist() == [2, 1]
    assert frame["changed_features"].tolist() == ["feature 0; feature 1"] * 2
    assert frame["feature 2"].tolist() == ["level 0", "level 1"]


def test_the_assignment_frame_tells_each_row_what_to_change(result):
    frame = result.assignment_frame()
    assert frame["outcome"].tolist() == ["explained", "explained", "cannot be helped", "explained"]
    assert frame["explanation"].dropna().tolist() == [1, 1, 2]
    assert frame["changes"].dropna().tolist() == [2, 1, 2]
    assert frame.loc[0, "feature 1"] == "level 1"
    assert frame.loc[1, "feature 0"] == "level 1"
    assert frame.loc[[1, 2], "feature 1"].isna().all()
    assert frame.loc[2, "reason"] == "its best score within 2 changes is -3"


def test_frames_of_an_empty_answer_have_all_columns(result):
    nothing = replace(result, count=0, lower_bound=0, explanations=(), assignment=(-1,) * 4)
    assert nothing.to_frame().shape == (0, 5)
    assert nothing.assignment_frame().shape == (4, 7)


def test_the_summary_names_groups_changes_proof_and_hopeless_rows(result):
    text = result.summary()
    assert "2 explanations cover 3 of 4 rows, each changing at most 2 features" in text
    assert "proved to be the fewest possible" in text
    assert "Explanation 1 covers 2 rows (rows 0, 1):" in text
    assert "feature 1  -> level 1  (1 from level 0)" in text
    assert "row 2: its best score within 2 changes is -3" in text
    assert "Proof that at least 2 explanations must be used" in text
    assert "2.000 times" in text


def test_the_summary_leaves_out_changes_that_no_row_makes(result):
    lazy = replace(result, explanations=(Explanation((0, 0, 0), (0, 1), (0,)), result.explanations[1]))
    assert "already positive, nothing to change" in lazy.summary()


def test_rows_are_called_by_their_place_in_the_frame_they_came_from(result):
    placed = replace(result, problem={**result.problem, "rows": [10, 20, 30, 40]})
    assert "(rows 10, 20)" in placed.summary()
    assert "row 30: its best score" in placed.summary()
    assert placed.assignment_frame().index.tolist() == [10, 20, 30, 40]


def test_labels_of_the_schema_are_used_where_there_is_one(result):
    schema = Schema(
        (
            Feature("job", ("none", "steady")),
            Feature("outcome", ("bad", "good"), unit="marks"),
            Feature("savings", ("low", "mid", "high"), ordered=True),
        )
    )
    told = replace(result, schema=schema)
    assert "job      -> steady      (2 from none)" in told.summary()
    assert "outcome  -> good marks  (1 from bad marks)" in told.summary()
    assert told.to_frame().loc[1, "changed_features"] == "job; outcome"
    frame = told.assignment_frame()
    assert frame.columns.tolist() == [
        "explanation", "outcome_", "reason", "changes", "job", "outcome", "savings",
    ]  # fmt: skip
    assert frame.loc[0, "outcome"] == "good"
    assert Result.from_json(told.to_json()) == told


def test_the_summary_states_an_open_gap(result):
    text = replace(result, status="feasible", lower_bound=1).summary()
    assert "at least 1 are needed (gap 50.0%)" in text
    assert "fewest possible" not in text


def test_the_summary_can_be_cut(result):
    text = result.summary(limit=1)
    assert "Explanation 2" not in text
    assert "1 further explanation" in text


def test_the_summary_tells_proofs_by_listing_and_by_cases(result):
    listing = {
        "kind": "enumeration", "weights": [3, 0, 0, 2], "capacity": 4, "target": 1,
        "columns": [[0, 1], [3]], "bound": 2,
    }  # fmt: skip
    text = replace(result, certificate={"bound": 2, "proof": listing}).summary()
    assert "2 groups of rows, all listed in the certificate, and no 1 of these cover every row" in text
    cases = {"kind": "branch", "pair": [0, 3], "together": listing, "apart": listing, "bound": 2}
    text = replace(result, certificate={"bound": 2, "proof": cases}).summary()
    assert "2 cases" in text
    assert "listing 4 groups" in text


def test_the_summary_of_an_empty_answer_needs_no_proof(result):
    nothing = replace(result, count=0, lower_bound=0, explanations=(), assignment=(-1,) * 4)
    assert "none is needed" in nothing.summary()


def test_the_summary_of_a_result_without_proof_says_so(result):
    assert "none attached" in replace(result, certificate={}).summary()
