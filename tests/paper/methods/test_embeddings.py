from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import SolverError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.paper.methods.embeddings import Embedding, NetworkEmbedding, embed, require_positive
from oneformany.paper.methods.model import LinearExpression, Model
from oneformany.paper.methods.solvers import Highs
from oneformany.stop import Stop

LEVELS = (3, 2, 1, 4)
POINTS = np.array(list(product(*(range(n) for n in LEVELS))))


def value(score: LinearExpression, known: FloatArray) -> float:
    return float(score.constant + score.values @ known[score.columns])


def embedding_error(embedding: Embedding, oracle: Oracle, codes: IntArray) -> float:
    """Largest distance of the embedded score from the classifier's at given points.

    Each point is fixed in the model and the score there minimised and maximised, so that constraints
    which leave the score too much room, or none, are found as well.

    Raises
    ------
    SolverError
        The embedding excludes a point.
    """
    solver = Highs()
    model = Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    score = embedding.add(model, x)
    error = 0.0
    for point, true in zip(np.atleast_2d(codes), oracle.score(np.atleast_2d(codes)), strict=True):
        fixed = model.fixed(x, embedding.one_hot.encode(point)[0])
        for maximise in (False, True):
            outcome = solver.solve(fixed.towards(score.columns, score.values, maximise=maximise))
            if outcome.status != "optimal":
                raise SolverError(f"the embedded classifier excludes the point {point.tolist()}")
            error = max(error, abs(value(score, outcome.solutions[0]) - float(true)))
    return error


def additive(rng: np.random.Generator, scale: float = 1.0) -> AdditiveOracle:
    return AdditiveOracle([scale * rng.normal(size=n) for n in LEVELS], 0.1 * scale, 0.3 * scale)


def network(rng: np.random.Generator, widths: tuple[int, ...], dust: float = 0.0) -> NetworkOracle:
    tables = tuple(rng.normal(size=(n, widths[0])) for n in LEVELS)
    layers = []
    for width, following in zip(widths, [*widths[1:], 1], strict=True):
        weights = rng.normal(size=(width, following))
        if dust:
            weights[rng.random(weights.shape) < 0.4] = dust
        layers.append((weights, rng.normal(size=following)))
    return NetworkOracle(Network(tables, rng.normal(size=widths[0]), tuple(layers)), 0.2)


def forest(rng: np.random.Generator, n_trees: int = 4, depth: int = 3) -> TreeOracle:
    trees = []
    for _ in range(n_trees):
        splits = 2**depth - 1
        nodes = 2 * splits + 1
        feature = np.full(nodes, LEAF)
        feature[:splits] = rng.integers(0, len(LEVELS), splits)
        children = np.stack([2 * np.arange(nodes) + 1, 2 * np.arange(nodes) + 2], axis=1)
        children[splits:] = 0
        left = rng.random((nodes, max(LEVELS))) < 0.5
        trees.append(Tree(feature, left, children, rng.normal(size=nodes)))
    return TreeOracle(TreeEnsemble.from_trees(LEVELS, trees, 0.2), 0.1)


CASES: dict[str, Callable[[np.random.Generator], Oracle]] = {
    "additive": additive,
    "additive, tiny": lambda rng: additive(rng, 1e-7),
    "additive, huge": lambda rng: additive(rng, 1e4),
    "linear network": lambda rng: NetworkOracle(
        Network(tuple(rng.normal(size=(n, 1)) for n in LEVELS), np.array([0.1]))
    ),
    "network": lambda rng: network(rng, (4,)),
    "deep network": lambda rng: network(rng, (5, 4, 3)),
    "network with tiny weights": lambda rng: network(rng, (5, 4), dust=3e-12),
    "trees": forest,
    "single split": lambda rng: forest(rng, 1, 1),
}


@pytest.fixture(params=list(CASES))
def oracle(request: pytest.FixtureRequest) -> Oracle:
    return CASES[request.param](np.random.default_rng(7))


