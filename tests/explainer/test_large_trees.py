"""Forests that are too large to be read are asked: within memory, and with the same answer."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oneformany as ofm
from oneformany.readers import own_values


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
def test_trees_that_are_asked_get_the_answer_of_trees_that_are_read(
    model: Any, share: Any, threshold: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, target = _rows(200)
    fitted = model.fit(frame, target)
    explainer = ofm.OneForMany(fitted, max_changes=1, share=share, bins=4, threshold=threshold)
    read = explainer.explain(frame[:40])
    monkeypatch.setattr(own_values, "MOST_ENTRIES", 100)
    asked = explainer.explain(frame[:40])
    assert "unread" not in read.problem["model"]
    assert "are too many" in asked.problem["model"]["unread"]
    assert asked.problem["oracle"]["kind"] == "black box"
    assert asked.schema == read.schema
    assert (asked.count, asked.lower_bound, asked.covered) == (read.count, read.lower_bound, read.covered)
    assert [row.row for row in asked.unreachable] == [row.row for row in read.unreachable]


def test_a_forest_of_usual_size_is_asked_and_explained_within_memory() -> None:
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
    assert "are too many" in result.problem["model"]["unread"]
    assert result.ended in {"proved", "time limit"}
    assert peak < 500e6
