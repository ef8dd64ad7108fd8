"""Splits that a file names by runs of levels: the checker reads them as the levels in them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from oneformany.exceptions import CertificateError
from oneformany.oracles.trees.ensemble import TreeEnsemble
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.runs import RunTrees
from oneformany.verify.classifiers import read_classifier
from oneformany.verify.reading import Json
from oracles.test_actions import deep_tree


def drawn(seed: int) -> tuple[LargeTreeOracle, dict[str, Any]]:
    """Random trees, and what a file says of them."""
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(1, 6, size=3).tolist())
    trees = [deep_tree(rng, levels, int(rng.integers(0, 5))) for _ in range(2)]
    oracle = LargeTreeOracle(RunTrees.from_ensemble(TreeEnsemble.from_trees(levels, trees)), 1.0)
    return oracle, oracle.describe()


def read(told: dict[str, Any]) -> Any:
    """The classifier as the checker reads it."""
    return read_classifier(Json(told), tuple(told["levels"]))


@pytest.mark.parametrize("seed", range(40))
def test_every_point_has_the_score_that_solved(seed: int) -> None:
    oracle, told = drawn(seed)
    points = np.array(list(product(*map(range, oracle.levels))))
    surely, possibly = read(told).judge(points)
    assert np.array_equal(surely, oracle.positive(points))
    assert np.array_equal(surely, possibly)


STUMP = {
    "kind": "trees",
    "digits": 0,
    "levels": [3],
    "feature": [0, -1, -1],
    "run_starts": [0, 1, 1, 1],
    "runs": [0, 1],
    "children": [[1, 2], [0, 0], [0, 0]],
    "units": [0, 0, 1],
    "roots": [0],
    "intercept": 0,
    "threshold": 1,
}


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"run_starts": [0, 1, 1]}, "3 entries instead of 4"),
        ({"run_starts": [0, 0, 1, 0]}, "not where the runs"),
        ({"run_starts": [1, 1, 1, 1]}, "not where the runs"),
        ({"run_starts": [0, 0, 0, 0]}, "not where the runs"),
        ({"run_starts": [0, 2, 2, 2]}, "not between"),
        ({"runs": [0, 4]}, "not between"),
        ({"runs": [0]}, "not between|entries"),
        ({"runs": [0, 1.0]}, "integers only"),
    ],
)
def test_runs_that_are_none_are_refused(edits: dict[str, Any], said: str) -> None:
    points = np.arange(3)[:, None]
    assert read(STUMP).judge(points)[0].tolist() == [False, True, True]
    assert read({**STUMP, "runs": [1, 3]}).judge(points)[0].tolist() == [True, False, False]
    with pytest.raises(CertificateError, match=said):
        read({**STUMP, **edits})
