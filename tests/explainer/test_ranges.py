"""Tests that an explanation names a range only where every number of it serves every row of the group."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from oneformany import Feature, Range, Schema
from oneformany.explainer import OneForMany
from oneformany.result.result import Result
from oneformany.verify import verify


def rows(n=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.integers(5, 60, n) * 100,
            "debts": rng.integers(0, 30, n),
            "age": rng.integers(18, 80, n),
        }
    )
    target = (frame["income"] / 2000 - frame["debts"] / 15 + frame["age"] / 90 > 1.2).astype(int)
    return frame, target


def every_integer(column):
    return range(int(column.min()), int(column.max()) + 1)


MODELS = {
    "logistic": LogisticRegression(max_iter=5000),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "histogram": HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=5),
}


@pytest.mark.parametrize("share", ["point", "action"])
@pytest.mark.parametrize("kind", MODELS)
def test_every_number_of_a_named_range_serves_every_row(kind, share):
    frame, target = rows()
    model = MODELS[kind].fit(frame, target)
    result = OneForMany(model, 2, share=share).explain(frame)
    ranges = result.problem.get("ranges", [()] * result.count)
    assert any(ranges) or kind == "logistic"
    codes = np.array(result.problem["codes"])
    for explanation, named in zip(result.explanations, ranges, strict=True):
        features = [result.schema.features[f] for f in named]
        inside = [
            [v for v in every_integer(frame[one.name]) if one.find(v) == explanation.point[f]]
            for f, one in zip(named, features, strict=True)
        ]
        for row in explanation.members:
            given = frame.iloc[result.problem["rows"][row]].to_dict()
            tried = []
            for numbers in product(*inside):
                changed = dict(given)
                for f in explanation.changed:
                    if codes[row][f] != explanation.point[f]:
                        feature = result.schema.features[f]
                        changed[feature.name] = feature.target(explanation.point[f])
                for f, one, number in zip(named, features, numbers, strict=True):
                    if codes[row][f] != explanation.point[f]:
                        changed[one.name] = number
                tried.append(changed)
            assert (model.predict(pd.DataFrame(tried)[list(frame)]) == 1).all()


def step(least):
    """Accept from a certain income on."""
    return lambda frame: np.where(frame["income"] >= least, 0.9, 0.1)


FRAME = pd.DataFrame({"income": [100, 200, 300, 1000, 1500, 2000]})


def test_a_range_is_named_where_all_of_it_serves():
    explainer = OneForMany(step(501), 1, edges={"income": [500]})
    summary = explainer.explain(FRAME).summary()
    assert "income  -> more than 500" in summary


def test_numbers_that_nobody_has_count_as_well():
    """All incomes above 500 that occur are accepted, 501 would not be."""
    assert "income  -> 1500" in OneForMany(step(900), 1, edges={"income": [500]}).explain(FRAME).summary()


@pytest.mark.parametrize(
    ("least", "named"), [(0.5, "above 0.5 up to 0.7"), (0.5000001, "0.6"), (0.51, "0.6")]
)
def test_both_ends_of_a_range_of_decimals_serve(least, named):
    frame = pd.DataFrame({"rate": [0.1, 0.3, 0.55, 0.6, 0.65, 0.7]})
    explainer = OneForMany(
        lambda rows: np.where((rows["rate"] >= least) & (rows["rate"] <= 0.7), 0.9, 0.1),
        1,
        edges={"rate": [0.2, 0.5, 0.7]},
    )
    assert f"rate  -> {named} " in explainer.explain(frame).summary()


def test_the_number_is_named_where_a_part_of_the_range_does_not_serve():
    explainer = OneForMany(step(1200), 1, edges={"income": [500]})
    result = explainer.explain(FRAME)
    assert "ranges" not in result.problem
    assert "income  -> 1500" in result.summary()


@pytest.mark.parametrize(
    ("low", "high", "named"),
    [
        (-np.inf, 20, "at most 20"),
        (14, 20, "15"),  # "at most 20" would allow 3
        (21, 35, "21-35"),
        (21, 49, "21-35"),
        (22, 35, "25"),
        (24, 26, "25"),
    ],
)
def test_a_range_that_a_rule_does_not_allow_whole_is_not_named(low, high, named):
    frame = pd.DataFrame({"debts": [12, 15, 18, 22, 25, 28, 30, 60, 70, 80]})
    asked = {"edges": {"debts": [20, 35, 50]}, "rules": [Range("debts", low, high)]}
    result = OneForMany(lambda rows: np.where(rows["debts"] < 40, 0.9, 0.1), 1, **asked).explain(frame)
    assert f"debts  -> {named} " in result.summary()


def test_an_upper_end_is_told_as_at_most_and_with_its_unit():
    schema = Schema((Feature("income", ("<= 500", "> 500"), ordered=True, edges=(500,), unit="DM"),))
    explainer = OneForMany(lambda frame: np.where(frame["income"] <= 500, 0.9, 0.1), 1, schema=schema)
    assert "-> at most 500 DM" in explainer.explain(FRAME[["income"]]).summary()


def test_without_time_numbers_are_named():
    result = OneForMany(step(501), 1, edges={"income": [500]}).explain(FRAME, time_limit=1e-9)
    assert "ranges" not in result.problem


def test_ranges_are_kept_in_the_file_and_do_not_disturb_its_check():
    frame, target = rows()
    model = MODELS["tree"].fit(frame, target)
    result = OneForMany(model, 2).explain(frame)
    assert any(result.problem["ranges"])
    assert Result.from_json(result.to_json()).summary() == result.summary()
    assert verify(result.to_json()).ok


def test_numbers_that_the_model_refuses_are_not_promised():
    frame, target = rows()
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, target)
    result = OneForMany(model, 2).explain(frame)
    assert (model.predict(result.apply(frame)) == 1).all()
    for explanation, named in zip(result.explanations, result.problem.get("ranges", ()), strict=False):
        for feature in named:
            one = result.schema.features[feature]
            inside = [v for v in every_integer(frame[one.name]) if one.find(v) == explanation.point[feature]]
            assert set(inside) <= set(frame[one.name])
