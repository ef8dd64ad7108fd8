"""Tests that an explanation names a range only where every number of it serves every row of the group."""

import re
from itertools import count, product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oneformany import Feature, NotTogether, Range, Schema, stop
from oneformany.explainer import OneForMany
from oneformany.explainer.settings import Cells
from oneformany.result.result import Result
from oneformany.verify import verify


def rows(n=60, seed=1):
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
    result = OneForMany(model, max_changes=2, share=share).explain(frame)
    ranges = result.problem.get("ranges", [()] * result.count)
    assert any(ranges)
    codes = np.array(result.problem["codes"])
    for explanation, named in zip(result.explanations, ranges, strict=True):
        numbers = [numbers_in(result, frame, explanation, span) for span in named]
        features = [span if isinstance(span, int) else span["feature"] for span in named]
        for row in explanation.members:
            given = frame.iloc[result.problem["rows"][row]].to_dict()
            tried = []
            for chosen in product(*numbers):
                changed = dict(given)
                for f in explanation.changed:
                    if codes[row][f] != explanation.point[f]:
                        feature = result.schema.features[f]
                        changed[feature.name] = feature.target(explanation.point[f])
                for f, number in zip(features, chosen, strict=True):
                    if codes[row][f] != explanation.point[f]:
                        changed[result.schema.names[f]] = number
                tried.append(changed)
            assert (model.predict(pd.DataFrame(tried)[list(frame)]) == 1).all()


def numbers_in(result, frame, explanation, span):
    """All integers that a range in a file promises, and some far beyond the data where it has no end."""
    if not isinstance(span, int):
        return range(span["low"], span["high"] + 1)
    one, cell = result.schema.features[span], explanation.point[span]
    near = range(int(frame[one.name].min()) - 300, int(frame[one.name].max()) + 300, 7)
    return [v for v in (-(10**9), *near, *map(int, one.edges), 10**9) if one.find(v) == cell]


def step(least):
    """Accept from a certain income on."""
    return lambda frame: np.where(frame["income"] >= least, 0.9, 0.1)


FRAME = pd.DataFrame({"income": [100, 200, 300, 1000, 1500, 2000]})


def told(model, frame, **asked):
    """What the only explanation says of the only feature that it changes."""
    summary = OneForMany(model, max_changes=1, **({"share": "point"} | asked)).explain(frame).summary()
    return re.search(r"  -> (.*?)  \(", summary)[1]


def test_of_a_function_a_range_ends_where_the_reference_data_end():
    assert told(step(501), FRAME, cells=Cells(edges={"income": [500]})) == "501 to 2000"
    assert told(step(900), FRAME, cells=Cells(edges={"income": [500]})) == "1000 to 2000"  # 501 is refused


def test_a_range_says_nothing_about_numbers_below_all_that_were_looked_at():
    """0, 100 and 200 are refused; nobody has so little."""
    frame = pd.DataFrame({"amount": [300, 1000, 2000, 3000, 4000, 5000, 6000]})
    few = {"cells": Cells(edges={"amount": [3000]})}

    def model(rows):
        return np.where((rows["amount"] >= 300) & (rows["amount"] <= 3000), 0.9, 0.1)

    assert told(model, frame, **few) == "300 to 3000"
    train = pd.DataFrame({"amount": [0, 100, 200, *frame["amount"]]})
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    tree.fit(train, train["amount"].between(300, 3000).astype(int))
    assert told(tree, frame, **few) == "300 to 3000"
    low = DecisionTreeClassifier(max_depth=2, random_state=0)
    low.fit(train, (train["amount"] <= 3000).astype(int))
    assert told(low, frame, **few) == "at most 3000"  # proved: no split lies below


def test_of_decimals_a_range_needs_a_proof():
    """Between two numbers that were tried a function may do anything, between splits a tree does nothing."""
    frame = pd.DataFrame({"rate": [0.1, 0.3, 0.55, 0.6, 0.65, 0.7]})
    edges = {"cells": Cells(edges={"rate": [0.2, 0.5, 0.7]})}

    def inside(rows):
        return np.where((rows["rate"] > 0.52) & (rows["rate"] <= 0.7), 0.9, 0.1)

    assert told(inside, frame, **edges) == "0.6"
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    accepted = (frame["rate"] > 0.5).astype(int)
    assert told(tree.fit(frame, accepted), frame, **edges) == "above 0.5 up to 0.7"  # it splits at 0.425
    tree.fit(frame.assign(rate=[0.1, 0.3, 0.5, 0.55, 0.65, 0.7]), [0, 0, 0, 1, 1, 1])  # at 0.525
    assert told(tree, frame, **edges) == "0.55 to 0.7"
    scaled = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, random_state=0))
    assert told(scaled.fit(frame, accepted), frame, **edges) == "0.6"  # nobody looked behind the scaler


