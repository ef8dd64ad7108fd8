"""Tests of the front door with rows as people have them: each works, or says what to do."""

import datetime as dt
from decimal import Decimal

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xgboost
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from oneformany import Immutable, NeverTarget, Range
from oneformany.exceptions import InputError, OneForManyError, UnsupportedModelError
from oneformany.explainer import OneForMany
from oneformany.verify import verify

JOBS = ["none", "part", "full"]


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.gamma(2.0, 900.0, n).round(2),
            "job": rng.choice(JOBS, n),
            "home": rng.random(n) < 0.5,
        }
    )


def target_of(frame):
    score = frame["age"].fillna(40) / 40 + frame["income"].fillna(1500) / 2500 + (frame["job"] == "full")
    return (score > score.median()).astype(int).to_numpy()


FRAME = rows()
TARGET = target_of(FRAME)


def pipeline(**encoder):
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    steps = make_column_transformer(
        (numbers, ["age", "income"]), (OneHotEncoder(**encoder), ["job"]), ("passthrough", ["home"])
    )
    return make_pipeline(steps, LogisticRegression()).fit(FRAME, TARGET)


def boosting(frame=FRAME):
    numbers = frame[["age", "income"]].astype(float)
    return HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(numbers, TARGET)


def with_gaps(frame, column="income", every=4):
    return frame.assign(**{column: frame[column].where(np.arange(len(frame)) % every != 1)})


def explained(model, frame, read=None, **parameters):
    """Explain, and confirm by the model's own prediction that every covered row is accepted afterwards."""
    read = (lambda given: given) if read is None else read
    result = OneForMany(model, **({"max_changes": 2} | parameters)).explain(frame)
    moved = result.apply(frame)
    refused = model.predict(read(frame)) == 0
    covered = np.flatnonzero(np.array(result.assignment) >= 0)
    assert len(covered) + len(result.unreachable) == refused.sum()
    assert len(moved) == len(covered)
    if len(moved):
        assert (model.predict(read(moved)) == 1).all()
    return result, moved


def test_gaps_that_an_imputer_fills_are_a_cell_and_never_a_target():
    frame = with_gaps(FRAME)
    result, moved = explained(pipeline(), frame)
    income = result.schema.features[result.schema.index("income")]
    assert income.levels[-1] == "missing"
    assert income.target(income.n_levels - 1) is None
    given = frame.loc[moved.index, "income"]
    assert not (moved["income"].isna() & given.notna()).any()


@pytest.mark.parametrize("share", ["point", "action"])
def test_gaps_that_boosting_reads_are_a_cell(share):
    frame = with_gaps(FRAME[["age", "income"]].astype(float))
    model = HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(frame, TARGET)
    explained(model, frame, share=share)


@pytest.mark.parametrize("kind", ["xgboost", "lightgbm"])
def test_gaps_that_other_libraries_read_are_a_cell(kind):
    frame = with_gaps(FRAME[["age", "income"]].astype(float))
    model = {
        "xgboost": xgboost.XGBClassifier(n_estimators=10, max_depth=3, n_jobs=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=10, min_child_samples=4, n_jobs=1, verbose=-1),
    }[kind]
    explained(model.fit(frame, TARGET), frame)


def test_gaps_may_be_asked_for_as_a_target():
    frame = with_gaps(FRAME[["age", "income"]].astype(float))
    model = HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(frame, TARGET)
    result, _ = explained(model, frame, targets={"income": {"missing": "missing"}})
    income = result.schema.features[1]
    assert np.isnan(income.target(income.missing_level))


TEXT_STEPS = {
    "filled by the most frequent": lambda: make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder()
    ),
    "filled by a constant": lambda: make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?"), OneHotEncoder(handle_unknown="ignore")
    ),
    "one-hot": OneHotEncoder,
    "ordinal": lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
}


