"""Tests that results claim no more than what the groups of rows do."""

import numpy as np
import pytest

from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.build import Group, build_result
from oneformany.stop import Stop


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_an_explanation_changes_the_features_that_one_of_its_rows_changes_and_no_other(share):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        oracle = AdditiveOracle(rng.integers(-1, 3, (4, 3)), threshold=5)
        rows = rng.integers(0, 3, (12, 4))
        rows = np.vstack([rows[:1], rows[~oracle.positive(rows)]])
        result = solve(Problem(rows, (3,) * 4, oracle, 2, share=share))
        for explanation in result.explanations:
            moved = result.changes[list(explanation.members)].any(axis=0)
            assert explanation.changed == tuple(np.flatnonzero(moved).tolist())
        assert result.verify().ok


def test_an_advice_does_not_mention_what_nobody_changes():
    problem = Problem(
        [[0, 1], [0, 1]], (2, 2), AdditiveOracle([[0, 1], [0, 1]], threshold=2), 2, share="action"
    )
    group = Group(np.array([1, 1]), np.array([0]))
    known = {"reasons": {}, "helpable": np.array([0]), "proof": None, "stop": Stop()}
    (explanation,) = build_result(problem, [group], **known).explanations
    assert (explanation.point, explanation.changed) == ((1, -1), (0,))
