"""Tests that rows that stay where they are get the answer that they get as one frame in memory."""

import dask
import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from oneformany import Immutable, Result
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany, in_parts
from oneformany.explainer import explainer as front
from oneformany.explainer.settings import Cells


def rows(n, seed):
    """All distinct, by decimal numbers."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "income": rng.gamma(2.0, 900.0, n),
            "debt": rng.gamma(1.0, 500.0, n),
            "late": rng.choice([0.0, 1.0, 2.0, np.nan], n, p=[0.6, 0.2, 0.15, 0.05]),
        }
    )


TRAIN, FRAME = rows(400, 0), rows(600, 1)
TARGET = (TRAIN["income"] - TRAIN["debt"] - 700 * TRAIN["late"].fillna(1.0) > 500).astype(int)
GOALS = {"everybody": {}, "two": {"explanations": 2}, "share": {"coverage": 0.8}}


@pytest.fixture(scope="module")
def explainer():
    filled = TRAIN.fillna({"late": -1.0})
    model = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0).fit(filled, TARGET)
    cells = Cells(bins=4, special={"late": [-1]})
    told = {"reference": filled, "rules": [Immutable("age")], "cells": cells}
    return OneForMany(model, max_changes=2, share="action", **told)


@pytest.fixture(scope="module")
def frame():
    return FRAME.fillna({"late": -1.0})


@pytest.fixture(scope="module")
def path(frame, tmp_path_factory):
    """A Parquet file of six row groups."""
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame.to_parquet(path, index=False, row_group_size=100)
    return path


@pytest.fixture(scope="module")
def in_memory(explainer, frame):
    return {name: explainer.explain(frame, **goal) for name, goal in GOALS.items()}


@pytest.fixture
def few(monkeypatch):
    """As if hardly any rows fitted: 12 are taken at first, and each part sends two of those left out."""
    monkeypatch.setattr(front, "MOST_KEPT", 10)
    monkeypatch.setattr(in_parts, "FIRST", 12)
    monkeypatch.setattr(in_parts, "FIRST_PARTS", 3)
    monkeypatch.setattr(in_parts, "SENT", 2)
    monkeypatch.setattr(in_parts, "ENOUGH", 4)
    monkeypatch.setattr("oneformany.explainer.parts.BATCH", 40)


def fates(result):
    """How many people there are, and how many are beyond help."""
    return result.people, result.beyond_help


@pytest.mark.usefixtures("few")
def test_everybody_gets_as_few_explanations_as_in_memory(explainer, path, in_memory):
    result, whole = explainer.explain(path), in_memory["everybody"]
    assert (result.status, result.count, result.lower_bound) == ("optimal", whole.count, whole.lower_bound)
    assert (fates(result), result.covered) == (fates(whole), whole.covered)
    assert len(result.assignment) < len(whole.assignment)
    assert result.others.people == whole.people - len(result.assignment)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("goal", ["two", "share"])
def test_an_answer_within_a_goal_is_counted_over_all_and_its_bounds_hold(
    explainer, path, frame, in_memory, goal
):
    result, whole = explainer.explain(path, **GOALS[goal]), in_memory[goal]
    assert fates(result) == fates(whole)
    placed = result.assign(frame, explainer)
    assert (placed >= 0).sum() == result.covered
    if goal == "two":
        assert result.covered <= whole.covered <= whole.covered_bound <= result.covered_bound
    else:
        assert result.covered >= result.goal.needed(result.people)
        assert result.lower_bound <= whole.lower_bound <= whole.count <= result.count


@pytest.mark.parametrize("goal", GOALS)
def test_where_all_rows_are_taken_the_answer_is_that_in_memory(explainer, path, in_memory, goal, monkeypatch):
    monkeypatch.setattr(front, "MOST_KEPT", 10)
    result, whole = explainer.explain(path, **GOALS[goal]), in_memory[goal]
    assert result.others.people == 0
    assert (result.status, result.count, result.lower_bound) == (
        whole.status,
        whole.count,
        whole.lower_bound,
    )
    assert (fates(result), result.covered_bound) == (fates(whole), whole.covered_bound)
    assert result.covered == whole.covered or goal == "share"


@pytest.mark.usefixtures("few")
def test_partitions_of_a_cluster_give_the_same_answer(explainer, frame, in_memory):
    spread = dask.dataframe.from_pandas(frame, npartitions=5)
    with dask.config.set(scheduler="synchronous"):
        result = explainer.explain(spread)
    whole = in_memory["everybody"]
    assert (result.status, result.count, result.covered) == ("optimal", whole.count, whole.covered)


@pytest.mark.usefixtures("few")
def test_a_file_of_text_gives_the_same_answer(explainer, frame, in_memory, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    result, whole = explainer.explain(tmp_path / "rows.csv"), in_memory["everybody"]
    assert (result.status, result.count, result.covered) == ("optimal", whole.count, whole.covered)


@pytest.mark.usefixtures("few")
def test_lists_of_features_are_shared_too(path, frame):
    model = LogisticRegression(max_iter=1000).fit(TRAIN.fillna(1.0), TARGET)
    frame.assign(late=frame["late"].clip(lower=0)).to_parquet(path.with_name("filled.parquet"))
    filled = path.with_name("filled.parquet")
    explainer = OneForMany(model, max_changes=1, share="features", reference=TRAIN.fillna(1.0))
    result, whole = explainer.explain(filled), explainer.explain(pd.read_parquet(filled))
    assert (result.count, result.lower_bound, fates(result)) == (
        whole.count,
        whole.lower_bound,
        fates(whole),
    )


@pytest.mark.usefixtures("few")
def test_the_file_of_a_result_is_confirmed_with_a_sample_of_the_source(explainer, path, frame):
    for goal in GOALS.values():
        result = explainer.explain(path, **goal)
        assert Result.from_json(result.to_json()).others == result.others
        alone = result.verify()
        assert [check.name for check in alone.checks if not check.ok] == ["other people are as told"]
        assert result.verify(model=explainer, frame=frame.sample(400, random_state=0)).ok


@pytest.mark.usefixtures("few")
def test_a_sample_that_says_otherwise_is_a_contradiction(explainer, path, frame):
    result = explainer.explain(path, explanations=1)
    covered = frame[(result.assign(frame, explainer) >= 0).to_numpy()]
    wrong = pd.concat([covered] * 3, ignore_index=True)
    assert "said to be" in str(result.verify(model=explainer, frame=wrong))
    small = result.verify(model=explainer, frame=frame.head(20))
    assert "too small a sample" in str(small)
    assert not small.ok


@pytest.mark.usefixtures("few")
def test_without_reference_data_a_sample_is_not_looked_at(explainer, path, frame):
    result = explainer.explain(path, explanations=1)
    with pytest.raises(InputError, match="with reference= data"):
        result.verify(model=OneForMany(explainer.model, max_changes=2, share="point"), frame=frame)


@pytest.mark.usefixtures("few")
def test_the_source_is_assigned_in_batches(explainer, path, frame, tmp_path):
    result = explainer.explain(path, coverage=0.8)
    placed = pd.concat(list(result.assign(path, explainer)))
    assert placed.index.tolist() == list(range(len(frame)))
    assert (placed >= 0).sum() == result.covered
    counts = result.write_assignment(tmp_path / "assigned.parquet", path, explainer)
    written = pd.read_parquet(tmp_path / "assigned.parquet")
    assert counts["explained"] == result.covered == written["explanation"].notna().sum()
    assert counts.get("cannot be helped", 0) == result.beyond_help
    assert counts["left out"] == result.people_left_out
    assert (written["explanation"].fillna(0).to_numpy() == placed.to_numpy() + 1).all()


@pytest.mark.usefixtures("few")
def test_a_cluster_is_assigned_where_its_rows_are(explainer, path, frame):
    result = explainer.explain(path)
    spread = dask.dataframe.from_pandas(frame, npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        placed = pd.concat(list(result.assign(spread, explainer, first=1)))
    assert placed.notna().sum() == result.covered


@pytest.mark.usefixtures("few")
def test_time_that_is_up_leaves_a_valid_answer_about_what_was_read(explainer, path, in_memory):
    result = explainer.explain(path, time_limit=0)
    assert not result.problem["read_to_the_end"]
    assert 0 < result.people <= in_memory["everybody"].people
    assert result.lower_bound <= in_memory["everybody"].lower_bound
    assert result.covered + result.beyond_help + result.beyond_knowledge == result.people
    assert result.verify().outcome != "wrong"


@pytest.mark.usefixtures("few")
def test_a_source_without_refused_rows_is_refused(explainer, frame, tmp_path):
    accepted = frame[explainer.model.predict(frame) == 1]
    accepted.to_parquet(tmp_path / "accepted.parquet")
    with pytest.raises(InputError, match="nothing to explain"):
        explainer.explain(tmp_path / "accepted.parquet")


@pytest.mark.usefixtures("few")
def test_words_tell_of_all_people(explainer, path):
    result = explainer.explain(path)
    assert f"{result.covered:,} of {result.people:,} rows" in repr(result)
    assert f"covers {result.labels.sizes[0]:,} rows" in result.summary()
    assert sum(result.labels.sizes) == result.covered