@pytest.mark.parametrize("gaps", [(None,), (np.nan,), (None, np.nan)], ids=["None", "nan", "both"])
@pytest.mark.parametrize("steps", TEXT_STEPS)
def test_missing_texts_are_read_as_they_are(steps, gaps):
    jobs = [gaps[at % len(gaps)] if at % 5 == 1 else job for at, job in enumerate(FRAME["job"])]
    frame = FRAME[["age"]].assign(job=pd.Series(jobs, dtype=object))
    target = (frame["age"] / 40 + frame["job"].map({"full": 1, "part": 0.5}).fillna(-0.3) > 1.3).astype(int)
    encoded = make_column_transformer((TEXT_STEPS[steps](), ["job"]), remainder="passthrough")
    classifier = RandomForestClassifier(10, random_state=0) if steps == "ordinal" else LogisticRegression()
    model = make_pipeline(encoded, classifier).fit(frame, target)
    result, moved = explained(model, frame, share="action")
    assert "missing" in next(f for f in result.schema.features if f.name == "job").levels
    stays = frame.loc[moved.index, "job"].isna() & moved["job"].isna()
    assert all(type(moved["job"][row]) is type(frame["job"][row]) for row in stays.index[stays])


def test_a_category_may_be_called_missing_beside_gaps():
    frame = FRAME.assign(job=FRAME["job"].replace("none", "missing").mask(FRAME.index % 5 == 0, None))
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder=StandardScaler()), LogisticRegression()
    ).fit(frame, TARGET)
    result = OneForMany(model, 2, targets={"job": ["missing"]}, share="action").explain(frame)
    job = result.schema.features[result.schema.index("job")]
    assert job.levels == ("full", "missing", "part", "missing_")
    assert model.predict(result.apply(frame)).all()
    assert verify(result.to_json()).ok


def test_the_missing_value_of_a_frame_is_what_a_row_is_sent_to():
    frame = pd.DataFrame({"job": pd.Series(["full", "part", None, "full"] * 5, dtype=object)})
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, frame["job"].isna().astype(int))
    _, moved = explained(model, frame, max_changes=1, targets={"job": ["missing"]})
    assert len(moved) == 15
    assert all(value is None for value in moved["job"])


def test_a_gap_that_the_model_cannot_read_says_so():
    frame = with_gaps(FRAME[["age", "income"]].astype(float))
    model = LogisticRegression().fit(frame.fillna(0), TARGET)
    with pytest.raises((InputError, ValueError), match=r"NaN|missing|not finite"):
        OneForMany(model, 2).explain(frame)


def test_a_column_of_gaps_only_is_one_cell():
    frame = FRAME[["age", "income"]].astype(float).assign(income=np.nan)
    model = HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(
        FRAME[["age", "income"]].astype(float), TARGET
    )
    result, _ = explained(model, frame)
    assert all(result.schema.features[1].target(cell) is None for cell in range(result.schema.levels[1]))


def test_special_codes_are_cells_of_their_own_and_never_targets():
    frame = FRAME[["age", "income"]].astype(float)
    frame.loc[::7, "income"] = -9
    frame.loc[3::9, "income"] = -8
    model = HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(frame, TARGET)
    result, moved = explained(model, frame, special={"income": [-9, -8]})
    assert result.schema.features[1].levels[-2:] == ("-9", "-8")
    changed = moved["income"] != frame.loc[moved.index, "income"]
    assert not moved["income"][changed].isin([-9, -8]).any()


def test_special_codes_have_names():
    frame = FRAME[["age", "income"]].astype(float)
    frame.loc[::7, "income"] = -9
    frame.loc[3::9, "income"] = -8
    frame.loc[5::11, "income"] = -7
    model = HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(frame, TARGET)
    special = {"income": {"no record": [-9, -8], "refused": -7}}
    result, _ = explained(model, frame, special=special)
    assert result.schema.features[1].levels[-2:] == ("no record", "refused")


def test_categories_that_the_encoder_does_not_know_are_never_targets():
    frame = FRAME.copy()
    frame.loc[::5, "job"] = "retired"
    result, moved = explained(pipeline(handle_unknown="ignore"), frame)
    job = result.schema.features[result.schema.index("job")]
    assert job.levels[-1] == "unseen in training"
    assert not ((moved["job"] == "retired") & (frame.loc[moved.index, "job"] != "retired")).any()


def test_categories_that_the_encoder_refuses_are_named():
    frame = FRAME.copy()
    frame.loc[5, "job"] = "retired"
    with pytest.raises(InputError, match="retired"):
        OneForMany(pipeline(), 2).explain(frame)


def test_categories_that_the_reference_data_lack_are_never_targets():
    reference = FRAME[FRAME["job"] != "none"]
    result, moved = explained(pipeline(), FRAME, reference=reference)
    job = result.schema.features[result.schema.index("job")]
    assert job.target(job.find("none")) is None
    assert not ((moved["job"] == "none") & (FRAME.loc[moved.index, "job"] != "none")).any()


