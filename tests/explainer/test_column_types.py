"""Frames of every library and columns of every type: numbers, texts, truth values, categories, dates."""

import datetime as dt

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)

from explainer.raw_rows import FRAME, JOBS, TARGET, explained, pipeline, rows
from oneformany import Immutable
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany


def test_polars_frames_are_read():
    model = pipeline()
    result = OneForMany(model, max_changes=2, share="point").explain(pl.from_pandas(FRAME))
    moved = result.apply(pl.from_pandas(FRAME))
    assert (model.predict(moved) == 1).all()
    assert result.problem["rows"] == np.flatnonzero(model.predict(FRAME) == 0).tolist()


def test_lazy_polars_frames_are_read():
    result = OneForMany(pipeline(), max_changes=2, share="point").explain(pl.from_pandas(FRAME).lazy())
    assert result.problem["rows"] == np.flatnonzero(pipeline().predict(FRAME) == 0).tolist()


@pytest.mark.parametrize("kind", [xgboost.XGBClassifier, lightgbm.LGBMClassifier])
def test_truth_values_with_gaps_in_a_polars_frame_are_read(kind):
    frame = FRAME[["age", "income"]].assign(home=FRAME["home"].astype("boolean").mask(FRAME["age"] > 50))
    model = kind(n_estimators=10, n_jobs=1, verbosity=0).fit(frame, TARGET)
    wanted = OneForMany(model, max_changes=2, share="point").explain(frame).assignment
    for given in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert OneForMany(model, max_changes=2, share="point").explain(given).assignment == wanted
    with pytest.raises(InputError, match=r"does not answer about the rows: .*dtype"):  # not: is missing
        OneForMany(model, max_changes=2, share="point").explain(
            frame.assign(home=frame["home"].astype(object).replace({pd.NA: None}))
        )


@pytest.mark.parametrize("handle_unknown", ["error", "ignore"])
@pytest.mark.parametrize("classes", [["none", "part", "full", None], [True, False, None]])
def test_gaps_of_polars_are_what_an_encoder_fitted_on_polars_knows(classes, handle_unknown):
    frame = pl.DataFrame(
        {"job": [classes[n % len(classes)] for n in range(60)], "age": FRAME["age"].tolist()}
    )
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown=handle_unknown), ["job"]), remainder="passthrough"
    )
    model = make_pipeline(steps, LogisticRegression(C=10)).fit(
        frame, frame["job"].is_null() & (frame["age"] > 30)
    )
    result = OneForMany(model, max_changes=2, positive=False, share="point").explain(frame)
    refused = np.flatnonzero(model.predict(frame))
    assert result.problem["rows"] == refused.tolist()
    assert set(frame["job"][refused.tolist()]) == {None}
    assert not model.predict(pl.from_pandas(result.apply(frame))).any()


@pytest.mark.parametrize("further", [[], [PolynomialFeatures(2)]])
def test_gaps_are_read_by_an_encoder_that_was_fitted_on_frames_of_another_library(further):
    texts = pl.DataFrame({"job": ["none", "part", "full", None] * 15, "age": FRAME["age"].tolist()})
    truths = texts.with_columns(pl.col("job") == "part")
    for frame, other in (
        (texts, texts.to_pandas()),
        (truths, truths.to_pandas()),
        (texts.to_pandas(), texts),
    ):
        steps = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
        model = make_pipeline(steps, *further, LogisticRegression(max_iter=5000)).fit(other, TARGET)
        result = OneForMany(model, max_changes=2, share="point").explain(frame)
        assert result.problem["rows"] == np.flatnonzero(model.predict(other) == 0).tolist()
        assert result.explanations


@pytest.mark.parametrize(
    "encoder", [OneHotEncoder(), OrdinalEncoder(encoded_missing_value=-1), TargetEncoder(cv=2)]
)
def test_texts_and_numbers_that_one_encoder_reads_of_a_polars_frame_are_read(encoder):
    frame = pl.DataFrame(
        {"job": FRAME["job"].tolist(), "rooms": [1, 2, None] * 20, "home": [True, False] * 30}
    )
    model = make_pipeline(encoder, LogisticRegression()).fit(frame, TARGET)
    result = OneForMany(model, max_changes=2, share="point").explain(frame)
    assert result.problem["rows"] == np.flatnonzero(model.predict(frame) == 0).tolist()
    assert model.predict(pl.from_pandas(result.apply(frame))).all()


def test_sparse_columns_are_read():
    frame = FRAME[["age", "income"]].astype(pd.SparseDtype("float64", 0.0))
    explained(make_pipeline(StandardScaler(with_mean=False), LogisticRegression()).fit(frame, TARGET), frame)


def test_integers_beyond_doubles_are_told_apart():
    frame = pd.DataFrame({"id": 2**53 + FRAME["age"] % 4, "home": FRAME["home"]})
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, frame["id"] % 2)
    result, _ = explained(model, frame, max_changes=1)
    assert result.schema.features[0].levels == tuple(str(2**53 + n) for n in range(4))
    assert not result.unreachable


