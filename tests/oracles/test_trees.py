from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.methods import solve
from oneformany.oracles.protocol import Question
from oneformany.oracles.trees import oracle as trees
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from oneformany.verify import Outcome, verify
from tree_questions import all_points, questions, random_question, usable


def make_tree(nested, width):
    """A tree from a leaf value or (feature, levels that go left, left, right)."""
    feature, left, children, value = [], [], [], []

    def grow(part):
        here = len(feature)
        feature.append(LEAF)
        left.append(np.zeros(width, dtype=np.bool_))
        children.append([0, 0])
        value.append(0.0)
        if isinstance(part, tuple):
            feature[here] = part[0]
            left[here][list(part[1])] = True
            children[here] = [grow(part[2]), grow(part[3])]
        else:
            value[here] = part
        return here

    grow(nested)
    return Tree(np.array(feature), np.array(left), np.array(children), np.array(value))


def descend(nested, point):
    while isinstance(nested, tuple):
        feature, goes_left, left, right = nested
        nested = left if point[feature] in goes_left else right
    return nested


@st.composite
def ensembles(draw):
    """Small whole leaf values, so that ties at the threshold are common."""
    levels = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    leaf = st.integers(-5, 5).map(float)

    def split(below):
        return st.integers(0, len(levels) - 1).flatmap(
            lambda f: st.tuples(st.just(f), st.sets(st.integers(0, levels[f] - 1)), below, below)
        )

    forest = draw(st.lists(st.recursive(leaf, split, max_leaves=12), min_size=1, max_size=5))
    return levels, forest, float(draw(st.integers(-3, 3)))


def build(levels, forest, intercept=0.0, threshold=0.0, **options):
    made = [make_tree(nested, max(levels)) for nested in forest]
    return TreeOracle(TreeEnsemble.from_trees(levels, made, intercept), threshold, **options)


def no_climb(*_):
    return -np.inf


@settings(deadline=None)
@given(ensembles())
def test_the_score_is_the_intercept_plus_one_leaf_per_tree(drawn):
    levels, forest, intercept = drawn
    points = all_points(levels)
    expected = [intercept + sum(descend(tree, point) for tree in forest) for point in points]
    assert build(levels, forest, intercept).score(points).tolist() == expected


@pytest.mark.parametrize("climbs", [True, False])
@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from([trees.FEW, 1]))
def test_answers_equal_full_enumeration(climbs, data, few):
    levels, forest, intercept = data.draw(ensembles())
    question = data.draw(questions(levels))
    points = all_points(levels)
    scores = build(levels, forest, intercept).score(points)
    oracle = build(levels, forest, intercept, data.draw(st.sampled_from(sorted(set(scores)))))
    with patch.multiple(trees, climb=trees.climb if climbs else no_climb, FEW=few):
        answer = oracle.reach(question)
    reachable = points[usable(question, points) & oracle.positive(points)].tolist()
    assert answer.proved_none == (not reachable)
    assert (answer.point is None) == (not reachable)
    assert answer.point is None or answer.point.tolist() in reachable


def random_tree(rng, levels, depth):
    """A tree with as many leaves as random splits allow, none of them out of reach."""

    def grow(domain, depth):
        features = [f for f, left in enumerate(domain) if len(left) > 1]
        if depth == 0 or not features:
            return float(rng.normal())
        feature = int(rng.choice(features))
        some = rng.permutation(domain[feature])
        some = some[: int(rng.integers(1, len(some)))].tolist()
        rest = [level for level in domain[feature] if level not in some]
        parts = [[*domain[:feature], part, *domain[feature + 1 :]] for part in (some, rest)]
        return (feature, tuple(some), grow(parts[0], depth - 1), grow(parts[1], depth - 1))

    return grow([list(range(n)) for n in levels], depth)


