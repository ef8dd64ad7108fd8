import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from threadpoolctl import threadpool_limits

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.trees.libraries import read_trees
from oneformany.schema.encoding import Encoding
from tree_models import LEVELS, check_answers, german, small_encoding, small_rows

VOTING = {
    "tree": DecisionTreeClassifier(random_state=0),
    "extra tree": ExtraTreeClassifier(max_depth=6, random_state=0),
    "forest": RandomForestClassifier(30, max_depth=6, random_state=0),
    "extra trees": ExtraTreesClassifier(20, random_state=0),
    "bagging": BaggingClassifier(n_estimators=10, max_features=0.5, random_state=0),
}
BOOSTING = {
    "boosted stumps by vote": AdaBoostClassifier(n_estimators=20, random_state=0),
    "boosted trees by vote": AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=30, random_state=0),
    "gradient boosting from zero": GradientBoostingClassifier(n_estimators=30, init="zero", random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=30, random_state=0),
    "histogram boosting on categories": HistGradientBoostingClassifier(
        max_iter=30, categorical_features=[1, 5, 11], random_state=0
    ),
}
SMALL = {
    "tree": DecisionTreeClassifier(max_depth=4),
    "forest": RandomForestClassifier(6, max_depth=4),
    "extra trees": ExtraTreesClassifier(6, max_depth=4),
    "bagging": BaggingClassifier(n_estimators=5, max_features=0.7),
    "votes": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6),
    "gradient boosting": GradientBoostingClassifier(n_estimators=6),
    "exponential loss": GradientBoostingClassifier(n_estimators=6, loss="exponential"),
    "histogram boosting": HistGradientBoostingClassifier(
        max_iter=6, min_samples_leaf=2, categorical_features=[3]
    ),
}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("name", VOTING)
def test_the_score_of_voting_trees_is_their_probability_on_every_row(name, positive):
    data, matrix, encoding = german()
    model = VOTING[name].fit(matrix[:700], data.target[:700])
    oracle = read_trees(model, encoding, 0.6, positive)
    chance = model.predict_proba(matrix)[:, positive]
    trees = len(getattr(model, "estimators_", [model]))
    assert np.abs(oracle.score(data.codes) / trees - chance).max() < 1e-10
    clear = np.abs(chance - 0.6) > 1e-8
    assert ((chance >= 0.6) == oracle.positive(data.codes))[clear].all()


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("name", BOOSTING)
def test_the_score_of_boosted_trees_is_their_log_odds_on_every_row(name, positive):
    data, matrix, encoding = german()
    model = BOOSTING[name].fit(matrix[:700], data.target[:700])
    oracle = read_trees(model, encoding, 0.6, positive)
    chance = model.predict_proba(matrix)[:, positive]
    assert np.abs(expit(oracle.score(data.codes)) - chance).max() < 1e-10
    clear = np.abs(chance - 0.6) > 1e-8
    assert ((chance >= 0.6) == oracle.positive(data.codes))[clear].all()


def test_the_score_under_exponential_loss_is_half_the_log_odds():
    data, matrix, encoding = german()
    model = GradientBoostingClassifier(n_estimators=30, loss="exponential", random_state=0)
    model.fit(matrix, data.target)
    oracle = read_trees(model, encoding, 0.7)
    chance = model.predict_proba(matrix)[:, 1]
    assert np.abs(expit(2 * oracle.score(data.codes)) - chance).max() < 1e-10
    assert ((chance >= 0.7) == oracle.positive(data.codes)).all()


def test_without_a_threshold_positive_is_what_predict_says():
    data, matrix, encoding = german()
    for model in (BOOSTING["gradient boosting"], VOTING["forest"]):
        model.fit(matrix[:700], data.target[:700])
        oracle = read_trees(model, encoding, None)
        assert ((model.predict(matrix) == 1) == oracle.positive(data.codes)).all()


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_answers_equal_full_enumeration_with_the_model_itself(name, seed):
    rng = np.random.default_rng(seed)
    encoding = small_encoding(rng)
    codes, target = small_rows(rng)
    model = SMALL[name].set_params(random_state=seed % 1000).fit(encoding.encode(codes), target)
    check_answers(
        rng,
        lambda threshold: read_trees(model, encoding, threshold),
        lambda points: model.predict_proba(encoding.encode(points))[:, 1],
        tolerance=1e-8,
    )


def test_splits_compare_in_single_precision():
    # 0.1 in single precision is above the threshold that double precision would put it below
    encoding = Encoding.from_blocks([[[0.1], [0.1 + 2e-9], [0.3]]])
    codes = np.array([[0], [1], [2]] * 4)
    model = DecisionTreeClassifier(random_state=0).fit(encoding.encode(codes), [0, 0, 1] * 4)
    model.tree_.threshold[0] = 0.1
    oracle = read_trees(model, encoding)
    assert oracle.score(codes[:3]).tolist() == model.predict_proba(encoding.encode(codes[:3]))[:, 1].tolist()


def test_one_column_of_many_values_is_split_between_its_levels():
    rng = np.random.default_rng(0)
    encoding = Encoding.from_blocks([np.sort(rng.normal(size=(12, 1)), axis=0), np.arange(5.0)[:, None]])
    codes = rng.integers([12, 5], size=(200, 2))
    target = (codes[:, 0] % 5 + codes[:, 1] > 4).astype(int)
    for model in (RandomForestClassifier(10, random_state=0), HistGradientBoostingClassifier(max_iter=10)):
        model.fit(encoding.encode(codes), target)
        chance = model.predict_proba(encoding.encode(codes))[:, 1]
        assert ((chance >= 0.55) == read_trees(model, encoding, 0.55).positive(codes)).all()


