"""Tests that a result is plain data, survives a file exactly, and tells itself in words."""

import hashlib
import json
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from oneformany.exceptions import CertificateError, InputError, OneForManyError
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.result.build import problem_to_dict
from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.file import digest
from oneformany.result.proof import Anchors, Branch, Cost, Exclusion, Weights
from oneformany.result.result import Result
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.statistics import Round, Statistics

WEIGHTS = Weights((0, 3), (1, 1), 1, 1).to_dict()
CODES = [[0, 0, 0], [0, 1, 0], [1, 1, 2], [0, 0, 1]]


@pytest.fixture
def problem():
    oracle = AdditiveOracle([[0.0, 1.0], [0.0, 1.0], [0.0, 0.5, -5.0]], threshold=2.0)
    return Problem(np.array(CODES), (2, 2, 3), oracle, max_changes=2, allowed=[None, None, np.eye(3)])


@pytest.fixture
def result(problem):
    return Result(
        status="optimal",
        count=2,
        lower_bound=2,
        explanations=(Explanation((1, 1, 0), (0, 1), (0, 1)), Explanation((1, 1, 1), (0, 1), (3,))),
        assignment=(0, 0, -1, 1),
        unreachable=(Unreachable(2, "its best score within 2 changes is -3"),),
        proof=Weights((0, 3), (1, 1), 1, 1),
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


def test_people_are_counted_once_and_not_for_every_explanation(result):
    assert result.people_of_rows is result.people_of_rows
    with pytest.raises(ValueError, match="read-only"):
        result.people_of_rows[0] = 7


@pytest.fixture
def nothing(result):
    return replace(
        result,
        status="infeasible",
        count=0,
        lower_bound=0,
        explanations=(),
        assignment=(-1,) * 4,
        unreachable=tuple(Unreachable(row, "too far") for row in range(4)),
        covered_bound=None,
        proof=None,
    )


@pytest.fixture
def unexamined(nothing):
    return replace(
        nothing,
        status="feasible",
        unreachable=(),
        undecided=(0, 1, 2, 3),
        covered_bound=None,
        ended="time limit",
    )


def test_gap_is_zero_when_no_row_can_be_helped(nothing):
    assert nothing.gap == 0.0


def test_every_undecided_row_widens_the_gap_by_an_explanation_of_its_own(result, unexamined):
    assert unexamined.gap == 1.0
    assert replace(result, status="feasible", unreachable=(), undecided=(2,)).gap == 1 / 3


def test_undecided_rows_with_the_same_values_widen_the_gap_once(result):
    problem = {**result.problem, "codes": [CODES[0], CODES[1], CODES[2], CODES[2]]}
    one = (result.explanations[0],)
    open_ = replace(
        result, status="feasible", problem=problem, count=1, lower_bound=1, explanations=one,
        assignment=(0, 0, -1, -1), unreachable=(), undecided=(2, 3),
    )  # fmt: skip
    assert open_.gap == 0.5


def test_a_result_has_itself_checked_within_limits(problem):
    solved = solve(problem)
    assert solved.verify(time_limit=None).outcome == "confirmed"
    assert solved.verify(memory_limit=0).outcome == "cannot be confirmed"
    assert replace(solved, lower_bound=0).verify().outcome == "wrong"


def test_covered_rows_and_their_cost_are_counted(result):
    assert result.covered == 3
    assert result.covered_bound == 3
    assert result.cost == 5
    assert result.cost_bound is None
    assert result.goal.explanations is None
    assert result.share == "point"
    assert result.left_out == ()


def test_costs_of_the_problem_count_instead_of_changes(result):
    tables = [[[0, 10], [10, 0]], [[0, 1], [1, 0]], [[0] * 3] * 3]
    priced = replace(result, problem={**result.problem, "costs": {"tables": tables, "scale": 1}})
    assert priced.cost == 2 * 10 + 1 + 10 + 1


def test_points_say_where_each_row_ends(result):
    assert result.points.tolist() == [[1, 1, 0], [1, 1, 0], [-1, -1, -1], [1, 1, 1]]


def test_points_of_an_advice_keep_what_it_does_not_mention(result):
    advice = (Explanation((1, 1, -1), (0, 1), (0, 1, 3)),)
    shared = replace(result, count=1, explanations=advice, assignment=(0, 0, -1, 0))
    assert shared.points.tolist() == [[1, 1, 0], [1, 1, 0], [-1, -1, -1], [1, 1, 1]]


def test_points_of_a_to_do_list_are_each_rows_own(result):
    own = (Explanation((-1, -1, -1), (0, 1), (0, 1), ((1, 0, 0), (0, 1, 0))), result.explanations[1])
    listed = replace(result, explanations=own)
    assert listed.points.tolist() == [[1, 0, 0], [0, 1, 0], [-1, -1, -1], [1, 1, 1]]
    assert Result.from_json(listed.to_json()) == listed


def test_the_index_names_each_row_or_is_refused(result):
    assert result.index == (0, 1, 2, 3)
    with pytest.raises(ValueError, match="4 rows, but the index names 2"):
        replace(result, index=("a", "b"))


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
    assert data["version"] == 3
    assert set(data) == {
        "format", "version", "status", "ended", "count", "lower_bound", "covered", "method", "seed",
        "versions", "problem", "explanations", "assignment", "unreachable", "undecided", "certificate",
        "statistics", "schema", "index", "digest",
    }  # fmt: skip


def test_budgets_and_proved_costs_are_in_the_file_where_there_are_any(result):
    exclusion = Exclusion(2, 3, columns=((0, 1),), tree={"filters": []}, moves=(((0, 1), (2, -1)),))
    about = {"scale": 1, "explanations": 2, "needed": 3, "bound": 4}
    for proof in (
        Cost((0, 1, 2), (1, 1, 1), **about),
        Cost((0, 1, 2), (1, 1, 1), **about, exclusion=exclusion),
        Cost((0, 1, 2), (1, 1, 1), **about, anchors=Anchors((1, 2, 2), (0, 0, 1))),
    ):
        budgeted = replace(result, goal=Goal(2), covered_bound=3, cost_proof=proof)
        data = json.loads(budgeted.to_json())
        assert data["goal"] == {"explanations": 2, "coverage": None}
        assert (data["covered_bound"], data["cost"], data["cost_bound"]) == (3, 5, 4)
        assert Result.from_json(budgeted.to_json()) == budgeted


def test_the_digest_is_that_of_the_canonical_json(result):
    data = json.loads(result.to_json())
    written = data.pop("digest")
    canonical = json.dumps(
        data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )  # fmt: skip
    assert written == hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def test_an_edited_label_is_noticed(result):
    text = result.to_json()
    edited = text.replace("its best score", "her best score")
    assert edited != text
    with pytest.raises(CertificateError, match="altered or damaged"):
        Result.from_json(edited)


def test_files_of_the_first_version_are_told_apart(result):
    data = {**json.loads(result.to_json()), "version": 1}
    with pytest.raises(CertificateError, match="has version 1, this release reads versions 2 and 3"):
        Result.from_json(json.dumps(data))


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
    with pytest.raises(ValueError, match="not a result"):
        Result.from_json("{}")
    with pytest.raises(OneForManyError):
        Result.from_json("{}")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("format", "something"),
        ("version", 4),
        ("version", 2),
        ("version", 1),
        ("ended", "because"),
        ("undecided", [4]),
        ("undecided", None),
        ("index", [1, 2]),
        ("covered", 4),
        ("certificate", {"bound": 2, "proof": {"kind": "magic", "bound": 2}}),
        ("certificate", {"bound": 2, "proof": {**WEIGHTS, "bound": 3}}),
        ("certificate", {"bound": 2, "proof": {**WEIGHTS, "capacity": 0}}),
        ("certificate", {"bound": 2, "proof": {**WEIGHTS, "weights": [1, 1, 0]}}),
        ("explanations", [{"point": [1, 1, 0], "changed": [7], "members": [0]}] * 2),
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
        ("unreachable", [{"row": 99, "reason": ""}]),
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
    data["digest"] = digest(data)
    with pytest.raises(CertificateError):
        Result.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "part", ["count", "problem", "explanations", "certificate", "schema", "statistics", "index"]
)
def test_files_without_a_part_are_refused_by_its_name(result, part):
    data = json.loads(result.to_json())
    del data[part]
    data["digest"] = digest(data)
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


