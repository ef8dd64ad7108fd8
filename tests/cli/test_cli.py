"""Tests that the commands say what they should, and end with the right exit code."""

import ast
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import oneformany
from cli.cases import call
from oneformany.console import WITHOUT_OPTION, as_option, names
from oneformany.datasets import load
from oneformany.exceptions import Argument, DataUnavailableError, InputError
from oneformany.paper.runs.records import read
from oneformany.result.result import Result


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "result.json"
    return call("demo", "--json", path), path


def test_the_version_is_told():
    outcome = call("--version")
    assert outcome.exit_code == 0
    assert outcome.output.startswith("oneformany ")


def test_help_names_every_command():
    outcome = call("--help")
    assert outcome.exit_code == 0
    for command in ("demo", "verify", "bench"):
        assert command in outcome.output


@pytest.mark.parametrize(
    ("argument", "python", "option"),
    [
        (Argument("max_changes", bare=True), "max_changes", "--max-changes"),
        (Argument("max_changes", 9), "max_changes=9", "--max-changes 9"),
        (Argument("share", "action"), "share='action'", "--share action"),
        (Argument("threshold"), "threshold=", "--threshold"),
        (Argument("immutable", ["day of birth"]), "immutable=['day of birth']", "--immutable 'day of birth'"),
        (Argument("immutable", ["a", "b"]), "immutable=['a', 'b']", "--immutable a,b"),
        (Argument("positive", "very good"), "positive='very good'", "--positive 'very good'"),
        (Argument("cells"), "cells=", "--schema"),
        (Argument("also"), "also=", "also="),
    ],
)
def test_arguments_are_spelled_as_options(argument, python, option):
    assert (str(argument), as_option(argument)) == (python, option)


def test_an_error_names_its_argument_in_a_field_and_leaves_what_users_wrote_alone():
    error = InputError("column 'share=2': name it with ", Argument("positive", "max_changes=3"))
    assert error.argument == "positive"
    assert str(error) == "column 'share=2': name it with positive='max_changes=3'"
    assert error.spelled(as_option) == "column 'share=2': name it with --positive max_changes=3"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (its own)
    assert (str(again), again.argument, again.parts) == (str(error), "positive", error.parts)
    assert InputError("nothing to name").argument is None
    assert str(DataUnavailableError("a", Argument("data_dir"), "b")) == "adata_dir=b"


