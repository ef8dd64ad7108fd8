import json
import tracemalloc
import warnings

import numpy as np
import pytest

import rule_schema as small
from oneformany import (
    AtMostSteps,
    Feature,
    Forbid,
    Immutable,
    Implies,
    Linked,
    NeverTarget,
    NotTogether,
    Observed,
    OnlyDecrease,
    OnlyIncrease,
    Range,
    Schema,
)
from oneformany.exceptions import InputError
from oneformany.schema import Rule, allowed_moves
from oneformany.schema.rules.combine import check_rules, named_by_value, restrictions_of
from oneformany.schema.rules.rows import cell_rule

OTHER = Schema(
    (Feature("age", ("young", "middle", "old"), ordered=True), Feature("housing", ("rent", "own", "free")))
)
ROW_RULES = [
    Implies({"job": "none"}, {"home": "rent"}),
    Linked("savings", "job", one_way=True),
    NotTogether("job", "home"),
    Observed("savings", "home", at_least=6),
]


def test_rules_on_single_features_and_on_rows_are_told_apart():
    rules = [Immutable("home"), Implies({"job": "none"}, {"savings": 50})]
    moves = allowed_moves(small.SCHEMA, rules)
    assert [matrix is None for matrix in moves] == [True, True, False]
    assert len(restrictions_of(small.SCHEMA, rules, small.cells([0, 0, 0]), moves)) == 1


def test_rules_on_rows_survive_a_file():
    rng = np.random.default_rng(1)
    before, after, reference = (rng.integers(0, [5, 3, 2], size=(60, 3)) for _ in range(3))
    for restriction in restrictions_of(small.SCHEMA, ROW_RULES, reference, [None] * 3):
        again = cell_rule(json.loads(json.dumps(restriction.to_dict())))
        assert (again.holds(before, after) == restriction.holds(before, after)).all()
        assert 0 < restriction.holds(before, after).sum() < 60
    with pytest.raises(InputError, match='the rule "magic" is the user\'s own, and not in the file'):
        cell_rule({"kind": "magic"})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([Immutable("job"), Immutable("job")], '"job cannot change" has no effect'),
        (
            [Immutable("job"), Forbid("job", "none", "full")],
            '"job cannot go from none to full" has no effect',
        ),
        (
            [AtMostSteps("savings", 9), AtMostSteps("savings", 5)],
            '"savings moves at most 5 levels" has no effect',
        ),
        (
            [Range("savings", 1e9, 2e9)],
            '"savings may .*", savings has nowhere to go; if that is meant, make it immutable',
        ),
    ],
)
def test_rules_without_effect_are_named(rules, words):
    with pytest.warns(UserWarning, match=words):
        allowed_moves(small.SCHEMA, rules)


