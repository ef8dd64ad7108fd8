"""Tests that the paper's split and models come out as published, and that every other kind can be trained."""

import numpy as np
import pytest

from oneformany.datasets import load
from oneformany.exceptions import InputError
from oneformany.paper.runs.prepare import (
    HIDDEN_LAYERS,
    MODEL_KINDS,
    paper_model,
    paper_split,
    prepare,
)
from oneformany.paper.runs.records import Cell
from oneformany.paper.runs.run import Settings, plan, run
from oneformany.paper.tables import PRINTED

HERE = [name for name, kind in MODEL_KINDS.items() if kind.installed]


@pytest.mark.parametrize(
    ("name", "accuracy"), [("german", 0.724), ("students-published", 0.606), ("students", 0.636)]
)
def test_the_logistic_regression_has_the_accuracy_of_the_paper(name, accuracy):
    assert round(prepare(name, "lr").trained["accuracy"], 3) == accuracy


def test_the_constant_features_of_the_published_students_have_no_weight():
    data = load("students-published")
    weights = paper_model(data).coef_[0]
    constant = (data.one_hot == 0).all(axis=0)
    assert constant.sum() == 8
    assert (weights[constant] == 0).all()


def test_the_halves_are_disjoint_and_complete():
    train, test = paper_split(load("german"))
    assert (len(train), len(test)) == (500, 500)
    assert sorted([*train, *test]) == list(range(1000))


def test_published_rows_are_the_first_of_the_test_half():
    prepared = prepare("german", "lr")
    _, test = paper_split(prepared.dataset)
    assert (prepared.rows("published", 20) == test[:20]).all()


def test_negatives_are_the_first_test_rows_that_are_turned_down():
    prepared = prepare("german", "lr")
    data, model = prepared.dataset, prepared.classifier
    _, test = paper_split(data)
    rows = prepared.rows("negatives", 30)
    assert (model.predict(data.one_hot[rows]) == 0).all()
    passed_over = test[: int(np.flatnonzero(test == rows[-1])[0]) + 1]
    assert (model.predict(data.one_hot[passed_over]) == 0).sum() == 30
    assert [row for row in test if row in set(rows)] == rows.tolist()


@pytest.mark.parametrize(
    ("protocol", "n", "words"),
    [
        ("published", 0, "0 rows are asked for; german has 1 to 500"),
        ("published", 501, "german has 1 to 500"),
        ("negatives", 1000, "german has 1 to"),
    ],
)
def test_rows_that_are_not_there_are_refused(protocol, n, words):
    with pytest.raises(InputError, match=words):
        prepare("german", "lr").rows(protocol, n)


@pytest.mark.parametrize("name", ["german", "students", "students-published"])
def test_accuracy_is_near_the_published_one(name):
    prepared = prepare(name, "nn")
    published = name.removesuffix("-published")
    assert prepared.classifier.hidden_layer_sizes == HIDDEN_LAYERS[published]
    assert prepared.trained["accuracy"] == pytest.approx(float(PRINTED[published][5]), abs=0.04)


@pytest.mark.parametrize("name", HERE)
def test_each_installed_kind_gets_an_optimum_that_its_own_predict_confirms(name):
    settings = Settings(protocol="negatives", time_limit=30.0)
    (record,) = run(plan([Cell("german", name, 4, 5)], settings), settings)
    assert record["status"] == "optimal"
    assert 1 <= record["count"] <= 4
    assert record["confirmed"] == record["count"]
    assert record["trained"]["accuracy"] > 0.65