def test_columns_that_no_feature_fills_keep_their_constant():
    rng = np.random.default_rng(1)
    matrix = rng.integers(0, 2, size=(100, 2)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(matrix, matrix[:, 0] * matrix[:, 1])
    for constant in (0.0, 1.0):
        encoding = Encoding((np.array([1]),), (np.array([[0.0], [1.0]]),), np.array([constant, 0.0]))
        assert read_trees(model, encoding).score(np.array([[0], [1]])).tolist() == [0.0, constant]


def test_categories_never_seen_in_training_go_where_the_model_sends_missing_values():
    rng = np.random.default_rng(2)
    encoding = Encoding.from_blocks([np.arange(8.0)[:, None], np.arange(3.0)[:, None]])
    codes = rng.integers([6, 3], size=(300, 2))
    target = (codes[:, 0] % 2 == codes[:, 1] % 2).astype(int)
    model = HistGradientBoostingClassifier(max_iter=10, categorical_features=[0])
    model.fit(encoding.encode(codes), target)
    points = np.array([[level, other] for level in range(8) for other in range(3)])
    chance = model.predict_proba(encoding.encode(points))[:, 1]
    assert np.abs(expit(read_trees(model, encoding).score(points)) - chance).max() < 1e-10


def test_models_fitted_on_named_columns_are_read_without_a_warning():
    data, matrix, encoding = german()
    frame = pd.DataFrame(matrix, columns=[f"column {i}" for i in range(matrix.shape[1])])
    for name in ("gradient boosting", "histogram boosting on categories"):
        model = BOOSTING[name].fit(frame, data.target)
        chance = model.predict_proba(frame)[:, 1]
        assert np.abs(expit(read_trees(model, encoding).score(data.codes)) - chance).max() < 1e-10


def test_forests_may_have_many_classes_and_any_labels():
    data, matrix, encoding = german()
    labels = np.array(["refuse", "ask", "grant"])[data.target + (data.codes[:, 0] > 1)]
    for model in (VOTING["forest"], VOTING["bagging"], VOTING["tree"]):
        model.fit(matrix, labels)
        oracle = read_trees(model, encoding, 0.4, "grant")
        chance = model.predict_proba(matrix)[:, list(model.classes_).index("grant")]
        trees = len(getattr(model, "estimators_", [model]))
        assert np.abs(oracle.score(data.codes) / trees - chance).max() < 1e-10
    with pytest.raises(UnsupportedModelError, match="with 3 classes predict takes the likeliest"):
        read_trees(model, encoding, None, "grant")


def fitted(kind=DecisionTreeClassifier, classes=2, **options):
    rows, target = make_classification(60, 13, n_informative=4, n_classes=classes, random_state=0)
    return kind(**options).fit(rows, target)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (RandomForestClassifier, "not fitted: call its fit"),
        (lambda: fitted(RandomForestRegressor, n_estimators=2), "is a regressor"),
        (lambda: fitted(BaggingClassifier, estimator=LogisticRegression()), "only of decision trees"),
        (lambda: fitted(AdaBoostClassifier, estimator=LogisticRegression()), "only of decision trees"),
        (lambda: fitted(GradientBoostingClassifier, init=LogisticRegression()), "fit it with init=None"),
        (lambda: fitted(HistGradientBoostingClassifier, classes=3, max_iter=2), "3 classes and couples"),
        (lambda: DecisionTreeClassifier().fit(np.eye(13), np.ones(13)), "knows only the class 1.0"),
        (lambda: DecisionTreeClassifier().fit(np.eye(13), np.eye(13)[:, :2]), "2 outputs"),
    ],
)
def test_models_of_other_kinds_or_states_are_refused(make, message):
    with pytest.raises(UnsupportedModelError, match=message):
        read_trees(make(), Encoding.from_blocks([np.eye(n) for n in (6, 7)]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "good"}, r"classes 0 and 1; name one of them"),
        ({"threshold": 0.0}, "strictly between 0 and 1"),
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"threshold": "high"}, "strictly between 0 and 1"),
        ({"threshold": float("nan")}, "strictly between 0 and 1"),
    ],
)
def test_labels_and_thresholds_that_do_not_fit_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        read_trees(fitted(), Encoding.from_blocks([np.eye(n) for n in (6, 7)]), **options)


def test_a_model_on_other_columns_is_refused():
    with pytest.raises(InputError, match="was fitted on 13 columns, the schema gives 11"):
        read_trees(fitted(), Encoding.from_blocks([np.eye(n) for n in LEVELS]))


def test_leaves_that_are_not_numbers_are_refused():
    model = fitted(RandomForestClassifier, n_estimators=2)
    model.estimators_[1].tree_.value[:] = np.nan
    with pytest.raises(InputError, match="tree 1 has a leaf of value nan"):
        read_trees(model, Encoding.from_blocks([np.eye(n) for n in (6, 7)]))


WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"xgboost", "lightgbm", "torch", "onnx"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import numpy as np
import oneformany
from oneformany.schema.encoding import Encoding
from oneformany.readers.trees import libraries
from sklearn.tree import DecisionTreeClassifier
model = DecisionTreeClassifier().fit(np.eye(2), [0, 1])
oracle = libraries.read_trees(model, Encoding.from_blocks([np.eye(2)]))
assert oracle.score(np.array([[0], [1]])).tolist() == [0.0, 1.0]
"""

UNUSED = """
import sys
import oneformany
from oneformany.readers.trees import libraries
assert not {"xgboost", "lightgbm"} & set(sys.modules)
"""


@pytest.mark.parametrize("script", [WITHOUT, UNUSED])
def test_no_optional_library_is_needed_or_loaded(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