def test_integers_of_128_bits_and_columns_of_one_name_are_refused():
    wide = pl.from_pandas(FRAME).with_columns(pl.col("age").cast(pl.Int128))
    with pytest.raises(InputError, match=r"column 'age' holds integers of 128 bits; cast it"):
        OneForMany(pipeline(), share="point").explain(wide)
    twice = pa.table([[1], [2]], names=["age", "age"])
    with pytest.raises(InputError, match=r"columns of one name; keep one of each: .*\n- 'age' 2 times"):
        OneForMany(pipeline(), share="point").explain(twice)


def test_pyarrow_tables_are_read():
    model = pipeline()
    table = pa.Table.from_pandas(FRAME)
    result = OneForMany(model, max_changes=2, share="point").explain(table)
    assert (model.predict(result.apply(table)) == 1).all()


def test_polars_reference_data_are_read():
    result, _ = explained(pipeline(), FRAME, reference=pl.from_pandas(rows(200, 2)))
    assert result.count


def test_nullable_integers_with_gaps_are_read():
    frame = FRAME[["age", "income"]].assign(age=FRAME["age"].astype("Int64"))
    frame.loc[::6, "age"] = pd.NA
    model = HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(frame, TARGET)
    _, moved = explained(model, frame)
    assert moved["age"].dtype == "Int64"


def test_arrow_numbers_are_read():
    frame = FRAME[["age", "income"]].astype({"age": "int64[pyarrow]", "income": "double[pyarrow]"})
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(frame, TARGET)
    _, moved = explained(model, frame)
    assert (moved.dtypes == frame.dtypes).all()


def test_arrow_texts_are_read():
    frame = FRAME.astype({"job": pd.ArrowDtype(pa.string())})
    explained(pipeline(), frame)


@pytest.mark.parametrize("dtype", ["string", "category", object])
def test_texts_of_every_type_are_read(dtype):
    frame = FRAME.astype({"job": dtype})
    _, moved = explained(pipeline(), frame)
    assert moved["job"].dtype == frame["job"].dtype


@pytest.mark.parametrize("dtype", ["boolean", object, "int8", "bool[pyarrow]"])
def test_truth_values_of_every_type_are_read(dtype):
    frame = FRAME.assign(home=FRAME["home"].astype(dtype))
    _, moved = explained(pipeline(), frame)
    assert moved["home"].dtype == frame["home"].dtype


def test_small_numbers_keep_their_type():
    frame = FRAME.astype({"age": "int8", "income": "float32"})
    _, moved = explained(pipeline(), frame)
    assert (moved.dtypes == frame.dtypes).all()


@pytest.mark.parametrize("kind", ["xgboost", "lightgbm", "sklearn"])
def test_categories_that_boosting_reads_natively_are_read(kind):
    frame = FRAME.astype({"job": pd.CategoricalDtype(JOBS), "home": int})
    model = {
        "xgboost": xgboost.XGBClassifier(n_estimators=10, max_depth=3, enable_categorical=True, n_jobs=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=10, min_child_samples=3, n_jobs=1, verbose=-1),
        "sklearn": HistGradientBoostingClassifier(
            max_iter=10, min_samples_leaf=3, categorical_features="from_dtype"
        ),
    }[kind].fit(frame, TARGET)
    _, moved = explained(model, frame)
    assert moved["job"].dtype == frame["job"].dtype


@pytest.mark.parametrize("kind", ["xgboost", "lightgbm", "sklearn"])
def test_categories_in_another_order_than_in_training_are_read(kind):
    frame = FRAME.astype({"job": pd.CategoricalDtype(JOBS), "home": int})
    model = {
        "xgboost": xgboost.XGBClassifier(n_estimators=10, max_depth=3, enable_categorical=True, n_jobs=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=10, min_child_samples=3, n_jobs=1, verbose=-1),
        "sklearn": HistGradientBoostingClassifier(
            max_iter=10, min_samples_leaf=3, categorical_features="from_dtype"
        ),
    }[kind].fit(frame, TARGET)
    explained(model, frame.astype({"job": pd.CategoricalDtype(JOBS[::-1])}))


@pytest.mark.parametrize("kind", ["category", "str"])
def test_reference_data_may_know_more_categories_than_the_rows(kind):
    reference = FRAME.astype({"job": pd.CategoricalDtype(JOBS), "home": int})
    model = HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=3, categorical_features="from_dtype")
    model.fit(reference, TARGET)
    frame = reference[reference["job"] != "full"]
    frame = frame.assign(job=frame["job"].cat.remove_unused_categories())
    result, _ = explained(model, frame, reference=reference.astype({"job": kind}))
    job = result.schema.features[result.schema.index("job")]
    assert job.target(job.find("full")) is not None


def test_native_categories_with_gaps_are_read():
    frame = FRAME.astype({"job": pd.CategoricalDtype(JOBS), "home": int})
    frame.loc[::6, "job"] = None
    model = HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=3, categorical_features="from_dtype")
    result, _ = explained(model.fit(frame, TARGET), frame)
    assert result.schema.features[2].levels[-1] == "missing"