@pytest.mark.parametrize("climbs", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_point_of_a_question_is_found_and_none_better(seed, climbs):
    rng = np.random.default_rng(seed)
    with patch.object(trees, "climb", trees.climb if climbs else no_climb):
        for _ in range(25):
            levels = rng.integers(2, 4, size=6).tolist()
            ensemble = build(
                levels, [random_tree(rng, levels, int(rng.integers(1, 5))) for _ in range(8)]
            ).ensemble
            points = all_points(levels)
            scores = TreeOracle(ensemble).score(points)
            for _ in range(4):
                question = random_question(rng, levels)
                candidates = usable(question, points)
                best = scores[candidates].max()
                point = TreeOracle(ensemble, best).reach(question).point
                assert point.tolist() in points[candidates & (scores == best)].tolist()
                assert TreeOracle(ensemble, best, 1e-12).reach(question).proved_none


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_more_than_one_word_of_leaves_are_searched_exactly(seed):
    rng = np.random.default_rng(seed)
    levels = [3, 2, 4, 2, 3, 2, 2]
    ensemble = build(levels, [random_tree(rng, levels, 8) for _ in range(6)]).ensemble
    assert min(np.sum(tree.feature == LEAF) for tree in ensemble.trees()) > 64
    points = all_points(levels)
    scores = TreeOracle(ensemble).score(points)
    outcomes = set()
    for _ in range(40):
        oracle = TreeOracle(ensemble, np.quantile(scores, rng.uniform(0.9, 1.0)))
        question = random_question(rng, levels)
        answer = oracle.reach(question)
        reachable = usable(question, points) & oracle.positive(points)
        assert answer.proved_none == (not reachable.any())
        assert answer.point is None or answer.point.tolist() in points[reachable].tolist()
        outcomes.add(answer.proved_none)
    assert outcomes == {True, False}


def test_a_question_that_no_bound_decides_is_unknown_when_time_is_up():
    # parity of three features: no single move and no per-tree bound decides it
    def parity(depth, odd):
        if depth == 3:
            return 1.0 if odd else 0.0
        return (depth, (0,), parity(depth + 1, odd), parity(depth + 1, not odd))

    forest = [parity(0, odd=False), parity(0, odd=True)]
    question = Question(np.zeros(3, int), np.zeros(3, bool), 3, np.ones((3, 2), bool))
    oracle = build([2, 2, 2], forest, threshold=2.0)
    with patch.object(trees, "FEW", 1):
        answer = oracle.reach(replace(question, stop=Stop(0)))
        assert oracle.reach(question).proved_none
    assert answer.point is None
    assert not answer.proved_none


@settings(deadline=None)
@given(ensembles())
def test_the_description_can_be_followed_by_hand(drawn):
    levels, forest, intercept = drawn
    oracle = build(levels, forest, intercept, 0.5)
    plain = oracle.describe()
    for point, positive in zip(all_points(levels), oracle.positive(all_points(levels)), strict=True):
        total = plain["intercept"]
        for node in plain["roots"]:
            while plain["feature"][node] != -1:
                goes_left = point[plain["feature"][node]] in plain["left"][node]
                node = plain["children"][node][0 if goes_left else 1]  # noqa: PLW2901
            total += plain["units"][node]
        assert positive == (total >= plain["threshold"])


def test_the_description_lists_only_levels_that_come_to_a_split():
    deep = (0, {0, 1, 2}, (0, {0, 3}, 1.0, 2.0), 3.0)
    described = build((4,), [deep]).describe()
    assert described["left"] == [[0, 1, 2], [0], [], [], []]


@settings(deadline=None)
@given(st.data())
def test_trees_on_one_feature_each_have_an_exact_relaxation(data):
    levels, _, intercept = data.draw(ensembles())
    stumps = data.draw(
        st.lists(
            st.integers(0, len(levels) - 1).flatmap(
                lambda f: st.tuples(
                    st.just(f), st.sets(st.integers(0, levels[f] - 1)), st.just(1.5), st.just(-2.0)
                )
            ),
            min_size=1,
            max_size=6,
        )
    )
    oracle = build(levels, stumps, intercept, 0.25)
    relaxed = oracle.relaxation()
    points = all_points(levels)
    units = relaxed.intercept + relaxed.units[np.arange(len(levels)), points].sum(axis=1)
    assert relaxed.exact
    assert ((units >= relaxed.threshold) == oracle.positive(points)).all()


def test_a_tree_on_two_features_has_no_relaxation():
    assert build([2, 2], [(0, (0,), 1.0, (1, (0,), 2.0, 3.0))]).relaxation() is None


def test_splits_that_decide_nothing_and_leaves_out_of_reach_do_not_count():
    again = (0, (0,), (0, (0, 1), 1.0, 99.0), (1, (0, 1), (0, (0,), 99.0, 2.0), 99.0))
    oracle = build([3, 2], [again])
    assert oracle.score(np.array([[0, 0], [1, 1], [2, 0]])).tolist() == [1.0, 2.0, 2.0]
    assert oracle.upper_bound(np.array([[True, True, True], [True, True, False]])) == 2.0


def test_the_margin_is_added_to_the_threshold():
    oracle = build([2], [(0, (0,), 0.5, 0.6)], threshold=0.5, margin=1e-9)
    assert oracle.threshold == 0.500000001
    assert oracle.positive(np.array([[0], [1]])).tolist() == [False, True]


@pytest.mark.parametrize("accepts", [True, False])
def test_a_single_tree_is_asked_about_each_leaf_within_the_margin_and_leaves_no_doubt(accepts):
    tree = (0, (0,), (1, (0,), 1 / 3, 0.5), (1, (0, 2), 0.5, 2 / 3))
    asked = set()

    def decide(points):
        asked.update(map(tuple, points.tolist()))
        return np.full(len(points), accepts)

    oracle = build([2, 3], [tree], threshold=0.5, margin=1e-9).decided_by(decide)
    assert asked == {(0, 1), (1, 0)}
    points = all_points([2, 3])
    scores = np.array([descend(tree, point) for point in points])
    assert oracle.positive(points).tolist() == (scores >= 0.5 if accepts else scores > 0.6).tolist()
    assert asked == {(0, 1), (1, 0)}
    assert "sure" not in oracle.describe()


def test_a_single_tree_of_which_leaves_that_score_the_same_differ_is_asked_about_points():
    tree = (0, (0,), 0.5, (1, (0,), 0.5, 0.4))
    oracle = build([2, 2], [tree], threshold=0.5, margin=1e-9).decided_by(lambda points: points[:, 0] == 1)
    assert oracle.positive(np.array([[0, 0], [1, 0], [1, 1]])).tolist() == [False, True, False]
    assert oracle.describe()["ties"] == [[1, 0]]


@pytest.mark.parametrize("said", [True, False])
def test_what_the_model_says_of_ties_is_written_down_so_that_the_answer_can_be_confirmed(said):
    forest = [(0, (0,), 0.0, (1, (0,), 1.0, 0.9)), (1, (0,), 0.0, 1.0)]
    asked = []

    def decide(points):
        asked.extend(set(map(tuple, points.tolist())))
        return np.full(len(points), said)

    oracle = build([2, 2], forest, threshold=1.0, margin=1e-9).decided_by(decide)
    result = solve(Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    assert (result.status == "optimal") == said
    assert len(asked) == len(set(asked))
    assert oracle.describe()["ties" if said else "rejected"]
    assert verify(result.to_json()).outcome == Outcome.CONFIRMED


def test_huge_scores_get_a_coarser_grid():
    oracle = build([2], [(0, (0,), 1e9, -1e9)], threshold=5e8)
    assert oracle.ensemble.digits < 12
    assert oracle.positive(np.array([[0], [1]])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TreeEnsemble.from_trees([2], []), "at least one tree"),
        (lambda: build([2], [0.0, np.nan]), "tree 1 has a leaf of value nan"),
        (lambda: build([2], [0.0], np.inf), "intercept of the trees is inf"),
        (lambda: build([2], [1e20]), "too large"),
        (lambda: build([2], [0.0], threshold=np.nan), "threshold is nan"),
        (lambda: build([2], [0.0], margin=-1.0), "margin is -1"),
    ],
)
def test_what_cannot_be_computed_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
