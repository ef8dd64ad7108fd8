import numpy as np
import pandas as pd
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from oneformany import OneForMany
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.registry import read_model
from oneformany.readers.trees.libraries import read_trees
from oneformany.schema.encoding import Encoding
from tree_models import LEVELS, check_answers, german, small_encoding, small_rows

MODELS = {
    "boosting": xgboost.XGBClassifier(n_estimators=200, n_jobs=1),
    "dart": xgboost.XGBClassifier(booster="dart", rate_drop=0.3, n_estimators=30, n_jobs=1),
    "forest": xgboost.XGBClassifier(
        n_estimators=1, num_parallel_tree=30, learning_rate=1, subsample=0.8, colsample_bynode=0.8, n_jobs=1
    ),
    "by leaves": xgboost.XGBClassifier(
        grow_policy="lossguide", max_depth=0, max_leaves=100, n_estimators=30, n_jobs=1
    ),
    "base score": xgboost.XGBClassifier(base_score=0.3, n_estimators=30, n_jobs=1),
}


def agrees(oracle, chance, codes, threshold):
    clear = np.abs(chance - threshold) > 1e-4
    close = np.abs(expit(oracle.score(codes)) - chance).max() < 1e-6
    return close and ((chance >= threshold) == oracle.positive(codes))[clear].all()


@pytest.mark.parametrize("name", MODELS)
def test_the_score_is_the_log_odds_on_every_row(name):
    data, matrix, encoding = german()
    model = MODELS[name].fit(matrix[:700], data.target[:700])
    chances = model.predict_proba(matrix)
    for positive in (0, 1):
        oracle = read_trees(model, encoding, 0.6, positive)
        assert agrees(oracle, chances[:, positive], data.codes, 0.6)


def test_without_a_threshold_positive_is_what_predict_says():
    data, matrix, encoding = german()
    model = MODELS["boosting"].fit(matrix[:700], data.target[:700])
    assert ((model.predict(matrix) == 1) == read_trees(model, encoding, None).positive(data.codes)).all()


def test_a_booster_is_read_like_its_classifier():
    data, matrix, encoding = german()
    booster = xgboost.train(
        {"objective": "binary:logistic", "nthread": 1},
        xgboost.DMatrix(matrix[:700], data.target[:700]),
        num_boost_round=20,
    )
    chance = booster.predict(xgboost.DMatrix(matrix))
    assert agrees(read_trees(booster, encoding, 0.6), chance, data.codes, 0.6)
    assert agrees(read_trees(booster, encoding, 0.6, positive=0), 1 - chance, data.codes, 0.6)
    verdict = read_model(booster, encoding, 0.6, np.int64(1)).verdict
    assert (verdict(data.codes) == (chance.astype(float) >= 0.6)).all()
    with pytest.raises(InputError, match="positive is True; the classes of Booster are numbered from 0"):
        read_model(booster, encoding, 0.6, positive=True)


def test_only_the_rounds_that_early_stopping_kept_are_read():
    data, matrix, encoding = german()
    model = xgboost.XGBClassifier(n_estimators=200, early_stopping_rounds=3, n_jobs=1)
    model.fit(matrix[:700], data.target[:700], eval_set=[(matrix[700:], data.target[700:])], verbose=False)
    oracle = read_trees(model, encoding, 0.6)
    assert len(oracle.ensemble.roots) == model.best_iteration + 1
    assert agrees(oracle, model.predict_proba(matrix)[:, 1], data.codes, 0.6)


def test_splits_on_categories_are_read():
    data, _, _ = german()
    encoding = data.schema.code_encoding()
    kinds = ["c"] * encoding.width
    rows = xgboost.DMatrix(encoding.encode(data.codes), data.target, feature_types=kinds, nthread=1)
    settings = {"objective": "binary:logistic", "max_cat_to_onehot": 2, "nthread": 1}
    booster = xgboost.train(settings, rows, num_boost_round=20)
    assert '"categories_nodes":[0' in booster.save_raw("json").decode()
    assert agrees(read_trees(booster, encoding, 0.6), booster.predict(rows), data.codes, 0.6)


def test_splits_compare_in_single_precision():
    value = 0.1
    encoding = Encoding.from_blocks([[[value], [np.nextafter(np.float32(value), np.float32(1))], [0.3]]])
    codes = np.array([[0], [1], [2]] * 20)
    model = xgboost.XGBClassifier(n_estimators=3, n_jobs=1, tree_method="exact")
    model.fit(encoding.encode(codes), [0, 1, 1] * 20)
    chance = model.predict_proba(encoding.encode(codes))[:, 1]
    assert chance[0] < 0.5 < chance[1]
    assert agrees(read_trees(model, encoding), chance, codes, 0.5)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_answers_equal_full_enumeration_with_the_model_itself(seed):
    rng = np.random.default_rng(seed)
    encoding = small_encoding(rng)
    codes, target = small_rows(rng)
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=4, n_jobs=1, random_state=seed)
    model.fit(encoding.encode(codes), target)
    check_answers(
        rng,
        lambda threshold: read_trees(model, encoding, threshold),
        lambda points: model.predict_proba(encoding.encode(points))[:, 1],
        tolerance=1e-4,
    )


