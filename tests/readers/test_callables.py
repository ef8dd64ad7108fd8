from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from oneformany import OneForMany, infer_schema
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.callables import BlackBox
from oneformany.readers.registry import read_model
from tree_questions import all_points

FRAME = pd.DataFrame(
    {"age": [20, 30, 40, 50], "job": ["none", "full", "part", "full"], "home": [True, False, True, False]}
)
KIND = pd.CategoricalDtype(["none", "part", "full"])


def chance(frame):
    assert frame.columns.tolist() == ["age", "job", "home"]
    assert (frame.dtypes == FRAME.dtypes).all()
    score = frame["age"] / 20 + (frame["job"] == "full") - 2 * frame["home"]
    return (1 / (1 + np.exp(-score + 1.2))).to_numpy()


class Callable:
    def __call__(self, frame):
        return chance(frame)


@pytest.mark.parametrize(
    "function", [chance, partial(chance), Callable(), Callable().__call__, BlackBox(chance)]
)
def test_anything_that_can_be_called_is_a_model(function):
    reading = read_model(function, None, 0.6, frame=FRAME)
    schema = infer_schema(FRAME, bins=None)
    points = all_points(schema.levels)
    expected = chance(schema.decode(points).astype(FRAME.dtypes))
    assert (reading.oracle.score(points) == expected).all()
    assert (reading.verdict(points) == (expected >= 0.6)).all()


def test_columns_are_classes_and_a_single_one_has_an_opposite():
    codes = infer_schema(FRAME, bins=None).encode(FRAME)

    def both(frame):
        return np.stack([1 - chance(frame), chance(frame)], axis=1)

    for function in (chance, both):
        for positive, expected in ((1, chance(FRAME)), (0, 1 - chance(FRAME))):
            reading = read_model(function, None, None, positive, FRAME)
            assert reading.oracle.score(codes) == pytest.approx(expected)
            assert (reading.verdict(codes) == (expected >= 0.5)).all()


def test_more_than_two_classes_need_a_threshold():
    def three(frame):
        return np.tile([0.2, 0.3, 0.5], (len(frame), 1))

    with pytest.raises(InputError, match="knows 3 classes; name the least probability"):
        read_model(three, None, frame=FRAME)
    assert read_model(three, None, 0.4, 2, FRAME).verdict(np.zeros((2, 3), np.int64)).all()


def test_the_classes_of_a_fitted_classifier_have_their_labels():
    data = FRAME[["age", "home"]].astype(float)
    model = KNeighborsClassifier(1).fit(data, ["bad", "bad", "good", "good"])
    frame = FRAME.astype({"age": float, "home": float})
    reading = read_model(model.predict_proba, None, None, "good", frame)
    codes = infer_schema(frame[["age", "home"]], bins=None).encode(frame)
    assert codes.shape[1] == len(reading.oracle.levels)
    assert reading.verdict(codes).tolist() == [False, False, True, True]
    with pytest.raises(InputError, match="1 is not one of the model's classes 'bad' and 'good'"):
        read_model(model.predict_proba, None, frame=frame)
    with pytest.raises(InputError, match="positive is 'good'; the classes of a function are numbered"):
        read_model(partial(model.predict_proba), None, None, "good", frame)


def test_labels_instead_of_probabilities_are_refused():
    data = FRAME[["age"]]
    model = KNeighborsClassifier(1).fit(data, [0, 0, 1, 1])
    with pytest.raises(UnsupportedModelError, match=r"returns 0 \(int64\), .* not labels"):
        read_model(model.predict, None, frame=data)


def test_limits_are_handed_on():
    oracle = read_model(BlackBox(chance, max_calls=7, largest_box=8), None, frame=FRAME).oracle
    assert (oracle.max_calls, oracle.largest_box) == (7, 8)


class Service:
    """Can be called for probabilities, and has a ``predict`` of something else."""

    def __call__(self, frame):
        return (frame["a"] > 1).astype(float)

    def predict(self, frame):
        return ["refer"] * len(frame)


def test_what_can_be_called_is_called_whatever_else_it_has():
    frame = pd.DataFrame({"a": [0, 1, 2, 0], "b": [0, 1, 0, 1]})
    result = OneForMany(Service(), max_changes=1, share="point").explain(frame)
    assert list(result.index) == [0, 1, 3]
    assert (result.apply(frame)["a"] == 2).all()


def test_the_verdict_asks_the_function_again():
    drifting = iter(np.linspace(0.9, 0.1, 20))
    reading = read_model(lambda frame: np.full(len(frame), next(drifting)), None, 0.8, frame=FRAME)
    point = np.zeros((1, 3), np.int64)
    assert reading.oracle.positive(point).all()
    assert reading.oracle.positive(point).all()
    assert not [reading.verdict(point) for _ in range(5)][-1].any()


def test_what_a_function_raises_is_told_and_a_gap_that_it_cannot_read_is_named():
    with pytest.raises(InputError, match="function does not answer about the rows: KeyError 'debts'") as told:
        OneForMany(lambda frame: frame["debts"], share="point").explain(FRAME)
    assert isinstance(told.value.__cause__, KeyError)
    gap = FRAME.assign(age=[20, None, 40, 50])
    with pytest.raises(InputError, match="column 'age', row 1: the value is missing"):
        OneForMany(lambda frame: frame["age"].astype(int) / 100, share="point").explain(gap)
