"""Tests of the command that draws whole curves: of files, and of german credit."""

import json
import signal

import pytest

import oneformany as ofm
from cli.cases import call, write_case


@pytest.fixture
def case(tmp_path):
    return write_case(tmp_path)


def frontier(case, *arguments):
    return call("frontier", case / "rows.csv", case / "model.joblib", "--trust-model", *arguments)


def test_a_curve_over_changes_is_printed_saved_and_drawn(case):
    files = case / "curve.json", case / "curve.png"
    outcome = frontier(
        case, "--max-changes", 2, "--columns", "income,savings", "--json", files[0], "--plot", files[1]
    )
    assert outcome.exit_code == 0, outcome.output
    assert "changes count covered" in outcome.output
    assert "rows.csv: 3 rows" in outcome.output
    (curve,) = json.loads(files[0].read_text())
    assert (curve["over"], curve["people"]) == ("max_changes", 3)
    assert [point["max_changes"] for point in curve["points"]] == [1, 2]
    assert all(point["count"] == point["bound"] and point["proved"] for point in curve["points"])
    assert files[1].read_bytes().startswith(b"\x89PNG")


def test_a_curve_over_explanations_counts_people(case):
    outcome = frontier(
        case,
        "--explanations",
        2,
        "--max-changes",
        2,
        "--columns",
        "income,savings",
        "--json",
        case / "c.json",
    )
    assert outcome.exit_code == 0, outcome.output
    (curve,) = json.loads((case / "c.json").read_text())
    assert [point["explanations"] for point in curve["points"]] == [1, 2]
    covered = [point["covered"] for point in curve["points"]]
    assert covered == sorted(covered)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (1, "There are 2 features; --max-changes 2 asks about all."),
        (9, "--max-changes 9 means all features here: there are 2."),
    ],
)
def test_a_curve_says_what_it_leaves_out(case, changes, words):
    assert words in frontier(case, "--max-changes", changes, "--columns", "income,savings").output


def test_rows_without_a_model_are_refused(case):
    outcome = call("frontier", case / "rows.csv")
    assert outcome.exit_code == 2
    assert "without a model" in outcome.output


def test_without_files_two_models_of_german_credit_are_asked(tmp_path):
    outcome = call("frontier", "--max-changes", 2, "--json", tmp_path / "c.json")
    assert outcome.exit_code == 0, outcome.output
    titles = [curve["title"] for curve in json.loads((tmp_path / "c.json").read_text())]
    assert titles == ["german credit, logistic regression", "german credit, network"]


def test_a_curve_without_time_for_a_proof_ends_with_3():
    outcome = call("frontier", "--max-changes", 10, "--time-limit", 0, "-q")
    assert outcome.exit_code == 3
    assert outcome.output == ""


def test_an_interrupt_ends_all_curves_and_keeps_what_was_found(tmp_path, monkeypatch):
    draw = ofm.frontier_of_frame

    def draw_until_interrupted(*arguments, **options):
        curve = draw(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return curve

    monkeypatch.setattr(ofm, "frontier_of_frame", draw_until_interrupted)
    outcome = call("frontier", "--max-changes", 1, "--json", tmp_path / "c.json")
    assert outcome.exit_code == 130
    assert len(json.loads((tmp_path / "c.json").read_text())) == 1


def test_options_that_german_credit_would_not_heed_are_refused():
    outcome = call("frontier", "--immutable", "age")
    assert outcome.exit_code == 2
    assert "are for ROWS and MODEL: give both" in outcome.stderr
