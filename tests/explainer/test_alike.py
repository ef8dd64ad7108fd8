"""Tests of groups that are helped alike, from the front door to the file and its check."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.verify import Outcome


@pytest.fixture(scope="module")
def asked():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 4, (120, 3)), columns=list("abc"))
    frame["sex"] = np.where(frame["a"] + rng.integers(0, 3, 120) > 2, "f", "m")
    model = LogisticRegression().fit(
        frame[["a", "b", "c"]], frame["b"] + frame["c"] + rng.integers(0, 2, 120) > 4
    )
    explainer = ofm.OneForMany(
        model, max_changes=1, share="action", reference=frame[["a", "b", "c"]], positive=True
    )
    return explainer, frame


def shares(result, frame):
    refused = frame["sex"].to_numpy()[result.problem["rows"]]
    return pd.Series(result.has_explanation).groupby(refused).mean()


@pytest.mark.parametrize("within", [0.0, 0.02, 0.1])
def test_shares_of_people_helped_are_as_near_as_asked_and_the_price_is_told(asked, within):
    explainer, frame = asked
    free = explainer.explain(frame[["a", "b", "c"]], explanations=1)
    alike = explainer.explain(frame, explanations=1, between="sex", within=within)
    told = alike.problem["between"]
    assert np.ptp(shares(alike, frame)) <= within + 1e-12
    assert np.ptp(shares(free, frame)) > 0.04
    assert told["bound"] >= alike.covered
    assert told["without"]["covered"] == free.covered >= alike.covered
    assert "Groups of sex are helped alike" in alike.summary()
    if told["bound"] == alike.covered:
        assert f"That costs {free.covered - alike.covered} rows of help." in alike.summary()


def test_a_share_of_the_people_and_groups_given_as_values(asked):
    explainer, frame = asked
    both = [
        explainer.explain(frame, coverage=0.5, between="sex"),
        explainer.explain(frame[["a", "b", "c"]], coverage=0.5, between=frame["sex"].to_numpy()),
    ]
    assert both[0].explanations == both[1].explanations
    assert np.ptp(shares(both[0], frame)) <= 0.05 + 1e-12
    assert both[0].covered >= 0.5 * both[0].people
    assert "helped alike" in both[0].model_card()


def test_a_file_is_checked_for_its_shares(asked):
    explainer, frame = asked
    result = explainer.explain(frame, explanations=1, between="sex")
    checks = {check.name: check for check in result.verify().checks}
    assert checks["groups are helped alike"].ok
    assert not any(check.outcome is Outcome.WRONG for check in checks.values())
    told = result.problem["between"]
    for wrong in ({"helped": [told["helped"][0] - 1, told["helped"][1]]}, {"within": [0, 1]}):
        forged = ofm.Result.from_json(result.to_json())
        forged.problem["between"] = {**told, **wrong}
        checks = {check.name: check for check in forged.verify().checks}
        assert checks["groups are helped alike"].outcome is Outcome.WRONG


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"between": "sex"}, "needs explanations= or coverage="),
        ({"between": "sax", "explanations": 1}, "no column 'sax' of groups to help alike.*'sex'"),
        ({"between": "sex", "explanations": 1, "within": 2}, "within is 2; give a difference"),
        ({"between": ["m"] * 120, "explanations": 1}, "between= needs 2 to 50 groups"),
        ({"between": "sex", "coverage": 1.0, "within": 0.0}, "lower coverage= or raise within="),
    ],
)
def test_what_cannot_be_asked_is_told(asked, given, words):
    explainer, frame = asked
    with pytest.raises(InputError, match=words):
        explainer.explain(frame, **given)
