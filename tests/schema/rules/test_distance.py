"""Tests of how far a row's own number may go: by digits, in units of the column or in parts of what it is."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from certificates import sealed
from oneformany import AtMost, Feature, OneForMany, Schema
from oneformany.exceptions import CertificateError, InputError
from oneformany.schema.rules.combine import rules_from_toml
from oneformany.schema.rules.distance import AtMostNumbers
from oneformany.schema.rules.rows import cell_rule
from oneformany.verify import verify

RNG = np.random.default_rng(5)
DATA = pd.DataFrame({"ratio": RNG.integers(0, 100, 200) / 100, "amount": RNG.integers(1, 40, 200) * 250})
MODEL = LogisticRegression().fit(DATA, DATA["ratio"] < 0.4)
decimals = st.integers(-30, 30).map(lambda n: n / 10)


@given(old=decimals, new=decimals, by=st.integers(1, 30).map(lambda n: n / 10), part=st.booleans())
def test_numbers_go_as_far_as_their_digits_say(old, new, by, part):
    rule = AtMostNumbers(0, 100 * by if part else by, part, {0: np.array([old, new])})
    cells, numbers = (np.array([[level]]) for level in (0, 1)), ({0: np.array([n])} for n in (new, old))
    digits = [Fraction(str(number)) for number in (old, new, by)]
    far = abs(digits[1] - digits[0])
    assert rule.holds(*cells, *numbers)[0] == (far <= (digits[2] * abs(digits[0]) if part else digits[2]))


def test_who_stays_keeps_the_rule_and_a_code_goes_nowhere():
    rule = AtMostNumbers(0, 1, False, {0: np.array([0.0, 5.0, np.nan])})
    numbers = {0: np.array([5.0, 5.0, np.nan])}, {0: np.array([0.0, np.nan, 5.0])}
    before, same, after = (np.array([[a], [b], [c]]) for a, b, c in ((0, 2, 1), (0, 2, 1), (1, 1, 2)))
    assert rule.holds(before, same, *numbers).tolist() == [True, True, True]
    assert rule.holds(before, after, *numbers).tolist() == [False, False, False]
    assert cell_rule(json.loads(json.dumps(rule.to_dict()))).to_dict() == rule.to_dict()


LIMITS = {0.3: lambda old: 0.3 + 0 * old, "40%": lambda old: 0.4 * old}


def how_far(after):
    return (after["ratio"] - DATA.loc[after.index, "ratio"]).abs(), DATA.loc[after.index, "ratio"]


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("by", LIMITS)
def test_no_row_of_a_frame_goes_further(by, share):
    ruled, free = (
        OneForMany(MODEL, max_changes=2, rules=rules, reference=DATA, share=share).explain(DATA)
        for rules in ([AtMost("ratio", by=by)], [])
    )
    (far, old), (freely, from_) = how_far(ruled.apply(DATA)), how_far(free.apply(DATA))
    assert (far > 0).any()
    assert (far <= LIMITS[by](old) + 1e-12).all()
    assert (freely > LIMITS[by](from_)).any()
    assert ruled.verify().ok
    if share != "point":
        new, _ = how_far(ruled.apply(DATA.assign(amount=DATA["amount"] + 1), MODEL))
        assert (new <= LIMITS[by](DATA.loc[new.index, "ratio"]) + 1e-12).all()


def test_a_file_whose_rows_go_further_is_wrong_and_one_that_is_not_as_it_should_be_is_not_read():
    result = OneForMany(
        MODEL, max_changes=2, rules=[AtMost("ratio", by=0.3)], reference=DATA, share="action"
    ).explain(DATA)
    content = json.loads(result.to_json())
    (rule,) = content["problem"]["restrictions"]
    rule["by"] = 0.01
    wrong = [check.detail for check in verify(sealed(content)).checks if check.outcome == "wrong"]
    assert any("against a rule of the kind 'at_most'" in detail for detail in wrong)
    for change in ({"by": "x"}, {"features": [0, 1]}, {"numbers": []}, {"part": 1}, {"more": 1}):
        content["problem"]["restrictions"] = [{**rule, **change}]
        with pytest.raises(CertificateError):
            verify(sealed(content))


@pytest.mark.parametrize("by", [0, -1, "x%", "", None, True, float("inf")])
def test_what_is_not_a_distance_is_refused(by):
    with pytest.raises(InputError, match=r"by= of 'ratio' is .*; it must be a number above 0"):
        AtMost("ratio", by=by)


def test_a_feature_without_numbers_is_refused():
    schema = Schema((Feature("job", ("no", "yes")),))
    with pytest.raises(InputError, match=r"compares numbers, and 'job' has none.*AtMostSteps"):
        AtMost("job", by=1).restriction(schema, np.zeros((0, 1), dtype=int), {0: np.array([np.nan, np.nan])})


def test_it_is_read_from_toml(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text('at_most = { ratio = 0.1, amount = "20%" }')
    assert rules_from_toml(file) == [AtMost("ratio", 0.1), AtMost("amount", "20%")]
    assert [str(rule) for rule in rules_from_toml(file)] == [
        "ratio changes by at most 0.1",
        "amount changes by at most 20% of what it is",
    ]
