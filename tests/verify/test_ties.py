"""Sums next to the threshold: what the file says that the model said of them is believed, and no more."""

from __future__ import annotations

import copy
import json
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from certificates import sealed, weighed
from oneformany.verify import Outcome, verify
from verify.test_hostile import one_row

SHARES: tuple[Any, ...] = ("point", "action", "features")


def two_rows(share: Any) -> dict[str, Any]:
    """Changing the first feature would help both rows, but the model turns all four of these points down.

    Each row has a feature of its own that helps it alone. Level 2 of the first adds more than level 1.
    """
    one_way = np.zeros((3, 3), dtype=bool)
    one_way[0, 1] = True
    tables = [[0, 4, 5], [0, 10, 0], [0, 10, 0]]
    oracle = ofm.AdditiveOracle(tables, threshold=5, margin=2).decided_by(lambda p: np.zeros(len(p), bool))
    rows, allowed = [[0, 0, 2], [0, 2, 0]], [None, one_way, one_way]
    problem = ofm.Problem(rows, (3, 3, 3), oracle, 1, share=share, allowed=allowed)
    content: dict[str, Any] = json.loads(ofm.solve(problem, options=ofm.Options(way="listing")).to_json())
    return content


@pytest.mark.parametrize("share", SHARES[1:])
def test_points_that_the_model_turned_down_serve_nobody(share: str) -> None:
    content = two_rows(share)
    assert content["lower_bound"] == 2
    assert len(content["problem"]["oracle"]["rejected"]) == 4
    assert verify(content).ok


@pytest.mark.parametrize("share", SHARES[1:])
def test_a_lower_score_may_be_positive_where_a_higher_one_is_turned_down(share: str) -> None:
    """Nothing but what is beyond the margin makes another level superfluous."""
    content = two_rows(share)
    oracle = content["problem"]["oracle"]
    lower = [point for point in oracle["rejected"] if point[0] == 1]
    oracle["rejected"] = [point for point in oracle["rejected"] if point[0] == 2]
    assert len(lower) == len(oracle["rejected"]) == 2
    unsaid = verify(sealed(copy.deepcopy(content)))
    assert unsaid.outcome is Outcome.UNCONFIRMED
    assert "rounding decides" in str(unsaid)
    oracle["ties"] = lower
    assert verify(sealed(content)).outcome is Outcome.WRONG
    del oracle["rejected"]  # of the higher ones nothing is known then
    assert verify(sealed(content)).outcome is Outcome.WRONG


def test_results_of_linear_models_whose_scores_tie_are_confirmed() -> None:
    """Tenths are added up with rounding, so that the model calls some of the ties positive."""
    rng = np.random.default_rng(0)
    goals: list[dict[str, Any]] = [{}, {"explanations": 2}, {"coverage": 0.8}]
    turned_down = 0
    for share, goal, threshold, _ in product(SHARES, goals, (None, 1 / (1 + np.exp(-0.2))), range(4)):
        frame = pd.DataFrame(rng.integers(0, 4, size=(16, 4)), columns=[*"abcd"])
        model = LogisticRegression().fit(frame, frame["a"] > 1)
        model.coef_, model.intercept_ = rng.integers(-2, 4, size=(1, 4)) * 0.1, rng.integers(-6, -1, 1) * 0.1
        costs = {"a": 2, "b": 0.5} if rng.random() < 0.5 else None
        explainer = ofm.OneForMany(
            model, max_changes=2, threshold=threshold, share=share, costs=costs, positive=True
        )
        try:
            result = explainer.explain(frame, **goal)
        except ofm.InputError:  # all rows are positive
            continue
        turned_down += bool(result.problem["oracle"].get("rejected"))
        report = verify(result)
        assert report.ok, str(report)
    assert turned_down > 10


@pytest.mark.parametrize("share", SHARES[1:])
def test_what_fails_with_sure_points_alone_is_wrong_whatever_rounding_decides_elsewhere(share: str) -> None:
    """The second feature surely helps both rows at once; of the first rounding decides whether it does."""
    oracle = {"kind": "additive", "digits": 0, "tables": [[0, 5], [0, 10], [0, 0]], "intercept": 0}
    problem = {"codes": [[0, 0, 0], [0, 0, 1]], "max_changes": 1, "share": share}
    forged = one_row({**oracle, "threshold": 5, "sure": 7}, [2, 2, 2], [], problem=problem)
    explanations = [
        {"point": [-1, 1, -1], "changed": [1], "members": [0]},
        {"point": [-1, 1, -1], "changed": [1], "members": [1]},
    ]
    if share == "features":
        ends = ([[0, 1, 0]], [[0, 1, 1]])
        pairs = zip(explanations, ends, strict=True)
        explanations = [{**e, "point": [-1] * 3, "ends": end} for e, end in pairs]
    proof = weighed([1, 1], 1, 2)
    forged.update(count=2, lower_bound=2, explanations=explanations, assignment=[0, 1], covered=2)
    forged.update(index=[0, 1], certificate={"bound": 2, "proof": proof})
    report = verify(sealed(forged))
    assert report.outcome is Outcome.WRONG
    assert "a group with rows 0, 1 weighs more than 1" in report.checks[-1].detail
    assert all(check.ok for check in report.checks[:-1])


def test_a_hundred_thousand_points_that_the_model_turned_down_are_remembered() -> None:
    """All 7^6 points tie, and none is accepted: nothing helps the row, which only asking about each tells."""
    oracle = ofm.AdditiveOracle([[0] * 7] * 6, threshold=0, margin=1)
    oracle = oracle.decided_by(lambda points: np.zeros(len(points), bool))
    assert not oracle.positive(np.array(list(product(range(7), repeat=6)))).any()
    content = json.loads(ofm.solve(ofm.Problem([[0] * 6], (7,) * 6, oracle, max_changes=6)).to_json())
    assert len(content["problem"]["oracle"]["rejected"]) == 7**6
    content |= {"status": "infeasible", "undecided": [], "unreachable": [{"row": 0, "reason": "ties"}]}
    assert verify(sealed(content)).ok
    content["problem"]["oracle"]["rejected"].pop()
    assert "a threshold= a little off avoids that" in str(verify(sealed(content)))
