import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.verdict import ProbabilityVerdict, Verdict, class_index

CODES = np.zeros((2, 1), dtype=np.int64)
DATA = np.arange(8.0)[:, None]
TARGET = np.array(["no"] * 4 + ["yes"] * 4)


def test_without_a_threshold_predict_decides():
    model = LogisticRegression().fit(DATA, TARGET)
    for positive in ("no", "yes"):
        verdict = Verdict(model, lambda codes: codes, None, positive)
        assert (verdict(DATA) == (model.predict(DATA) == positive)).all()


def test_with_a_threshold_the_probability_decides():
    model = LogisticRegression().fit(DATA, TARGET)
    probabilities = model.predict_proba(DATA)
    for index, positive in enumerate(("no", "yes")):
        verdict = Verdict(model, lambda codes: codes, 0.9, positive)
        assert (verdict(DATA) == (probabilities[:, index] >= 0.9)).all()
        assert 0 < verdict(DATA).sum() < 4


def test_without_probabilities_the_decision_value_decides():
    model = LinearSVC(C=100).fit(DATA, TARGET)
    values = model.decision_function(DATA)
    for sign, positive in ((-1, "no"), (1, "yes")):
        verdict = Verdict(model, lambda codes: codes, 1.5, positive)
        assert (verdict(DATA) == (sign * values >= 1.5)).all()
        assert 0 < verdict(DATA).sum() < 4


def test_codes_are_turned_into_what_the_model_reads():
    model = LogisticRegression().fit(DATA, TARGET)
    verdict = Verdict(model, lambda codes: codes * 7.0, None, "yes")
    assert verdict(np.array([[0], [1]])).tolist() == [False, True]


def test_several_classes_have_a_decision_value_each():
    model = LinearSVC(C=100).fit(DATA, ["a", "a", "a", "b", "b", "c", "c", "c"])
    verdict = Verdict(model, lambda codes: codes, 0.1, "c")
    assert (verdict(DATA) == (model.decision_function(DATA)[:, 2] >= 0.1)).all()


def test_a_model_without_predict_is_asked_for_probabilities():
    chances = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]])
    assert ProbabilityVerdict(lambda _: chances, np.asarray, None, 2)(CODES).tolist() == [False, False]
    assert ProbabilityVerdict(lambda _: chances, np.asarray, None, 0)(CODES).tolist() == [False, True]
    assert ProbabilityVerdict(lambda _: chances, np.asarray, 0.3, 2)(CODES).tolist() == [True, True]


def test_the_positive_class_must_be_one_of_those_the_model_knows():
    model = LogisticRegression().fit(DATA, TARGET)
    assert [class_index(model, label) for label in ("no", "yes")] == [0, 1]
    assert class_index(LogisticRegression().fit(DATA, TARGET == "yes"), 1) == 1
    with pytest.raises(InputError, match="1 is not one of the model's classes 'no' and 'yes'; name one"):
        class_index(model, 1)
    with pytest.raises(UnsupportedModelError, match="not fitted"):
        class_index(LogisticRegression(), 1)
    with pytest.raises(UnsupportedModelError, match="regressor"):
        class_index(LinearRegression().fit(DATA, DATA[:, 0]), 1)
    assert class_index(LogisticRegression().fit(DATA, DATA[:, 0]), 5) == 5
    with pytest.raises(UnsupportedModelError, match=r"knows only the class 0.0; fit it on rows of two"):
        class_index(GaussianNB().fit(DATA, np.zeros(8)), 0)