def test_targets_and_edges_come_from_reference_data():
    reference = rows(400, 1)
    result, _ = explained(pipeline(), FRAME, reference=reference)
    for name in ("age", "income"):
        feature = result.schema.features[result.schema.index(name)]
        targets = [feature.target(cell) for cell in range(feature.n_levels)]
        assert set(targets) <= set(reference[name])


def test_no_rows_say_so():
    with pytest.raises(InputError, match="the rows are an empty frame"):
        OneForMany(pipeline(), 2).explain(FRAME.head(0))


def test_no_columns_say_so():
    with pytest.raises(InputError, match="have no columns"):
        OneForMany(pipeline(), 2).explain(FRAME[[]])


def test_a_single_row_cannot_move_without_reference_data_and_can_with_them():
    model = pipeline()
    row = FRAME[model.predict(FRAME) == 0].head(1)
    alone, _ = explained(model, row)
    assert (alone.status, len(alone.unreachable)) == ("infeasible", 1)
    helped, _ = explained(model, row, reference=FRAME)
    assert helped.count == 1


def test_columns_that_no_split_reads_stay_features_with_one_cell():
    frame = FRAME[["age", "income"]].assign(noise=1)
    frame.loc[::2, "noise"] = 0
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(frame, TARGET)
    result, _ = explained(model, frame, rules=[Immutable("noise")])
    assert result.schema.levels[2] == 1


def test_when_all_rows_are_positive_there_is_nothing_to_explain():
    model = pipeline()
    with pytest.raises(InputError, match="nothing to explain"):
        OneForMany(model, 2).explain(FRAME[model.predict(FRAME) == 1])


def test_texts_as_index_are_kept():
    frame = FRAME.set_axis([f"client {n}" for n in range(len(FRAME))])
    result, moved = explained(pipeline(), frame)
    assert moved.index.tolist() == [
        f"client {result.problem['rows'][n]}" for n in np.flatnonzero(np.array(result.assignment) >= 0)
    ]


def test_a_duplicated_index_is_kept():
    frame = FRAME.set_axis(np.zeros(len(FRAME), dtype=int))
    _, moved = explained(pipeline(), frame)
    assert set(moved.index) == {0}


