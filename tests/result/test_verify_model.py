"""Tests that a result is checked with the model that was explained, as its user has it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import oneformany as ofm
from oneformany import OneForMany
from oneformany.exceptions import InputError
from oneformany.explainer.settings import Cells
from oneformany.oracles import BlackBoxOracle
from oneformany.verify import Outcome

FRAME = pd.DataFrame({"age": np.arange(20, 60), "job": ["none", "part", "full", "part"] * 10})


def chance(frame):
    return np.where((frame["age"] > 30) & (frame["job"] == "full"), 0.9, 0.1)


def on_points(result, model, frame):
    """What is said about the ends of the rows; bounds need more than a file of a black box holds."""
    (check,) = (
        c for c in result.verify(model=model, frame=frame).checks if "under the given score" in c.name
    )
    return check.outcome


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_a_function_of_frames_confirms_the_rows_that_it_accepts(share):
    result = OneForMany(chance, max_changes=2, share=share, cells=Cells(bins={"age": 3})).explain(FRAME)
    assert result.verify().outcome is Outcome.UNCONFIRMED
    assert on_points(result, chance, FRAME) is Outcome.CONFIRMED
    assert on_points(result, lambda frame: chance(frame) * (frame["age"] < 45), FRAME) is Outcome.WRONG


def test_an_explainer_and_a_classifier_are_asked_as_well():
    numbers = FRAME.assign(job=(FRAME["job"] == "full") * 20)
    model = KNeighborsClassifier(3).fit(numbers, chance(FRAME) > 0.5)
    explainer = OneForMany(model, max_changes=2, share="point")
    result = explainer.explain(numbers)
    for asked in (model, explainer):
        assert on_points(result, asked, numbers) is Outcome.CONFIRMED


@pytest.mark.parametrize("named", [False, True])
def test_a_model_that_reads_the_columns_of_the_schema_is_asked_without_its_explainer(named):
    schema = ofm.infer_schema(FRAME)
    columns = pd.DataFrame(schema.one_hot(schema.encode(FRAME)), columns=list(schema.one_hot_names))
    model = LogisticRegression(C=100).fit(columns if named else columns.to_numpy(), chance(FRAME) > 0.5)
    explainer = OneForMany(model, max_changes=2, cells=schema, share="point")
    result = explainer.explain(FRAME)
    assert on_points(result, model, FRAME) is Outcome.CONFIRMED
    assert result.assign(FRAME, model).equals(result.assign(FRAME, explainer))


@pytest.mark.parametrize(
    "given",
    [
        {"score": chance},
        {"score": lambda codes: np.zeros((len(codes), 2))},
        {"score": KNeighborsClassifier().predict_proba},
        {"model": chance},
        {"frame": FRAME},
    ],
)
def test_what_cannot_be_a_score_of_codes_is_refused(given):
    result = OneForMany(chance, max_changes=2, cells=Cells(bins={"age": 3}), share="point").explain(FRAME)
    with pytest.raises(InputError, match=r"given as model=, and the rows that were explained as frame="):
        result.verify(**given)


def test_another_frame_than_the_one_explained_is_refused():
    result = OneForMany(chance, max_changes=2, cells=Cells(bins={"age": 3}), share="point").explain(FRAME)
    with pytest.raises(InputError, match="pass the very frame that was explained"):
        result.verify(model=chance, frame=FRAME.head(3))


def test_a_model_fitted_on_codes_may_score_the_points_of_a_result_without_a_schema():
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    model = KNeighborsClassifier(1).fit(codes, [0, 0, 0, 1])
    oracle = BlackBoxOracle(lambda rows: model.predict(rows).astype(float), (2, 2), 0.5)
    result = ofm.solve(ofm.Problem(codes[:3], (2, 2), oracle, max_changes=2))
    told = {check.name: check.outcome for check in result.verify(score=model.predict).checks}
    assert told["points are positive under the given score"] is Outcome.CONFIRMED
