import lightgbm
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.columns import columns_of
from oneformany.readers.trees.libraries import read_trees
from oneformany.schema.encoding import Encoding
from tree_models import LEVELS, check_answers, german, small_encoding, small_rows

QUIET = {"n_jobs": 1, "verbose": -1}
MODELS = {
    "boosting": {"n_estimators": 200},
    "dart": {"boosting_type": "dart"},
    "forest": {"boosting_type": "rf", "subsample_freq": 1, "subsample": 0.7},
    "steep": {"sigmoid": 2.0},
    "nothing is missing": {"use_missing": False},
    "from zero": {"boost_from_average": False, "is_unbalance": True},
}


def named(matrix):
    """Lightgbm asks for the column names it made up itself."""
    return pd.DataFrame(matrix, columns=[f"Column_{i}" for i in range(matrix.shape[1])])


def agrees(oracle, chance, codes, threshold, steepness=1.0):
    clear = np.abs(chance - threshold) > 1e-8
    close = np.abs(expit(steepness * oracle.score(codes)) - chance).max() < 1e-10
    return close and ((chance >= threshold) == oracle.positive(codes))[clear].all()


@pytest.mark.parametrize("name", MODELS)
def test_the_score_is_the_raw_score_on_every_row(name):
    data, matrix, encoding = german()
    rows = named(matrix)
    model = lightgbm.LGBMClassifier(**{"n_estimators": 30, **MODELS[name]}, **QUIET)
    chances = model.fit(rows[:700], data.target[:700]).predict_proba(rows)
    steepness = MODELS[name].get("sigmoid", 1.0)
    for positive in (0, 1):
        oracle = read_trees(model, encoding, 0.6, positive)
        assert agrees(oracle, chances[:, positive], data.codes, 0.6, steepness)


def test_without_a_threshold_positive_is_what_predict_says():
    data, matrix, encoding = german()
    model = lightgbm.LGBMClassifier(n_estimators=30, **QUIET).fit(named(matrix[:700]), data.target[:700])
    said = model.predict(named(matrix)) == 1
    assert (said == read_trees(model, encoding, None).positive(data.codes)).all()


def test_a_booster_is_read_like_its_classifier():
    data, matrix, encoding = german()
    booster = lightgbm.train(
        {"objective": "binary", "num_threads": 1, "verbose": -1},
        lightgbm.Dataset(matrix[:700], data.target[:700]),
        num_boost_round=20,
    )
    chance = booster.predict(matrix)
    assert agrees(read_trees(booster, encoding, 0.6), chance, data.codes, 0.6)
    assert agrees(read_trees(booster, encoding, 0.6, positive=0), 1 - chance, data.codes, 0.6)


def test_any_two_labels_will_do():
    data, matrix, encoding = german()
    labels = np.array(["refused", "granted"])[data.target]
    model = lightgbm.LGBMClassifier(n_estimators=10, **QUIET).fit(named(matrix), labels)
    chance = model.predict_proba(named(matrix))[:, list(model.classes_).index("granted")]
    assert agrees(read_trees(model, encoding, 0.6, "granted"), chance, data.codes, 0.6)


def test_only_the_rounds_that_early_stopping_kept_are_read():
    data, matrix, encoding = german()
    rows, stop = named(matrix), lightgbm.early_stopping(3, verbose=False)
    booster = lightgbm.train(
        {"objective": "binary", "num_threads": 1, "verbose": -1},
        lightgbm.Dataset(rows[:700], data.target[:700]),
        num_boost_round=200,
        valid_sets=[lightgbm.Dataset(rows[700:], data.target[700:])],
        callbacks=[stop],
    )
    oracle = read_trees(booster, encoding, 0.6)
    assert len(oracle.ensemble.roots) == booster.best_iteration < 200
    assert agrees(oracle, booster.predict(rows), data.codes, 0.6)