def test_a_range_has_no_effect_on_levels_within_it_and_chooses_the_numbers_that_bins_offer():
    rooms = Schema((Feature("rooms", ("1", "2"), ordered=True, numbers=(1, 2)),))
    with pytest.warns(UserWarning, match='"rooms may change to numbers from 0 to 3" has no effect'):
        allowed_moves(rooms, [Range("rooms", 0, 3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (ruled,) = filter(lambda m: m is not None, allowed_moves(small.SCHEMA, [Range("savings", -1e9, 1e9)]))
    assert ruled.sum() > len(ruled)


def test_rules_that_meet_only_features_which_cannot_move_are_named():
    rules = [Immutable("job")]
    moves = allowed_moves(small.SCHEMA, rules)
    with pytest.warns(UserWarning, match='"of job, home, .*" has no effect: job cannot change anyway'):
        restrictions_of(small.SCHEMA, [NotTogether("job", "home")], small.cells([0, 0, 0]), moves)
    with pytest.warns(
        UserWarning, match='"job and .*", home cannot change either, as job cannot; if that is meant, make it'
    ):
        restrictions_of(small.SCHEMA, [Linked("job", "home")], small.cells([0, 0, 0]), moves)


def test_a_class_instead_of_a_rule_is_refused():
    with pytest.raises(InputError, match="is not a rule"):
        allowed_moves(small.SCHEMA, [Immutable])


def moves(*rules):
    return [None if m is None else m.astype(int).tolist() for m in allowed_moves(OTHER, rules)]


def test_without_rules_nothing_is_restricted():
    assert moves() == [None, None]


def test_all_rules_on_a_feature_hold_together():
    assert moves(OnlyIncrease("age"), Forbid("age", "young", "old"))[0] == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]


def test_a_rule_of_ones_own_works_like_the_others():
    class NextLevelOnly:
        feature = "age"

        def allowed(self, feature):
            return np.eye(feature.n_levels, dtype=bool) | np.eye(feature.n_levels, k=1, dtype=bool)

    assert isinstance(NextLevelOnly(), Rule)
    assert moves(NextLevelOnly())[0] == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize("given", [np.ones(3), np.ones((2, 3)), True, None])
def test_a_rule_of_ones_own_says_it_of_every_move(given):
    class Odd:
        feature = "age"

        def allowed(self, _feature):
            return given

    for others in ([], [OnlyIncrease("age")]):
        with pytest.raises(InputError, match=r"allows moves of shape .*; 3 x 3 are needed"):
            moves(*others, Odd())


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([Immutable("sex")], "no feature 'sex'"),
        ([OnlyIncrease("ages")], "did you mean 'age'"),
        ([OnlyIncrease("housing")], '"housing can only go up" needs an order.*an ordered category'),
        ([OnlyDecrease("housing")], '"housing can only go down" needs an order'),
        ([Forbid("housing", "own", "tent")], "'tent' is not one of the levels 'rent', 'own', 'free'"),
        ([Forbid("housing", "own", "own")], "is not a move"),
        ([OnlyIncrease("age"), OnlyDecrease("age")], "only increase and only decrease.*immutable"),
        (["age"], "'age' is not a rule.*such as Immutable"),
        (Immutable("age"), "must be a list of rules"),
        (None, "must be a list of rules"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, words):
    with pytest.raises(InputError, match=words):
        allowed_moves(OTHER, rules)


@pytest.mark.parametrize("names", [["age", "housing"], ("age", "housing")])
def test_a_rule_on_several_features_at_once_is_told_to_be_one_for_each(names):
    with pytest.raises(InputError, match="give one rule for each feature"):
        check_rules([Immutable(names)], OTHER.names)


def test_an_immutable_feature_of_many_levels_takes_no_matrix_of_their_square():
    many = 20_000
    schema = Schema([Feature("job", tuple(map(str, range(many))))])
    tracemalloc.start()
    allowed_moves(schema, [Immutable("job")])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1000 * many


NUMBERED = Schema((Feature("0", ("a", "b", "c"), ordered=True, numbers=(1, 2, 3)), Feature("1", ("d", "e"))))


@pytest.mark.parametrize(
    "rule",
    [
        Immutable,
        OnlyIncrease,
        lambda name: AtMostSteps(name, 1),
        lambda name: Forbid(name, "a", "b"),
        lambda name: NeverTarget(name, "c"),
        lambda name: Range(name, high=2),
    ],
)
def test_numbered_columns_are_named_by_number_or_by_text(rule):
    by_number, by_text = (allowed_moves(NUMBERED, [rule(name)])[0] for name in (0, "0"))
    assert (by_number == by_text).all()
    check_rules([rule(0)], NUMBERED.names)
    with pytest.raises(InputError, match="only increase and only decrease"):
        check_rules([OnlyIncrease(0), OnlyDecrease("0")])


@pytest.mark.parametrize(
    "rule",
    [
        lambda zero, one: Implies({zero: "a"}, {one: "e"}),
        lambda zero, one: Linked(zero, one, one_way=True),
        NotTogether,
        Observed,
    ],
)
def test_rules_on_rows_name_numbered_columns_as_well(rule):
    reference = small.cells([0, 0], [2, 1])
    by_number, by_text = (rule(*names).restriction(NUMBERED, reference) for names in ((0, 1), ("0", "1")))
    assert by_number.to_dict() == by_text.to_dict()
    assert named_by_value([rule(0, 1)]) == named_by_value([rule("0", "1")])
    still = allowed_moves(NUMBERED, [Immutable(0)])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        restrictions_of(NUMBERED, [rule(0, 1)], reference, still)
        restrictions_of(NUMBERED, [rule("0", "1")], reference, still)
    words = [str(warning.message).split("'")[-2:] for warning in told]
    assert words[: len(words) // 2] == words[len(words) // 2 :]


def test_a_problem_takes_rules_on_indices_and_levels():
    rng = np.random.default_rng(3)
    before, after = (rng.integers(0, [5, 3, 2], size=(60, 3)) for _ in range(2))
    for named, on_codes in (
        (Implies({"job": ["none", "full"]}, {"home": "rent"}), Implies({1: [0, 2]}, {2: 0})),
        (Linked("savings", "home"), Linked(0, 2)),
        (NotTogether("savings", "job"), NotTogether(0, 1)),
    ):
        in_cells = named.restriction(small.SCHEMA, before)
        assert (in_cells.holds(before, after) == on_codes.holds(before, after)).all()
        assert in_cells.to_dict() == on_codes.to_dict()
    for rule in (named, Implies({1: "none"}, {2: 0}), Linked("savings", "job")):
        with pytest.raises(InputError, match="a rule on codes has indices of features and levels"):
            rule.holds(before, after)
