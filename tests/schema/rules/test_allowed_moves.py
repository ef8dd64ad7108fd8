import numpy as np
import pytest

from oneformany import (
    Feature,
    Forbid,
    Immutable,
    OnlyDecrease,
    OnlyIncrease,
    Rule,
    Schema,
    allowed_moves,
)
from oneformany.exceptions import InputError

SCHEMA = Schema(
    (
        Feature("age", ("young", "middle", "old"), ordered=True),
        Feature("housing", ("rent", "own", "free")),
        Feature("rooms", ("1", "2"), ordered=True, numbers=(1, 2)),
    )
)


def moves(*rules):
    return [None if m is None else m.astype(int).tolist() for m in allowed_moves(SCHEMA, rules)]


def test_without_rules_nothing_is_restricted():
    assert moves() == [None, None, None]


def test_an_immutable_feature_may_only_stay():
    assert moves(Immutable("housing")) == [None, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], None]


def test_a_one_way_feature_moves_in_its_direction_only():
    assert moves(OnlyIncrease("age"))[0] == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert moves(OnlyDecrease("age"))[0] == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_a_forbidden_move_is_the_only_one_forbidden():
    assert moves(Forbid("housing", "own", "rent"))[1] == [[1, 1, 1], [0, 1, 1], [1, 1, 1]]
    assert moves(Forbid("rooms", 1, 2))[2] == [[1, 0], [1, 1]]


def test_all_rules_on_a_feature_hold_together():
    assert moves(OnlyIncrease("age"), Forbid("age", "young", "old"))[0] == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]


def test_a_rule_of_ones_own_works_like_the_others():
    class NextLevelOnly:
        feature = "age"

        def allowed(self, feature):
            return np.eye(feature.n_levels, dtype=bool) | np.eye(feature.n_levels, k=1, dtype=bool)

    assert isinstance(NextLevelOnly(), Rule)
    assert moves(NextLevelOnly())[0] == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([Immutable("sex")], "no feature 'sex'"),
        ([OnlyIncrease("ages")], "did you mean 'age'"),
        ([OnlyIncrease("housing")], "OnlyIncrease.*needs an order"),
        ([OnlyDecrease("housing")], "OnlyDecrease.*needs an order"),
        ([Forbid("housing", "own", "tent")], "'tent' is none of the levels 'rent', 'own', 'free'"),
        ([Forbid("housing", "own", "own")], "is not a move"),
        ([OnlyIncrease("age"), OnlyDecrease("age")], "only increase and only decrease.*Immutable"),
        (["age"], "'age' is not a rule"),
        (Immutable("age"), "must be a list of rules"),
        (None, "must be a list of rules"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, words):
    with pytest.raises(InputError, match=words):
        allowed_moves(SCHEMA, rules)
