import subprocess
import sys

import lightgbm
import numpy as np
import onnx
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany import Feature, Schema
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.readers import register_reader
from oneformany.readers.registry import READERS, load, oracle_for, read_model, reader_for
from oneformany.readers.wrappers import named
from oneformany.schema.cells import infer_schema

SCHEMA = Schema((Feature("sex", ("female", "male")), Feature("housing", ("rent", "own", "free"))))
CODES = np.array([[0, 0], [1, 1], [1, 2], [0, 2]])
TARGET = [0, 1, 1, 0]
POINTS = np.array([[sex, housing] for sex in range(2) for housing in range(3)] * 10)
CHOICE = (POINTS[:, 0] ^ (POINTS[:, 1] > 0)).astype(int)


def test_every_reader_can_be_loaded():
    for reader in READERS:
        assert callable(load(reader.read))


def test_a_class_is_recognised_by_its_package_and_name_or_by_a_base():
    matches = named("sklearn", "LogisticRegression")
    assert matches(LogisticRegression)
    assert matches(LogisticRegressionCV)
    assert not matches(LinearRegression)
    assert not matches(type("LogisticRegression", (), {"__module__": "elsewhere"}))


def test_a_schema_or_an_encoding_gives_the_same_oracle():
    model = LogisticRegression().fit(SCHEMA.one_hot(CODES), TARGET)
    by_schema = oracle_for(model, SCHEMA, 0.6)
    by_encoding = oracle_for(model, SCHEMA.encoding(), 0.6)
    assert isinstance(by_schema, AdditiveOracle)
    assert by_schema.describe() == by_encoding.describe()


def test_a_model_on_codes_gets_codes():
    model = CategoricalNB(min_categories=SCHEMA.levels).fit(CODES, TARGET)
    reading = read_model(model, SCHEMA)
    assert (reading.oracle.positive(CODES) == (model.predict(CODES) == 1)).all()
    assert (reading.verdict(CODES) == (model.predict(CODES) == 1)).all()


def test_a_scorecard_is_read_by_names():
    card = {"housing": {"rent": 0, "own": 2, "free": 1}}
    assert read_model(card, SCHEMA, 2).verdict(CODES).tolist() == [False, True, False, False]
    with pytest.raises(InputError, match="pass a schema"):
        oracle_for(card, SCHEMA.encoding(), 2)


def test_unknown_models_are_refused_with_a_list_of_the_known():
    with pytest.raises(
        UnsupportedModelError, match=r"object cannot be read .* linear classifiers .* black box"
    ):
        reader_for(object())
    with pytest.raises(UnsupportedModelError, match="LinearRegression, a regressor, cannot be read"):
        reader_for(LinearRegression())
    with pytest.raises(UnsupportedModelError, match=r"KNeighborsClassifier cannot be .* its predict_proba"):
        reader_for(KNeighborsClassifier().fit(CODES, TARGET))
    with pytest.raises(UnsupportedModelError, match=r"KNeighborsClassifier, not fitted, cannot be read"):
        reader_for(KNeighborsClassifier())
    with pytest.raises(UnsupportedModelError, match="the class LogisticRegression, not fitted, cannot"):
        reader_for(LogisticRegression)


MODELS = {
    "ExtraTreesClassifier": ExtraTreesClassifier(5, random_state=0),
    "DecisionTreeClassifier": DecisionTreeClassifier(random_state=0),
    "HistGradientBoostingClassifier": HistGradientBoostingClassifier(max_iter=3),
    "GradientBoostingClassifier": GradientBoostingClassifier(n_estimators=3),
    "MLPClassifier": MLPClassifier((3,), max_iter=5000, random_state=0),
    "XGBClassifier": xgboost.XGBClassifier(n_estimators=3, n_jobs=1),
    "LGBMClassifier": lightgbm.LGBMClassifier(n_estimators=3, min_child_samples=1, n_jobs=1, verbose=-1),
    "GridSearchCV": GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, cv=2),
    "FrozenEstimator": FrozenEstimator(LogisticRegression().fit(SCHEMA.one_hot(POINTS), CHOICE)),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_classifier_is_read_and_keeps_its_verdict(name):
    model = MODELS[name].fit(SCHEMA.one_hot(POINTS), CHOICE)
    reading = read_model(model, SCHEMA)
    predicted = model.predict(SCHEMA.one_hot(POINTS)) == 1
    assert (reading.oracle.positive(POINTS) == predicted).all()
    assert (reading.verdict(POINTS) == predicted).all()


def test_lightgbm_knows_columns_with_spaces_by_other_names():
    names = ["sex=very male", "housing=rent a room", "housing=own", "housing=free"]
    housing = Feature("housing", ("rent a room", "own", "free"))
    schema = Schema((Feature("sex", ("female", "very male")), housing))
    frame = pd.DataFrame(schema.one_hot(POINTS), columns=schema.one_hot_names)[names]
    model = MODELS["LGBMClassifier"].fit(frame, CHOICE)
    assert model.feature_names_in_[0] == "sex=very_male"
    assert (read_model(model, schema).verdict(POINTS) == (model.predict(frame) == 1)).all()
    numbers = pd.DataFrame({"rooms there": POINTS[:, 1], "floor": POINTS[:, 0]})
    model = MODELS["LGBMClassifier"].fit(numbers, CHOICE)
    schema = infer_schema(numbers, bins=None)
    codes = schema.encode(numbers)
    assert (read_model(model, schema).verdict(codes) == (model.predict(numbers) == 1)).all()