def test_an_index_of_several_levels_is_kept():
    frame = FRAME.set_axis(pd.MultiIndex.from_product([["a", "b"], range(len(FRAME) // 2)], names=["x", "y"]))
    _, moved = explained(pipeline(), frame)
    assert moved.index.names == ["x", "y"]


def test_an_index_of_dates_is_kept():
    frame = FRAME.set_axis(pd.date_range("2024-01-01", periods=len(FRAME)))
    _, moved = explained(pipeline(), frame)
    assert isinstance(moved.index, pd.DatetimeIndex)


@pytest.mark.parametrize("name", [0, "0"])
def test_columns_may_be_numbered(name):
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1)
    model = LogisticRegression(max_iter=1000).fit(frame, TARGET)
    result, moved = explained(model, frame, rules=[Immutable(name)])
    assert result.schema.names == ("0", "1")
    assert moved.columns.tolist() == [0, 1]
    assert moved[0].tolist() == frame.loc[moved.index, 0].tolist()


def test_numbered_columns_may_have_edges():
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1)
    model = LogisticRegression(max_iter=1000).fit(frame, TARGET)
    result, _ = explained(model, frame, edges={1: [1000, 2000]})
    assert result.schema.features[1].edges == (1000, 2000)


def test_columns_may_be_called_by_tuples_and_their_index_has_a_name():
    labels = pd.Index([("x", 1), ("x", 2)], name="part", tupleize_cols=False)
    frame = FRAME[["age", "income"]].set_axis(labels, axis=1)

    def chance(rows):
        assert list(rows.columns) == list(labels)
        return (rows[[("x", 1)]].to_numpy()[:, 0] > 40) * 1.0

    result = OneForMany(chance, 1, rules=[Immutable(("x", 2))]).explain(frame)
    pd.testing.assert_index_equal(result.apply(frame).columns, labels)
    assert (chance(result.apply(frame)) == 1).all()


def test_a_function_gets_the_columns_by_their_own_names():
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1)

    def chance(given):
        return 1 / (1 + np.exp(-(given[0] / 20 + given[1] / 1500 - 4).to_numpy(float)))

    result = OneForMany(chance, 1).explain(frame)
    assert (chance(result.apply(frame)) >= 0.5).all()


def test_columns_whose_names_are_the_same_as_texts_are_refused():
    frame = FRAME[["age", "income"]].set_axis([1, "1"], axis=1)
    with pytest.raises(InputError, match="2 columns named '1'; keep one"):
        OneForMany(lambda given: np.zeros(len(given)), 1).explain(frame)


def test_columns_of_several_levels_are_refused():
    frame = FRAME[["age", "income"]]
    frame.columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    with pytest.raises(InputError, match="columns of several levels; join"):
        OneForMany(lambda given: np.zeros(len(given)), 1).explain(frame)


def test_polars_frames_are_read():
    model = pipeline()
    result = OneForMany(model, 2).explain(pl.from_pandas(FRAME))
    moved = result.apply(pl.from_pandas(FRAME))
    assert (model.predict(moved) == 1).all()
    assert result.problem["rows"] == np.flatnonzero(model.predict(FRAME) == 0).tolist()


def test_lazy_polars_frames_are_read():
    result = OneForMany(pipeline(), 2).explain(pl.from_pandas(FRAME).lazy())
    assert result.problem["rows"] == np.flatnonzero(pipeline().predict(FRAME) == 0).tolist()


@pytest.mark.parametrize("kind", [xgboost.XGBClassifier, lightgbm.LGBMClassifier])
def test_truth_values_with_gaps_in_a_polars_frame_are_read(kind):
    frame = FRAME[["age", "income"]].assign(home=FRAME["home"].astype("boolean").mask(FRAME["age"] > 50))
    model = kind(n_estimators=10, n_jobs=1, verbosity=0).fit(frame, TARGET)
    wanted = OneForMany(model, 2).explain(frame).assignment
    for given in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert OneForMany(model, 2).explain(given).assignment == wanted
    with pytest.raises(InputError, match=r"does not answer about the rows: .*dtype"):  # not: is missing
        OneForMany(model, 2).explain(frame.assign(home=frame["home"].astype(object).replace({pd.NA: None})))


def test_pyarrow_tables_are_read():
    model = pipeline()
    table = pa.Table.from_pandas(FRAME)
    result = OneForMany(model, 2).explain(table)
    assert (model.predict(result.apply(table)) == 1).all()


def test_polars_reference_data_are_read():
    result, _ = explained(pipeline(), FRAME, reference=pl.from_pandas(rows(200, 2)))
    assert result.count


@pytest.mark.parametrize("stranger", [np.zeros(3), [[1, 2]], {"age": [1]}, None, 7])
def test_what_is_not_a_frame_is_refused(stranger):
    with pytest.raises(InputError, match="must be a pandas DataFrame"):
        OneForMany(pipeline(), 2).explain(stranger)


@pytest.mark.parametrize("frames", [[FRAME, FRAME], (pl.from_pandas(FRAME),)])
def test_a_list_of_frames_is_refused_with_the_way_to_have_them_read_in_batches(frames):
    words = rf"the rows are a {type(frames).__name__} of frames; .* give iter\(frames\)"
    with pytest.raises(InputError, match=words):
        OneForMany(pipeline(), 2).explain(frames)


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
        InputError, match=r"'since' holds dates .*Immutable\('since'\); or turn them into numbers"
    ):
        OneForMany(lambda given: np.zeros(len(given)), 1).explain(FRAME.assign(since=DATES[kind]))


@pytest.mark.parametrize("share", ["point", "action"])
@pytest.mark.parametrize("kind", DATES)
def test_dates_that_cannot_change_are_shown_to_a_function_as_they_are(kind, share):
    frame = FRAME.assign(since=DATES[kind])
    late = sorted(frame["since"])[len(frame) // 2]

    def chance(given):
        assert set(given["since"]) <= set(frame["since"])
        return np.where((given["age"] > 30) & (given["since"] >= late), 0.9, 0.1)

    result = OneForMany(chance, 1, rules=[Immutable("since")], share=share).explain(frame)
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

    result = OneForMany(chance, 1, rules=[Immutable("since")]).explain(iter([first, later]))
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
    with pytest.raises(InputError, match=r"'since' holds dates .*Immutable\('since'\)"):
        OneForMany(model, 2).explain(frame)
    explained(model, frame, rules=[Immutable("since")])


def test_several_outputs_are_refused():
    ragged = np.stack([TARGET, np.arange(len(TARGET)) % 3], axis=1)
    for targets in (ragged, ragged % 2):
        model = RandomForestClassifier(2).fit(FRAME[["age", "income"]], targets)
        with pytest.raises(UnsupportedModelError, match="predicts 2 outputs; fit one model for each"):
            OneForMany(model, 2).explain(FRAME)


def test_further_columns_are_kept_as_they_are():
    frame = FRAME.assign(name=[f"n{n}" for n in range(len(FRAME))], list=[[n] for n in range(len(FRAME))])
    _, moved = explained(pipeline(), frame, read=lambda given: given.drop(columns=["name", "list"]))
    assert moved["name"].tolist() == frame.loc[moved.index, "name"].tolist()


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InputError, match="the frame lacks 'income'; add it"):
        OneForMany(pipeline(), 2).explain(FRAME.drop(columns="income"))


