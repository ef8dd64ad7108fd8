"""Tests of what the front door is told: cells in one object, fixed features, reference data, older names."""

import numpy as np
import pytest
from sklearn.base import clone

import oneformany as ofm
from explainer.raw_rows import FRAME, TARGET, boosting, pipeline, rows

MODEL = pipeline()
NEW = FRAME.head(30)


def asked(**given):
    return ofm.OneForMany(MODEL, **({"reference": FRAME, "max_changes": 2} | given))


def changed(result):
    """Which features some explanation changes."""
    return {result.schema.names[f] for one in result.explanations for f in one.changed}


def test_rows_share_an_action_unless_another_way_is_named():
    result = asked().explain(NEW)
    assert result.share == "action"
    assert result.count < asked(share="point").explain(NEW).count


def test_all_but_model_and_reference_are_named():
    assert ofm.OneForMany(MODEL, FRAME).reference is FRAME
    with pytest.raises(TypeError, match="positional"):
        ofm.OneForMany(MODEL, FRAME, 2)
    with pytest.raises(ofm.InputError, match="reference is 2, which is not data; write max_changes=2"):
        ofm.OneForMany(MODEL, 2).explain(NEW)


def test_immutable_features_are_as_good_as_rules():
    kept = asked(immutable=["age", "home"]).explain(NEW)
    ruled = asked(rules=[ofm.Immutable("age"), ofm.Immutable("home")]).explain(NEW)
    assert kept.problem["rules"] == ruled.problem["rules"] == ["age cannot change", "home cannot change"]
    assert kept.assignment == ruled.assignment
    assert not changed(kept) & {"age", "home"}
    twice = asked(rules=[ofm.Immutable("age")], immutable=["age"]).explain(NEW)
    assert twice.problem["rules"] == ["age cannot change"]


def test_only_features_that_vary_change():
    result = asked(vary=["income", "job"]).explain(NEW)
    assert changed(result)
    assert changed(result) <= {"income", "job"}
    assert result.assignment == asked(immutable=["age", "home"]).explain(NEW).assignment


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"immutable": "age"}, r"immutable is 'age'; give a list of features, such as immutable=\['age'\]"),
        ({"vary": 3}, "vary is 3; give a list of features"),
        ({"vary": ["incme"]}, "vary: there is no feature 'incme'; did you mean 'income'?"),
        ({"immutable": ["incme"]}, "there is no feature 'incme'; did you mean 'income'?"),
        ({"immutable": ["age"], "vary": ["age"]}, "immutable and vary both name 'age'"),
        ({"cells": {"bins": 3}}, "cells is a dict; give Cells"),
    ],
)
def test_wrong_settings_are_refused_with_what_to_write(given, words):
    with pytest.raises(ofm.InputError, match=words):
        asked(**given).explain(NEW)


@pytest.mark.parametrize(
    "given", [{"edges": {"age": [30, 50]}}, {"bins": {"age": 3}}, {"targets": {"age": [33, 44]}}]
)
def test_older_names_work_with_a_warning(given):
    (name,) = given
    with pytest.warns(
        FutureWarning, match=rf"{name}= of OneForMany is now a part of cells=: write cells=Cells"
    ):
        old = asked(**given).explain(NEW)
    new = asked(cells=ofm.Cells(**given)).explain(NEW)
    assert (old.assignment, old.schema) == (new.assignment, new.schema)


def test_a_schema_stands_for_cells():
    schema = ofm.Schema([ofm.Feature("job", ("none", "part", "full"), ordered=True)])
    rules = [ofm.OnlyIncrease("job")]
    told, whole = (
        asked(cells=cells, rules=rules).explain(NEW) for cells in (schema, ofm.Cells(schema=schema))
    )
    assert told.assignment == whole.assignment
    assert told.schema == whole.schema


def test_fit_takes_reference_data_and_comes_before_reference():
    fitted = ofm.OneForMany(MODEL, max_changes=2).fit(FRAME, TARGET)
    assert list(fitted.feature_names_in_) == list(FRAME.columns)
    assert fitted.explain(NEW).schema == asked().explain(NEW).schema
    other = rows(seed=5)
    assert asked(reference=other).fit(FRAME).explain(NEW).schema == asked().explain(NEW).schema


def test_a_clone_has_the_model_but_not_what_was_fitted():
    explainer = ofm.OneForMany(MODEL, max_changes=2).fit(FRAME)
    copied = clone(explainer)
    assert copied.model is MODEL
    assert not hasattr(copied, "reference_")
    assert copied.fit(FRAME).explain(NEW).assignment == explainer.explain(NEW).assignment


def test_a_handful_of_rows_without_reference_data_is_warned_of(recwarn):
    words = "are taken from 30 rows, which is few: give more with reference="
    with pytest.warns(UserWarning, match=words):
        ofm.OneForMany(MODEL, max_changes=2).explain(NEW)
    recwarn.clear()
    asked().explain(NEW)
    ofm.OneForMany(MODEL, max_changes=2).explain(FRAME)
    whole = ofm.infer_schema(FRAME[["age", "income"]])
    ofm.OneForMany(boosting(), max_changes=2, cells=whole).explain(NEW[["age", "income"]])
    assert [str(warning.message) for warning in recwarn if "which is few" in str(warning.message)] == []


def test_what_is_asked_is_not_changed_by_asking():
    explainer = asked(immutable=["age"], cells=ofm.Cells(bins=3))
    before = explainer.get_params(deep=False)
    explainer.explain(NEW)
    after = explainer.get_params(deep=False)
    assert all(before[name] is after[name] for name in before)
    assert np.array_equal(explainer.reference.index, FRAME.index)