def test_every_argument_that_a_message_names_is_an_option_or_known_to_be_none():
    named = set()
    for path in Path(oneformany.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Argument":
                named |= {part.value for part in node.args[:1] if isinstance(part, ast.Constant)}
    assert {"max_changes", "positive", "reference", "immutable"} <= named
    helped = " ".join(call(command, "--help").output for command in ("explain", "frontier", "audit", "bench"))
    helped += call("bench", "tables", "--help").output + call("bench", "models", "--help").output
    for name in named:
        option = as_option(Argument(name))
        assert name in WITHOUT_OPTION or option in helped, name


def test_names_are_split_at_commas_outside_of_quotes():
    assert names(' a, b ,,a,"c, d"') == ["a", "b", "c, d"]
    assert names("") == []


def test_the_package_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "oneformany", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("oneformany ")


def test_the_demo_tells_explanations_proof_and_time(demo):
    outcome, _ = demo
    assert outcome.exit_code == 0, outcome.output
    for words in (
        "explanations cover ",
        "proved to be the fewest possible",
        "Explanation 1 covers",
        "Proof that at least",
        "Solved in",
        "accepted by code that shares nothing with the solver",
    ):
        assert words in outcome.output


def test_the_rest_of_the_explanations_is_an_option_away():
    outcome = call("demo", "--show", 1)
    many = int(re.search(r"(\d+) explanations cover", outcome.output)[1])
    assert f"... and {many - 1} further explanations: --show {many} spells out all." in outcome.output
    outcome = call("demo", "--show", 0)
    assert f"{many} explanations not spelled out: --show {many} spells out all." in outcome.output


def test_the_demo_gives_only_advice_that_a_reader_would_follow(tmp_path):
    call("demo", "--json", tmp_path / "result.json")  # everybody: rare advice is the likeliest to be odd
    asked = Result.from_json(tmp_path / "result.json").assignment_frame()
    frame = load("german").frame.loc[asked.index]
    better = {
        "checking_account": ["no checking account", "below 0 DM", "0 to 200 DM", "200 DM or more"],
        "savings": ["none or unknown", "below 100 DM", "100 to 500 DM", "500 to 1000 DM", "1000 DM or more"],
        "other_debtors": ["none", "co-applicant", "guarantor"],
        "employment": ["unemployed", "below 1 year", "1 to 4 years", "4 to 7 years", "7 years or more"],
    }
    for name, order in better.items():
        changed = asked[name].dropna()
        steps = changed.map(order.index) - frame.loc[changed.index, name].map(order.index)
        assert len(steps) > 0, name
        assert (steps > 0).all(), name
        assert name != "employment" or (steps == 1).all()
    assert asked["credit_history"].isna().all()
    assert set(asked["housing"].dropna()) == {"own"}
    assert "below 0 DM" not in set(asked["checking_account"])
    assert set(asked["amount"].dropna()) == {"<= 2319.5"}
    assert set(asked["duration"].dropna()) <= {"<= 18"}


def test_the_demo_saves_a_result_that_verify_confirms(demo):
    _, path = demo
    outcome = call("verify", path)
    assert outcome.exit_code == 0, outcome.output
    assert "confirmed" in outcome.output


def test_a_tampered_file_is_wrong_with_exit_code_1(demo, tmp_path):
    data = json.loads(demo[1].read_text())
    data["explanations"][0]["point"][1] ^= 1
    path = tmp_path / "tampered.json"
    path.write_text(json.dumps(data))
    outcome = call("verify", path, "--json", tmp_path / "checks.json")
    assert outcome.exit_code == 1
    assert "wrong" in outcome.output
    found = json.loads((tmp_path / "checks.json").read_text())
    assert (found["ok"], found["outcome"]) == (False, "wrong")


@pytest.mark.parametrize("limit", ["--time-limit", "--memory-limit"])
def test_what_is_not_checked_within_the_limits_ends_with_exit_code_3(demo, limit):
    outcome = call("verify", demo[1], limit, "0")
    assert outcome.exit_code == 3, outcome.output
    assert "cannot be confirmed" in outcome.output
    assert "too large to check" in outcome.output


def test_checks_that_could_not_be_saved_are_not_begun(demo):
    outcome = call("verify", demo[1], "--json", "no/such/checks.json")
    assert outcome.exit_code == 2
    assert "the folder of no/such/checks.json does not exist" in outcome.stderr


@pytest.mark.parametrize("content", [None, "", "{", '{"format": "other"}'])
def test_an_unreadable_file_ends_with_exit_code_2(tmp_path, content):
    path = tmp_path / "result.json"
    if content is not None:
        path.write_text(content)
    outcome = call("verify", path)
    assert outcome.exit_code == 2
    assert "Error: " in outcome.stderr
    assert outcome.stderr.count("result.json") >= 1
    assert "Traceback" not in outcome.output


def test_the_bench_prints_the_paper_beside_ours_and_writes_json_lines(tmp_path):
    path = tmp_path / "bench.jsonl"
    outcome = call(
        "bench", "paper", "--dataset", "german", "--rows", "10", "--max-changes", "5,15",
        "--json", path, "--verify",
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.output
    records = read(path)
    counts = [(r["count"], r["lower_bound"], r["published"]["explanations"]) for r in records]
    assert counts == [(9, 9, 9), (2, 2, 2)]
    assert all(r["status"] == "optimal" and r["verified"] and r["confirmed"] for r in records)
    assert "11 of 11" in outcome.output


def test_finished_cells_are_not_run_again(tmp_path):
    path = tmp_path / "bench.jsonl"
    asked = ("--dataset", "german", "--rows", "10", "--max-changes", "5")
    arguments = ("bench", "paper", *asked, "--json", path)
    assert call(*arguments).exit_code == 0
    before = path.read_text()
    assert call(*arguments).exit_code == 0
    assert path.read_text() == before
    assert call(*arguments, "--time-limit", 60).exit_code == 0
    assert len(read(path)) == 2


def test_the_correct_students_coding_is_another_data_set(tmp_path):
    path = tmp_path / "bench.jsonl"
    for coding in ("published", "correct"):
        call(
            "bench", "paper", "--dataset", "students", "--rows", "10", "--max-changes", "20",
            "--coding", coding, "--json", path,
        )  # fmt: skip
    assert [record["dataset"] for record in read(path)] == ["students-published", "students"]


def test_other_rows_than_the_papers_are_not_passed_off_as_a_comparison():
    outcome = call(
        "bench", "paper", "--dataset", "german", "--rows", "10", "--max-changes", "15",
        "--protocol", "negatives",
    )  # fmt: skip
    assert "order of magnitude only" in outcome.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dataset", "iris"), "no data set 'iris'"),
        (("--model", "svm"), "no model 'svm'"),
        (("--method", "guess"), "no method 'guess'"),
        (("--protocol", "all"), "'all' is not one of"),
        (("--coding", "mine"), "'mine' is not one of"),
        (("--rows", "ten"), "--rows takes integers"),
        (("--rows", "0"), "--rows takes integers of 1 or more"),
        (("--dataset", "german", "--rows", "5000"), "5000 rows are asked for"),
        (("--dataset", "compas", "--data-dir", "no-such-folder"), "no-such-folder"),
    ],
)
def test_bad_options_of_the_bench_are_told_in_a_sentence(arguments, message):
    outcome = call("bench", "paper", *arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert "Traceback" not in outcome.output