def test_splits_on_categories_are_read():
    data, _, _ = german()
    encoding = data.schema.code_encoding()
    rows = named(encoding.encode(data.codes))
    model = lightgbm.LGBMClassifier(n_estimators=30, min_data_per_group=2, cat_smooth=1, **QUIET)
    model.fit(rows, data.target, categorical_feature=list(rows.columns))
    assert '"==' in str(model.booster_.dump_model()).replace("'", '"')
    assert agrees(read_trees(model, encoding, 0.6), model.predict_proba(rows)[:, 1], data.codes, 0.6)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_answers_equal_full_enumeration_with_the_model_itself(seed):
    rng = np.random.default_rng(seed)
    encoding = small_encoding(rng)
    codes, target = small_rows(rng)
    model = lightgbm.LGBMClassifier(n_estimators=8, min_child_samples=2, random_state=seed, **QUIET)
    model.fit(named(encoding.encode(codes)), target)
    check_answers(
        rng,
        lambda threshold: read_trees(model, encoding, threshold),
        lambda points: model.predict_proba(named(encoding.encode(points)))[:, 1],
        tolerance=1e-8,
    )


def small(kind=lightgbm.LGBMClassifier, classes=2, **options):
    codes, target = small_rows(np.random.default_rng(0))
    rows = named(Encoding.from_blocks([np.eye(n) for n in LEVELS]).encode(codes))
    labels = target if classes == 2 else np.arange(len(rows)) % classes
    return kind(n_estimators=2, min_child_samples=2, **options, **QUIET).fit(rows, labels)


@pytest.mark.parametrize(
    ("make", "options", "error", "message"),
    [
        (lightgbm.LGBMClassifier, {}, UnsupportedModelError, "not fitted: call its fit"),
        (
            lambda: small(lightgbm.LGBMRegressor),
            {},
            UnsupportedModelError,
            "LGBMRegressor is a regressor",
        ),
        (lambda: small(classes=3), {}, UnsupportedModelError, "3 classes and couples"),
        (lambda: small(linear_tree=True), {}, UnsupportedModelError, "linear_tree=False"),
        (small, {"positive": 2}, InputError, "name one of them with positive="),
        (small, {"threshold": 0}, InputError, "strictly between 0 and 1"),
        (small, {"threshold": 1}, InputError, "strictly between 0 and 1"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(make, options, error, message):
    with pytest.raises(error, match=message):
        read_trees(make(), Encoding.from_blocks([np.eye(n) for n in LEVELS]), **options)


def test_a_model_for_which_zero_is_missing_is_refused():
    rows = pd.DataFrame(np.random.default_rng(0).integers(0, 4, (60, 5)).astype(float))
    model = lightgbm.LGBMClassifier(n_estimators=2, zero_as_missing=True, **QUIET).fit(rows, rows[0] > 1)
    with pytest.raises(UnsupportedModelError, match="takes a number for a missing value"):
        read_trees(model, Encoding.from_blocks([np.arange(4.0)[:, None]] * 5))


def test_a_model_on_other_columns_is_refused():
    with pytest.raises(InputError, match="was fitted on 11 columns, the schema gives 5"):
        read_trees(small(), Encoding.from_blocks([np.eye(5)]))


@pytest.mark.parametrize("booster", [False, True])
def test_columns_that_are_called_as_lightgbm_numbers_them_are_told_by_their_names(booster):
    table = np.random.default_rng(0).integers(4, size=(60, 2)).astype(float)

    def fitted(*names):
        frame = pd.DataFrame(table, columns=list(names)) if names else table
        model = lightgbm.LGBMClassifier(n_estimators=2, **QUIET).fit(frame, table[:, 0] > 1)
        return model.booster_ if booster else model

    swapped = ["Column 1", "Column 0"]
    assert columns_of(fitted("Column 0", "Column 1"), swapped, "the frame") == ("Column 0", "Column 1")
    assert columns_of(fitted(), ["b", "a"], "the frame") == ("b", "a")
    with pytest.raises(InputError, match="lacks 'Column_0'"):
        columns_of(fitted("Column_0", "Column_1"), ["Column_1", "other"], "the frame")
