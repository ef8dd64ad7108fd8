import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.naive_bayes import CategoricalNB

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.registry import READERS, named, oracle_for, read_model, reader_for
from oneformany.schema import Feature, Schema

SCHEMA = Schema((Feature("sex", ("female", "male")), Feature("housing", ("rent", "own", "free"))))
CODES = np.array([[0, 0], [1, 1], [1, 2], [0, 2]])
TARGET = [0, 1, 1, 0]


def test_every_reader_can_be_loaded():
    for reader in READERS:
        assert callable(reader.load())


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
    with pytest.raises(UnsupportedModelError, match=r"object cannot be read .* linear classifiers"):
        reader_for(object())
    with pytest.raises(UnsupportedModelError, match="LinearRegression, a regressor, cannot be read"):
        reader_for(LinearRegression())
