"""All actions of a row judged at once are what its points one by one are."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.oracles import asked
from oneformany.oracles.actions import FORBIDDEN, MOVES, NOWHERE, STAYS, Actions
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle


def draw_actions(rng, levels, most):
    """Some goals of each feature, some of them none."""
    goals = [np.flatnonzero(rng.random(n) < 0.7) for n in levels]
    return Actions.of([rng.permutation(some) for some in goals], most)


def all_sets(actions):
    """Every set of slots of different features, in the order that is promised."""
    slots = range(len(actions.owner))
    for size in range(actions.most + 1):
        for chosen in combinations(slots, size):
            if len(set(actions.owner[list(chosen)])) == size:
                yield list(chosen)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_actions_are_numbered_in_the_order_of_their_slots(seed):
    rng = np.random.default_rng(seed)
    actions = draw_actions(rng, rng.integers(1, 4, size=int(rng.integers(1, 6))), int(rng.integers(0, 6)))
    expected = list(all_sets(actions))
    assert len(actions) == len(expected) == actions.count
    told = actions.slots(np.arange(len(actions)))
    assert [[slot for slot in line if slot != NOWHERE] for line in told.tolist()] == expected
    assert [actions.number(chosen) for chosen in expected] == list(range(len(expected)))


def deep_tree(rng, levels, depth):
    """A tree of so many splits on every path, some of which nothing can pass."""
    inner = 2**depth - 1
    feature = np.concatenate([rng.integers(len(levels), size=inner), np.full(inner + 1, LEAF)])
    children = np.zeros((2 * inner + 1, 2), dtype=np.int64)
    children[:inner] = 2 * np.arange(inner)[:, None] + [1, 2]
    left = rng.random((2 * inner + 1, max(levels))) < 0.5
    return Tree(feature, left, children, rng.integers(-3, 4, size=2 * inner + 1).astype(float))


def moved(actions, chosen, values, may):
    """The values of a row after an action, ``None`` where it may not follow."""
    after = values.copy()
    for slot in chosen:
        if may[slot] == FORBIDDEN:
            return None
        if may[slot] == MOVES:
            after[actions.owner[slot]] = actions.goals[slot]
    return after


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(0, 6), most=st.integers(0, 5))
def test_all_actions_of_a_row_are_judged_as_their_points(seed, depth, most):
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(1, 4, size=int(rng.integers(1, 7))).tolist())
    ensemble = TreeEnsemble.from_trees(levels, [deep_tree(rng, levels, depth) for _ in range(3)])
    threshold = float(rng.integers(-2, 6))
    margin = float(rng.choice([0.0, 1.0]))
    oracle = TreeOracle(ensemble, threshold, margin)
    if rng.random() < 0.3:
        oracle = AdditiveOracle([rng.integers(-3, 4, size=n) for n in levels], 0.0, threshold, margin=margin)
    oracle = (
        oracle.decided_by(lambda points: np.ones(len(points), dtype=bool)) if rng.random() < 0.5 else oracle
    )
    actions = draw_actions(rng, levels, most)
    values = rng.integers(levels, size=(3, len(levels)))
    may = rng.choice([FORBIDDEN, MOVES, MOVES, MOVES, STAYS], size=(3, len(actions.owner))).astype(np.int8)
    judged = oracle.action_judge(actions).judge(values, may)
    least, sure = (acceptance := oracle._acceptance).least, acceptance.sure
    for row in range(3):
        for number, chosen in enumerate(all_sets(actions)):
            after = moved(actions, chosen, values[row], may[row])
            total = -(10**18) if after is None else int(oracle._sums(after[None])[0])
            expected = NEGATIVE if total < least else POSITIVE if total >= sure else 2
            assert judged[row, number] == expected, (row, chosen)


def test_a_forest_of_one_leaf_each_says_the_same_of_every_action():
    ensemble = TreeEnsemble.from_trees(
        (2, 2), [Tree(np.array([LEAF]), np.ones((1, 2), dtype=bool), np.zeros((1, 2)), np.ones(1))]
    )
    actions = Actions.of([[0, 1], [0, 1]], 2)
    judged = (
        TreeOracle(ensemble, 1.0)
        .action_judge(actions)
        .judge(np.zeros((1, 2), dtype=np.int64), np.full((1, 4), MOVES, dtype=np.int8))
    )
    assert (judged == POSITIVE).all()
    assert len(judged[0]) == 9


def draw_network(rng):
    """A network of up to three layers, with small integers so that scores tie, or with any weights."""
    levels = tuple(rng.integers(1, 5, size=int(rng.integers(1, 7))).tolist())
    widths = [*rng.integers(1, 5, size=int(rng.integers(0, 4))).tolist(), 1]
    exact = rng.random() < 0.5

    def draw(*shape):
        return rng.integers(-2, 3, size=shape) + (0.0 if exact else rng.normal(size=shape))

    layers = tuple((draw(*pair), draw(pair[1])) for pair in pairwise(widths))
    network = Network(tuple(draw(n, widths[0]) for n in levels), draw(widths[0]), layers)
    return NetworkOracle(network, float(rng.integers(-2, 6)), margin=float(rng.choice([0.0, 1.0])))


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), most=st.integers(0, 5))
def test_all_actions_under_a_network_are_judged_as_their_points_but_for_rounding(seed, most):
    rng = np.random.default_rng(seed)
    oracle = draw_network(rng)
    if rng.random() < 0.5:
        oracle = oracle.decided_by(lambda points: np.ones(len(points), dtype=bool))
    actions = draw_actions(rng, oracle.levels, most)
    values = rng.integers(oracle.levels, size=(2, len(oracle.levels)))
    may = rng.choice([FORBIDDEN, MOVES, MOVES, MOVES, STAYS], size=(2, len(actions.owner))).astype(np.int8)
    judged = oracle.action_judge(actions).judge(values, may)
    least, sure = (acceptance := oracle._acceptance).least, acceptance.sure
    tiny = 1e-9 * (1 + abs(least))
    for row in range(2):
        for number, chosen in enumerate(all_sets(actions)):
            after = moved(actions, chosen, values[row], may[row])
            score = -np.inf if after is None else float(oracle._sums(after[None])[0])
            if min(abs(score - least), abs(score - sure)) > tiny:
                assert judged[row, number] == (
                    NEGATIVE if score < least else POSITIVE if score >= sure else NEAR
                )
            else:  # never surely what it is not
                assert judged[row, number] == NEAR


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), most=st.integers(0, 4))
def test_all_actions_under_a_black_box_are_asked_about_in_batches(seed, most):
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(1, 4, size=int(rng.integers(1, 6))).tolist())
    chances = rng.uniform(0.0, 1.0, size=levels)
    oracle = BlackBoxOracle(lambda codes: chances[tuple(np.asarray(codes).T)], levels, 0.6)
    actions = draw_actions(rng, levels, most)
    values = rng.integers(levels, size=(2, len(levels)))
    may = rng.choice([FORBIDDEN, MOVES, MOVES, STAYS], size=(2, len(actions.owner))).astype(np.int8)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(asked, "POINTS_AT_ONCE", 7)
        judged = oracle.action_judge(actions).judge(values, may)
    for row in range(2):
        for number, chosen in enumerate(all_sets(actions)):
            after = moved(actions, chosen, values[row], may[row])
            accepted = after is not None and chances[tuple(after)] >= 0.6
            assert judged[row, number] == (POSITIVE if accepted else NEGATIVE)
