"""Tests of what is said of all rows beyond help, of values that were missing, and of columns not read."""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.report import report_html
from oneformany.result.beyond import beyond_help_words, gap_filled_words, unread_words
from oneformany.result.explanation import Unreachable


def linear(**asked):
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 0, 1], "b": [0, 1, 0, 1, 0, 1], "c": [0, 0, 0, 1, 1, 1]})
    model = LogisticRegression(C=100).fit(frame, [0, 0, 0, 1, 0, 1])
    return model, frame, ofm.OneForMany(model, reference=frame, **({"share": "point"} | asked)).explain(frame)


def test_all_who_are_beyond_help_are_counted_by_what_would_help_them():
    result = linear(max_changes=1, rules=[ofm.Immutable("a")])[2]
    rules = {"rules": ["a cannot change", "b cannot change"]}
    entries = (
        Unreachable(0, "no", 2, ("max_changes", "a cannot change")),
        Unreachable(1, "no", 3, ("max_changes",)),
        Unreachable(2, "no", None, ("a cannot change", "b cannot change")),
    )
    told = beyond_help_words(replace(result, unreachable=entries, problem={**result.problem, **rules}))
    assert told == (
        "3 rows. With 1 more change per row, 1 of them could be helped. With 2 more per row, 2 of them could "
        'be helped. Lifting one rule alone would help: without "a cannot change" 2, without "b cannot '
        'change" 1.'
    )


def test_probabilities_are_told_where_the_model_has_them():
    model, frame, result = linear(max_changes=1)
    assert result.unreachable
    for entry in result.unreachable:
        chance = model.predict_proba(frame)[result.problem["rows"][entry.row], 1]
        assert f"probability {chance:.2g} now, 0.5 needed" in entry.reason
        assert "score" not in entry.reason


def test_a_value_that_was_missing_has_a_sentence_of_its_own():
    frame = pd.DataFrame({"a": [1.0, np.nan, 1.0, 3.0, 4.0], "b": [1.0, 1.0, 2.0, 1.0, 2.0]})
    model = DecisionTreeClassifier(random_state=0).fit(frame, [0, 0, 0, 1, 1])
    result = ofm.OneForMany(model, max_changes=1, reference=frame, share="point").explain(frame)
    told = gap_filled_words(result)
    assert told.startswith("Values that were missing: a of 1 row.")
    assert told in result.summary()
    assert "stating it is enough" in result.letters(frame).text(1)


def test_columns_that_the_model_does_not_read_are_named_and_not_in_common():
    frame = pd.DataFrame({"a": [0, 0, 1, 1], "group": ["x", "x", "x", "x"], "b": [0, 1, 0, 1]})
    steps = make_column_transformer(("passthrough", ["a", "b"]), ("drop", ["group"]))
    model = make_pipeline(steps, LogisticRegression(C=100)).fit(frame, [0, 0, 0, 1])
    result = ofm.OneForMany(model, max_changes=2, share="point").explain(frame)
    assert unread_words(result) == "The model does not read: group."
    page = report_html(result)
    assert "<li>group:" not in page
    assert '<th scope="row">group</th><td>no</td>' in page