def test_the_embedded_score_is_the_classifiers_at_every_point(oracle: Oracle) -> None:
    embedding = embed(oracle)
    size = float(np.abs(oracle.score(POINTS)).max())
    assert embedding_error(embedding, oracle, POINTS) <= 1e-6 * max(1.0, size)


def test_exactly_the_positive_points_are_let_in(oracle: Oracle) -> None:
    embedding = embed(oracle)
    model = Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    require_positive(model, embedding.add(model, x), embedding.threshold)
    for point, positive in zip(POINTS, oracle.positive(POINTS), strict=True):
        fixed = model.fixed(x, embedding.one_hot.encode(point)[0])
        assert (Highs().solve(fixed).status == "optimal") == positive


def test_hidden_values_satisfy_the_constraints(oracle: Oracle) -> None:
    embedding = embed(oracle)
    model = Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    first = model.size
    score = embedding.add(model, x)
    lower, upper = model.row_bounds
    for point, true in zip(POINTS, oracle.score(POINTS), strict=True):
        known = np.zeros(model.size)
        known[x] = embedding.one_hot.encode(point)[0]
        known[first:] = embedding.hidden(point)
        assert value(score, known) == pytest.approx(true, rel=1e-9, abs=1e-7)
        activity = model.matrix @ known
        assert (activity >= lower - 1e-7).all()
        assert (activity <= upper + 1e-7).all()
        assert (known >= model.lower - 1e-9).all()
        assert (known <= model.upper + 1e-9).all()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), widths=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_networks_of_any_shape_are_embedded(seed: int, widths: list[int]) -> None:
    rng = np.random.default_rng(seed)
    oracle = network(rng, tuple(widths))
    embedding = embed(oracle)
    some = POINTS[rng.choice(len(POINTS), 4, replace=False)]
    assert embedding_error(embedding, oracle, some) <= 1e-5


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_forests_of_any_shape_are_embedded_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    oracle = forest(rng, int(rng.integers(1, 5)), int(rng.integers(1, 4)))
    some = POINTS[rng.choice(len(POINTS), 4, replace=False)]
    assert embedding_error(embed(oracle), oracle, some) <= 1e-6


def test_bounds_of_units_hold_at_every_point_and_are_attained_in_the_first_layer() -> None:
    oracle = network(np.random.default_rng(3), (5, 4))
    embedding = embed(oracle)
    assert isinstance(embedding, NetworkEmbedding)
    net = oracle.network
    first = net.bias + sum(table[POINTS[:, feature]] for feature, table in enumerate(net.tables))
    second = np.maximum(first, 0.0) @ net.layers[0][0] + net.layers[0][1]
    for (low, high), values in zip(embedding.ranges, (first, second), strict=True):
        assert (values >= low).all()
        assert (values <= high).all()
    low, high = embedding.ranges[0]
    split = (low < 0.0) & (high > 0.0)
    assert low[split] == pytest.approx(first.min(axis=0)[split], abs=1e-4)
    assert high[split] == pytest.approx(first.max(axis=0)[split], abs=1e-4)


def test_bounds_of_units_are_away_from_zero_or_exactly_there() -> None:
    tables = (np.array([[0.0, 0.0, -1.0]]), np.array([[0.0, 1.0, 0.0], [2.0, -1e-5, 1.0]]))
    layers = ((np.ones((3, 1)), np.zeros(1)),)
    embedding = embed(NetworkOracle(Network(tables, np.zeros(3), layers)))
    assert isinstance(embedding, NetworkEmbedding)
    low, high = embedding.ranges[0]
    assert (low[0], high[0]) == (0.0, 2.0)
    assert low[1] < -1e-3 < 1.0 <= high[1]
    assert (low[2], high[2]) == (-1.0, 0.0)


def test_without_time_the_bounds_of_units_are_looser_and_the_score_is_the_same() -> None:
    oracle = network(np.random.default_rng(3), (5, 4))
    hurried, patient = embed(oracle, Stop(0.0)), embed(oracle)
    assert isinstance(hurried, NetworkEmbedding)
    assert isinstance(patient, NetworkEmbedding)
    for (low, high), (tight_low, tight_high) in zip(hurried.ranges, patient.ranges, strict=True):
        assert (low <= tight_low + 1e-6).all()
        assert (high >= tight_high - 1e-6).all()
    assert (hurried.ranges[1][1] > patient.ranges[1][1] + 1e-3).any()
    assert embedding_error(hurried, oracle, POINTS[::7]) <= 1e-5


