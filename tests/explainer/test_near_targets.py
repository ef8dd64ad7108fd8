"""Targets that are near for those whom a model turns down, at the front door."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from oneformany import Feature, InputError, OneForMany, OnlyDecrease, OnlyIncrease, Schema
from oneformany.explainer.settings import Cells

RNG = np.random.default_rng(8)
DATA = pd.DataFrame({"debt": RNG.integers(0, 2000, 400) * 10, "income": RNG.integers(100, 900, 400) * 10})
TARGET = (DATA["income"] - 0.4 * DATA["debt"] + RNG.normal(0, 500, 400) > 1500).astype(int)
MODELS = {
    "linear": LogisticRegression(max_iter=1000).fit(DATA, TARGET),
    "boosting": GradientBoostingClassifier(n_estimators=20, random_state=0).fit(DATA, TARGET),
}
REFUSED = {name: DATA[model.predict(DATA) == 0] for name, model in MODELS.items()}


def explained(model, targets, share="action", rules=()):
    explainer = OneForMany(
        MODELS[model], max_changes=2, reference=DATA, share=share, rules=rules, cells=Cells(targets=targets)
    )
    return explainer.explain(REFUSED[model])


def told(result):
    """All that a file says, but for when and how long."""
    content = json.loads(result.to_json())
    left_out = {"digest", "statistics"}
    content["problem"]["model"].pop("date")
    return {name: part for name, part in content.items() if name not in left_out}


@pytest.mark.parametrize("model", MODELS)
def test_the_median_is_what_nobody_has_to_ask_for(model):
    assert told(explained(model, "median")) == told(explained(model, None)) == told(explained(model, {}))


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("model", MODELS)
def test_near_targets_keep_rows_nearer_to_what_they_have_and_the_model_accepts_them(model, share):
    rules = [OnlyDecrease("debt"), OnlyIncrease("income")]
    usual, near = (explained(model, targets, share, rules) for targets in ("median", "nearest"))
    for feature, up in ((0, True), (1, False)):
        pairs = zip(
            usual.schema.features[feature].targets, near.schema.features[feature].targets, strict=True
        )
        both = [(one, other) for one, other in pairs if one is not None]
        assert all(other >= one if up else other <= one for one, other in both)
        assert len({other - one for one, other in both}) > 1
    assert near.verify().ok
    after = near.apply(REFUSED[model])
    assert MODELS[model].predict(after).all()


def test_one_column_may_be_near_and_others_as_usual():
    mixed = explained("linear", {"debt": "nearest", "income": "median"})
    near, usual = explained("linear", "nearest"), explained("linear", "median")
    assert mixed.schema.features[0].targets == near.schema.features[0].targets
    assert mixed.schema.features[0].targets != usual.schema.features[0].targets
    assert mixed.schema.features[1].targets == usual.schema.features[1].targets


def test_who_is_accepted_already_is_not_counted_among_those_who_come():
    with_all = OneForMany(
        MODELS["linear"], max_changes=2, reference=DATA, share="action", cells=Cells(targets="nearest")
    ).explain(DATA)
    assert [f.targets for f in with_all.schema.features] == [
        f.targets for f in explained("linear", "nearest").schema.features
    ]


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ("near", "targets must be a dict of column to what is wanted, not str"),
        ({"dept": "nearest"}, "targets are given for 'dept'.*did you mean 'debt'"),
        ({"debt": "next"}, "targets of 'debt' must be a list of values or a dict"),
    ],
)
def test_other_words_are_refused(targets, words):
    with pytest.raises(InputError, match=words):
        explained("linear", targets)


def test_a_model_that_reads_levels_has_no_targets_to_choose():
    schema = Schema((Feature("a", ("0", "1"), numbers=(0, 1)),))
    frame = pd.DataFrame({"a": [0, 1]})
    model = LogisticRegression(C=100).fit(frame.to_numpy(), [0, 1])
    with pytest.raises(InputError, match="targets= is given, but the model reads the levels"):
        OneForMany(
            model, max_changes=1, cells=Cells(schema=schema, targets="nearest"), share="point"
        ).explain(frame)