def test_a_straight_model_proves_what_lies_between_two_ends_and_beyond_one():
    frame = pd.DataFrame({"rate": np.linspace(0, 10, 41).round(2)})
    target = (frame["rate"] > 4).astype(int)
    for model in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
        model.fit(frame, target)
        assert told(model, frame, cells=Cells(edges={"rate": [2.0, 5.0]})) == "more than 5"
        assert told(
            model,
            frame,
            cells=Cells(edges={"rate": [2.0, 5.0, 8.0]}, targets={"rate": {6.0: 6.0, 9.0: None}}),
        ) in ("above 5 up to 8")
    clipped = make_pipeline(MinMaxScaler(clip=True), LogisticRegression()).fit(frame, target)
    assert told(clipped, frame, cells=Cells(edges={"rate": [2.0, 5.0]})).replace(".", "").isdigit()


def test_an_imputer_of_a_number_is_not_passed():
    """To it 7.5 is missing, and what is missing becomes 0."""
    frame = pd.DataFrame({"rate": np.linspace(0, 10, 41).round(2)})
    imputer = SimpleImputer(missing_values=7.5, strategy="constant", fill_value=0.0)
    model = make_pipeline(imputer, DecisionTreeClassifier(max_depth=1)).fit(
        frame, (frame["rate"] > 4).astype(int)
    )
    assert told(model, frame, cells=Cells(edges={"rate": [2.0, 5.0]})).replace(".", "").isdigit()


def test_a_column_of_integers_is_one_everywhere_not_in_one_cell_only():
    """Of 1.0 and 3.0 nobody should conclude that 2 is all there is between."""
    frame = pd.DataFrame({"rate": [1.0, 3.0, 4.5, 5.5, 6.0]})

    def model(rows):
        return np.where((rows["rate"] <= 3) & (rows["rate"] != 2.5), 0.9, 0.1)

    assert told(model, frame, cells=Cells(edges={"rate": [3.5]})) == "1"
    assert (
        told(model, frame.assign(rate=[1.0, 3.0, 4.0, 5.0, 6.0]), cells=Cells(edges={"rate": [3.5]}))
        == "1 to 3"
    )


class Comparing(NotTogether):
    """A rule that compares the numbers of its features."""

    @property
    def compared(self):
        return self.features

    def restriction(self, schema, reference, numbers):  # noqa: ARG002 (it forbids nothing by them)
        return super().restriction(schema, reference)


@pytest.mark.filterwarnings("ignore:the rule:UserWarning")  # that it forbids nothing else here
def test_of_numbers_that_a_rule_compares_only_the_target_is_named():
    frame = pd.DataFrame({"amount": [10, 20, 30, 40, 50, 60], "rooms": [1, 2, 3, 1, 2, 3]})
    tree = DecisionTreeClassifier(max_depth=1).fit(frame, (frame["amount"] <= 30).astype(int))
    few = {"cells": Cells(edges={"amount": [30]})}
    assert told(tree, frame, **few, rules=[Comparing("amount", "rooms")]).isdigit()


def test_a_range_does_not_run_over_a_special_code():
    frame = pd.DataFrame({"amount": [-9, 10, 20, 30, 40, 50, 60]})
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(frame, (frame["amount"] <= 30).astype(int))
    assert told(tree, frame, cells=Cells(edges={"amount": [30]})) == "at most 30"
    assert told(tree, frame, cells=Cells(edges={"amount": [30]}, special={"amount": [-9]})) == "10 to 30"


@pytest.mark.parametrize("kind", ["uint8", "Int16", "float32", "object"])
def test_numbers_beyond_the_type_of_a_column_are_asked_about_as_well(kind):
    frame = pd.DataFrame({"amount": [10, 20, 30, 40, 50, 60]})
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(frame, (frame["amount"] <= 30).astype(int))
    assert told(tree, frame.astype(kind), cells=Cells(edges={"amount": [30]})) == "at most 30"
    two = DecisionTreeClassifier(max_depth=2, random_state=0)
    two.fit(pd.DataFrame({"amount": [-500, *frame["amount"]]}), [0, 1, 1, 1, 0, 0, 0])
    assert told(two, frame.astype(kind), cells=Cells(edges={"amount": [30]})) == "10 to 30"