def test_dropped_weights_are_accounted_for() -> None:
    rng = np.random.default_rng(5)
    with_dust = network(rng, (5, 4), dust=9e-10)
    embedding, model = embed(with_dust), Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    score = embedding.add(model, x)
    assert (np.abs(model.matrix.data) >= 1e-9).all()
    assert model.matrix.shape[0] > 1
    lower, upper = model.row_bounds
    for point, true in zip(POINTS, with_dust.score(POINTS), strict=True):
        known = np.concatenate([embedding.one_hot.encode(point)[0], embedding.hidden(point)])
        activity = model.matrix @ known
        assert (activity >= lower - 1e-12).all()
        assert (activity <= upper + 1e-12).all()
        assert value(score, known) == pytest.approx(true, abs=1e-12)


def test_rows_give_what_small_coefficients_can_add_to_their_bounds() -> None:
    model = Model()
    x = model.add_variables(3, lower=[-2.0, 0.0, 0.0], upper=[1.0, 5.0, 1.0])
    model.add_rows([x, x], [[4e-10, 1.0, 0.0], [1.0, -2e-10, 1.0]], lower=[1.0, -np.inf], upper=2.0)
    lower, upper = model.row_bounds
    assert lower.tolist() == pytest.approx([1.0 - 8e-10, -np.inf], abs=1e-15)
    assert upper.tolist() == pytest.approx([2.0 + 8e-10, 2.0 + 1e-9], abs=1e-15)
    assert model.matrix.toarray().tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]


def test_points_exactly_at_the_threshold_are_positive() -> None:
    oracle = AdditiveOracle([[0.1, 0.3], [0.2, 0.7]], 0.0, 0.1 + 0.7)
    embedding = embed(oracle)
    model = Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    require_positive(model, embedding.add(model, x), embedding.threshold)
    fixed = model.fixed(x, embedding.one_hot.encode(np.array([0, 1]))[0])
    assert oracle.positive(np.array([[0, 1]]))[0]
    assert Highs().solve(fixed).status == "optimal"


def test_coefficients_too_small_for_a_solver_never_exclude_a_positive_point() -> None:
    oracle = AdditiveOracle([[0.0, 1.0], [0.0, 1e-10], [0.0, -1e-10]], 0.0, 1.0)
    embedding = embed(oracle)
    model = Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    require_positive(model, embedding.add(model, x), embedding.threshold)
    assert model.matrix.data.tolist() == [1.0]
    best = Highs().solve(model.towards(x, [0.0, 1.0, -1.0])).solutions[0]
    assert np.rint(best[x]).tolist() == [1.0, 0.0, 1.0]


def test_an_embedding_of_another_classifier_is_found_out() -> None:
    rng = np.random.default_rng(2)
    assert embedding_error(embed(additive(rng)), additive(rng), POINTS) > 0.01


def test_an_embedding_that_excludes_a_point_is_found_out() -> None:
    class Broken(NetworkEmbedding):
        def add(self, model: Model, x: IntArray) -> LinearExpression:
            score = super().add(model, x)
            model.add_rows(x[:1], [1.0], upper=0.0)
            return score

    net = network(np.random.default_rng(4), (3,)).network
    broken = Broken(net.tables, net.bias, net.layers, 0.0)
    with pytest.raises(SolverError, match=r"excludes the point \[0, 0, 0, 0\]"):
        embedding_error(broken, NetworkOracle(net), POINTS[:1])


def test_other_classifiers_are_refused_with_a_way_out() -> None:
    class BlackBox:
        pass

    with pytest.raises(UnsupportedModelError, match=r'BlackBox cannot be written .* use method="exact"'):
        embed(cast("Oracle", BlackBox()))