def test_frames_of_an_empty_answer_have_all_columns(nothing):
    assert nothing.to_frame().shape == (0, 5)
    assert nothing.assignment_frame().shape == (4, 10)


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


def test_rows_are_called_as_the_user_calls_them(result):
    named = replace(result, index=("ann", "bob", "eve", "joe"))
    assert "(rows ann, bob)" in named.summary()
    assert "row eve: its best score" in named.summary()
    assert named.assignment_frame().index.tolist() == ["ann", "bob", "eve", "joe"]


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
        "explanation", "outcome_", "reason", "needed_changes", "blocked_by", "changes",
        "change", "job", "outcome", "savings",
    ]  # fmt: skip
    assert frame.loc[0, "outcome"] == "good"
    assert Result.from_json(told.to_json()) == told


def test_the_summary_states_an_open_gap(result):
    text = replace(result, status="feasible", lower_bound=1).summary()
    assert "at least 1 is needed (gap 50.0%)" in text
    assert "fewest possible" not in text


def test_the_summary_can_be_cut(result):
    text = result.summary(limit=1)
    assert "Explanation 2" not in text
    assert "1 further explanation" in text
    for limit in (-1, "3", 1.5):
        with pytest.raises(InputError, match=r"limit is .*; say how many explanations to spell out"):
            result.summary(limit=limit)