def test_a_column_that_the_reference_data_lack_is_named():
    with pytest.raises(InputError, match="reference data lack the column 'income'"):
        OneForMany(pipeline(), 2, reference=FRAME.drop(columns="income")).explain(FRAME)


def test_infinite_numbers_are_named():
    frame = FRAME.copy()
    frame.loc[7, "income"] = np.inf
    with pytest.raises(InputError, match="column 'income', row 7: the number is infinite"):
        OneForMany(pipeline(), 2).explain(frame)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([1, "two"] * 30, "'odd' holds numbers and texts: the first of these texts is 'two' in row 1"),
        ([[1]] * 60, "'odd' holds mixed values|more than single values"),
        ([Decimal("1.5"), Decimal("2.5")] * 30, "'odd' holds decimal values; turn them into"),
        ([1 + 2j, 3j] * 30, "'odd' holds complex values"),
    ],
)
def test_values_that_are_no_single_kind_are_refused(column, words):
    with pytest.raises(InputError, match=words):
        OneForMany(lambda given: np.zeros(len(given)), 1).explain(FRAME.assign(odd=column))


def test_texts_for_a_model_of_numbers_are_refused():
    model = LogisticRegression(max_iter=1000).fit(FRAME[["age", "income"]], TARGET)
    with pytest.raises(InputError, match="'age' holds texts, which LogisticRegression cannot read"):
        OneForMany(model, 2).explain(FRAME.assign(age="old"))


def test_numbers_written_as_texts_are_refused():
    model = LogisticRegression(max_iter=1000).fit(FRAME[["age", "income"]], TARGET)
    with pytest.raises((InputError, ValueError), match=r"texts|string"):
        OneForMany(model, 2).explain(FRAME.assign(age=FRAME["age"].astype(str) + " years"))


def test_very_large_and_very_small_numbers_are_read():
    frame = FRAME[["age", "income"]].assign(income=FRAME["income"] * 1e12, age=FRAME["age"] * 1e-9)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, TARGET)
    explained(model, frame)


def test_one_distinct_number_in_every_row_still_gives_groups():
    frame = pd.DataFrame({"x": np.linspace(0, 1, 80), "y": np.linspace(1, 0, 80) ** 2})
    model = LogisticRegression().fit(frame, (frame["x"] > 0.5).astype(int))
    result, _ = explained(model, frame, max_changes=1)
    assert result.count <= 8


