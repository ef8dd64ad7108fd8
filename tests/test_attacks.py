"""Attacks on the front door that release 0.1.0 fell to, through names that both releases have.

Run against 0.1.0 every test of this file fails, for the reason that its name denies. The page on checking has
the table of all attacks; those by result files are in ``tests/verify/test_hostile.py``.
"""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from reference_points import brute_force_points

LETTERS = list("abcd")


def drawn(seed: int, rows: int = 100, features: int = 4, levels: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Small integers under single letters, and labels that a model can learn."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(levels, size=(rows, features)), columns=LETTERS[:features])
    return frame, (frame.sum(axis=1) + rng.normal(0, 1, rows) > features * (levels - 1) / 2).astype(int)


def schema_of(frame: pd.DataFrame, levels: int = 2) -> ofm.Schema:
    values = range(levels)
    names = tuple(map(str, values))
    return ofm.Schema(tuple(ofm.Feature(name, names, numbers=tuple(values)) for name in frame.columns))


# -- claims


def nobody_is_hopeless(result: ofm.Result, refused: int) -> None:
    assert result.unreachable == ()
    assert len(result.undecided) == refused
    assert (result.status, result.gap) == ("feasible", 1.0)
    assert "hopeless" not in result.summary()
    assert "cannot be helped" not in result.summary()


def test_rows_that_time_did_not_allow_to_examine_are_not_called_hopeless():
    frame, target = drawn(0, levels=3)
    model = DecisionTreeClassifier(random_state=0).fit(frame, target)
    result = ofm.OneForMany(model, max_changes=2, share="point").explain(frame, time_limit=0)
    nobody_is_hopeless(result, int((model.predict(frame) == 0).sum()))


def test_rows_that_a_black_box_had_no_calls_for_are_not_called_hopeless():
    frame = pd.DataFrame(list(product(range(4), repeat=6)), columns=list("abcdef"))

    def chance(rows: pd.DataFrame) -> np.ndarray:
        return 0.9 * (rows.to_numpy().sum(axis=1) > 17)

    model = ofm.BlackBox(chance, max_calls=1, largest_box=1)
    result = ofm.OneForMany(model, max_changes=3, share="point").explain(frame.head(40))
    nobody_is_hopeless(result, 40)


def test_a_leaf_of_exactly_the_threshold_is_positive_for_rows_and_points():
    frame = pd.DataFrame({"a": [0] * 10 + [1] * 10, "b": [0, 1] * 10})
    model = DecisionTreeClassifier().fit(frame[["a"]], [0] * 9 + [1] + [0] * 7 + [1] * 3)
    assert model.predict_proba(frame[["a"]])[:, 1].max() == 0.3
    result = ofm.OneForMany(model, max_changes=1, threshold=0.3, share="point").explain(frame[["a"]])
    assert (result.status, result.count) == ("optimal", 1)
    assert len(result.assignment) == 10


@pytest.mark.parametrize(("positive", "threshold"), [(1, 0.5), (0, 0.5), (0, None)])
@pytest.mark.parametrize("trees", [1, 10])
def test_forests_at_the_threshold_get_the_count_of_brute_force(trees, positive, threshold):
    """Leaves of tenths, so that many scores are the threshold itself, or miss it by rounding."""
    points = np.array(list(product(range(2), repeat=4)))
    frame = pd.DataFrame(points, columns=LETTERS)
    for seed in range(29):
        accepted_of_ten = np.random.default_rng(seed).choice([1, 2, 3, 5, 7], 16)
        target = np.tile(np.arange(10), 16) < np.repeat(accepted_of_ten, 10)
        model = RandomForestClassifier(trees, bootstrap=False, random_state=seed)
        model.fit(frame.loc[np.repeat(np.arange(16), 10)], target.astype(int))
        accepts = model.predict(frame) == positive
        if threshold is not None:
            accepts = model.predict_proba(frame)[:, positive] >= threshold
        if accepts.all():
            continue
        accepted = set(map(tuple, points[accepts].tolist()))
        count, hopeless = brute_force_points(
            points[~accepts].tolist(), [2] * 4, accepted.__contains__, max_changes=1
        )
        explainer = ofm.OneForMany(
            model,
            max_changes=1,
            threshold=threshold,
            positive=positive,
            cells=schema_of(frame),
            share="point",
        )
        result = explainer.explain(frame)
        assert (result.count, tuple(entry.row for entry in result.unreachable)) == (count, hopeless), seed


class WithCutoff(LogisticRegression):
    """Has a cutoff of its own, which its probabilities do not show."""

    cutoff = 0.7

    def predict(self, data: Any) -> Any:
        return (self.predict_proba(data)[:, 1] >= self.cutoff).astype(int)


def test_a_subclass_with_a_cutoff_of_its_own_is_asked_itself():
    rng = np.random.default_rng(0)
    for cutoff in (0.3, 0.7):
        for seed in range(5):
            frame = pd.DataFrame(rng.normal(size=(60, 3)).round(1), columns=list("abc"))
            target = (frame.sum(axis=1) + rng.normal(0, 1, 60) > 0).astype(int)
            model = WithCutoff().fit(frame, target)
            model.cutoff = cutoff
            chances = model.predict_proba(frame)[:, 1]
            assert ((chances >= 0.5) != (chances >= cutoff)).any(), seed
            result = ofm.OneForMany(model, max_changes=2, share="point").explain(frame)
            assert result.problem["rows"] == np.flatnonzero(chances < cutoff).tolist()
            assert (model.predict(result.apply(frame)) == 1).all()


class WithDoor(LogisticRegression):
    """Accepts whoever has a 2 in the first column, also those that it would turn down otherwise."""

    def predict(self, data: Any) -> Any:
        return super().predict(data) | (np.asarray(data)[:, 0] == 2)


class TreeWithDoor(DecisionTreeClassifier):
    """Does the same as one of several trees."""

    def predict_proba(self, data: Any) -> Any:
        return np.where(np.asarray(data)[:, :1] == 2, [0.0, 1.0], super().predict_proba(data))


@pytest.mark.parametrize("kind", [WithDoor(), BaggingClassifier(TreeWithDoor(max_depth=3), random_state=0)])
def test_nobody_is_beyond_help_whom_a_subclass_accepts_in_its_own_way(kind):
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 4, size=(300, 3)), columns=list("abc"))
    model = kind.fit(frame, (frame.sum(axis=1) > 6).astype(int))
    alike = (frame["a"] != 2) | (frame["b"] + frame["c"] == 6)  # others would tell
    result = ofm.OneForMany(model, max_changes=1, share="point").explain(frame[alike])
    assert not result.unreachable
    assert (model.predict(result.apply(frame[alike])) == 1).all()


