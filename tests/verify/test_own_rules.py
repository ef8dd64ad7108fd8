"""Tests that a rule of one's own leaves confirmed what does not depend on it, and can be brought along."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from certificates import sealed
from oneformany.exceptions import InputError
from oneformany.result.words import rule_words
from oneformany.verify import verify

CONFIRMED, WRONG, OPEN = "confirmed", "wrong", "cannot be confirmed"
RNG = np.random.default_rng(1)
DATA = pd.DataFrame(RNG.integers(0, 4, size=(80, 3)), columns=["job", "home", "debt"])
MODEL = LogisticRegression().fit(DATA, DATA.sum(axis=1) > 5)


@dataclass(frozen=True)
class JobBeforeHome:
    """Who changes anything has a job that is at least the home."""

    features: tuple[str, ...] = ("job", "home")

    def __str__(self):
        return "a home needs a job"

    def restriction(self, schema, reference):  # noqa: ARG002 (as all rules)
        return InCells(schema.index("job"), schema.index("home"))


class InCells:
    def __init__(self, job, home):
        self.job, self.home = job, home

    def holds(self, before, after):
        return (before == after).all(axis=1) | (after[:, self.job] >= after[:, self.home])


class LooksAtReference(JobBeforeHome):
    def restriction(self, schema, reference):
        assert len(reference)
        return super().restriction(schema, reference)


def explained(rules, share="action", changes=1):
    return ofm.OneForMany(MODEL, max_changes=changes, rules=rules, share=share, reference=DATA).explain(DATA)


def outcomes(report):
    return {check.name: str(check.outcome) for check in report.checks}


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_what_does_not_depend_on_the_rule_is_confirmed(share):
    result = explained([JobBeforeHome(), ofm.Immutable("debt")], share)
    report = result.verify()
    found = outcomes(report)
    assert str(report.outcome) == OPEN
    assert found.pop("your own rules are kept") == OPEN
    for name in (
        "the file is as it was written",
        "counts and status agree",
        "every row is accounted for",
        "changes are few and allowed",
        "points are positive",
        "cost is what the changes cost",
    ):
        if name in found:
            assert found.pop(name) == CONFIRMED
    assert WRONG not in found.values()
    assert '"a home needs a job" is your own' in str(report)
    assert "JobBeforeHome" not in str(report) + result.to_json() + result.summary()
    assert "a home needs a job" in rule_words(result)


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_with_the_rule_again_everything_is_confirmed(share):
    rules = [ofm.Immutable("debt"), JobBeforeHome(), ofm.NotTogether("job", "home")]
    result = explained(rules, share, changes=2)
    assert result.verify(rules=rules).ok
    assert result.verify(rules=[InCells(0, 1)]).ok
    again = ofm.Result.from_json(result.to_json())
    assert again.verify(rules=rules).ok
    assert verify(result.to_json(), rules=[InCells(0, 1)]).ok


def test_a_bound_that_holds_whatever_the_rule_says_is_confirmed():
    class Anything(JobBeforeHome):
        def restriction(self, schema, reference):  # noqa: ARG002
            class Yes:
                def holds(self, before, after):  # noqa: ARG002
                    return np.ones(len(before), dtype=bool)

            return Yes()

    found = outcomes(explained([Anything()]).verify())
    assert found.pop("your own rules are kept") == OPEN
    assert set(found.values()) == {CONFIRMED}


def test_another_rule_shows_that_the_file_breaks_it():
    class Never(InCells):
        def holds(self, before, after):
            return (before == after).all(axis=1)

    report = explained([JobBeforeHome()]).verify(rules=[Never(0, 1)])
    assert outcomes(report)["changes are few and allowed"] == WRONG
    assert "a home needs a job" in str(report)


def test_a_bound_that_no_rule_could_save_is_wrong():
    content = json.loads(explained([JobBeforeHome()]).to_json())
    weights = content["certificate"]["proof"]
    while "weights" not in weights:
        weights = next(part for part in weights.values() if isinstance(part, dict))
    content["lower_bound"] += 1
    content["certificate"]["bound"] += 1
    found = outcomes(verify(sealed(content)))
    assert WRONG in found.values()


def test_rules_that_are_not_those_of_the_file_are_refused():
    result = explained([JobBeforeHome()])
    with pytest.raises(
        InputError, match=r"2 rules are given, and 1 in the file are your own: a home needs a job"
    ):
        result.verify(rules=[InCells(0, 1), InCells(0, 1)])
    with pytest.raises(InputError, match="1 rules are given, and 0 in the file"):
        explained([]).verify(rules=[JobBeforeHome()])
    with pytest.raises(InputError, match="is not a rule on whole rows"):
        result.verify(rules=[5])
    with pytest.raises(InputError, match="must be a list of rules"):
        result.verify(rules=JobBeforeHome())


def test_a_rule_that_looks_at_reference_data_needs_them_again():
    result = explained([LooksAtReference()])
    with pytest.raises(InputError, match="give reference= too"):
        result.verify(rules=[LooksAtReference()])
    assert result.verify(rules=[LooksAtReference()], reference=DATA).ok


def test_a_rule_that_does_not_answer_per_row_is_refused():
    class Odd(InCells):
        def holds(self, before, after):  # noqa: ARG002
            return True

    with pytest.raises(InputError, match='the rule "a home needs a job" must answer yes or no'):
        explained([JobBeforeHome()]).verify(rules=[Odd(0, 1)])


def test_new_rows_need_the_explainer():
    result = explained([JobBeforeHome()])
    with pytest.raises(InputError, match='"a home needs a job" is the user\'s own'):
        result.assign(DATA, MODEL)
