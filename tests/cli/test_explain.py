"""Tests that rows and a model from files are explained, and that bad files are told in a sentence."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from cli.cases import call
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
    parts = "[[features]]\nname = {!r}\nlevels = {}\nordered = {}\n"
    tables = [parts.format(one.name, list(one.levels), str(one.ordered).lower()) for one in SCHEMA.features]
    (tmp_path / "schema.toml").write_text("".join(tables))
    return tmp_path


def explain(files, *arguments, model="model.joblib"):
    return call(
        "explain", files / "rows.csv", files / model, "--schema", files / "schema.toml",
        "--positive", "good", "--trust-model", *arguments,
    )  # fmt: skip


def test_refused_rows_are_explained_in_words(files):
    outcome = explain(files, "--max-changes", "2", "--immutable", "age", "--share", "point")
    assert outcome.exit_code == 0, outcome.output
    assert "2 explanations cover all 8 rows" in outcome.output
    assert "proved to be the fewest possible" in outcome.output


def test_results_and_changes_are_saved(files):
    outcome = explain(files, "--max-changes", "2", "--json", files / "out.json", "--csv", files / "out.csv")
    assert outcome.exit_code == 0, outcome.output
    result = Result.from_json(files / "out.json")
    table = pd.read_csv(files / "out.csv", index_col="row")
    assert len(table) == len(result.assignment) == 8
    assert set(table["outcome"]) == {"explained"}


def test_one_way_rules_are_kept(files):
    outcome = explain(
        files, "--max-changes", "3", "--only-increase", "age", "--json", files / "out.json"
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.output
    result = Result.from_json(files / "out.json")
    assert result.share == "action"
    codes, after = result.codes[result.has_explanation], result.points[result.has_explanation]
    assert (codes[:, 2] <= after[:, 2]).all()


def test_pickled_models_can_be_read(files):
    model = joblib.load(files / "model.joblib")
    (files / "model.pkl").write_bytes(pickle.dumps(model))
    assert explain(files, model="model.pkl").exit_code == 0


def test_rows_that_time_did_not_allow_to_examine_are_said_to_be_undecided(files):
    outcome = explain(files, "--time-limit", "0", "--csv", files / "out.csv")
    assert outcome.exit_code == 3, outcome.output
    assert "8 rows are undecided. The time limit ended the search." in outcome.output
    assert "cannot be helped" not in outcome.output
    assert set(pd.read_csv(files / "out.csv", index_col="row")["outcome"]) == {"undecided"}


def test_control_characters_in_an_error_are_shown_and_not_obeyed(files):
    outcome = explain(files, "--immutable", "shoe\x1b[31m")
    assert outcome.exit_code == 2
    assert "\x1b" not in outcome.stderr
    assert r"shoe\x1b[31m" in outcome.stderr
