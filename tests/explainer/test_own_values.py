"""Tests that the question about own values is the one that the model's own predictions answer."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oneformany import (
    AtMostSteps,
    Forbid,
    Immutable,
    Implies,
    Linked,
    NeverTarget,
    NotTogether,
    Observed,
    OnlyDecrease,
    OnlyIncrease,
    Range,
)
from oneformany.explainer import OneForMany
from oneformany.explainer.posing import pose
from oneformany.explainer.settings import Cells
from oneformany.result.following import follow
from oneformany.schema.frames import Table
from reference_own import smallest_cover


def rows(seed, n=40):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.gamma(2.0, 900.0, n).round(2),
            "debts": rng.choice([0.0, 1.5, 2.25], n),
            "job": pd.Categorical(rng.choice(["none", "part", "full"], n), ["none", "part", "full"]),
        }
    )
    score = frame["age"] / 40 + frame["income"] / 2500 + (frame["job"] == "full") - frame["debts"] / 2
    return frame, (score + rng.normal(0, 0.3, n) > score.quantile(0.6)).astype(int).to_numpy()


def steps():
    return make_column_transformer(
        (StandardScaler(), ["age", "income", "debts"]), (OneHotEncoder(sparse_output=False), ["job"])
    )


MODELS = {
    "logistic": lambda: make_pipeline(steps(), LogisticRegression()),
    "network": lambda: make_pipeline(steps(), MLPClassifier((4,), max_iter=3000, tol=1e-2, random_state=0)),
    "tree": lambda: make_pipeline(steps(), DecisionTreeClassifier(max_depth=3, random_state=0)),
    "forest": lambda: make_pipeline(steps(), RandomForestClassifier(5, max_depth=3, random_state=0)),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=3),
    "xgboost": lambda: xgboost.XGBClassifier(n_estimators=6, max_depth=3, enable_categorical=True, n_jobs=1),
    "lightgbm": lambda: LGBMClassifier(n_estimators=6, min_child_samples=3, n_jobs=1, verbose=-1),
}

SOME_RULES = [
    Immutable("debts"),
    OnlyIncrease("age"),
    OnlyDecrease("debts"),
    Forbid("job", "full", "none"),
    AtMostSteps("income", 2),
    Range("income", 0, 3000),
    NeverTarget("job", "part"),
    Implies({"job": "none"}, {"debts": 0.0}),
    Linked("age", "job", one_way=True),
    NotTogether("income", "debts"),
    Observed("income", "job"),
]


def posed(model, frame, **parameters):
    explainer = OneForMany(model, **parameters)
    return pose(explainer, Table.of(frame))


def by_prediction(asked, model, frame, refused):
    """Accept what the model's own predict accepts of the rows themselves; each is asked about once."""
    seen = {}

    def accept(numbers, after, _values):
        key = (numbers.tobytes(), after.tobytes())
        if key not in seen:
            given = frame.iloc[refused[numbers]]
            seen[key] = model.predict(follow(asked.schema, given, asked.codes[refused[numbers]], after)) == 1
        return seen[key]

    return accept


def chosen_rules(seed):
    rng = np.random.default_rng(seed)
    rules = [rule for rule in SOME_RULES if rng.random() < 0.3]
    return [rule for rule in rules if not (isinstance(rule, OnlyDecrease) and Immutable("debts") in rules)]


def as_function(model):
    """The same model as something that nobody can look inside."""
    return lambda frame: model.predict_proba(frame)[:, 1]


@pytest.mark.filterwarnings("ignore:the rule", "ignore:by the rule")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [*MODELS, "black box"])
def test_the_optimum_is_the_one_of_the_models_own_predictions(kind, seed):
    frame, target = rows(seed)
    model = MODELS["logistic" if kind == "black box" else kind]().fit(frame, target)
    refused_rows = frame[model.predict(frame) == 0].head(10)
    some = pd.concat([refused_rows, frame[model.predict(frame) == 1].head(3)])
    rules = chosen_rules(seed) if seed else []
    read = as_function(model) if kind == "black box" else model
    parameters = {
        "max_changes": 2,
        "rules": rules,
        "reference": frame,
        "cells": Cells(bins={"age": 3, "income": 4}),
    }
    asked = posed(read, some, **parameters)
    refused = np.flatnonzero(~asked.positive)
    accept = by_prediction(asked, model, some, refused)
    for share in ("point", "action", "features"):
        true, truly_out = smallest_cover(asked.problem(2, share), accept)
        result = OneForMany(read, share=share, **parameters).explain(some)
        assert result.status == ("optimal" if true else "infeasible")
        assert (result.count, result.lower_bound) == (len(true), len(true))
        assert tuple(entry.row for entry in result.unreachable) == truly_out
        moved = result.apply(some)
        assert len(moved) == len(refused) - len(truly_out)
        if len(moved):
            assert (model.predict(moved) == 1).all()
            check_all(rules, some.loc[moved.index], moved, result.schema, frame)


