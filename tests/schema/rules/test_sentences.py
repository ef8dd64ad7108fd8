"""Tests that every rule can be said in a sentence, by the rule itself and from a result file."""

import numpy as np
import pytest

import oneformany as ofm
from oneformany.result.words import rule_words

SENTENCES = [
    (ofm.Immutable("sex"), "sex cannot change"),
    (ofm.OnlyIncrease("age"), "age can only go up"),
    (ofm.OnlyDecrease("debt"), "debt can only go down"),
    (ofm.AtMostSteps("savings", 1), "savings moves at most 1 level"),
    (ofm.AtMostSteps("savings", 2), "savings moves at most 2 levels"),
    (ofm.Forbid("home", "own", "rent"), "home cannot go from own to rent"),
    (ofm.NeverTarget("job", ["none", "unknown"]), "nobody is sent to job none or unknown"),
    (ofm.Range("sum", 250, 12_345_678), "sum may change to numbers from 250 to 12345678"),
    (ofm.Range("sum", low=2.5), "sum may change to 2.5 or more"),
    (ofm.Range("sum", high=9), "sum may change to 9 or less"),
    (
        ofm.Implies({"job": "none"}, {"income": ["0", "low"]}),
        "after a change, if job is none, then income is 0 or low",
    ),
    (
        ofm.Implies({"work": "> 10", "sum": (1, 2.5)}, {"age": {"low": 30}}),
        "after a change, if work is more than 10 and sum is from 1 to 2.5, then age is at least 30",
    ),
    (
        ofm.Implies({"work": "<= 10"}, {"age": "< 30"}),
        "after a change, if work is at most 10, then age is less than 30",
    ),
    (ofm.NeverTarget("age", (60, 80)), "nobody is sent to age from 60 to 80"),
    (ofm.AtLeast("age", "work", plus=14), "after a change of age or work, age is at least work plus 14"),
    (ofm.AtLeast("age", "work", plus=-0.5), "after a change of age or work, age is at least work minus 0.5"),
    (ofm.AtLeast("age", "work"), "after a change of age or work, age is at least work"),
    (ofm.AtMost("lvr", by=0.1), "lvr changes by at most 0.1"),
    (ofm.AtMost("sum", by="20%"), "sum changes by at most 20% of what it is"),
    (ofm.Linked("sum", "months"), "sum and months change only together"),
    (ofm.Linked("sum", "months", one_way=True), "sum changes only together with months"),
    (ofm.NotTogether("job", "home"), "of job, home, no row changes more than one"),
    (
        ofm.Observed("job", "home", at_least=5),
        "who changes job or home ends with values of them that at least 5 reference rows have together",
    ),
    (
        ofm.Observed(),
        "who changes anything ends with values that at least one reference row has together",
    ),
]


@pytest.mark.parametrize(("rule", "sentence"), SENTENCES)
def test_a_rule_is_said_in_a_sentence(rule, sentence):
    assert str(rule) == sentence


def test_rules_are_read_off_the_matrices_where_a_file_has_no_sentences():
    eye, up = np.eye(3, dtype=bool), np.triu(np.ones((3, 3), dtype=bool))
    one = ~np.eye(3, dtype=bool) | eye
    one[0, 2] = False
    oracle = ofm.AdditiveOracle([[0, 1, 2]] * 5, threshold=1)
    problem = ofm.Problem([[0] * 5], (3,) * 5, oracle, max_changes=1, allowed=[eye, up, up.T, one, None])
    assert rule_words(ofm.solve(problem)) == [
        "feature 0 may make 0 of its 6 moves",
        "feature 1 may make 3 of its 6 moves",
        "feature 2 may make 3 of its 6 moves",
        "feature 3 may make 5 of its 6 moves",
    ]


def test_rules_on_rows_are_said_from_the_file_too():
    schema = ofm.Schema(tuple(ofm.Feature(name, ("no", "yes")) for name in "abc"))
    rules = [
        ofm.Implies({"a": "yes"}, {"b": "no"}),
        ofm.Linked("a", "b"),
        ofm.Linked("a", "b", one_way=True),
        ofm.NotTogether("a", "c"),
        ofm.Observed("a", "c"),
    ]
    restrictions = [rule.restriction(schema, np.zeros((2, 3), dtype=np.int64)) for rule in rules]
    oracle = ofm.AdditiveOracle([[0, 1]] * 3, threshold=1)
    result = ofm.solve(ofm.Problem([[0] * 3], (2,) * 3, oracle, max_changes=1, restrictions=restrictions))
    assert rule_words(result) == [
        "a rule of the kind implies on whole rows",
        "a rule of the kind linked on feature 0, feature 1",
        "a rule of the kind linked on feature 0, feature 1",
        "a rule of the kind not_together on feature 0, feature 2",
        "a rule of the kind observed on feature 0, feature 2",
    ]
