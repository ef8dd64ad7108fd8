"""Many moves judged at once are what the points one by one are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import draw_oracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.protocol import NEAR, POSITIVE, JudgesMoves


@pytest.mark.parametrize("kind", ["tree", "network"])
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_move_is_judged_as_its_point_or_called_near(kind, seed):
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(1, 5, size=int(rng.integers(1, 6))).tolist())
    oracle = draw_oracle(rng, kind, levels)
    features = np.sort(rng.permutation(len(levels))[: int(rng.integers(0, min(4, len(levels) + 1)))])
    values = rng.integers(levels, size=(5, len(levels)))
    goals = np.full((5, len(features), 6), -1, dtype=np.int32)
    for j, feature in enumerate(features):
        goals[:, j] = np.where(rng.random((5, 6)) < 0.2, -1, rng.integers(levels[feature], size=(5, 6)))
    choices = rng.integers(6, size=(20, len(features)))
    if rng.random() < 0.5:
        choices = choices[np.lexsort(choices.T[::-1])] if len(features) else choices
    assert isinstance(oracle, JudgesMoves)
    judged = oracle.judge_moves(values, features, goals, choices)
    for row in range(5):
        for number, choice in enumerate(choices):
            moved = values[row].copy()
            moved[features] = goals[row, np.arange(len(features)), choice]
            if (moved < 0).any():
                assert judged[row, number] not in {POSITIVE, NEAR}
            elif judged[row, number] == NEAR:
                assert kind == "network"
                assert abs(oracle.score(moved[None])[0] - oracle.threshold) < 1e-9
            else:
                assert (judged[row, number] == POSITIVE) == oracle.positive(moved[None])[0]


def test_a_network_is_asked_where_rounding_may_decide():
    oracle = draw_oracle(np.random.default_rng(0), "network", (3, 3))
    point = np.array([[1, 2]])
    exactly = NetworkOracle(oracle.network, float(oracle.score(point)[0]))
    goals = np.array([[[0, 1, 2], [0, 1, 2]]], dtype=np.int32)
    judged = exactly.judge_moves(np.zeros((1, 2), dtype=np.int64), np.arange(2), goals, point)
    assert judged.tolist() == [[NEAR]]
