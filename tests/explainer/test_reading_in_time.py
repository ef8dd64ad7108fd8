"""Tests that reading a model looks at the clock: when time is up, rows are undecided."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oneformany.explainer import OneForMany
from oneformany.explainer.posing import pose
from oneformany.readers.own_values import TIME_WAS_UP
from oneformany.schema.frames import Table
from oneformany.stop import Stop
from oneformany.verify import Outcome, verify

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.integers(0, 5, (60, 6)), columns=list("abcdef"))
TARGET = (FRAME.sum(axis=1) > 13).astype(int)


class Watched:
    """A function that takes a second of a clock at every call."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *given):
        self.calls += 1
        return self.function(*given)

    def clock(self):
        return float(self.calls)


def scaled(monkeypatch):
    """A pipeline whose first step is watched."""
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME, TARGET)
    watched = Watched(model[0].transform)
    monkeypatch.setattr(model[0], "transform", watched, raising=False)
    return model, watched


@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(5, random_state=0)])
def test_without_any_time_all_refused_rows_are_undecided(model):
    fitted = make_pipeline(StandardScaler(), model).fit(FRAME, TARGET)
    refused = int((fitted.predict(FRAME) == 0).sum())
    result = OneForMany(fitted, max_changes=2, share="point").explain(FRAME, time_limit=0)
    assert (result.status, result.ended, result.count, result.covered) == ("feasible", "time limit", 0, 0)
    assert len(result.undecided) == refused
    assert (result.unreachable, result.lower_bound) == ((), 0)
    assert result.problem["model"]["unread"] == TIME_WAS_UP
    assert TIME_WAS_UP in result.summary()
    assert result.apply(FRAME).empty


def test_a_pipeline_is_probed_until_time_is_up(monkeypatch):
    model, watched = scaled(monkeypatch)
    whole = pose(OneForMany(model, max_changes=2, share="point"), Table.of(FRAME))
    needed = watched.calls
    assert whole.unread is None
    watched.calls = 0
    late = pose(
        OneForMany(model, max_changes=2, share="point"), Table.of(FRAME), Stop(2.5, clock=watched.clock)
    )
    assert late.unread == TIME_WAS_UP
    assert watched.calls <= 5 < needed  # three for the probe, one for the rows, one to try
    assert late.positive.tolist() == whole.positive.tolist()
    assert len(late.problem(2, "point").codes) == len(whole.problem(2, "point").codes)


def test_a_model_that_was_read_in_time_is_asked_in_searches_after_it():
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(FRAME, TARGET)
    now = [0.0]
    posed = pose(
        OneForMany(forest, max_changes=2, share="point"), Table.of(FRAME), Stop(10.0, clock=lambda: now[0])
    )
    now[0] = 100.0
    assert posed.own is None  # cells decide
    assert posed.oracle.positive(posed.codes).tolist() == (forest.predict(FRAME) == 1).tolist()


def test_nothing_is_wrong_about_what_was_not_read_in_time(tmp_path):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME, TARGET)
    result = OneForMany(model, max_changes=2, share="point").explain(FRAME, time_limit=0)
    result.to_json(tmp_path / "result.json")
    assert verify(tmp_path / "result.json").outcome is not Outcome.WRONG


def test_where_time_was_up_before_anything_was_found_a_moment_of_work_finds_it(monkeypatch):
    """Others have the processor, and the clock on the wall has no time left for this process."""
    late = [0.0]

    def busy(*given, **named):
        late[0] = 1e6
        return pose(*given, **named)

    monkeypatch.setattr("oneformany.explainer.explainer.pose", busy)
    monkeypatch.setitem(Stop.__init__.__kwdefaults__, "clock", lambda: late.append(0) or 1e3 * len(late))
    model = LogisticRegression().fit(FRAME, TARGET)
    result = OneForMany(model, max_changes=2, share="point").explain(FRAME, time_limit=60)
    assert result.covered > 0
    assert verify(result).outcome is not Outcome.WRONG