@pytest.mark.parametrize("positive", [0, 1])
def test_boosters_without_predict_have_a_verdict_of_probabilities(positive):
    data = SCHEMA.one_hot(POINTS)
    rows = xgboost.DMatrix(data, CHOICE)
    forest = xgboost.train({"objective": "binary:logistic", "nthread": 1}, rows, 3)
    light = lightgbm.train(
        {"objective": "binary", "min_data_in_leaf": 1, "num_threads": 1, "verbose": -1},
        lightgbm.Dataset(data, CHOICE),
        3,
    )
    for model, second in ((forest, forest.predict(rows)), (light, light.predict(data))):
        chances = second if positive else 1 - second
        reading = read_model(model, SCHEMA, None, positive)
        assert (reading.verdict(POINTS) == (chances >= 0.5)).all()
        reading = read_model(model, SCHEMA, 0.52, positive)
        assert (reading.verdict(POINTS) == (chances >= 0.52)).all()
        with pytest.raises(InputError, match="positive"):
            read_model(model, SCHEMA, None, "good")


def test_a_graph_is_read_from_memory_and_from_a_file(tmp_path):
    weights = np.array([[1.0], [-2.0], [1.5], [0.5]])
    node = onnx.helper.make_node("MatMul", ["rows", "weights"], ["logit"])
    kind = onnx.TensorProto.DOUBLE
    graph = onnx.helper.make_graph(
        [node],
        "line",
        [onnx.helper.make_tensor_value_info("rows", kind, [None, 4])],
        [onnx.helper.make_tensor_value_info("logit", kind, [None, 1])],
        [onnx.numpy_helper.from_array(weights, "weights")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    path = tmp_path / "line.onnx"
    onnx.save(model, path)
    logit = (SCHEMA.one_hot(POINTS) @ weights)[:, 0]
    for given in (model, path, str(path)):
        reading = read_model(given, SCHEMA, 0.6)
        assert (reading.verdict(POINTS) == (1 / (1 + np.exp(-logit)) >= 0.6)).all()
        assert (reading.oracle.positive(POINTS) == reading.verdict(POINTS)).all()


def test_a_search_that_kept_no_model_is_refused():
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2, refit=False)
    with pytest.raises(UnsupportedModelError, match="GridSearchCV is not fitted, or was with refit=False"):
        read_model(search.fit(SCHEMA.one_hot(POINTS), CHOICE), SCHEMA)


def test_models_that_read_columns_need_to_know_them():
    model = LogisticRegression().fit(SCHEMA.one_hot(CODES), TARGET)
    with pytest.raises(InputError, match="LogisticRegression reads columns: pass a schema"):
        read_model(model, None)


ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"interpret", "lightgbm", "onnx", "torch", "xgboost"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
"""

USED = """
import sys
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import oneformany as ofm

frame = pd.DataFrame({"a": [0, 1, 0, 1, 2, 2], "b": [0, 0, 1, 1, 0, 1]})
model = LogisticRegression().fit(frame, [0, 0, 0, 1, 1, 1])
pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, [0, 0, 0, 1, 1, 1])
for kind in (model, pipeline, model.predict_proba):
    assert ofm.OneForMany(kind, max_changes=2).explain(frame).status == "optimal"
for name in ofm.__all__:
    getattr(ofm, name)
assert not {"interpret", "lightgbm", "onnx", "torch", "xgboost"} & set(sys.modules)
"""


@pytest.mark.parametrize("script", [USED, ABSENT + USED])
def test_the_front_door_needs_no_framework_that_the_model_does_not_use(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Majority:
    """Positive is a row of which more than half is 1: a kind of model from outside."""

    classes_ = (0, 1)

    def predict(self, matrix):
        return (matrix.mean(axis=1) > 0.5).astype(int)


def read_majority(model, encoding, threshold, positive):
    assert isinstance(model, Majority)
    assert (threshold, positive) == (None, 1)
    tables = encoding.tables(np.ones(encoding.width))
    return ofm.AdditiveOracle(tables, threshold=encoding.width / 2, margin=0.1)


def test_a_kind_of_model_can_be_added_from_outside():
    frame = pd.DataFrame({"a": [0, 1, 0, 0], "b": [0, 0, 1, 0], "c": [0, 1, 0, 1], "d": [0, 1, 1, 1]})
    with pytest.raises(UnsupportedModelError, match="Majority cannot be read"):
        oracle_for(Majority(), None)
    reader = register_reader("majorities", Majority, read_majority)
    try:
        explainer = ofm.OneForMany(Majority(), max_changes=3, share="point")
        result = explainer.explain(frame)
        assert result.status == "optimal"
        assert all(sum(explanation.point) == 3 for explanation in result.explanations)
        with pytest.raises(UnsupportedModelError, match="majorities"):
            oracle_for(object(), None)
    finally:
        READERS.remove(reader)


def test_a_reader_of_nothing_is_refused():
    with pytest.raises(InputError, match="reads is 'rows'"):
        register_reader("rows", Majority, read_majority, reads="rows")


def test_a_reading_that_says_something_else_than_the_model_is_noticed():
    def misread(_model, encoding, _threshold, _positive):
        return ofm.AdditiveOracle(encoding.tables(np.ones(encoding.width)), threshold=1)

    reader = register_reader("majorities", Majority, misread)
    try:
        with pytest.raises(PredictionMismatchError, match="Majority was read, but its own answers differ"):
            oracle_for(Majority(), SCHEMA)
    finally:
        READERS.remove(reader)


@pytest.mark.parametrize("source", [pd.DataFrame({"job": [0, 1]}), 3])
def test_a_source_that_is_neither_schema_nor_encoding_is_refused(source):
    model = LogisticRegression().fit([[0], [1]], [0, 1])
    with pytest.raises(InputError, match=f"source is a {type(source).__name__}, .*; rows are frame="):
        oracle_for(model, source)