def small(**options):
    codes, target = small_rows(np.random.default_rng(0))
    rows = Encoding.from_blocks([np.eye(n) for n in LEVELS]).encode(codes)
    return xgboost.XGBClassifier(n_estimators=2, n_jobs=1, **options).fit(rows, target)


def regressor():
    return xgboost.XGBRegressor(n_estimators=2, n_jobs=1).fit(np.eye(11), np.arange(11.0))


def many_classes():
    return xgboost.XGBClassifier(n_estimators=2, n_jobs=1).fit(np.eye(11), np.arange(11) % 3)


@pytest.mark.parametrize(
    ("make", "options", "error", "message"),
    [
        (xgboost.XGBClassifier, {}, UnsupportedModelError, "not fitted: call its fit"),
        (regressor, {}, UnsupportedModelError, "XGBRegressor is a regressor"),
        (many_classes, {}, UnsupportedModelError, "3 classes and couples"),
        (lambda: small(booster="gblinear"), {}, UnsupportedModelError, "gblinear, which grows no trees"),
        (lambda: small(missing=0.0), {}, UnsupportedModelError, "a number for a missing value"),
        (small, {"positive": 2}, InputError, "name one of them with positive="),
        (small, {"threshold": 0}, InputError, "strictly between 0 and 1"),
        (small, {"threshold": 1}, InputError, "strictly between 0 and 1"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*gblinear.*")
def test_what_cannot_be_read_is_refused_with_a_reason(make, options, error, message):
    with pytest.raises(error, match=message):
        read_trees(make(), Encoding.from_blocks([np.eye(n) for n in LEVELS]), **options)


def test_a_model_on_other_columns_is_refused():
    with pytest.raises(InputError, match="was fitted on 11 columns, the schema gives 5"):
        read_trees(small(), Encoding.from_blocks([np.eye(5)]))


@pytest.mark.parametrize(
    ("fitted_on", "home", "words"),
    [
        (["x", "y"], pd.Categorical([1, "x", "y", "x"]), "has the category 1, .* are texts; give"),
        (["x", "y"], pd.Categorical([0, 1, 0, 1]), "has the category 0, .* are texts"),
        ([0, 1], pd.Categorical(["x", "y", "x", "y"]), "has the category 'x', .* are numbers"),
        (["x", "y"], ["x", "y", "x", "y"], "is not of type category, .* are texts"),
    ],
)
def test_a_column_of_other_categories_than_the_model_knows_is_named(fitted_on, home, words):
    frame = pd.DataFrame({"home": pd.Categorical(fitted_on * 10), "age": range(20)})
    model = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True, n_jobs=1).fit(frame, [0, 1] * 10)
    rows = pd.DataFrame({"home": home, "age": range(4)})
    with pytest.raises(InputError, match=f"column 'home' {words}"):
        OneForMany(model, share="point").explain(rows)


@pytest.mark.parametrize(("known", "value"), [(["x", "y"], "z"), ([0, 1], 7)])
def test_a_category_that_the_model_does_not_know_is_named(known, value):
    frame = pd.DataFrame({"home": pd.Categorical(known * 10), "age": range(20)})
    model = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True, n_jobs=1).fit(frame, [0, 1] * 10)
    frame["home"] = frame["home"].cat.add_categories([value]).where(frame.index != 5, value)
    words = f"column 'home', row 5: the model was not fitted on {value!r}; write {known[0]!r}, {known[1]!r}"
    with pytest.raises(InputError, match=words):
        OneForMany(model, share="point").explain(frame)


def test_a_booster_with_many_splits_is_read_without_a_table_of_levels(monkeypatch):
    frame = pd.DataFrame({"age": range(40), "debts": [0, 1, 2, 3] * 10})
    target = (frame["age"] - 5 * frame["debts"] > 10).astype(int)
    settings = {"objective": "binary:logistic", "nthread": 1}
    model = xgboost.train(settings, xgboost.DMatrix(frame, target), 3)
    monkeypatch.setattr("oneformany.readers.trees.oracles.MOST_ENTRIES", 0)
    result = OneForMany(model, max_changes=2, share="point").explain(frame)
    assert result.covered == len(result.assignment)
    assert "runs" in result.problem["oracle"]
    assert (model.predict(xgboost.DMatrix(result.apply(frame))) >= 0.5).all()
