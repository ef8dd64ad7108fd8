"""Tests that networks and trees in a file are evaluated anew, and their proofs confirmed or refused."""

import json
import tracemalloc
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import sealed
from oneformany.exceptions import CertificateError
from oneformany.methods import solve
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem import Problem
from oneformany.verify import Outcome, search, verify
from oneformany.verify.claims import read_claims
from oneformany.verify.reading import Limits
from tree_questions import all_points

LEVELS = (2, 3, 2, 3)


def random_network(rng: np.random.Generator, threshold: float) -> NetworkOracle:
    tables = tuple(rng.normal(size=(n, 3)) for n in LEVELS)
    layers = ((rng.normal(size=(3, 3)), rng.normal(size=3)), (rng.normal(size=(3, 1)), rng.normal(size=1)))
    network = Network(tables, rng.normal(size=3), layers)
    scores = NetworkOracle(network).score(all_points(LEVELS))
    return NetworkOracle(network, float(np.quantile(scores, threshold)) - 1e-6)


def random_trees(rng: np.random.Generator, threshold: float) -> TreeOracle:
    trees = []
    for _ in range(4):
        split = rng.integers(len(LEVELS), size=3)
        feature = np.array([split[0], split[1], LEAF, split[2], LEAF, LEAF, LEAF])
        left = rng.random((7, max(LEVELS))) < 0.5
        children = np.array([[1, 2], [3, 4], [0, 0], [5, 6], [0, 0], [0, 0], [0, 0]])
        trees.append(Tree(feature, left, children, np.round(rng.normal(size=7), 3)))
    ensemble = TreeEnsemble.from_trees(LEVELS, trees)
    scores = TreeOracle(ensemble, 0.0).score(all_points(LEVELS))
    return TreeOracle(ensemble, float(np.quantile(scores, threshold)))


def written(oracle: Oracle, rng: np.random.Generator, rows: int = 6) -> dict[str, Any]:
    codes = np.stack([rng.integers(n, size=rows) for n in LEVELS], axis=1)
    keep = rng.random() < 0.3
    allowed = [np.eye(LEVELS[0], dtype=np.bool_) if keep else None, None, None, None]
    content: dict[str, Any] = json.loads(
        solve(Problem(codes, LEVELS, oracle, int(rng.integers(1, 4)), allowed)).to_json()
    )
    return content


ORACLES = pytest.mark.parametrize("make", [random_network, random_trees])


@ORACLES
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), threshold=st.sampled_from([0.5, 0.8, 0.95, 1.0]))
def test_every_result_is_confirmed_with_the_classifier_of_the_file(make, seed, threshold):
    rng = np.random.default_rng(seed)
    report = verify(written(make(rng, threshold), rng))
    assert report.ok, report


@ORACLES
def test_a_capacity_that_a_group_exceeds_is_refused(make):
    rng = np.random.default_rng(0)
    tried = 0
    for _ in range(30):
        content = written(make(rng, 0.8), rng)
        codes = content["problem"]["codes"]
        covers = [len({tuple(codes[row]) for row in e["members"]}) for e in content["explanations"]]
        if max(covers, default=0) < 2:
            continue
        tried += 1
        reached = [row for row, number in enumerate(content["assignment"]) if number >= 0]
        first = {tuple(codes[row]): row for row in reversed(reached)}.values()
        weights = [int(row in first) for row in range(len(content["assignment"]))]
        proof = {"kind": "dual", "weights": weights, "capacity": 1, "bound": sum(weights)}
        forged = dict(content, certificate={"bound": sum(weights), "proof": proof})
        report = verify(sealed(forged))
        assert not report.ok
    assert tried


@ORACLES
def test_a_negative_point_is_refused(make):
    rng = np.random.default_rng(1)
    for _ in range(20):
        oracle = make(rng, 0.8)
        content = written(oracle, rng)
        for explanation in content["explanations"]:
            members = explanation["members"]
            for row in members:
                moved = dict(explanation, point=content["problem"]["codes"][row], changed=[], members=[row])
                if len(members) == 1 and not oracle.positive(np.array([moved["point"]]))[0]:
                    forged = dict(
                        content,
                        explanations=[moved if e is explanation else e for e in content["explanations"]],
                    )
                    report = verify(sealed(forged))
                    assert not report.ok
                    assert any("is not positive" in check.detail for check in report.checks)
                    return
    pytest.fail("no negative row was met")