def test_how_busy_the_machine_is_does_not_decide_what_is_printed(monkeypatch):
    frame, target = rows()
    explainer = OneForMany(MODELS["tree"].fit(frame, target), max_changes=2, share="point")
    quick = explainer.explain(frame)
    assert any(quick.problem["ranges"])
    now = count(0, 5.0)  # five seconds pass between any two looks at the clock
    monkeypatch.setitem(stop.Stop.__init__.__kwdefaults__, "clock", lambda: next(now))
    slow = explainer.explain(frame)
    assert slow.summary() == quick.summary()
    assert slow.problem["ranges"] == quick.problem["ranges"]


def test_a_slow_function_is_asked_no_more_than_the_search_asked_it():
    asked = []

    def slow(frame):
        asked.append(len(frame))
        return np.where(frame["income"] >= 5_000, 0.9, 0.1)

    frame = pd.DataFrame({"income": [*range(0, 300_000, 10_000)]})
    result = OneForMany(slow, max_changes=1, cells=Cells(edges={"income": [5_000]}), share="point").explain(
        frame
    )
    assert "income  -> 150000" in result.summary()  # 290,000 integers are too many
    assert sum(asked) < 10_000


def test_the_number_is_named_where_a_part_of_the_range_does_not_serve():
    explainer = OneForMany(step(1200), max_changes=1, cells=Cells(edges={"income": [500]}), share="point")
    result = explainer.explain(FRAME)
    assert "ranges" not in result.problem
    assert "income  -> 1500" in result.summary()


@pytest.mark.parametrize(
    ("low", "high", "named"),
    [
        (-np.inf, 20, "12 to 20"),
        (14, 20, "15"),  # 12 is not allowed
        (21, 35, "21-35"),
        (21, 49, "21-35"),
        (22, 35, "22 to 30"),
        (24, 26, "25"),
    ],
)
def test_a_range_that_a_rule_does_not_allow_whole_is_not_named(low, high, named):
    frame = pd.DataFrame({"debts": [12, 15, 18, 22, 25, 28, 30, 60, 70, 80]})
    edges = {"debts": [20, 35, 50]}
    asked = {"rules": [Range("debts", low, high)], "cells": Cells(edges=edges), "share": "point"}
    result = OneForMany(lambda rows: np.where(rows["debts"] < 40, 0.9, 0.1), max_changes=1, **asked).explain(
        frame
    )
    assert f"debts  -> {named} " in result.summary()


def test_an_upper_end_is_told_as_at_most_and_with_its_unit():
    schema = Schema((Feature("income", ("<= 500", "> 500"), ordered=True, edges=(500,), unit="DM"),))
    assert (
        told(lambda frame: np.where(frame["income"] <= 500, 0.9, 0.1), FRAME, cells=Cells(schema=schema))
        == "100 to 500 DM"
    )
    tree = DecisionTreeClassifier(max_depth=1).fit(FRAME, (FRAME["income"] <= 500).astype(int))
    assert told(tree, FRAME, cells=Cells(schema=schema)) == "at most 500 DM"


def test_without_time_numbers_are_named():
    result = OneForMany(
        step(501), max_changes=1, cells=Cells(edges={"income": [500]}), share="point"
    ).explain(FRAME, time_limit=1e-9)
    assert "ranges" not in result.problem


def test_ranges_are_kept_in_the_file_and_do_not_disturb_its_check():
    frame, target = rows()
    model = MODELS["tree"].fit(frame, target)
    result = OneForMany(model, max_changes=2, share="point").explain(frame)
    assert any(result.problem["ranges"])
    assert Result.from_json(result.to_json()).summary() == result.summary()
    assert verify(result.to_json()).ok


def test_numbers_that_the_model_refuses_are_not_promised():
    frame, target = rows()
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, target)
    result = OneForMany(model, max_changes=2, share="point").explain(frame)
    assert (model.predict(result.apply(frame)) == 1).all()
    for explanation, named in zip(result.explanations, result.problem.get("ranges", ()), strict=False):
        for feature in named:
            name = result.schema.names[feature if isinstance(feature, int) else feature["feature"]]
            assert set(numbers_in(result, frame, explanation, feature)) <= set(frame[name])