def test_columns_of_a_function_that_the_schema_lacks_are_not_fixed_to_those_of_the_first_row():
    frame, target = drawn(4)
    model = LogisticRegression().fit(frame, target)
    explainer = ofm.OneForMany(
        model.predict_proba, max_changes=2, threshold=0.5, cells=schema_of(frame[["a", "b"]]), share="point"
    )
    result = explainer.explain(frame)
    assert result.problem["rows"] == np.flatnonzero(model.predict(frame) == 0).tolist()
    assert (model.predict(result.apply(frame)) == 1).all()


def test_a_model_fitted_on_plain_numbers_is_never_fed_codes():
    frame = pd.DataFrame({"income": [10.5, 20.0, 30.25, 40.0], "debts": [3, 2, 1, 0]})
    model = LogisticRegression().fit(frame.to_numpy(), [0, 0, 1, 1])
    income = ("10.5", "20", "30.25", "40")
    schema = ofm.Schema(
        (
            ofm.Feature("income", income, ordered=True, numbers=(10.5, 20.0, 30.25, 40.0)),
            ofm.Feature("debts", ("0", "1", "2", "3"), ordered=True, numbers=(0, 1, 2, 3)),
        )
    )
    result = ofm.OneForMany(model, max_changes=2, cells=schema, share="point").explain(frame)
    assert result.problem["rows"] == np.flatnonzero(model.predict(frame.to_numpy()) == 0).tolist()
    assert (model.predict(result.apply(frame).to_numpy()) == 1).all()


def test_bagged_trees_of_one_column_each_are_explained():
    frame, target = drawn(1)
    model = BaggingClassifier(n_estimators=6, max_features=1, random_state=0).fit(frame.to_numpy(), target)
    result = ofm.OneForMany(model, max_changes=3, cells=schema_of(frame), share="point").explain(frame)
    assert result.status in {"optimal", "infeasible"}
    assert len(result.assignment) == (model.predict(frame.to_numpy()) == 0).sum()


def test_constant_columns_stay_features_that_rules_may_name():
    frame, target = drawn(2)
    frame["sex"] = "f"
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, target)
    result = ofm.OneForMany(model, max_changes=2, rules=[ofm.Immutable("sex")], share="point").explain(frame)
    assert result.schema.names == (*LETTERS, "sex")


# -- limits and labels


def test_very_many_levels_take_no_square_of_memory():
    levels = 60_000
    codes = np.column_stack((np.arange(0, levels, 1000), np.zeros(60, dtype=int)))
    oracle = ofm.AdditiveOracle([np.arange(levels), [0, 1]], threshold=levels)
    tracemalloc.start()
    result = ofm.solve(ofm.Problem(codes, (levels, 2), oracle, 2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.count == 1
    assert peak < 2**27


def test_joining_the_assignments_to_the_frame_pairs_the_right_people():
    frame, target = drawn(3)
    frame.index = frame.index[::-1]
    model = LogisticRegression().fit(frame, target)
    result = ofm.OneForMany(model, max_changes=2, share="point").explain(frame)
    joined = frame[[]].join(result.assignment_frame(), how="inner")
    assert joined.index.tolist() == frame.index[model.predict(frame) == 0].tolist()