@pytest.mark.filterwarnings("ignore:the rule", "ignore:by the rule")
@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["logistic", "histogram"])
def test_no_rule_is_ever_violated_on_the_rows_themselves(kind, seed, share):
    frame, target = rows(seed)
    model = MODELS[kind]().fit(frame, target)
    rules = chosen_rules(seed + 10)
    bins = {"age": 4, "income": 4}
    result = OneForMany(model, max_changes=2, rules=rules, share=share, cells=Cells(bins=bins)).explain(frame)
    moved = result.apply(frame)
    check_all(rules, frame.loc[moved.index], moved, result.schema, frame)
    assert (model.predict(moved) == 1).all()


def check_all(rules, given, moved, schema, reference):
    """No more features change than may, and every rule holds."""
    changed = sum((given[name] != moved[name]).to_numpy().astype(int) for name in given)
    assert changed.max() <= 2
    for rule in rules:
        check(rule, given, moved, schema, reference)


def check(rule, given, moved, schema, reference):  # noqa: C901 (one case per rule)
    """Whether a rule holds, written down once more on raw values."""
    changed = {name: (given[name] != moved[name]).to_numpy() for name in given}
    cell = {name: schema.features[schema.index(name)].find for name in given}
    match rule:
        case Immutable(feature):
            assert not changed[feature].any()
        case OnlyIncrease(feature):
            assert (moved[feature] >= given[feature])[changed[feature]].all()
        case OnlyDecrease(feature):
            assert (moved[feature] <= given[feature])[changed[feature]].all()
        case Forbid(feature, start, end):
            assert not ((given[feature] == start) & (moved[feature] == end)).any()
        case AtMostSteps(feature, steps):
            for old, new in zip(given[feature], moved[feature], strict=True):
                assert abs(cell[feature](old) - cell[feature](new)) <= steps
        case Range(feature, low, high):
            assert moved[feature][changed[feature]].between(low, high).all()
        case NeverTarget(feature, value):
            assert not (moved[feature][changed[feature]] == value).any()
        case Implies():
            touched = changed["job"] | changed["debts"]
            assert (moved["debts"] == 0.0)[touched & (moved["job"] == "none").to_numpy()].all()
        case Linked():
            assert changed["job"][changed["age"]].all()
        case NotTogether():
            assert not (changed["income"] & changed["debts"]).any()
        case _:
            check_observed(rule, changed, moved, cell, reference)


def check_observed(rule, changed, moved, cell, reference):
    """Whoever changes one of the features has cells of all of them that occur together in the data."""
    assert isinstance(rule, Observed)
    for row in range(len(moved)):
        if any(changed[name][row] for name in rule.features):
            together = np.ones(len(reference), dtype=bool)
            for name in rule.features:
                wanted = cell[name](moved[name].iloc[row])
                together &= np.array([cell[name](value) == wanted for value in reference[name]])
            assert together.any()


def test_each_way_to_share_needs_no_more_than_the_one_before():
    frame, target = rows(5)
    model = MODELS["logistic"]().fit(frame, target)
    counts = []
    for share in ("point", "action", "features"):
        asked = posed(model, frame, max_changes=2, share=share)
        counts.append(len(smallest_cover(asked.problem(2, share))[0]))
    assert counts[0] >= counts[1] >= counts[2] >= 1


def test_a_tree_on_its_own_cells_needs_as_many_as_with_its_thresholds_by_hand():
    frame, target = rows(7, n=200)
    numbers = frame[["age", "income", "debts"]]
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(numbers, target)
    inner = model.tree_.children_left >= 0
    edges = {
        name: sorted(set(model.tree_.threshold[inner & (model.tree_.feature == place)].tolist()))
        for place, name in enumerate(numbers)
    }
    by_hand = {name: cuts for name, cuts in edges.items() if cuts}
    for share in ("point", "action", "features"):
        own = OneForMany(model, max_changes=2, share=share).explain(numbers)
        handed = OneForMany(model, max_changes=2, share=share, cells=Cells(edges=by_hand)).explain(numbers)
        assert own.status == handed.status == "optimal"
        assert own.count == own.lower_bound == handed.count
        assert own.problem["own"] is None
