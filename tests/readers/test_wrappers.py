"""Tests of classifiers that pass rows on to another one, and of classes that answer in a way of their own."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.exceptions import UnsupportedModelError
from oneformany.readers.registry import read_model, reader_for
from oneformany.readers.wrappers import unwrapped

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.integers(0, 4, (60, 3)).astype(float), columns=["a", "b", "c"])
TARGET = np.where(FRAME.sum(axis=1) + RNG.integers(-2, 3, 60) > 4, "yes", "no")


class Stricter:
    """Mixed into a class: accept only half of what it accepts."""

    def predict(self, frame):
        said = super().predict(frame)
        return np.where(np.asarray(frame)[:, 0] % 2, said, "no")


def stricter(kind):
    """A class like another one, with a ``predict`` of its own."""
    return type(f"Stricter{kind.__name__}", (Stricter, kind), {"__init__": kind.__init__})


class StricterFrozen(FrozenEstimator):
    """Passes rows on to a model, and accepts only half of what that accepts."""

    def predict(self, frame):
        return np.where(np.asarray(frame)[:, 0] % 2, self.estimator.predict(frame), "no")


def line():
    return LogisticRegression().fit(FRAME, TARGET)


OWN = {
    "search": lambda: stricter(GridSearchCV)(LogisticRegression(), {"C": [1.0]}, cv=2),
    "frozen": lambda: StricterFrozen(line()),
    "cutoff": lambda: stricter(FixedThresholdClassifier)(LogisticRegression()),
    "tuned": lambda: stricter(TunedThresholdClassifierCV)(LogisticRegression(), cv=2),
    "pipeline": lambda: stricter(Pipeline)([("scale", StandardScaler()), ("line", LogisticRegression())]),
    "pipeline inside": lambda: make_pipeline(
        StandardScaler(), stricter(Pipeline)([("line", LogisticRegression())])
    ),
    "searched": lambda: GridSearchCV(stricter(LogisticRegression)(), {"C": [1.0]}, cv=2),
    "in a frozen search": lambda: FrozenEstimator(
        GridSearchCV(stricter(DecisionTreeClassifier)(), {"max_depth": [1]}, cv=2).fit(FRAME, TARGET)
    ),
    "calibrated": lambda: stricter(CalibratedClassifierCV)(LogisticRegression(), ensemble=False),
    "forest": lambda: stricter(RandomForestClassifier)(3, random_state=0),
    "boosting": lambda: AdaBoostClassifier(stricter(DecisionTreeClassifier)(), n_estimators=2),
}


@pytest.mark.parametrize("name", OWN)
def test_a_class_with_a_predict_of_its_own_is_asked_not_read(name):
    model = OWN[name]().fit(FRAME, TARGET)
    with pytest.raises(UnsupportedModelError, match=r"Stricter\w+ has a predict of its own"):
        read_model(
            model, None if isinstance(model, Pipeline) else ofm.infer_schema(FRAME), None, "yes", FRAME
        )
    result = ofm.OneForMany(model, max_changes=2, positive="yes", share="point").explain(FRAME)
    assert len(result.assignment) == int((model.predict(FRAME) == "no").sum())
    assert "has a predict of its own" in result.summary()


def test_an_answer_that_was_put_on_a_model_or_added_by_its_class_is_its_own():
    model = line()
    model.predict = lambda frame: np.full(len(frame), "no")
    with pytest.raises(UnsupportedModelError, match="LogisticRegression has a predict of its own"):
        reader_for(model)

    class Sure(LinearSVC):
        def predict_proba(self, frame):
            return np.tile([0.2, 0.8], (len(frame), 1))

    with pytest.raises(UnsupportedModelError, match="Sure has a predict_proba of its own"):
        reader_for(Sure().fit(FRAME, TARGET))

    class Doubting(xgboost.Booster):
        def predict(self, *given, **named):
            return super().predict(*given, **named) / 2

    with pytest.raises(UnsupportedModelError, match="Doubting has a predict of its own"):
        reader_for(Doubting())


def test_a_pipeline_with_a_predict_of_its_own_is_shown_the_columns_that_its_first_step_drops():
    model = stricter(Pipeline)(
        [("keep", ColumnTransformer([("some", "passthrough", ["b", "c"])])), ("line", LogisticRegression())]
    ).fit(FRAME, TARGET)
    result = ofm.OneForMany(model, max_changes=2, positive="yes", share="point").explain(FRAME)
    assert (model.predict(result.apply(FRAME)) == "yes").all()
    assert any(FRAME.columns.get_loc("a") in explanation.changed for explanation in result.explanations)


class Engineered(LogisticRegression):
    """Has a method that reads more than the model itself was fitted on."""

    def chance(self, frame):
        return np.where(frame["a"] > 1, self.predict_proba(frame[["b", "c"]])[:, 1], 0.0)


def test_a_method_reads_whatever_it_reads_and_not_only_what_its_owner_was_fitted_on():
    chance = Engineered().fit(FRAME[["b", "c"]], TARGET).chance
    result = ofm.OneForMany(chance, max_changes=2, positive="yes", share="point").explain(FRAME)
    assert result.covered
    assert (chance(result.apply(FRAME)) >= 0.5).all()


def totals(frame):
    return np.asarray(frame, dtype=float) + np.asarray(frame, dtype=float).sum(axis=1, keepdims=True)


class Mixing:
    """Mixed into a step: whatever it does, then columns are added to each other in some rows."""

    def transform(self, frame):
        made = np.asarray(super().transform(frame), dtype=float)
        return np.where(made[:, [0]] > 2, totals(made), made)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (ColumnTransformer, [("all", "passthrough", ["a", "b", "c"])]),
        (FeatureUnion, [("all", StandardScaler())]),
        (Pipeline, [("all", StandardScaler())]),
        (FunctionTransformer, None),
    ],
)
def test_a_step_with_a_transform_of_its_own_may_mix_features(kind, given):
    step = type("MixingStep", (Mixing, kind), {"__init__": kind.__init__})(given)
    model = make_pipeline(step, LogisticRegression()).fit(FRAME, TARGET)
    with pytest.raises(UnsupportedModelError, match="MixingStep, may mix features"):
        read_model(model, None, None, "yes", FRAME)


def test_steps_are_gone_through_as_predict_does_whatever_the_class_of_a_pipeline_adds():
    kind = type("MixingPipeline", (Mixing, Pipeline), {"__init__": Pipeline.__init__})
    model = kind([("scale", StandardScaler()), ("line", LogisticRegression())]).fit(FRAME, TARGET)
    schema = ofm.infer_schema(FRAME, bins=None)
    reading = read_model(model, schema, None, "yes", FRAME)
    accepted = model.predict(FRAME) == "yes"
    assert (reading.oracle.positive(schema.encode(FRAME)) == accepted).all()


def scores(model, label):
    if hasattr(model, "predict_proba"):
        return model.predict_proba(FRAME)[:, list(model.classes_).index(label)]
    return model.decision_function(FRAME) * (1 if label == "yes" else -1)


MODELS = {
    "line": LogisticRegression(),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "vectors": LinearSVC(),
    "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    "forest": RandomForestClassifier(2, max_depth=2, random_state=0),
    "bagging": BaggingClassifier(n_estimators=3, random_state=0),
    "frozen search": GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2),
}


@pytest.mark.parametrize("positive", ["yes", "no"])
@pytest.mark.parametrize("label", ["yes", "no", None])
@pytest.mark.parametrize("name", MODELS)
def test_a_cutoff_is_read_as_its_own_predict_decides_ties_included(name, label, positive):
    inner = MODELS[name].fit(FRAME, TARGET)
    schema = ofm.infer_schema(FRAME, bins=None)
    codes = schema.encode(FRAME)
    for cutoff in [*np.unique(scores(inner, label or "yes"))[1:-1:2].tolist(), "auto"]:
        model = FixedThresholdClassifier(FrozenEstimator(inner), threshold=cutoff, pos_label=label)
        last = make_pipeline(FunctionTransformer(), model)
        for given in (model, model.fit(FRAME, TARGET), FrozenEstimator(model), last.fit(FRAME, TARGET)):
            reading = read_model(given, schema, None, positive, FRAME)
            accepted = given.predict(FRAME) == positive
            assert (reading.verdict(codes) == accepted).all()
            assert (reading.oracle.positive(codes) == accepted).all()


def test_a_threshold_that_is_asked_for_comes_before_the_cutoff():
    model = FixedThresholdClassifier(LogisticRegression(), threshold=0.9).fit(FRAME, TARGET)
    schema = ofm.infer_schema(FRAME, bins=None)
    reading = read_model(model, schema, 0.3, "yes", FRAME)
    accepted = model.predict_proba(FRAME)[:, 1] >= 0.3
    assert (reading.oracle.positive(schema.encode(FRAME)) == accepted).all()


@pytest.mark.parametrize("label", ["yes", "no"])
def test_a_tuned_cutoff_is_read_with_the_label_that_it_was_tuned_for(label):
    scorer = make_scorer(f1_score, pos_label=label)
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=3).fit(FRAME, TARGET)
    assert unwrapped(model) is model.estimator_
    for positive in ("yes", "no"):
        result = ofm.OneForMany(model, max_changes=1, positive=positive, share="point").explain(FRAME)
        assert "unread" not in result.problem["model"]
        assert len(result.assignment) == int((model.predict(FRAME) != positive).sum())
        assert (model.predict(result.apply(FRAME)) == positive).all()


@pytest.mark.parametrize(
    "options", [{"threshold": 0.0}, {"threshold": 1.5}, {"response_method": "decision_function"}]
)
def test_a_cutoff_that_is_not_one_on_probabilities_is_asked(options):
    model = FixedThresholdClassifier(LogisticRegression(), **options).fit(FRAME, TARGET)
    with pytest.raises(
        UnsupportedModelError, match=r"a threshold that is not a probability .* pass a function"
    ):
        read_model(model, ofm.infer_schema(FRAME), None, "yes")
    if options.get("threshold") != 0.0:
        result = ofm.OneForMany(model, max_changes=1, positive="yes", share="point").explain(FRAME)
        assert "has a threshold that is not a probability" in result.summary()


def test_wrappers_that_are_not_fitted_are_refused():
    for model in (
        TunedThresholdClassifierCV(LogisticRegression()),
        FixedThresholdClassifier(LogisticRegression()),
        FrozenEstimator(LogisticRegression()),
    ):
        with pytest.raises(UnsupportedModelError, match="is not fitted"):
            read_model(model, ofm.infer_schema(FRAME), None, "yes")
