"""Tests that the answers for a ReLU network are those of full enumeration, whatever its weights."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.oracles import search as oracle_search
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.box import anchored
from oneformany.oracles.network import search as network_search
from oneformany.oracles.network.bounds import (
    HIDDEN,
    LOW,
    SIDE,
    bound_each,
    bound_logit,
    reserve,
    widest_lines,
)
from oneformany.oracles.network.kernels import score_points
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Question
from oneformany.problem import Problem
from tree_questions import all_points, questions, random_question, usable

SHAPES = [(), (1,), (3,), (4, 4), (3, 5, 2)]
SCALES = [1.0, 0.1, 1e-12, 1e8]


def random_network(rng, levels, hidden, scale=1.0):
    """Draw weights of about one size, with zeros among them, or of every size."""
    widths = (*hidden, 1)

    def numbers(*shape):
        size = scale or 10.0 ** rng.integers(-12, 6, size=shape)
        return np.where(rng.random(shape) < 0.1, 0.0, rng.normal(size=shape) * size)

    layers = tuple((numbers(a, b), numbers(b)) for a, b in pairwise(widths))
    return Network(tuple(numbers(n, widths[0]) for n in levels), numbers(widths[0]), layers)


@st.composite
def networks(draw):
    levels = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_network(rng, levels, draw(st.sampled_from(SHAPES)), draw(st.sampled_from([*SCALES, 0.0])))


@st.composite
def cases(draw):
    """Draw an oracle whose threshold is the score of a point, so that ties occur, and a question."""
    network = draw(networks())
    scores = np.sort(NetworkOracle(network).score(all_points(network.levels)))
    place = draw(st.sampled_from([0.3, 0.8, 0.95, 1.0]))
    threshold = scores[int(place * (len(scores) - 1))]
    margin = draw(st.sampled_from([0.0, abs(float(threshold)) * 1e-9]))
    return NetworkOracle(network, float(threshold), margin=margin), draw(questions(network.levels))


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from([oracle_search.FEW_POINTS, 4, 1]))
def test_a_point_is_found_exactly_when_there_is_one(case, few):
    oracle, question = case
    points = all_points(oracle.levels)
    points = points[usable(question, points)]
    positive = oracle.positive(points) if len(points) else np.zeros(0, dtype=np.bool_)
    with patch.object(oracle_search, "FEW_POINTS", few):
        answer = oracle.reach(question)
    if positive.any():
        assert (points[positive] == answer.point).all(axis=1).any()
    else:
        assert answer.point is None
        assert answer.proved_none


@pytest.mark.parametrize("climbs", [True, False])
@pytest.mark.parametrize("few", [oracle_search.FEW_POINTS, 4, 1])
@pytest.mark.parametrize("probes", [network_search.PROBES, 0])
def test_the_best_point_is_found_and_a_better_one_excluded(few, climbs, probes):
    """Tests the hardest thresholds: the largest score in reach, and the next number above it."""
    rng = np.random.default_rng(few)
    with (
        patch.multiple(oracle_search, FEW_POINTS=few),
        patch.object(network_search, "climb", network_search.climb if climbs else lambda *_: None),
        patch.object(network_search, "PROBES", probes),
    ):
        for _ in range(60):
            levels = tuple(rng.integers(2, 5, size=6).tolist())
            network = random_network(rng, levels, SHAPES[rng.integers(len(SHAPES))])
            question = random_question(rng, levels)
            points = all_points(levels)
            points = points[usable(question, points)]
            scores = NetworkOracle(network).score(points)
            best = float(scores.max())
            found = NetworkOracle(network, best).reach(question).point
            assert (points[scores == best] == found).all(axis=1).any()
            above = NetworkOracle(network, float(np.nextafter(best, np.inf))).reach(question)
            assert above.point is None
            assert above.proved_none


@pytest.mark.parametrize("size", [1.0, 1e-160])
def test_weights_too_small_to_multiply_do_not_hide_a_point(size):
    """Tests ranges whose ends have a product below all numbers."""
    tables = np.array(
        [
            [[-3, -3, 0], [-3, 0, 1]],
            [[1, 3, -2], [2, 0, 3]],
            [[-3, -2, -3], [-2, -2, -1]],
            [[-1, 0, 1], [0, -3, 2]],
            [[-1, -2, -1], [1, -1, 2]],
            [[0, -2, 0], [2, 2, -3]],
            [[3, -2, 2], [1, -3, 2]],
        ]
    )
    weights = np.array([[2.0], [2.0], [-1.0]]) * min(1 / size, 1e90)
    network = Network(tuple(tables * size), np.array([-3, 1, 2]) * size, ((weights, [0.0]),))
    threshold = NetworkOracle(network).score(all_points(network.levels)).max()
    everywhere = np.ones((7, 2), dtype=np.bool_)
    question = Question(np.zeros(7, dtype=np.int64), np.ones(7, dtype=np.bool_), 0, everywhere)
    with patch.object(oracle_search, "FEW_POINTS", 1):
        answer = NetworkOracle(network, float(threshold)).reach(question)
    assert answer.point.tolist() == [1, 0, 0, 0, 1, 1, 0]


def test_climbing_ends_although_sums_drift():
    tables = tuple(np.array([[0.0], [value]]) for value in (1e17, 30.0, 50.0, 75.0))
    network = Network(tables, [0.0], (([[-1.0]], [0.0]), ([[-1.0]], [155.0])))
    everywhere = np.ones((4, 2), dtype=np.bool_)
    question = Question(np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.bool_), 0, everywhere)
    assert NetworkOracle(network, 1e30).reach(question).proved_none


@settings(max_examples=200, deadline=None)
@given(cases(), st.data())
def test_no_point_on_the_demanded_sides_scores_above_the_bound(case, data):
    """Tests parts that demand signs of units, with penalties from many rounds of improvement."""
    oracle, question = case
    net = oracle._net
    whole = anchored(question)
    points = all_points(oracle.levels)
    points = points[usable(question, points)]
    if whole is None:
        assert len(points) == 0
        return
    part, work = replace(whole, lines=widest_lines(net)), reserve(net, whole.domain.shape[1])
    scores = np.empty(len(points))
    score_points(net, points, work.layers[HIDDEN], scores)
    layers = np.array([hidden_layers(net, point) for point in points])
    for layer, width in enumerate(net.widths[:-1]):
        for unit in range(width):
            part.lines[SIDE, layer, unit] = data.draw(st.sampled_from([0.0, 0.0, 1.0, -1.0]))
    demanded = part.lines[SIDE]
    inside = ((layers * demanded >= 0).all(axis=(1, 2))) if len(points) else np.zeros(0, dtype=np.bool_)
    threshold = data.draw(st.sampled_from([-np.inf, float(np.median(scores))]))
    value = bound_logit(net, part, 30, threshold, points[0].copy(), work)[0, 0]
    assert value >= scores[inside].max(initial=-np.inf)
    assert (part.lines[LOW] <= layers[inside].min(axis=0, initial=np.inf)).all()


def hidden_layers(net, point):
    """Pre-activations as the score computes them, 0 where a layer is narrower."""
    hidden = np.zeros_like(net.biases)
    score_points(net, point[None], hidden, np.empty(1))
    hidden[-1] = 0.0
    return hidden


@settings(max_examples=200, deadline=None)
@given(cases())
def test_the_relaxation_excludes_no_positive_point(case):
    oracle, _ = case
    relaxation = oracle.relaxation()
    if relaxation is not None:
        points = all_points(oracle.levels)
        totals = relaxation.intercept + relaxation.units[np.arange(points.shape[1]), points].sum(axis=1)
        assert not relaxation.exact
        assert (totals[oracle.positive(points)] >= relaxation.threshold).all()


@settings(max_examples=50, deadline=None)
@given(networks())
def test_slack_exceeds_the_rounding_of_every_score(network):
    points = all_points(network.levels)[:20]
    for point, score in zip(points, NetworkOracle(network).score(points), strict=True):
        assert abs(Fraction(score) - exact_logit(network, point)) <= Fraction(network.slack[-1][0]) / 4


def exact_logit(network, point):
    """The logit in fractions."""
    layer = [Fraction(b) for b in network.bias]
    for table, level in zip(network.tables, point, strict=True):
        layer = [a + Fraction(b) for a, b in zip(layer, table[level], strict=True)]
    for weights, bias in network.layers:
        active = [max(a, Fraction(0)) for a in layer]
        layer = [
            Fraction(b) + sum(a * Fraction(w) for a, w in zip(active, column, strict=True))
            for column, b in zip(weights.T, bias, strict=True)
        ]
    return layer[0]


@settings(max_examples=50, deadline=None)
@given(networks())
def test_a_point_has_the_same_score_alone_and_among_others(network):
    oracle = NetworkOracle(network)
    points = all_points(network.levels)
    alone = [oracle.score(point)[0] for point in points]
    assert oracle.score(points).tolist() == alone


def test_without_hidden_layers_the_answers_are_those_of_the_additive_oracle():
    rng = np.random.default_rng(0)
    tables = [rng.integers(-9, 10, size=n) for n in (2, 3, 4, 2)]
    network = Network(tuple(table[:, None] for table in tables), [3.0])
    for threshold in range(-20, 40):
        linear, additive = NetworkOracle(network, threshold), AdditiveOracle(tables, 3.0, threshold)
        for extra in range(5):
            question = Question(
                np.zeros(4, dtype=np.int64),
                np.array([False, True, False, False]),
                extra,
                np.arange(4) < np.array([[2], [3], [4], [2]]),
            )
            assert (linear.reach(question).point is None) == (additive.reach(question).point is None)
            assert linear.reach(question).proved_none == additive.reach(question).proved_none


def hard_oracle():
    """Nobody is positive, by a little, and bounds alone do not show it."""
    levels = (2,) * 14
    rng = np.random.default_rng(1)
    network = random_network(rng, levels, (8, 8))
    best = NetworkOracle(network).score(all_points(levels)).max()
    question = Question(
        np.zeros(14, dtype=np.int64), np.ones(14, dtype=np.bool_), 0, np.ones((14, 2), dtype=np.bool_)
    )
    return NetworkOracle(network, float(best), margin=1e-3), question


def test_what_bounds_alone_do_not_show_is_proved():
    oracle, question = hard_oracle()
    assert oracle.reach(question).proved_none


def test_ties_are_listed_within_the_budget_of_changes():
    """Tests a question of 41 points among a million million."""
    network = Network(([[0.0], [1.0]],) * 40, [0.0], (([[1.0]], [0.0]),))
    oracle = NetworkOracle(network, 1.0, margin=1e-6).decided_by(lambda codes: codes[:, 7] == 1)
    question = Question(
        np.zeros(40, dtype=np.int64), np.zeros(40, dtype=np.bool_), 1, np.ones((40, 2), dtype=np.bool_)
    )
    assert np.flatnonzero(oracle.reach(question).point).tolist() == [7]


def test_frozen_and_other_arrays_share_compiled_code():
    oracle, question = hard_oracle()
    problem = Problem(np.zeros((1, 14), dtype=np.int8), oracle.levels, oracle, max_changes=14)
    oracle.reach(question)
    oracle.reach(problem.question(0))
    oracle.upper_bound(question.domain)
    oracle.relaxation()
    assert len(score_points.signatures) == len(bound_each.signatures) == 1


def test_a_network_cannot_be_changed():
    network = random_network(np.random.default_rng(0), (2, 2), (3,))
    for array in (network.tables[0], network.bias, network.layers[0][0], network.layers[0][1]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize(
    ("tables", "bias", "layers", "message"),
    [
        ([], [0.0], (), "at least one feature"),
        ([[[1.0]], [[1.0, 2.0]]], [0.0], (), "feature 1 has shape"),
        ([[1.0]], [0.0], (), "feature 0 has shape"),
        ([[[1.0]]], [0.0], (([[1.0], [2.0]], [0.0]),), "layer 1 has weights of shape"),
        ([[[1.0]]], [0.0], (([[1.0, 2.0]], [0.0, 0.0]),), "must end in one logit"),
        ([[[np.nan]]], [0.0], (), "layer 0 has a weight that is nan"),
        ([[[1.0]]], [0.0], (([[np.inf]], [0.0]),), "layer 1 has a weight that is inf"),
        ([[[1e200]]], [0.0], (([[1e200]], [0.0]),), "sums reach"),
        ([[[1e-200]]], [0.0], (([[1e101]], [0.0]), ([[1.0]], [0.0])), "sums reach"),
    ],
)
def test_arrays_that_are_no_network_are_refused(tables, bias, layers, message):
    with pytest.raises(InputError, match=message):
        Network(tuple(tables), bias, layers)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threshold": np.nan}, "threshold is nan"),
        ({"margin": np.inf}, "margin is inf"),
        ({"margin": -1.0}, "must not be negative"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        NetworkOracle(Network(([[1.0]],), [0.0]), **wrong)


def test_climbing_ends_where_two_points_are_alike_up_to_rounding():
    x, y, bias = 0.4, 0.91, 0.56
    tables = (np.array([[x, y], [y, x]]), np.zeros((2, 2)))
    network = Network(tables, np.array([bias, bias]), ((np.ones((2, 1)), np.zeros(1)),))
    question = Question(np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.bool_), 0, np.ones((2, 2), np.bool_))
    assert NetworkOracle(network, threshold=100.0).reach(question).proved_none