def test_bins_of_the_pipeline_are_the_cells():
    steps = make_column_transformer(
        (KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"), ["age", "income"])
    )
    model = make_pipeline(steps, LogisticRegression()).fit(FRAME, TARGET)
    result, _ = explained(model, FRAME, read=lambda given: given)
    assert result.schema.levels == (4, 4, 1, 1)


def test_wishes_for_a_column_of_texts_are_refused():
    with pytest.raises(InputError, match="edges are given for column 'job', which holds category values"):
        OneForMany(pipeline(), 2, edges={"job": [1, 2]}).explain(FRAME)


def test_targets_that_are_one_value_are_refused():
    with pytest.raises(InputError, match="targets of 'age' must be a list of values or a dict"):
        OneForMany(pipeline(), 2, targets={"age": 30}).explain(FRAME)


def test_a_number_of_bins_concerns_only_columns_that_the_model_reads():
    numbers = FRAME[["age", "income"]]
    model = LogisticRegression(max_iter=1000).fit(numbers, TARGET)
    result = OneForMany(model, 2, bins=3).explain(FRAME.assign(number=range(len(FRAME))))
    assert result.count == OneForMany(model, 2, bins=3).explain(numbers).count


def test_targets_of_columns_on_which_nothing_depends_or_which_hold_dates_do_no_harm():
    frame, model = with_names(FRAME), dropping()
    result = OneForMany(model, 2, targets={"name": ["person 1"]}).explain(frame)
    assert (model.predict(result.apply(frame)) == 1).all()
    with pytest.raises(InputError, match="'born' holds dates or times"):
        OneForMany(model, 2, targets={"born": [frame["born"][0]]}).explain(frame)


def test_rules_may_name_values_in_cells():
    result, moved = explained(pipeline(), FRAME, rules=[NeverTarget("job", ["full"])])
    assert not ((moved["job"] == "full") & (FRAME.loc[moved.index, "job"] != "full")).any()
    assert result.problem["rows"]


def test_a_cell_offers_a_number_that_the_rules_allow_if_it_has_one():
    frame = pd.DataFrame({"amount": [200, 300, 500, 800, 1100, 1200, 1300, 3000, 4000]})
    rules = [Range("amount", low=1000), Range("amount", high=1250)]
    asked = {"edges": {"amount": [1500]}, "rules": rules}
    result = OneForMany(lambda rows: (rows["amount"] < 2000) * 1.0, 1, **asked).explain(frame)
    assert result.apply(frame)["amount"].tolist() == [1100, 1100]
    free = OneForMany(lambda rows: (rows["amount"] < 2000) * 1.0, 1, edges=asked["edges"]).explain(frame)
    assert free.schema.features[0].targets == (800, 3000)


def test_an_unfitted_model_and_a_regressor_are_refused():
    with pytest.raises(UnsupportedModelError, match="not fitted"):
        OneForMany(LogisticRegression(), 1).explain(FRAME)
    with pytest.raises(OneForManyError):
        OneForMany(LogisticRegression, 1).explain(FRAME)


def with_names(frame):
    """Columns that a pipeline was given and drops: whatever they hold, nothing depends on them."""
    people = [f"person {number}" for number in range(len(frame))]
    born = pd.Timestamp("1990-01-01") + pd.to_timedelta(np.arange(len(frame)), "D")
    return frame.assign(name=people, born=born, notes=[[1, 2]] * len(frame))


def dropping():
    steps = make_column_transformer((StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["job"]))
    return make_pipeline(steps, LogisticRegression()).fit(with_names(FRAME), TARGET)


def test_columns_that_a_pipeline_drops_may_hold_anything(tmp_path):
    frame, model = with_names(FRAME), dropping()
    result = OneForMany(model, 2, share="action", rules=[Immutable("name")], reference=frame).explain(frame)
    plain = make_pipeline(*(step for _, step in model.steps)).fit(FRAME, TARGET)
    assert result.count == OneForMany(plain, 2, share="action", reference=FRAME).explain(FRAME).count
    assert (model.predict(result.apply(frame)) == 1).all()
    assert result.schema.features[result.schema.index("born")].levels == ("any value",)
    new = frame[model.predict(frame) == 0].assign(name="somebody new", born=pd.NaT)
    assert result.assign(new, model=model).tolist() == [n for n in result.assignment if n >= 0]
    result.to_json(tmp_path / "result.json")
    assert verify(tmp_path / "result.json").outcome == "confirmed"


@pytest.mark.parametrize("classifier", [SVC(), CalibratedClassifierCV(LogisticRegression(), cv=2)])
def test_columns_that_an_unread_pipeline_drops_may_hold_anything(classifier):
    frame = with_names(FRAME)
    steps = make_column_transformer((StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["job"]))
    model = make_pipeline(steps, classifier).fit(frame, TARGET)
    for asked in [model, GridSearchCV(model, {}, cv=2).fit(frame, TARGET)]:
        result, _ = explained(asked, frame, max_changes=1, share="action")
        assert "black box" in result.summary()
        assert result.schema.features[result.schema.index("born")].levels == ("any value",)


@pytest.mark.parametrize("chosen", [[0, 1], slice(0, 2), slice("age", "income"), [True, True, *[False] * 4]])
def test_columns_that_a_pipeline_drops_are_known_however_the_others_were_chosen(chosen):
    frame = with_names(FRAME[["age", "income", "job"]])
    model = make_pipeline(ColumnTransformer([("numbers", StandardScaler(), chosen)]), LogisticRegression())
    result, _ = explained(model.fit(frame, TARGET), frame, max_changes=2, share="action")
    unread = [feature.name for feature in result.schema.features if feature.levels == ("any value",)]
    assert unread == ["job", "name", "born", "notes"]


def test_columns_are_chosen_by_their_place_where_names_are_numbers():
    frame = pd.DataFrame({1: FRAME["age"], 0: with_names(FRAME)["born"]})
    model = make_pipeline(ColumnTransformer([("age", StandardScaler(), [0])]), LogisticRegression())
    result, _ = explained(model.fit(frame, TARGET), frame, max_changes=1, share="action")
    assert [feature.name for feature in result.schema.features if feature.n_levels > 1] == ["1"]


def test_columns_that_a_pipeline_drops_make_no_rows_distinct():
    frame = pd.concat([FRAME, FRAME], ignore_index=True)
    frame = with_names(frame).drop(columns="notes")
    model = make_pipeline(*(step for _, step in dropping().steps)).fit(frame, np.tile(TARGET, 2))
    refused = int((model.predict(frame) == 0).sum())
    result = OneForMany(model, 2, share="action", reference=frame).explain(iter([frame]))
    assert (len(result.assignment), result.people) == (refused // 2, refused)


def test_a_missing_value_that_the_model_cannot_read_is_named():
    model = make_pipeline(
        make_column_transformer((SimpleImputer(), ["age"]), (StandardScaler(), ["income"])),
        LogisticRegression(),
    ).fit(FRAME, TARGET)
    frame = FRAME.set_axis([f"p{number}" for number in range(len(FRAME))], axis=0).astype({"age": float})
    frame.iloc[3, 0] = np.nan
    frame.iloc[5, 1] = np.nan
    with pytest.raises(InputError, match="column 'income', row p5: the value is missing, and the model does"):
        OneForMany(model, 2).explain(frame)


def test_a_row_alone_is_told_where_other_values_come_from():
    model = pipeline()
    refused = FRAME[model.predict(FRAME) == 0].head(1)
    alone = OneForMany(model, 2).explain(refused)
    assert alone.status == "infeasible"
    assert "no column has another value to go to; reference data would offer some" in alone.summary()
    assert OneForMany(model, 3, reference=FRAME).explain(refused).covered == 1


def test_a_path_without_a_file_is_named():
    with pytest.raises(InputError, match=r"there is no file 'model\.onnx'; a model that is a path"):
        OneForMany("model.onnx", 2).explain(FRAME)


def test_a_target_that_is_a_text_in_a_column_of_numbers_is_told():
    frame = pd.DataFrame({"income": np.arange(40.0), "debts": np.arange(40) % 3})
    model = LogisticRegression().fit(frame, frame["income"] > 20)
    with pytest.raises(InputError, match="targets of 'income' must be numbers, as the column is, not 'rich'"):
        OneForMany(model, 1, targets={"income": ["rich"]}).explain(frame)


def three_classes():
    frame = pd.DataFrame({"a": [0, 1, 2, 0, 1, 2] * 5, "b": [0, 0, 0, 1, 1, 1] * 5})
    return frame, LogisticRegression(C=100).fit(frame, frame["a"])


def test_of_more_than_two_classes_the_positive_one_has_to_be_named():
    frame, model = three_classes()
    with pytest.raises(InputError, match=r"tells 3 classes apart \(0, 1, 2\); name the positive one"):
        OneForMany(model, max_changes=1).explain(frame)
    explainer = OneForMany(model, max_changes=1, positive=2)
    result = explainer.explain(frame)
    assert (model.predict(result.apply(frame)) == 2).all()
    assert result.problem["model"]["positive"] == 2
    # The model alone is asked about the class that the rows were explained for.
    assert result.assign(frame, model).tolist() == result.assign(frame, explainer).tolist()
    assert (result.assign(frame, model) < 0).tolist() == (frame["a"] == 2).tolist()


def test_an_array_of_numbers_is_a_frame_whose_columns_are_numbered():
    frame, _ = three_classes()
    rows, labels = frame.to_numpy(), (frame["a"] + frame["b"] > 1).astype(int)
    model = LogisticRegression(C=100).fit(rows, labels)
    result = OneForMany(model, max_changes=2).explain(rows)
    assert result.status == "optimal"
    assert model.predict(result.apply(rows).to_numpy()).all()
    with pytest.raises(InputError, match="not ndarray"):
        OneForMany(model, max_changes=2).explain(rows[:, 0])