@ORACLES
def test_a_row_that_can_be_helped_is_not_accepted_as_unreachable(make):
    rng = np.random.default_rng(2)
    content = written(make(rng, 0.5), rng, rows=1)
    assert verify(sealed(content)).ok
    assert content["count"] == 1
    forged = dict(
        content,
        status="infeasible",
        count=0,
        lower_bound=0,
        explanations=[],
        assignment=[-1],
        covered=0,
        unreachable=[{"row": 0, "reason": "no positive point"}],
        certificate={"bound": 0, "proof": None},
    )
    report = verify(sealed(forged))
    assert not report.ok
    assert any("it can be helped" in check.detail for check in report.checks)


@ORACLES
def test_too_many_points_are_said_to_be_too_many(make):
    rng = np.random.default_rng(3)
    with patch.object(search, "MOST_POINTS", 1):
        reports = [verify(written(make(rng, 0.95), rng)) for _ in range(20)]
    refused = [report for report in reports if not report.ok]
    assert refused
    for report in refused:
        assert report.outcome is Outcome.UNCONFIRMED
        assert any("more than 1 points" in check.detail for check in report.checks if not check.ok)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_point_scores_more_than_free_features_reach(seed):
    rng = np.random.default_rng(seed)
    classifier = read_claims(written(random_trees(rng, 0.5), rng), Limits()).problem.classifier
    points, free = all_points(LEVELS), rng.random(len(LEVELS)) < 0.5
    scores, reached = classifier.scores(points)[0], classifier.reach(points, free)
    for point, most in zip(points, reached, strict=True):
        alike = (points[:, ~free] == point[~free]).all(axis=1)
        assert most >= scores[alike].max()
    assert free.any() or np.array_equal(scores, reached)
    assert np.array_equal(scores, classifier.reach(points, np.zeros(len(LEVELS), dtype=np.bool_)))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_all_points_of_a_neighbourhood_are_listed_once(seed):
    rng = np.random.default_rng(seed)
    content = written(random_network(rng, 0.5), rng)
    problem = read_claims(content, Limits()).problem
    state = rng.integers(3, size=len(LEVELS))
    rows = problem.codes[: int(rng.integers(1, 3))]
    budget = int(rng.integers(4))
    around = search.Neighbourhood(problem, rows, budget, state)
    with patch.object(search, "NUMBERS", int(rng.integers(1, 80))):
        listed = [tuple(point) for batch in around.batches() for point in batch.tolist()]
    moved = all_points(LEVELS) != rows[0]
    rule = problem.rules[0]
    allowed = np.ones(len(moved), dtype=np.bool_)
    if rule is not None:
        allowed = rule[rows[:, 0]].all(axis=0)[all_points(LEVELS)[:, 0]]
    fits = allowed & ~moved[:, state == 2].any(axis=1) & (moved[:, state == 0].sum(axis=1) <= budget)
    assert sorted(listed) == sorted(map(tuple, all_points(LEVELS)[fits].tolist()))
    assert len(around) == len(listed)


def test_the_points_around_a_row_of_many_features_do_not_wait_in_memory():
    features, rows = 1500, np.zeros((1, 1500), dtype=np.int64)
    problem = SimpleNamespace(levels=(2,) * features, rules=(None,) * features, max_changes=1)
    tracemalloc.start()
    around = search.Neighbourhood(problem, rows, 1)
    assert sum(len(batch) for batch in around.batches()) == len(around) == features + 1
    assert tracemalloc.get_traced_memory()[1] < 2e7
    tracemalloc.stop()
    many = SimpleNamespace(levels=(2,) * 20_000, rules=(None,) * 20_000, max_changes=20_000)
    around = search.Neighbourhood(many, np.zeros((1, 20_000), dtype=np.int64), 20_000)
    assert len(around) == search.MOST_POINTS + 1


@pytest.mark.parametrize(
    ("make", "field", "wrong", "message"),
    [
        (random_network, "bias", ["1"], "finite numbers"),
        (random_network, "tables", [], "entries instead of"),
        (random_network, "layers", [], "must end in one number"),
        (random_network, "threshold", None, "must end in one number"),
        (random_network, "more", 1, "not a field"),
        (random_trees, "levels", [2, 2, 2, 2], "not those of the problem"),
        (random_trees, "feature", [], "nodes"),
        (random_trees, "roots", [10**6], "not between"),
        (random_trees, "children", 3, "must be a list"),
    ],
)
def test_a_damaged_classifier_is_named(make, field, wrong, message):
    rng = np.random.default_rng(4)
    content = written(make(rng, 0.5), rng)
    content["problem"]["oracle"][field] = wrong
    with pytest.raises(CertificateError, match=message):
        verify(sealed(content))