def test_the_summary_tells_proofs_by_listing_and_by_cases(result):
    listing = Weights((0, 3), (3, 2), 4, 3, Exclusion(1, 0, ((0, 1), (3,)), {"filters": [[[0, 1], [3, 1]]]}))
    text = replace(result, proof=listing).summary()
    assert "2 groups of rows, all listed in the certificate, and none of these covers every row" in text
    cases = Branch((0, 3), listing, listing)
    text = replace(result, proof=cases).summary()
    assert "2 cases" in text
    assert "listing 4 groups" in text


def test_proofs_in_cases_with_parts_come_back_from_a_file(result):
    leaf = {"filters": [[[0, 1], [3, 1]]]}
    tree = {"filters": [[[[0, 3], 1]]], "row": 0, "columns": [0], "parts": [leaf]}
    listing = Weights((0, 3), (3, 2), 4, 3, Exclusion(1, 0, ((0, 1), (3,)), tree))
    proved = replace(result, proof=Branch((0, 3), listing, Weights((0, 3), (1, 1), 1, 1)))
    assert Result.from_json(proved.to_json()) == proved


def test_the_summary_tells_that_a_bound_is_the_word_of_a_solver(result):
    word = replace(result, proof=None, solver="HiGHS 1.9")
    assert "the word of HiGHS 1.9, which can be checked only" in word.summary()
    assert word.certificate == {"bound": 2, "proof": None, "solver": "HiGHS 1.9"}
    assert Result.from_json(word.to_json()) == word


def test_the_summary_of_hopeless_rows_says_that_it_is_proved(nothing):
    text = nothing.summary()
    assert text.startswith("None of the 4 rows can be helped by changing at most 2 features: proved.")
    assert "rows 0, 1, 2, 3: too far" in text
    assert "none is needed" in text


def test_the_summary_never_calls_unexamined_rows_hopeless(unexamined):
    text = unexamined.summary()
    assert "4 rows are undecided. The time limit ended the search." in text
    assert "rows 0, 1, 2, 3: the time limit ended the search before it was known" in text
    assert "cannot" not in text
    assert "proved" not in text


