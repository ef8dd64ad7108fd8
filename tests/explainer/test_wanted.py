"""Tests that results say which answer of the model is wanted, and that a doubtful one is asked about."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.report import report_html

N = 60
FRAME = pd.DataFrame({"income": np.arange(N) * 100, "age": np.arange(N) % 40 + 20})


def model_of(share, no="no", yes="yes"):
    """A model that says yes to so many of the rows, those of least income."""
    return DecisionTreeClassifier(max_depth=1).fit(FRAME, np.where(np.arange(N) < share * N, yes, no))


def asked_about(model, frame=FRAME, **asked):
    """What a warning says of the wanted class."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ofm.OneForMany(model, max_changes=1, **({"share": "point"} | asked)).explain(frame)
    told = [text for warning in caught if "what people want" in (text := str(warning.message))]
    assert len(told) <= 1
    return "".join(told)


def test_first_sentence_repr_report_and_file_say_what_is_wanted():
    result = ofm.OneForMany(
        model_of(0.4), max_changes=1, positive="no", target="deny", share="point"
    ).explain(FRAME)
    whom = "24 rows for which the model's answer for `deny` is not 'no'"
    assert result.summary().startswith(f"1 explanation covers all {whom}, each changing at most 1 feature: ")
    assert repr(result).endswith(", wanted 'no')")
    assert whom.replace("'", "&#39;") in report_html(result)
    back = ofm.Result.from_json(result.to_json())
    assert (back.summary(), repr(back)) == (result.summary(), repr(result))
    assert ofm.verify(result.to_json()).ok


def test_other_kinds_of_models_are_told_in_their_own_words():
    target = (np.arange(N) > 30).astype(int)
    chances = LogisticRegression(max_iter=1000).fit(FRAME, target)
    values = RidgeClassifier().fit(FRAME, target)
    some = FRAME[:30]
    for asked, words in (
        (ofm.OneForMany(chances, max_changes=1, reference=FRAME, share="point"), "answer is not 1"),
        (
            ofm.OneForMany(chances, max_changes=1, reference=FRAME, threshold=0.7, share="point"),
            "probability of 1 is below 0.7",
        ),
        (
            ofm.OneForMany(values, max_changes=1, reference=FRAME, threshold=0.1, share="point"),
            "score of 1 is below 0.1",
        ),
        (
            ofm.OneForMany(chances.predict_proba, max_changes=1, reference=FRAME, share="point"),
            "probability of 1 is below 0.5",
        ),
        (
            ofm.OneForMany(
                lambda rows: chances.predict_proba(rows)[:, 1], max_changes=1, reference=FRAME, share="point"
            ),
            "probability is below 0.5",
        ),
    ):
        told = asked.explain(some)
        assert f" rows for which the model's {words}" in told.summary()
    people = ofm.OneForMany(chances, max_changes=1, reference=FRAME, share="point").explain(
        some, people=[2] * 30
    )
    assert " people for whom the model's answer is not 1" in people.summary()


def test_points_of_a_scorecard_are_told_as_points():
    schema = ofm.Schema((ofm.Feature("job", ("none", "some")), ofm.Feature("home", ("rent", "own"))))
    card = {"job": {"none": 0, "some": 10}, "home": {"rent": 0, "own": 5}}
    rows = pd.DataFrame({"job": ["none", "some"], "home": ["rent", "own"]})
    result = ofm.OneForMany(card, max_changes=1, threshold=10, cells=schema, share="point").explain(rows)
    assert "covers the row for which the model's points are below 10, changing" in result.summary()


@pytest.mark.parametrize(
    ("model", "asked", "sign"),
    [
        (model_of(0.4), {"positive": "yes", "target": "deny"}, "The name 'deny' speaks of a refusal"),
        (model_of(0.4), {"positive": "yes", "target": "loan_default"}, "'loan default' speaks of a refusal"),
        (model_of(0.5, "good", "bad"), {"positive": "bad"}, "The name 'bad' speaks of a refusal"),
        (
            model_of(0.5, "stays", "Churned"),
            {"positive": "Churned"},
            "'churned' speaks of a refusal",
        ),
        (model_of(0.2), {"positive": "yes"}, "Only 12 of 60 given rows have that answer"),
        (model_of(0.4), {"positive": "yes"}, "Only 24 of 60 given rows have that answer"),
        (model_of(0.2), {"positive": "yes", "target": "answer"}, "Only 12 of 60 given rows"),
        (model_of(0.2, 0, 1), {}, "Only 12 of 60 given rows have that answer"),
        (model_of(0.95, 0, 1), {}, "57 of 60 given rows have that answer already"),
    ],
)
def test_a_class_that_looks_like_a_refusal_is_asked_about_once(model, asked, sign):
    told = asked_about(model, **asked)
    assert sign in told
    other = next(label for label in model.classes_.tolist() if label != asked.get("positive", 1))
    assert f"name the other class with positive={other!r}" in told


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        (model_of(0.4), {"positive": "no", "target": "deny"}),
        (model_of(0.4), {"positive": "yes", "target": "approved"}),
        (model_of(0.6), {"positive": "yes"}),
        (model_of(0.4, "default", "no default"), {"positive": "no default"}),
        (model_of(0.2, 0, 1), {"positive": 1}),  # it was named
        (model_of(0.2, "<=50K", ">50K"), {"positive": ">50K"}),  # and says what it is
        (model_of(0.95, "fraud", "genuine"), {"positive": "genuine"}),
        (model_of(0.4, 0, 1), {}),
    ],
)
def test_a_class_that_looks_right_is_not_asked_about(model, asked):
    assert asked_about(model, **asked) == ""


def test_how_usual_a_class_is_reference_data_say():
    model = model_of(0.4, 0, 1)
    assert asked_about(model, FRAME[20:]) != ""  # 4 of 40
    assert asked_about(model, FRAME[20:], reference=FRAME) == ""
    assert asked_about(model, FRAME[25:]) == ""  # only refused rows say nothing of how usual they are
    rare = model_of(0.1, 0, 1)
    assert "Only 6 of 60 reference rows looked at" in asked_about(rare, FRAME[25:], reference=FRAME)
    assert asked_about(rare, FRAME[:20]) == ""  # too few


def test_a_target_is_a_name():
    with pytest.raises(InputError, match="target is 3; name what the model tells"):
        ofm.OneForMany(model_of(0.4), positive="no", target=3, share="point").explain(FRAME)
