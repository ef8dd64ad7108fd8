import numpy as np
import pytest

import rule_schema as small
from oneformany import Implies, Linked, NotTogether, Observed
from oneformany.exceptions import InputError

SOMEBODY = [0, 0, 0]
REFERENCE = small.cells(SOMEBODY, SOMEBODY, [1, 1, 0], [2, 2, 1])
IMPLIES = Implies({"job": ["none", "part"]}, {"home": "rent", "savings": [50, 300]})


def holds(rule, before, after):
    return rule.restriction(small.SCHEMA, REFERENCE).holds(small.cells(before), small.cells(after)).item()


def test_a_changed_row_with_these_values_has_those():
    assert not holds(IMPLIES, [2, 2, 1], [2, 0, 1])
    assert holds(IMPLIES, [2, 2, 1], [1, 0, 0])
    assert holds(IMPLIES, [2, 2, 1], [0, 2, 1])
    assert not holds(IMPLIES, [1, 0, 0], [1, 0, 1])


def test_what_a_row_was_is_no_advice():
    assert holds(IMPLIES, [2, 0, 1], [2, 0, 1])
    assert not holds(IMPLIES, [2, 0, 1], [1, 0, 1])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Implies({"jobs": "none"}, {"home": "rent"}), "no feature 'jobs'"),
        (Implies({"job": "boss"}, {"home": "rent"}), "'boss' is not one of the levels"),
        (Implies({"job": []}, {"home": "rent"}), "names no level of 'job'"),
        *((Linked(*names), "at least two different features") for names in (("job",), (), ("job", "job"))),
        (NotTogether("job"), "the rule not_together of 'job' needs at least two"),
        *((Observed(at_least=count), "at_least is") for count in (0, 1.5, True, 5)),
    ],
)
def test_what_makes_no_sense_is_refused(rule, words):
    with pytest.raises(InputError, match=words):
        rule.restriction(small.SCHEMA, REFERENCE)


@pytest.mark.parametrize(
    ("before", "after", "part"), [({}, {"home": "rent"}, "if"), ({"job": "none"}, "home", "then")]
)
def test_an_implication_names_features_and_values(before, after, part):
    with pytest.raises(InputError, match=f"implies: '{part}' must name features and their values"):
        Implies(before, after)


def test_linked_features_move_together_or_not_at_all():
    rule = Linked("savings", "job")
    assert holds(rule, SOMEBODY, [1, 1, 0])
    assert holds(rule, SOMEBODY, [0, 0, 1])
    assert not holds(rule, SOMEBODY, [1, 0, 0])
    assert not holds(rule, SOMEBODY, [0, 1, 0])


def test_one_way_the_first_never_moves_without_the_others():
    rule = Linked("savings", "job", one_way=True)
    assert holds(rule, SOMEBODY, [1, 1, 0])
    assert holds(rule, SOMEBODY, [0, 1, 0])
    assert not holds(rule, SOMEBODY, [1, 0, 0])


def test_only_one_of_the_features_moves():
    rule = NotTogether("savings", "job", "home")
    after = (SOMEBODY, [1, 0, 0], [1, 1, 0], [1, 1, 1])
    assert [holds(rule, SOMEBODY, row) for row in after] == [True, True, False, False]


def test_a_changed_row_is_as_a_whole_one_that_occurs():
    assert holds(Observed(), [2, 2, 1], [1, 1, 0])
    assert not holds(Observed(), [2, 2, 1], [1, 0, 1])
    assert not holds(Observed(), SOMEBODY, [1, 1, 1])


def test_what_a_row_keeps_counts_too():
    assert not holds(Observed(), [2, 2, 0], [1, 2, 0])  # 1 occurs, but not beside what stays
    assert not holds(Observed("savings", "job"), [0, 1, 0], [2, 1, 0])
    assert holds(Observed("savings", "job"), [0, 2, 0], [2, 2, 0])


def test_only_named_features_count():
    assert holds(Observed("savings", "job"), SOMEBODY, [1, 1, 1])
    assert not holds(Observed("savings", "job"), [2, 2, 1], [1, 0, 0])
    assert len(Observed("job", "job").restriction(small.SCHEMA, REFERENCE).features) == 1


def test_a_row_that_was_never_observed_may_stay():
    assert holds(Observed(), [1, 0, 1], [1, 0, 1])
    assert holds(Observed("savings", "job"), [1, 0, 1], [1, 0, 0])
    assert not holds(Observed("savings", "job"), [1, 0, 1], [4, 0, 1])


def test_they_occur_at_least_so_often():
    assert holds(Observed(at_least=2), [1, 1, 0], SOMEBODY)
    assert not holds(Observed(at_least=2), SOMEBODY, [1, 1, 0])


def test_every_row_is_judged_as_if_alone():
    rng = np.random.default_rng(0)
    before, after = (rng.integers(0, [5, 3, 2], size=(50, 3)) for _ in range(2))
    before[:10] = after[:10]
    reference = rng.integers(0, [5, 3, 2], size=(20, 3))
    for at_least in (1, 2):
        together = Observed(at_least=at_least).restriction(small.SCHEMA, reference).holds(before, after)
        counts = [(reference == row).all(axis=1).sum() for row in after]
        stays = (before == after).all(axis=1)
        assert together.tolist() == [
            stay or count >= at_least for stay, count in zip(stays, counts, strict=True)
        ]
        assert 0 < together.sum() < 50
