"""Rows and points so near the threshold that a misreading, or a margin, could make a claim false."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.exceptions import PredictionMismatchError

COLUMNS = list("abcdef")


def drawn(rows: int = 60) -> pd.DataFrame:
    """Six columns of numbers that are all distinct: points within a margin are too many to be listed."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(rows, 6)).cumsum(axis=1), columns=COLUMNS)


def logistic() -> LogisticRegression:
    frame = drawn()
    model = LogisticRegression().fit(frame, (frame.sum(axis=1) > 0).astype(int))
    model.coef_ = np.array([[0.5, 0.3, 0.7, 0.2, 0.9, 0.4]])
    model.intercept_ = -np.quantile(model.decision_function(frame), [0.9])
    return model


@pytest.mark.parametrize(
    ("cutoff", "chance", "says"), [(0.5002, 0.5001, "turns it down"), (0.4998, 0.4999, "accepts it")]
)
def test_a_cutoff_that_nobody_can_see_is_noticed_however_little_it_differs(cutoff, chance, says, monkeypatch):
    def predict(own, rows):
        return (own.predict_proba(rows)[:, 1] >= cutoff).astype(int)

    frame, model = drawn(), logistic()
    score = np.log(chance / (1 - chance))
    model.intercept_ += score - model.decision_function(frame)[:1]
    monkeypatch.setattr(LogisticRegression, "predict", predict, raising=False)
    with pytest.raises(PredictionMismatchError, match=rf"row 0: the model {says}"):
        ofm.OneForMany(model, max_changes=2, share="point").explain(frame)


def helped(model, result: ofm.Result, frame: pd.DataFrame, changes: int) -> set[int]:
    """Find the refused rows that some change of so many features helps, by the model's own word."""
    targets = [
        [feature.target(cell) for cell in range(feature.n_levels)] for feature in result.schema.features
    ]
    refused = frame.iloc[result.problem["rows"]].reset_index(drop=True)
    found: set[int] = set()
    for chosen in combinations(range(len(targets)), changes):
        for values in product(*(targets[feature] for feature in chosen)):
            after = refused.copy()
            cells = result.schema.encode(after)
            for feature, value in zip(chosen, values, strict=True):
                goes = cells[:, feature] != targets[feature].index(value)
                after.loc[goes, COLUMNS[feature]] = value
            found |= set(np.flatnonzero(model.predict(after) == 1).tolist())
    return found


def best_scores(model, frame: pd.DataFrame) -> np.ndarray:
    """Find the largest score of each refused row after one change."""
    problem = ofm.OneForMany(model, max_changes=1, cells=ofm.Cells(bins=4), share="point").problem(frame)
    units = problem.oracle.units
    best = []
    for row in range(len(problem.rows)):
        own = units[np.arange(6), problem.values[row]]  # noqa: PD011 (own values, not those of pandas)
        gain = (
            np.where(problem.targets(row), units[:, : problem.targets(row).shape[1]], own[:, None])
            - own[:, None]
        )
        best.append(problem.oracle.intercept_units + own.sum() + gain.max())
    return np.array(best) / 10**problem.oracle.digits


@pytest.mark.parametrize("excess", [5e-10, 1e-12, -1e-12, -5e-10])
def test_who_just_reaches_the_threshold_of_a_linear_model_is_not_called_hopeless(excess):
    frame, model = drawn(), logistic()
    model.intercept_ += excess - np.sort(best_scores(model, frame))[20]
    result = ofm.OneForMany(model, max_changes=1, cells=ofm.Cells(bins=4), share="point").explain(frame)
    hopeless = {entry.row for entry in result.unreachable}
    assert hopeless == set(range(len(result.problem["rows"]))) - helped(model, result, frame, 1)
    assert result.status == "optimal"
    assert ofm.verify.verify(result.to_json()).ok  # the file names the points that the model turned down


def test_ties_of_a_linear_model_on_integers_are_decided_as_it_does():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 60, size=(80, 6)), columns=COLUMNS)
    model = Perceptron().fit(frame, (frame.sum(axis=1) > 200).astype(int))
    for intercept in range(-3, 3):
        model.intercept_ = np.array([float(intercept)])
        result = ofm.OneForMany(model, max_changes=1, share="action", cells=ofm.Cells(bins=3)).explain(frame)
        hopeless = {entry.row for entry in result.unreachable}
        assert hopeless == set(range(len(result.problem["rows"]))) - helped(model, result, frame, 1)
        assert result.status == "optimal"


