"""Tests that rows and a model from files are explained, and that bad files are told in a sentence."""

import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from typer.testing import CliRunner

from oneformany.cli.app import app
from oneformany.result.result import Result
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

SCHEMA = Schema(
    (
        Feature("income", ("low", "middle", "high"), ordered=True),
        Feature("job", ("no", "yes")),
        Feature("age", ("young", "old"), ordered=True),
    )
)


@pytest.fixture
def files(tmp_path):
    """All 12 rows, and a model that wants income and job."""
    codes = np.array([[a, b, c] for a in range(3) for b in range(2) for c in range(2)])
    good = np.where(codes[:, 0] + 2 * codes[:, 1] >= 3, "good", "bad")
    frame = SCHEMA.decode(codes)
    model = LogisticRegression(C=100.0).fit(SCHEMA.one_hot(codes), good)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    joblib.dump(model, tmp_path / "model.joblib")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA.to_dict()))
    return tmp_path


def explain(files, *arguments, rows="rows.csv", model="model.joblib", schema="schema.json"):
    return CliRunner().invoke(
        app,
        [
            "explain", str(files / rows), str(files / model), "--schema", str(files / schema),
            "--positive", "good", "--trust-model", *arguments,
        ],
    )  # fmt: skip


def test_refused_rows_are_explained_in_words(files):
    outcome = explain(files, "--max-changes", "2", "--immutable", "age")
    assert outcome.exit_code == 0, outcome.output
    assert "2 explanations cover all 8 rows" in outcome.output
    assert "proved to be the fewest possible" in outcome.output


def test_results_and_changes_are_saved(files):
    outcome = explain(
        files, "--max-changes", "2", "--json", str(files / "out.json"), "--csv", str(files / "out.csv")
    )
    assert outcome.exit_code == 0, outcome.output
    result = Result.from_json(files / "out.json")
    table = pd.read_csv(files / "out.csv", index_col="row")
    assert len(table) == len(result.assignment) == 8
    assert set(table["outcome"]) == {"explained"}


def test_one_way_rules_are_kept(files):
    outcome = explain(
        files, "--max-changes", "3", "--only-increase", "age", "--json", str(files / "out.json")
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.output
    result = Result.from_json(files / "out.json")
    for explanation in result.explanations:
        assert all(result.problem["codes"][row][2] <= explanation.point[2] for row in explanation.members)


def test_pickled_models_can_be_read(files):
    model = joblib.load(files / "model.joblib")
    (files / "model.pkl").write_bytes(pickle.dumps(model))
    assert explain(files, model="model.pkl").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": "none.csv"}, "none.csv cannot be read as a table"),
        ({"model": "none.joblib"}, "none.joblib cannot be loaded as a model"),
        ({"model": "rows.csv"}, "rows.csv cannot be loaded as a model"),
        ({"schema": "none.json"}, "none.json cannot be read as a schema"),
        ({"schema": "rows.csv"}, "rows.csv cannot be read as a schema"),
    ],
)
def test_files_that_cannot_be_read_are_named(files, arguments, message):
    outcome = explain(files, **arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--immutable", "shoe"), "'shoe'"),
        (("--positive", "fine"), "'fine'"),
        (("--max-changes", "0"), "max_changes is 0"),
        (("--time-limit", "-1"), "time_limit is -1"),
        (("--separator", ";"), "lacks the columns"),
    ],
)
def test_options_that_cannot_be_used_are_told(files, arguments, message):
    outcome = explain(files, *arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_a_regressor_is_refused(files):
    joblib.dump(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), files / "regressor.joblib")
    outcome = explain(files, model="regressor.joblib")
    assert outcome.exit_code == 2
    assert "regressor" in outcome.stderr


def test_rows_that_time_did_not_allow_to_examine_are_said_to_be_undecided(files):
    outcome = explain(files, "--time-limit", "0", "--csv", str(files / "out.csv"))
    assert outcome.exit_code == 3, outcome.output
    assert "8 rows are undecided. The time limit ended the search." in outcome.output
    assert "cannot be helped" not in outcome.output
    assert set(pd.read_csv(files / "out.csv", index_col="row")["outcome"]) == {"undecided"}


def test_control_characters_in_an_error_are_shown_and_not_obeyed(files):
    outcome = explain(files, "--immutable", "shoe\x1b[31m")
    assert outcome.exit_code == 2
    assert "\x1b" not in outcome.stderr
    assert r"shoe\x1b[31m" in outcome.stderr
