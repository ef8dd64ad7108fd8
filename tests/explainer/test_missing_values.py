"""Missing values and special codes in the rows: cells of their own, and targets only if asked for."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from explainer.raw_rows import FRAME, TARGET, explained, pipeline, with_gaps
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany
from oneformany.explainer.settings import Cells
from oneformany.verify import verify


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
    result, _ = explained(model, frame, cells=Cells(targets={"income": {"missing": "missing"}}))
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


def test_gaps_that_an_imputer_fills_before_an_encoder_stay_what_they_are():
    jobs = FRAME["job"].astype(object)
    frame = pd.DataFrame({"job": jobs.mask(FRAME.index % 5 == 1, None), "rooms": FRAME["age"] // 20 * 1.0})
    frame.loc[::7, "rooms"] = np.nan
    target = (frame["job"].isna() | (frame["rooms"] > 2)).astype(int)
    encoded = make_column_transformer((TEXT_STEPS["filled by the most frequent"](), ["job", "rooms"]))
    # None is not filled, and so a category; not-a-number is
    model = make_pipeline(encoded, LogisticRegression(C=100)).fit(frame, target)
    explained(model, frame)
    filled = frame.assign(job=jobs.mask(FRAME.index % 5 == 1, np.nan))
    assert (model.predict(filled) != model.predict(frame)).any()
    explained(model, filled)


def test_a_category_may_be_called_missing_beside_gaps():
    frame = FRAME.assign(job=FRAME["job"].replace("none", "missing").mask(FRAME.index % 5 == 0, None))
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder=StandardScaler()), LogisticRegression()
    ).fit(frame, TARGET)
    result = OneForMany(
        model, max_changes=2, share="action", cells=Cells(targets={"job": ["missing"]})
    ).explain(frame)
    job = result.schema.features[result.schema.index("job")]
    assert job.levels == ("full", "missing", "part", "missing_")
    assert model.predict(result.apply(frame)).all()
    assert verify(result.to_json()).ok


def test_the_missing_value_of_a_frame_is_what_a_row_is_sent_to():
    frame = pd.DataFrame({"job": pd.Series(["full", "part", None, "full"] * 5, dtype=object)})
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, frame["job"].isna().astype(int))
    _, moved = explained(model, frame, max_changes=1, cells=Cells(targets={"job": ["missing"]}))
    assert len(moved) == 15
    assert all(value is None for value in moved["job"])


def test_a_gap_that_the_model_cannot_read_says_so():
    frame = with_gaps(FRAME[["age", "income"]].astype(float))
    model = LogisticRegression().fit(frame.fillna(0), TARGET)
    with pytest.raises((InputError, ValueError), match=r"NaN|missing|not finite"):
        OneForMany(model, max_changes=2, share="point").explain(frame)


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
    result, moved = explained(model, frame, cells=Cells(special={"income": [-9, -8]}))
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
    result, _ = explained(model, frame, cells=Cells(special=special))
    assert result.schema.features[1].levels[-2:] == ("no record", "refused")
