"""Forests too large for a table of every level are read all the same: within memory, with the same answer."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oneformany as ofm
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.readers.registry import oracle_for
from oneformany.readers.trees import oracles
from oneformany.schema.encoding import Encoding
from oneformany.verify import verify


def _rows(n: int, seed: int = 0) -> tuple[pd.DataFrame, pd.Series[Any]]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    return frame, (frame["a"] + frame["b"] + rng.normal(size=n) > 1).astype(int)


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize(
    ("model", "threshold"),
    [
        (RandomForestClassifier(10, random_state=0), None),
        (RandomForestClassifier(10, random_state=0), 0.4),
        (make_pipeline(StandardScaler(), ExtraTreesClassifier(10, random_state=0)), None),
        (HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=8), None),
    ],
    ids=["forest", "forest with a threshold", "pipeline", "boosting"],
)
def test_trees_of_runs_get_the_answer_of_trees_with_a_table_of_levels(
    model: Any, share: Any, threshold: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, target = _rows(200)
    fitted = model.fit(frame, target)
    explainer = ofm.OneForMany(
        fitted, max_changes=1, share=share, threshold=threshold, cells=ofm.Cells(bins=4)
    )
    table = explainer.explain(frame[:40])
    monkeypatch.setattr(oracles, "MOST_ENTRIES", 100)
    runs = explainer.explain(frame[:40])
    assert "left" in table.problem["oracle"]
    assert "runs" in runs.problem["oracle"]
    assert "unread" not in runs.problem["model"]
    assert runs.schema == table.schema
    assert (runs.count, runs.lower_bound, runs.covered) == (table.count, table.lower_bound, table.covered)
    assert [row.row for row in runs.unreachable] == [row.row for row in table.unreachable]
    report = verify(runs.to_json())
    assert report.ok, report


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["forest", "extra", "boosting", "lightgbm", "xgboost"])
def test_trees_of_runs_score_as_those_with_a_table(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    made: dict[str, Callable[[], Any]] = {
        "forest": lambda: RandomForestClassifier(5, random_state=seed),
        "extra": lambda: ExtraTreesClassifier(5, random_state=seed),
        "boosting": lambda: HistGradientBoostingClassifier(max_iter=5, categorical_features=[2]),
        "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, min_child_samples=3),
        "xgboost": lambda: xgboost.XGBClassifier(n_estimators=5, n_jobs=1),
    }
    columns = np.column_stack([rng.normal(size=(300, 2)), rng.integers(0, 6, size=300), np.ones(300)])
    columns[rng.random(300) < 0.2, 0] = np.nan
    target = (np.nan_to_num(columns[:, 0]) + columns[:, 1] + (columns[:, 2] % 2) > 0.5).astype(int)
    named = {"categorical_feature": [2]} if kind == "lightgbm" else {}
    model = made[kind]().fit(columns, target, **named)
    blocks = [np.unique(column)[:, None] for column in columns.T[:3]]
    encoding = Encoding((np.array([0]), np.array([1]), np.array([2])), tuple(blocks), np.ones(4))
    table = oracle_for(model, encoding)
    monkeypatch.setattr(oracles, "MOST_ENTRIES", 0)
    runs: Any = oracle_for(model, encoding)
    assert isinstance(runs, LargeTreeOracle)
    codes = rng.integers(encoding.levels, size=(500, 3))
    assert np.array_equal(table.score(codes), runs.score(codes))
    assert table.threshold == runs.threshold


def test_a_forest_of_usual_size_is_read_and_explained_within_memory() -> None:
    frame, target = _rows(8000)
    model = RandomForestClassifier(random_state=0).fit(frame[:3000], target[:3000])
    explainer = ofm.OneForMany(model, max_changes=2, share="action", reference=frame[:3000])
    explainer.explain(frame[:5], time_limit=60)  # compiles
    tracemalloc.start()
    result = explainer.explain(frame, time_limit=5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.covered > 0
    assert 1 <= result.lower_bound <= result.count
    assert len(result.unreachable) == 0 or result.ended == "proved"
    assert "runs" in result.problem["oracle"]
    assert result.ended in {"proved", "time limit"}
    assert peak < 500e6