@pytest.mark.parametrize(
    "jobs",
    [["ä", "b"], ["Selbständig", "angestellt"], ["keine", "Selbständig", "ä"], ["日本", "本日", "x"]],
    ids=lambda jobs: jobs[0],
)
def test_native_categories_may_have_any_letters(jobs):
    frame = rows(300)[["age", "job"]]
    frame["job"] = pd.Categorical(np.array(jobs)[np.arange(300) % len(jobs)])
    target = (frame["age"] / 40 + (frame["job"] == jobs[0]) > 1.3).astype(int)
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, enable_categorical=True).fit(frame, target)
    result, _ = explained(model, frame, share="action")
    assert "black box" not in result.summary()


@pytest.mark.parametrize("order", [["ü", "b", "ä"], ["ä", "ö", "ü"]], ids=["another order", "equal pieces"])
def test_native_categories_that_xgboost_confuses_are_left_to_its_predict(order):
    frame = rows(300)[["age", "job"]]
    texts = np.array(sorted(order))[np.arange(300) % 3]
    frame["job"] = pd.Categorical(texts)
    target = (frame["age"] / 40 + (frame["job"] == "ä") > 1.3).astype(int)
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, enable_categorical=True).fit(frame, target)
    result, _ = explained(model, frame.assign(job=pd.Categorical(texts, order)), share="action")
    assert "black box" in result.summary()


def test_ordered_categories_keep_their_order():
    frame = FRAME.astype({"job": pd.CategoricalDtype(JOBS, ordered=True)})
    steps = make_column_transformer((OrdinalEncoder(categories=[JOBS]), ["job"]), ("passthrough", ["age"]))
    model = make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(frame, TARGET)
    result, _ = explained(model, frame)
    assert result.schema.features[result.schema.index("job")].levels == tuple(JOBS)
    assert result.schema.features[result.schema.index("job")].ordered


DATES = {
    "days": pd.date_range("2020-01-01", periods=len(FRAME)),
    "plain": [dt.date(2020, 1, 1 + n % 28) for n in range(len(FRAME))],
    "spans": pd.to_timedelta(np.arange(len(FRAME)), unit="D"),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_that_might_move_say_what_to_do(kind):
    with pytest.raises(
        InputError, match=r"'since' holds dates .*immutable=\['since'\]; or turn them into numbers"
    ):
        OneForMany(lambda given: np.zeros(len(given)), max_changes=1, share="point").explain(
            FRAME.assign(since=DATES[kind])
        )


@pytest.mark.parametrize("share", ["point", "action"])
@pytest.mark.parametrize("kind", DATES)
def test_dates_that_cannot_change_are_shown_to_a_function_as_they_are(kind, share):
    frame = FRAME.assign(since=DATES[kind])
    late = sorted(frame["since"])[len(frame) // 2]

    def chance(given):
        assert set(given["since"]) <= set(frame["since"])
        return np.where((given["age"] > 30) & (given["since"] >= late), 0.9, 0.1)

    result = OneForMany(chance, max_changes=1, rules=[Immutable("since")], share=share).explain(frame)
    moved = result.apply(frame)
    assert result.covered == (frame["since"] >= late).sum() - (chance(frame) > 0.5).sum()
    assert (chance(moved) > 0.5).all()
    assert moved["since"].tolist() == frame.loc[moved.index, "since"].tolist()
    assert len(result.unreachable) == (frame["since"] < late).sum()


def test_dates_of_later_batches_are_kept_as_well():
    first = FRAME.assign(since=pd.Timestamp("2020-01-01"))
    later = FRAME.assign(since=pd.Timestamp("2024-01-01"))

    def chance(given):
        return np.where((given["age"] > 30) & (given["since"].dt.year > 2022), 0.9, 0.1)

    result = OneForMany(chance, max_changes=1, rules=[Immutable("since")], share="point").explain(
        iter([first, later])
    )
    assert result.covered == len(later) - (chance(later) > 0.5).sum()
    assert sum(result.problem["people"][entry.row] for entry in result.unreachable) == len(first)


def test_dates_that_the_model_does_not_read_do_not_matter():
    frame = FRAME.assign(since=pd.date_range("2020-01-01", periods=len(FRAME)))
    _, moved = explained(pipeline(), frame, read=lambda given: given.drop(columns="since"))
    assert moved.columns.tolist() == frame.columns.tolist()


def test_dates_that_a_pipeline_encodes_stay_as_they_are():
    frame = FRAME.assign(since=pd.date_range("2020-01-01", periods=6).repeat(10))
    steps = make_column_transformer((OneHotEncoder(), ["job", "since"]), remainder=StandardScaler())
    model = make_pipeline(steps, LogisticRegression()).fit(frame, TARGET)
    with pytest.raises(InputError, match=r"'since' holds dates .*immutable=\['since'\]"):
        OneForMany(model, max_changes=2, share="point").explain(frame)
    explained(model, frame, rules=[Immutable("since")])
