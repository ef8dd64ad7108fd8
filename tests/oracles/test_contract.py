"""What every oracle owes: one predicate, behind every answer, that agrees with full enumeration."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.conjunction import conjunction
from oneformany.oracles.constrained import ConstrainedOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Question
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.oracles.trees.runs import RunTrees
from oneformany.problem import Problem
from oneformany.stop import Stop
from oneformany.verify import Outcome, verify
from tree_questions import all_points, questions, random_question, usable

LEVELS = (2, 3, 2, 3)
POINTS = all_points(LEVELS)
ROWS = np.arange(len(LEVELS))
INDEX = np.array([18, 6, 3, 1])


@dataclass(frozen=True, eq=False)
class Made:
    """An oracle and the truth about all points, found without it."""

    oracle: Any
    scores: Any
    positive: Any
    parity: Any = field(default_factory=lambda: POINTS.sum(axis=1))


def drawn_threshold(rng, scores):
    """Any score, or one of the best, which the number of changes puts out of reach."""
    return float(rng.choice(np.sort(scores)[rng.choice([0, 3 * len(scores) // 4]) :]))


def additive(rng, **options):
    tables = [rng.integers(-4, 5, size=n) / 2 for n in LEVELS]
    scores = sum(table[POINTS[:, f]] for f, table in enumerate(tables))
    threshold = drawn_threshold(rng, scores)
    return Made(AdditiveOracle(tables, 0.0, threshold, **options), scores, scores >= threshold)


def tied(make):
    """The model decides about scores near the threshold as it likes, the ends of the margin included."""

    def made(rng):
        margin = float(rng.choice([0.5, 0.75]))  # scores are multiples of one quarter
        found = make(rng, margin=margin)
        decides = found.parity % 2 == 0
        oracle = found.oracle.decided_by(lambda points: decides[points @ INDEX])
        above = found.scores - (found.oracle.threshold - margin)
        return Made(oracle, found.scores, np.where(np.abs(above) <= margin, decides, above > 0))

    return made


def settled(make):
    """The model adds up without rounding and accepts ties, or does not: then all of them."""

    def made(rng):
        found = make(rng, margin=1e-6, rounds=False)
        middle = found.oracle.threshold - 1e-6
        accepts = bool(rng.integers(2))
        scores = found.scores

        def decide(points):
            index = points @ INDEX
            assert (np.abs(scores[index] - middle) < 1e-6).all()
            return np.full(len(points), accepts)

        truth = scores > middle + 1e-9
        return Made(
            found.oracle.decided_by(decide), scores, truth | (accepts & (np.abs(scores - middle) < 1e-9))
        )

    return made


def trees(rng, *, stumps=False, **options):
    grown = [_tree(rng, stumps) for _ in range(4)]
    ensemble = TreeEnsemble.from_trees(LEVELS, grown, 0.5)
    leaves = [_leaves(tree) for tree in grown]
    scores = 0.5 + sum(tree.value[nodes] for tree, nodes in zip(grown, leaves, strict=True))
    threshold = drawn_threshold(rng, scores)
    return Made(TreeOracle(ensemble, threshold, **options), scores, scores >= threshold, sum(leaves))


def large_trees(rng, **options):
    made = trees(rng)
    runs = RunTrees.from_ensemble(made.oracle.ensemble)
    return Made(
        LargeTreeOracle(runs, made.oracle.threshold, **options), made.scores, made.positive, made.parity
    )


def stumps(rng, **options):
    return trees(rng, stumps=True, **options)


def _tree(rng, stump):
    features = rng.integers(len(LEVELS), size=1 if stump else 3)
    feature = [int(features[0]), LEAF, LEAF] if stump else [*features.tolist(), *[LEAF] * 4]
    children = [[1, 2], [0, 0], [0, 0]] if stump else [[1, 2], [3, 4], [5, 6], *[[0, 0]] * 4]
    left = rng.random((len(feature), max(LEVELS))) < 0.5
    value = np.where(np.array(feature) == LEAF, rng.integers(-3, 4, size=len(feature)) / 2, 0.0)
    return Tree(np.array(feature), left, np.array(children), value)


def _leaves(tree):
    """The leaf of every point."""
    found = []
    for point in POINTS:
        node = 0
        while tree.feature[node] != LEAF:
            node = tree.children[node][0 if tree.left[node, point[tree.feature[node]]] else 1]
        found.append(node)
    return np.array(found)


def network(rng, **options):
    tables = tuple(np.rint(2 * rng.normal(size=(n, 3))) / 2 for n in LEVELS)
    weights = np.rint(2 * rng.normal(size=(3, 1))) / 2
    hidden = sum(table[POINTS[:, f]] for f, table in enumerate(tables))
    scores = (np.maximum(hidden, 0) @ weights)[:, 0]
    threshold = drawn_threshold(rng, scores)
    made = Network(tables, np.zeros(3), ((weights, np.zeros(1)),))
    return Made(NetworkOracle(made, threshold, **options), scores, scores >= threshold)


def black_box(rng):
    scores = rng.integers(1, 10, size=len(POINTS)) / 10
    threshold = drawn_threshold(rng, scores)
    oracle = BlackBoxOracle(lambda codes: scores[codes @ INDEX], LEVELS, threshold)
    return Made(oracle, scores, scores >= threshold)


def constrained(rng, make=trees):
    inner = make(rng)
    permitted = rng.random(len(POINTS)) < 0.4
    oracle = ConstrainedOracle(inner.oracle, lambda points: permitted[points @ INDEX])
    return Made(oracle, inner.scores, inner.positive & permitted)


def joint(*makes, at_least=None):
    """All of some classifiers, or so many of them."""

    def made(rng):
        parts = [make(rng) for make in makes]
        needed = len(parts) if at_least is None else at_least
        margins = np.sort([part.scores - part.oracle.threshold for part in parts], axis=0)
        positive = np.sum([part.positive for part in parts], axis=0) >= needed
        return Made(
            conjunction([part.oracle for part in parts], at_least), margins[len(parts) - needed], positive
        )

    return made


KINDS = {
    "additive": additive,
    "additive, ties decided one by one": tied(additive),
    "additive, ties decided once": settled(additive),
    "trees": trees,
    "trees, ties decided one by one": tied(trees),
    "trees, ties decided once": settled(trees),
    "large trees": large_trees,
    "large trees, ties decided one by one": tied(large_trees),
    "large trees, ties decided once": settled(large_trees),
    "stumps": stumps,
    "stumps, ties decided one by one": tied(stumps),
    "stumps, ties decided once": settled(stumps),
    "network": network,
    "network, ties decided one by one": tied(network),
    "black box": black_box,
    "constrained trees": constrained,
    "constrained additive": lambda rng: constrained(rng, additive),
    "constrained network": lambda rng: constrained(rng, network),
    "all: additive, additive": joint(additive, additive),
    "all: additive, trees, ties decided": joint(tied(additive), tied(trees)),
    "all: trees, trees": joint(trees, trees),
    "all: network, trees": joint(network, trees),
    "all: network, network, additive": joint(network, network, settled(additive)),
    "all: trees, black box": joint(trees, black_box),
    "all: large trees, network": joint(large_trees, network),
    "two of: additive, trees, stumps": joint(additive, trees, stumps, at_least=2),
    "two of: network, black box, trees": joint(network, black_box, trees, at_least=2),
    "all: trees, two of: additive, trees, additive": joint(
        trees, joint(additive, tied(trees), additive, at_least=2)
    ),
}
each_kind = pytest.mark.parametrize("name", KINDS)
seeds = st.integers(0, 2**32 - 1)


@each_kind
@settings(max_examples=40, deadline=None)
@given(seed=seeds, data=st.data())
def test_answers_are_those_of_full_enumeration(name, seed, data):
    rng = np.random.default_rng(seed)
    made = KINDS[name](rng)
    # Most of the first kind ask for little; of the second the number of changes decides.
    for question in (data.draw(questions(LEVELS)), *(random_question(rng, LEVELS) for _ in range(4))):
        answer = made.oracle.reach(question)
        hopeful = usable(question, POINTS) & made.positive
        assert answer.proved_none == (not hopeful.any())
        assert answer.proved_none or answer.point.tolist() in POINTS[hopeful].tolist()
    new = KINDS[name](np.random.default_rng(seed)).oracle
    for oracle in (made.oracle, new):  # of which one was asked before
        assert oracle.positive(POINTS).tolist() == made.positive.tolist()
    assert made.oracle.levels == LEVELS


@each_kind
@settings(max_examples=20, deadline=None)
@given(seed=seeds, data=st.data())
def test_scores_bounds_and_relaxations_hold(name, seed, data):
    made = KINDS[name](np.random.default_rng(seed))
    oracle = made.oracle
    assert np.abs(oracle.score(POINTS) - made.scores).max() < 1e-9
    assert not (made.positive & (made.scores < oracle.threshold - 1e-9)).any()
    domain = data.draw(questions(LEVELS)).domain
    inside = domain[ROWS, POINTS].all(axis=1)
    bound = oracle.upper_bound(domain)
    assert (oracle.score(POINTS[inside]) <= bound).all()
    assert inside.any() or bound == -np.inf
    relaxation = oracle.relaxation()
    if relaxation is not None:
        sums = relaxation.intercept + relaxation.units[ROWS, POINTS].sum(axis=1)
        assert not (made.positive & (sums < relaxation.threshold)).any()
        assert not relaxation.exact or ((sums >= relaxation.threshold) == made.positive).all()


@each_kind
@settings(max_examples=10, deadline=None)
@given(seed=seeds, data=st.data())
def test_the_same_question_has_the_same_answer_and_is_not_changed(name, seed, data):
    question = data.draw(questions(LEVELS))
    for array in (question.anchor, question.free, question.domain):
        array.flags.writeable = False
    answers = [KINDS[name](np.random.default_rng(seed)).oracle.reach(question) for _ in range(2)]
    first, second = (None if answer.point is None else answer.point.tolist() for answer in answers)
    assert first == second
    assert answers[0].proved_none == answers[1].proved_none


@each_kind
@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_what_a_file_says_of_an_oracle_never_makes_its_answers_wrong(name, seed):
    rng = np.random.default_rng(seed)
    made = KINDS[name](rng)
    rows = POINTS[~made.positive]
    if len(rows):
        problem = Problem(rows[rng.integers(len(rows), size=6)], LEVELS, made.oracle, 2)
        assert verify(solve(problem).to_json()).outcome != Outcome.WRONG


@each_kind
def test_descriptions_are_plain_data_with_a_kind(name):
    oracle = KINDS[name](np.random.default_rng(0)).oracle
    described = oracle.describe()
    assert isinstance(described["kind"], str)
    assert json.loads(json.dumps(described)) == described


def hard_question(oracle):
    p = len(oracle.levels)
    domain = np.arange(max(oracle.levels)) < np.array(oracle.levels)[:, None]
    return Question(np.zeros(p, np.int64), np.zeros(p, np.bool_), p // 2, domain)


def clashing_trees():
    """Two trees whose best leaves contradict each other, by the parity of three features."""
    parity = np.array([0, 1, 1, 0, 1, 0, 0, 1])
    feature = np.array([0, 1, 1, 2, 2, 2, 2, *[LEAF] * 8])
    children = np.array([[2 * node + 1, 2 * node + 2] if node < 7 else [0, 0] for node in range(15)])
    left = np.tile([True, False], (15, 1))
    grown = [
        Tree(feature, left, children, np.array([0.0] * 7 + (parity ^ odd).tolist(), dtype=float))
        for odd in (0, 1)
    ]
    return TreeOracle(TreeEnsemble.from_trees((2, 2, 2), grown), 2.0)


def close_network():
    """Nobody is positive, by a little, and bounds alone do not show it."""
    rng = np.random.default_rng(1)
    tables = tuple(rng.normal(size=(2, 8)) for _ in range(12))
    layers = ((rng.normal(size=(8, 8)), np.zeros(8)), (rng.normal(size=(8, 1)), np.zeros(1)))
    made = Network(tables, np.zeros(8), layers)
    return NetworkOracle(made, float(NetworkOracle(made).score(all_points((2,) * 12)).max()), margin=1e-3)


def large_box():
    return BlackBoxOracle(lambda codes: np.full(len(codes), 0.1), (3,) * 20)


def test_a_limit_on_questions_is_seen_through_a_rule():
    inner = BlackBoxOracle(lambda codes: np.full(len(codes), 0.1), LEVELS, max_calls=7)
    assert ConstrainedOracle(inner, lambda points: np.ones(len(points), np.bool_)).max_calls == 7
    assert ConstrainedOracle(trees(np.random.default_rng(0)).oracle, lambda points: points).max_calls is None


def test_a_limit_on_questions_holds_where_the_points_that_a_rule_permits_are_looked_through():
    inner = BlackBoxOracle(lambda codes: np.where(codes[:, 0] == 0, 0.9, 0.1), (2,) * 4, max_calls=6)
    oracle = ConstrainedOracle(inner, lambda points: points[:, 0] == 1)
    answer = oracle.reach(Question(np.array([1, 0, 0, 0]), np.zeros(4, bool), 4, np.ones((4, 2), bool)))
    assert (answer.point, answer.proved_none) == (None, False)
    assert inner.asked <= 6


@pytest.mark.parametrize(("seconds", "proved"), [(0, False), (None, True)])
def test_the_clock_is_looked_at_while_points_are_looked_through(monkeypatch, seconds, proved):
    monkeypatch.setattr("oneformany.oracles.search.POINTS_JUDGED", 8)
    oracle = ConstrainedOracle(AdditiveOracle([[0, 1]] * 4, threshold=1), lambda p: np.zeros(len(p), bool))
    every = np.ones((4, 2), bool)
    answer = oracle.reach(Question(np.zeros(4, int), np.zeros(4, bool), 4, every, Stop(seconds)))
    assert (answer.point, answer.proved_none) == (None, proved)


def forbidden():
    oracle = AdditiveOracle([[0, 1, 2]] * 20, 0.0, 5.0)
    return ConstrainedOracle(oracle, lambda points: np.zeros(len(points), np.bool_))


@pytest.mark.parametrize("make", [clashing_trees, close_network, large_box, forbidden])
def test_when_the_time_is_up_the_answer_is_neither_a_point_nor_a_proof(make, monkeypatch):
    monkeypatch.setattr("oneformany.oracles.trees.oracle.FEW", 1)
    monkeypatch.setattr("oneformany.oracles.constrained.MOST_RULED", 0)
    oracle = make()
    question = replace(hard_question(oracle), extra=len(oracle.levels), stop=Stop(time_limit=0))
    answer = oracle.reach(question)
    assert answer.point is None
    assert not answer.proved_none
