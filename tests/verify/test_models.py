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

from certificates import sealed, weighed
from oneformany.exceptions import CertificateError
from oneformany.methods import solve
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem import Problem
from oneformany.verify import points, verify
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
        proof = weighed(weights, 1, sum(weights))
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
def test_all_points_near_rows_are_listed_once(seed):
    rng = np.random.default_rng(seed)
    problem = read_claims(written(random_network(rng, 0.5), rng), Limits()).problem
    rows, budget, state = np.array([0, 1]), rng.integers(4, size=2), rng.integers(3, size=len(LEVELS))
    changed, opened = np.flatnonzero(state == 0), np.flatnonzero(state == 1)
    may = [rng.random((2, n)) < 0.7 for n in LEVELS]
    with patch.object(points, "NUMBERS", int(rng.integers(1, 80))):
        batches = list(points.Near(problem, rows, np.hstack(may).T).points(changed, opened, budget))
    everything = all_points(LEVELS)
    for row in rows:
        listed = [tuple(point) for found, who in batches for point in found[who == row].tolist()]
        moved = everything != problem.codes[row]
        fits = ~moved[:, state == 2].any(axis=1) & (moved[:, opened].sum(axis=1) <= budget[row])
        for feature in np.flatnonzero(state < 2):
            fits &= may[feature][row, everything[:, feature]] | (~moved[:, feature] & (state[feature] == 1))
        assert sorted(listed) == sorted(map(tuple, everything[fits].tolist()))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_points_that_trees_could_accept_are_never_passed_over(seed):
    rng = np.random.default_rng(seed)
    problem = read_claims(written(random_trees(rng, 0.8), rng), Limits()).problem
    near, every = points.Near(problem, np.array([0]), np.ones((sum(LEVELS), 1), dtype=np.bool_)), np.arange(4)
    batches = near.points(every[:0], every, np.array([2]))
    listed = {tuple(point) for found, _ in batches for point in found.tolist()}
    others = all_points(LEVELS)[(all_points(LEVELS) != problem.codes[0]).sum(axis=1) <= 2]
    accepted = others[problem.classifier.judge(others)[1]]
    assert {tuple(point) for point in accepted.tolist()} <= listed


def test_the_points_around_a_row_of_many_features_do_not_wait_in_memory():
    features = 1500
    problem = SimpleNamespace(
        codes=np.zeros((1, features), dtype=np.int64),
        levels=(2,) * features,
        classifier=SimpleNamespace(reach=None),
        limits=Limits(),
    )
    tracemalloc.start()
    near = points.Near(problem, np.array([0]), np.ones((2 * features, 1), dtype=np.bool_))
    every = np.arange(features)
    assert sum(len(found) for found, _ in near.points(every[:0], every, np.array([1]))) == features + 1
    assert tracemalloc.get_traced_memory()[1] < 2e7
    many = near.points(every[:12], every[12:20], np.array([2]))  # 4,096 points, each with 37 sets of features
    assert sum(len(found) for found, _ in many) == 4096 * 37
    assert tracemalloc.get_traced_memory()[1] < 2e7
    tracemalloc.stop()


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