@pytest.mark.parametrize(("share", "seed"), [("point", 0), ("action", 1)])
def test_a_library_that_adds_up_otherwise_in_other_company_has_the_last_word(share, seed):
    """Of tenths whose sum is the threshold, the order decides, and that depends on where a row stands."""
    values = np.random.default_rng(seed).integers(0, 5, (403, 8))
    frame = pd.DataFrame(values, columns=list("abcdefgh"))
    model = LogisticRegression().fit(frame, frame["a"] > 1)
    model.coef_ = np.array([[1, 2, -1, 3, 1, 2, 1, -2]]) * 0.1
    model.intercept_ = np.array([-2.2])
    result = ofm.OneForMany(model, max_changes=2, share=share).explain(frame, time_limit=20)
    assert model.predict(result.apply(frame)).all()
    assert result.covered > 250


def test_the_nearest_change_may_end_just_at_the_threshold():
    frame, model = drawn(), logistic()
    scores = best_scores(model, frame)
    row = int(np.argsort(scores)[20])
    label = np.flatnonzero(model.predict(frame) == 0)[row]
    model.intercept_ += 5e-10 - scores[row]
    problem = ofm.OneForMany(model, max_changes=1, cells=ofm.Cells(bins=4), share="point").problem(frame)
    refused = np.flatnonzero(model.predict(frame) == 0).tolist()
    assert ofm.nearest_change(problem, refused.index(label)) is not None


@pytest.mark.parametrize("positive", [0, 1])
def test_classes_that_are_both_far_away_do_not_make_a_naive_bayes_classifier_misread(positive):
    """Logarithms of ten thousand million, whose difference decides, are rounded to a millionth."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    frame["d"] = 0.0
    model = GaussianNB().fit(frame, (frame.sum(axis=1) + rng.normal(size=60) > 0).astype(int))
    rows = frame.assign(d=13.7)
    chances = model.predict_proba(rows)[:, positive]
    for threshold in np.sort(chances)[20:24].tolist():
        result = ofm.OneForMany(
            model,
            max_changes=1,
            threshold=threshold,
            positive=positive,
            cells=ofm.Cells(bins=3),
            share="point",
        ).explain(rows)
        assert result.problem["already_positive"] == np.flatnonzero(chances >= threshold).tolist()


def test_what_rests_on_a_leaf_of_a_half_is_confirmed_from_the_file() -> None:
    """``predict`` turns a half down. A tree adds nothing up, so that its leaf leaves no doubt in the file."""
    chances = {(0, 0): 2, (0, 1): 3, (1, 0): 3, (1, 1): 4}  # of six
    cases = [(a, b, number < good) for (a, b), good in chances.items() for number in range(6)]
    frame = pd.DataFrame(cases, columns=["a", "b", "good"]).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(frame[["a", "b"]], frame["good"])
    result = ofm.OneForMany(model, max_changes=1, share="point").explain(
        pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 0]})
    )
    assert [entry.row for entry in result.unreachable] == [0]
    assert ofm.verify.verify(result.to_json()).ok


def test_a_tie_that_is_decided_otherwise_in_company_is_asked_about_in_company() -> None:
    """Tests that libraries which add up one row in another order than several contradict nobody."""
    grid = pd.DataFrame(list(product(range(4), repeat=3)), columns=list("abc"))
    model = LogisticRegression().fit(grid, (grid["a"] > 1).astype(int))
    model.coef_, model.intercept_ = np.array([[0.1, -0.2, -0.3]]), np.array([0.5])
    rules = [ofm.Immutable("c"), ofm.Range("b", 1, 3)]
    rows = pd.DataFrame([[3, 3, 2], [3, 2, 2]], columns=list("abc"))
    result = ofm.OneForMany(model, max_changes=1, reference=grid, rules=rules, share="point").explain(rows)
    assert result.covered + len(result.unreachable) == 2
    if result.covered:
        assert (model.predict(result.apply(rows)) == 1).all()
