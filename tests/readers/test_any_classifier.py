"""Tests of classifiers that cannot be read: they are asked through their own predict."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import oneformany as ofm
from oneformany.exceptions import UnsupportedModelError

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "income": RNG.integers(0, 60, 80),
        "debt": RNG.integers(0, 30, 80),
        "home": RNG.choice(["rent", "own", "family"], 80),
    },
    index=[f"p{number}" for number in range(80)],
)
ACCEPTED = np.where(FRAME["income"] - FRAME["debt"] + 10 * (FRAME["home"] == "own") > 20, "yes", "no")


def numbers():
    return make_column_transformer((OneHotEncoder(), ["home"]), remainder=StandardScaler())


def two():
    return [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]


MODELS = {
    "kernel": make_pipeline(numbers(), SVC()),
    "neighbours": make_pipeline(numbers(), KNeighborsClassifier()),
    "mixing step": make_pipeline(numbers(), PCA(3), LogisticRegression()),
    "vote": make_pipeline(numbers(), VotingClassifier(two(), voting="soft")),
    "stack": make_pipeline(numbers(), StackingClassifier(two(), cv=2)),
    "cutoff": FixedThresholdClassifier(
        make_pipeline(numbers(), LogisticRegression()), threshold=0.8, response_method="decision_function"
    ),
    "calibrated pipelines": CalibratedClassifierCV(make_pipeline(numbers(), LogisticRegression()), cv=2),
}


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("name", MODELS)
def test_a_classifier_that_cannot_be_read_is_asked(name, share):
    model = MODELS[name].fit(FRAME, ACCEPTED)
    result = ofm.OneForMany(
        model, max_changes=2, share=share, positive="yes", cells=ofm.Cells(bins=3)
    ).explain(FRAME)
    refused = FRAME[model.predict(FRAME) == "no"]
    assert list(result.index) == list(refused.index)
    assert result.status == "optimal"
    assert result.covered > 0
    assert (model.predict(result.apply(FRAME)) == "yes").all()
    assert "The model was asked as a black box, because: " in result.summary()


def test_the_answer_is_that_of_the_reading_where_there_is_one():
    model = make_pipeline(numbers(), LogisticRegression()).fit(FRAME, ACCEPTED)
    cutoff = FixedThresholdClassifier(model, threshold=0.7).fit(FRAME, ACCEPTED)
    read = ofm.OneForMany(
        cutoff.estimator_,
        max_changes=2,
        threshold=0.7,
        positive="yes",
        cells=ofm.Cells(bins=4),
        share="point",
    ).explain(FRAME)
    itself = ofm.OneForMany(
        cutoff, max_changes=2, positive="yes", cells=ofm.Cells(bins=4), share="point"
    ).explain(FRAME)
    told = cutoff.set_params(threshold=np.log(7 / 3), response_method="decision_function")
    asked = ofm.OneForMany(
        told, max_changes=2, positive="yes", cells=ofm.Cells(bins=4), share="point"
    ).explain(FRAME)
    assert read.count == itself.count == asked.count
    assert (read.status, itself.status, asked.status) == ("optimal", "optimal", "optimal")
    assert read.problem["oracle"] == itself.problem["oracle"]
    assert "unread" not in read.problem["model"]
    assert "FixedThresholdClassifier has a threshold that is not a prob" in asked.problem["model"]["unread"]


def test_a_threshold_is_kept_by_models_with_probabilities_and_with_decision_values():
    near = make_pipeline(numbers(), KNeighborsClassifier(7)).fit(FRAME, ACCEPTED)
    result = ofm.OneForMany(
        near, max_changes=2, positive="yes", threshold=0.8, cells=ofm.Cells(bins=3), share="point"
    ).explain(FRAME)
    assert len(result.assignment) == int((near.predict_proba(FRAME)[:, 1] < 0.8).sum())
    assert (near.predict_proba(result.apply(FRAME))[:, 1] >= 0.8).all()
    kernel = make_pipeline(numbers(), SVC()).fit(FRAME, ACCEPTED)
    result = ofm.OneForMany(
        kernel, max_changes=2, positive="yes", threshold=0.5, cells=ofm.Cells(bins=3), share="point"
    ).explain(FRAME)
    assert (kernel.decision_function(result.apply(FRAME)) >= 0.5).all()


def test_a_model_fitted_on_an_array_is_asked_with_arrays():
    plain = FRAME[["income", "debt"]]
    model = KNeighborsClassifier().fit(plain.to_numpy(), ACCEPTED)
    result = ofm.OneForMany(
        model, max_changes=1, positive="yes", cells=ofm.Cells(bins=4), share="point"
    ).explain(plain)
    assert (model.predict(result.apply(plain).to_numpy()) == "yes").all()


def test_one_of_several_classes_is_asked_for_with_columns_by_name_and_a_threshold():
    plain = FRAME[["debt", "income"]].set_axis(["all debts", "yearly income"], axis=1)
    kinds = np.where(plain["yearly income"] > 40, "rich", ACCEPTED)
    boosted = LGBMClassifier(n_estimators=3, min_child_samples=5, verbose=-1).fit(plain, kinds)
    wide = plain[plain.columns[::-1]].assign(name="somebody")
    result = ofm.OneForMany(
        boosted, max_changes=2, positive="yes", cells=ofm.Cells(bins=4), share="point"
    ).explain(wide)
    assert (boosted.predict(result.apply(wide)[plain.columns]) == "yes").all()
    line = LogisticRegression(max_iter=1000).fit(plain, kinds)
    result = ofm.OneForMany(
        line, max_changes=2, threshold=0.4, positive="yes", cells=ofm.Cells(bins=4), share="point"
    ).explain(plain)
    assert result.covered
    assert (line.predict_proba(result.apply(plain))[:, 2] >= 0.4).all()
    assert "a threshold on the probability of one of them is not additive" in result.summary()


def test_a_model_that_does_not_answer_about_the_rows_is_refused_with_the_reason():
    model = KNeighborsClassifier().fit(FRAME[["income", "debt"]], ACCEPTED)
    with pytest.raises(ofm.InputError, match="KNeighborsClassifier was fitted on 2 columns, the frame lacks"):
        ofm.OneForMany(model, positive="yes", share="point").explain(FRAME[["home"]])
    with pytest.raises(UnsupportedModelError, match="KNeighborsClassifier, not fitted, cannot be read"):
        ofm.OneForMany(KNeighborsClassifier(), positive="yes", share="point").explain(FRAME)
    with pytest.raises(ofm.InputError, match="not one of the model's classes"):
        ofm.OneForMany(model, positive="maybe", share="point").explain(FRAME[["income", "debt"]])


@pytest.mark.parametrize("row", [0, 1, 5])
@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("income", "much", "'income' holds numbers and texts: the first of these texts is 'much' in row {}"),
        ("home", "castle", "'home', row {}: the model was not fitted on 'castle'"),
        ("home", None, "'home', row {}: the value is missing, and the model does not read missing values"),
        (
            "income",
            None,
            "'income', row {}: the value is missing, and the model does not read missing values",
        ),
    ],
)
def test_a_value_that_the_model_refuses_is_named_wherever_it_stands(column, value, words, row):
    model = make_pipeline(numbers(), KNeighborsClassifier()).fit(FRAME, ACCEPTED)
    values = FRAME[column].tolist()
    values[row] = value
    with pytest.raises(ofm.InputError, match=words.format(f"p{row}")):
        ofm.OneForMany(model, positive="yes", share="point").explain(FRAME.assign(**{column: values}))


class Fussy(KNeighborsClassifier):
    """Answers about nothing."""

    def predict(self, _frame):
        raise KeyError("purse")


def test_a_model_that_answers_about_nothing_is_told_in_its_own_words():
    model = Fussy().fit(FRAME[["income", "debt"]], ACCEPTED)
    with pytest.raises(ofm.InputError, match="Fussy does not answer about the rows: KeyError 'purse'"):
        ofm.OneForMany(model, positive="yes", share="point").explain(FRAME[["income", "debt"]])


def test_a_model_that_was_read_tells_what_it_cannot_answer():
    model = CategoricalNB().fit([[0], [1], [1]], [0, 1, 1])
    with pytest.raises(ofm.InputError, match="does not answer about the rows: IndexError index 2 is out"):
        ofm.OneForMany(model, share="point").explain(pd.DataFrame({"a": [0, 2]}))


class Engineered:
    """Asks a model that was fitted on other columns than the frame has."""

    def __init__(self):
        made = self.made(FRAME)
        self.model = LogisticRegression().fit(made, ACCEPTED == "yes")

    def made(self, frame):
        numbers = frame.select_dtypes("number")
        return pd.DataFrame({"sum": numbers.sum(axis=1), "most": numbers.max(axis=1)})

    def chance(self, frame):
        return self.model.predict_proba(self.made(frame))


def test_a_function_reads_the_frame_whatever_the_model_behind_it_reads():
    engineered = Engineered()
    result = ofm.OneForMany(engineered.chance, max_changes=2, share="action").explain(FRAME)
    assert result.covered
    assert (engineered.chance(result.apply(FRAME))[:, 1] >= 0.5).all()


def test_a_threshold_for_a_model_that_only_predicts_is_refused_with_a_remedy():
    columns = FRAME[["income", "debt"]]
    model = VotingClassifier(two(), voting="hard").fit(columns, ACCEPTED)
    with pytest.raises(ofm.InputError, match=r"neither probabilities .* leave threshold= out"):
        ofm.OneForMany(model, max_changes=2, threshold=0.6, positive="yes", share="point").explain(columns)


def test_a_model_that_predicts_several_numbers_for_a_row_is_refused_with_a_remedy():
    columns = FRAME[["income", "debt"]]
    model = XGBClassifier(n_estimators=3, objective="multi:softprob", num_class=2)
    model.fit(columns, ACCEPTED == "yes")
    with pytest.raises(ofm.InputError, match=r"shape \(80, 2\) for 80 rows.*binary:logistic"):
        ofm.OneForMany(model, max_changes=2, share="point").explain(columns)


def test_boosting_that_ends_its_sums_early_is_asked_even_where_no_row_shows_it():
    columns = FRAME[["income", "debt"]]
    early = {"pred_early_stop": True, "pred_early_stop_freq": 1, "pred_early_stop_margin": 0.1}
    model = LGBMClassifier(n_estimators=30, min_child_samples=5, verbose=-1, **early)
    model.fit(columns, ACCEPTED == "yes")
    row = columns[~model.predict(columns)].iloc[[0]]
    result = ofm.OneForMany(model, max_changes=2, reference=columns, share="point").explain(row)
    assert "pred_early_stop" in result.summary()
    assert model.predict(result.apply(row)).all()


class Ratio(TransformerMixin, BaseEstimator):
    """Reads columns by name, and keeps nothing of what it was fitted on."""

    def fit(self, _frame, _target=None):
        return self

    def transform(self, frame):
        return np.column_stack([frame["income"] - frame["debt"], frame["home"] == "own"])

    def __sklearn_is_fitted__(self):
        return True


class ByHand:
    """Is not of scikit-learn; its classes are a list."""

    classes_ = ["no", "yes"]  # noqa: RUF012 (as people write it)

    def predict(self, frame):
        return ["yes" if gap > 0 else "no" for gap in frame["income"] - frame["debt"]]


@pytest.mark.parametrize(
    "model", [make_pipeline(Ratio(), LogisticRegression()).fit(FRAME, ACCEPTED), ByHand()]
)
def test_a_model_that_reads_columns_by_name_gets_the_frame(model):
    result = ofm.OneForMany(model, max_changes=2, positive="yes", share="point").explain(FRAME)
    assert result.problem["rows"] == np.flatnonzero(np.array(model.predict(FRAME)) == "no").tolist()
    assert set(model.predict(result.apply(FRAME))) == {"yes"}


def test_a_model_that_reads_an_array_gets_an_array():
    class OfArrays(ByHand):
        def predict(self, matrix):
            return np.where(matrix[:, 1] < matrix[:, 0], "yes", "no")

    numbers = FRAME[["income", "debt"]].to_numpy()
    result = ofm.OneForMany(OfArrays(), max_changes=2, positive="yes", share="point").explain(numbers)
    assert set(OfArrays().predict(result.apply(numbers).to_numpy())) == {"yes"}