def test_a_bound_beside_undecided_rows_is_said_to_be_for_the_others(result):
    text = replace(
        result, status="feasible", unreachable=(), undecided=(2,), ended="interrupted"
    ).summary()  # fmt: skip
    assert "proved to be the fewest possible for these rows" in text
    assert "counting only rows known to be helpable" in text
    assert "The search was interrupted." in text


def test_the_summary_of_a_result_without_proof_says_so(result):
    assert "none attached" in replace(result, proof=None).summary()


def test_rows_left_out_by_a_budget_are_told_apart(result):
    short = replace(
        result, count=1, lower_bound=1, explanations=result.explanations[:1], assignment=(0, 0, -1, -1),
        goal=Goal(1), covered_bound=2,
    )  # fmt: skip
    assert short.left_out == (3,)
    assert "proved to be the most that 1 explanation can cover." in short.summary()
    assert "1 row can be helped, but is left out." in short.summary()
    assert short.assignment_frame()["outcome"].tolist()[3] == "left out"


def test_results_and_explanations_have_a_short_repr(result, unexamined):
    assert repr(result) == (
        "Result(optimal: 2 explanations cover 3 of 4 rows, at least 2 are needed, 1 beyond help)"
    )
    assert repr(unexamined) == ("Result(feasible: 0 explanations cover 0 of 4 rows, gap 100.0%, 4 undecided)")
    assert repr(result.explanations[1]) == "Explanation(changes 2 features of 1 row)"


HOSTILE = "<script>alert(1)</script>\x1b[31m\n&"


@pytest.fixture
def hostile(result):
    schema = Schema(
        (
            Feature(HOSTILE, ("no", HOSTILE), unit=HOSTILE),
            Feature("b", ("no", "yes")),
            Feature("c", ("x", "y", "z")),
        )
    )
    reasons = (Unreachable(2, HOSTILE),)
    return replace(result, schema=schema, index=(HOSTILE, "b", "c", "d"), unreachable=reasons)


def test_control_characters_in_names_are_shown_and_not_obeyed(hostile):
    text = hostile.summary()
    assert "\x1b" not in text
    assert r"alert(1)</script>\x1b[31m\n&" in text


def test_the_table_for_notebooks_escapes_what_it_shows(hostile):
    table = hostile._repr_html_()
    assert "<script>" not in table
    assert "\x1b" not in table
    assert "&lt;script&gt;" in table
    assert table.count("<tr>") == 3


def test_the_table_for_notebooks_is_short(result):
    many = replace(
        result, count=30, explanations=(Explanation((1, 1, 0), (0,), ()),) * 30, assignment=(-1,) * 4
    )
    assert many._repr_html_().count("<tr>") == 12
    assert "20 more" in many._repr_html_()


def test_values_keep_their_own_types_in_frames(result):
    schema = Schema(
        (
            Feature("n", ("1", "2"), numbers=(1, 2)),
            Feature("b", ("no", "yes"), numbers=(False, True)),
            Feature("f", ("0.5", "1.5", "2.5"), numbers=(0.5, 1.5, 2.5)),
        )
    )
    told = replace(result, schema=schema)
    frame = told.to_frame()
    assert frame["n"].tolist() == [2, 2]
    assert frame["b"].tolist() == [True, True]
    assert frame["f"].tolist() == [0.5, 1.5]
    lines = told.assignment_frame()
    assert lines["n"].dtype == "Int64"
    assert lines.loc[1, "n"] == 2
    assert lines["b"].isna().tolist() == [False, True, True, False]


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_a_rule_on_rows_of_ones_own_needs_nothing_but_to_say_whether_it_holds(share):
    class OnlyOne:
        def holds(self, before, after):
            return (before != after).sum(axis=1) <= 1

    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=1)
    problem = Problem([[0, 0, 0]], (2, 2, 2), oracle, 2, share=share, restrictions=[OnlyOne()])
    result = solve(problem)
    assert (result.covered, result.cost) == (1, 1)
    assert Result.from_json(result.to_json()) == result
    assert 'the rule "OnlyOne" is your own, or of another release' in str(result.verify())
