import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.svm import LinearSVC

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.methods import solve
from oneformany.problem import Problem
from oneformany.readers.linear import read_linear
from oneformany.readers.registry import read_model
from oneformany.schema.encoding import Encoding
from reference_points import brute_force_points
from tree_questions import all_points, random_question, usable

LEVELS = (2, 3, 4, 2)
ONE_HOT = Encoding.from_blocks([np.arange(2)[:, None], np.eye(3), np.eye(4), np.arange(2)[:, None]])
CODES = Encoding.from_blocks([np.arange(n)[:, None] for n in LEVELS])
POINTS = all_points(LEVELS)
MODELS = {
    "logistic": LogisticRegression(),
    "logistic without intercept": LogisticRegression(fit_intercept=False),
    "one against rest": LinearSVC(random_state=0),
    "gradient descent": SGDClassifier(loss="log_loss", random_state=0),
    "ridge": RidgeClassifier(),
    "perceptron": Perceptron(),
    "discriminant": LinearDiscriminantAnalysis(),
    "discriminant by least squares": LinearDiscriminantAnalysis(solver="lsqr"),
    "Bernoulli": BernoulliNB(),
    "categorical": CategoricalNB(min_categories=LEVELS),
    "complement": ComplementNB(),
    "Gaussian": GaussianNB(),
    "multinomial": MultinomialNB(),
}


def fitted(name, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(LEVELS, size=(200, 4))
    target = np.array(["a", "b", "c", "d"])[(codes.sum(axis=1) + rng.integers(0, 2, 200)) % 4]
    encoding = CODES if name == "categorical" else ONE_HOT
    return MODELS[name].fit(encoding.encode(codes), target), encoding


def ties(model, data, place):
    """Points where another class is as good as this one: rounding decides what is predicted."""
    jointly = getattr(model, "predict_joint_log_proba", None) or model.decision_function
    scores = jointly(data)
    others = np.delete(scores, place, axis=1).max(axis=1)
    return np.abs(scores[:, place] - others) < 1e-8


@pytest.mark.parametrize("name", MODELS)
def test_a_point_is_positive_when_the_model_predicts_the_class(name):
    model, encoding = fitted(name)
    data = encoding.encode(POINTS)
    for place, label in enumerate("abcd"):
        positive = read_linear(model, encoding, None, label).positive(POINTS)
        predicted = model.predict(data) == label
        assert (predicted | ~positive).all()
        assert (positive == predicted)[~ties(model, data, place)].all()


@pytest.mark.parametrize("name", ["logistic", "categorical", "ridge"])
def test_answers_are_those_of_full_enumeration(name):
    rng = np.random.default_rng(1)
    model, encoding = fitted(name)
    for label in "abcd":
        oracle = read_linear(model, encoding, None, label)
        predicted = model.predict(encoding.encode(POINTS)) == label
        for _ in range(20):
            question = random_question(rng, LEVELS)
            candidates = usable(question, POINTS)
            answer = oracle.reach(question)
            if answer.proved_none:
                assert not (candidates & predicted).any()
            else:
                assert answer.point.tolist() in POINTS[candidates & predicted].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_solving_for_one_of_four_classes_is_as_by_brute_force(seed):
    model, encoding = fitted("logistic", seed)
    codes = np.random.default_rng(seed).integers(LEVELS, size=(7, 4))
    reading = read_model(model, encoding, None, "c")
    accepted = {tuple(point) for point in POINTS[reading.verdict(POINTS)].tolist()}
    count, unreachable = brute_force_points(codes.tolist(), LEVELS, lambda point: point in accepted, 2)
    result = solve(Problem(codes, LEVELS, reading.oracle, 2))
    status = "infeasible" if len(unreachable) == len(codes) else "optimal"
    assert (result.status, result.count) == (status, count)
    assert tuple(entry.row for entry in result.unreachable) == unreachable


def test_a_decision_value_of_one_class_against_the_rest_may_be_asked_for():
    model, encoding = fitted("one against rest")
    values = model.decision_function(encoding.encode(POINTS))
    for place, label in enumerate("abcd"):
        reading = read_model(model, encoding, -0.2, label)
        assert (reading.oracle.positive(POINTS) == (values[:, place] >= -0.2)).all()
        assert (reading.verdict(POINTS) == (values[:, place] >= -0.2)).all()


def test_two_classes_are_read_as_ever():
    data = ONE_HOT.encode(POINTS)
    model = LogisticRegression().fit(data, POINTS[:, 1] > 0)
    oracle = read_linear(model, ONE_HOT, 0.7, True)
    assert oracle.describe()["kind"] == "additive"
    assert (oracle.positive(POINTS) == (model.predict_proba(data)[:, 1] >= 0.7)).all()


def test_the_probability_of_one_class_among_several_is_refused_with_a_way_out():
    model, encoding = fitted("logistic")
    with pytest.raises(UnsupportedModelError, match=r"4 classes, and a threshold .* black box"):
        read_linear(model, encoding, 0.5, "a")
    with pytest.raises(InputError, match="'e' is not one of the model's classes 'a', 'b', 'c' and 'd'"):
        read_linear(model, encoding, None, "e")


def test_calibrated_classifiers_of_several_classes_are_refused_with_a_way_out():
    rng = np.random.default_rng(0)
    codes = rng.integers(LEVELS, size=(200, 4))
    base = LogisticRegression()
    model = CalibratedClassifierCV(base, ensemble=False).fit(ONE_HOT.encode(codes), codes.sum(axis=1) % 3)
    with pytest.raises(
        UnsupportedModelError, match=r"1 calibrated .* and 3 classes is not additive; .* predict_proba"
    ):
        read_linear(model, ONE_HOT, None, 1)
