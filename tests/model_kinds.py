"""One small fitted model of every kind that can be read, and what its library itself says of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from oneformany.readers.registry import read_model
from oneformany.schema.encoding import Encoding
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from tree_questions import all_points

LEVELS = (2, 3, 2, 3)
POINTS = all_points(LEVELS)
ENCODING = Encoding.from_blocks([np.arange(2.0)[:, None], np.eye(3), np.eye(2), np.arange(3.0)[:, None]])
COLUMNS = Encoding.from_blocks([np.arange(float(n))[:, None] for n in LEVELS])
SCHEMA = Schema(tuple(Feature(f"f{i}", tuple("abcd"[:n]), ordered=False) for i, n in enumerate(LEVELS)))
FRAME = pd.DataFrame(
    {f.name: [f.levels[code] for code in POINTS[:, i]] for i, f in enumerate(SCHEMA.features)}
)


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of model.

    Attributes
    ----------
    fit : callable
        Makes a fitted model from codes, target and seed.
    source : Encoding or Schema
        What it is read with.
    chances : callable
        From the model to what its library says of all points: one column of scores per class.
    frame : DataFrame or None
        Rows for models that read frames.
    unfitted : callable or None
        Makes the model without fitting it.
    needs_threshold : bool
        Whether it has no ``predict`` to agree with.
    classes : tuple of int
        The classes that can be asked for.
    """

    fit: Callable[[Any, Any, int], Any]
    source: Any = ENCODING
    chances: Callable[[Any], Any] | None = None
    frame: Any = None
    unfitted: Callable[[], Any] | None = None
    needs_threshold: bool = False
    classes: tuple[int, ...] = (0, 1)

    def scores(self, model):
        """The scores of all points, a column per class."""
        if self.chances is not None:
            return np.asarray(self.chances(model))
        inputs = self.inputs()
        if hasattr(model, "predict_proba"):
            return model.predict_proba(inputs)
        decision = model.decision_function(inputs)
        return np.stack([-decision, decision], axis=1)

    def predicted(self, model):
        """The index of the class that the library predicts for each point."""
        if self.chances is not None:
            return self.scores(model).argmax(axis=1)
        return np.searchsorted(model.classes_, model.predict(self.inputs()))

    def inputs(self):
        """All points as the model reads them."""
        return FRAME if self.frame is not None else self.source.encode(POINTS)

    def read(self, model, threshold, positive):
        """Read the model."""
        return read_model(model, self.source, threshold, positive, self.frame)


def rows(seed):
    """Codes, every level among them, and a noisy target of both classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(LEVELS, size=(24, len(LEVELS)))
    codes[: max(LEVELS)] = [[code % n for n in LEVELS] for code in range(max(LEVELS))]
    target = ((codes[:, 0] + codes[:, 1] > 1) ^ (rng.random(24) < 0.2)).astype(int)
    target[:2] = [0, 1]
    return codes, target


def _fitted(make, source=ENCODING):
    def fit(codes, target, seed):
        model = make()
        if "random_state" in model.get_params():
            model.set_params(random_state=seed % 1000)
        return model.fit(source.encode(codes), target)

    return Kind(fit, source, unfitted=make)


def _round_weights(make):
    """A linear model whose weights are multiples of a quarter, so that scores tie with the threshold."""

    def fit(codes, target, _seed):
        model = make().fit(ENCODING.encode(codes), target)
        model.coef_ = np.rint(4 * model.coef_) / 4
        model.intercept_ = np.rint(4 * model.intercept_) / 4
        return model

    return Kind(fit)


def _round_network(codes, target, seed):
    model = MLPClassifier((3,), max_iter=5, random_state=seed % 1000).fit(ENCODING.encode(codes), target)
    model.coefs_ = [np.rint(2 * weights) / 2 for weights in model.coefs_]
    model.intercepts_ = [np.rint(2 * bias) / 2 for bias in model.intercepts_]
    return model


def _torch(round_weights):
    def fit(_codes, _target, seed):
        import torch

        torch.manual_seed(seed)
        model = torch.nn.Sequential(torch.nn.Linear(7, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).eval()
        if round_weights:
            with torch.no_grad():
                for weight in model.parameters():
                    weight.copy_(torch.round(4 * weight) / 4)
        return model

    def chances(model):
        import torch

        with torch.no_grad():
            p = model(torch.as_tensor(ENCODING.encode(POINTS), dtype=torch.float32)).sigmoid()
        p = p.double().numpy()[:, 0]
        return np.stack([1 - p, p], axis=1)

    return Kind(fit, chances=chances)


def _onnx():
    def fit(_codes, _target, seed):
        from onnx import TensorProto, helper, numpy_helper

        rng = np.random.default_rng(seed)
        arrays = {
            "w": np.rint(4 * rng.normal(size=(7, 3))) / 4,
            "b": np.rint(4 * rng.normal(size=3)) / 4,
            "v": np.rint(4 * rng.normal(size=(3, 1))) / 4,
        }
        nodes = [
            helper.make_node("Gemm", ["x", "w", "b"], ["h"]),
            helper.make_node("Relu", ["h"], ["r"]),
            helper.make_node("MatMul", ["r", "v"], ["y"]),
        ]
        graph = helper.make_graph(
            nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 7])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 1])],
            [numpy_helper.from_array(a.astype(np.float32), name) for name, a in arrays.items()],
        )
        return helper.make_model(graph)

    def chances(model):
        from onnx.reference import ReferenceEvaluator

        (logit,) = ReferenceEvaluator(model).run(None, {"x": ENCODING.encode(POINTS).astype(np.float32)})
        p = np.exp(-np.logaddexp(0, -logit[:, 0])).astype(np.float64)  # as it is read
        return np.stack([1 - p, p], axis=1)

    return Kind(fit, chances=chances)


def _xgboost(**options):
    def make():
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1, **options)

    return _fitted(make)


def _lightgbm():
    def make():
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=4, max_depth=2, min_child_samples=1, n_jobs=1, verbose=-1)

    return _fitted(make, COLUMNS)


def _xgboost_booster():
    wrapped = _xgboost()

    def chances(model):
        import xgboost

        p = model.predict(xgboost.DMatrix(ENCODING.encode(POINTS))).astype(float)
        return np.stack([1 - p, p], axis=1)

    return Kind(lambda *given: wrapped.fit(*given).get_booster(), chances=chances)


def _lightgbm_booster():
    wrapped = _lightgbm()

    def chances(model):
        p = model.predict(COLUMNS.encode(POINTS))
        return np.stack([1 - p, p], axis=1)

    return Kind(lambda *given: wrapped.fit(*given).booster_, COLUMNS, chances=chances)


def _frames(make):
    def fit(codes, target, seed):
        return make(seed % 1000).fit(_frame(codes), target)

    return Kind(fit, SCHEMA, frame=FRAME, unfitted=lambda: make(0))


def _frame(codes):
    return pd.DataFrame(
        {f.name: [f.levels[code] for code in codes[:, i]] for i, f in enumerate(SCHEMA.features)}
    )


def _boosting_machine(seed):
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(
        interactions=1, max_rounds=5, outer_bags=1, n_jobs=1, random_state=seed, validation_size=0
    )


def _function():
    def fit(codes, target, seed):
        model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(max_depth=2, random_state=seed % 1000))
        return model.fit(_frame(codes), target).predict_proba

    return Kind(fit, SCHEMA, frame=FRAME, chances=lambda model: model(FRAME), needs_threshold=True)


def _catboost():
    def make():
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            iterations=6, depth=2, learning_rate=0.5, thread_count=1, verbose=0, allow_writing_files=False
        )

    def fit(codes, target, seed):
        return make().set_params(random_seed=seed % 1000).fit(ENCODING.encode(codes), target)

    return Kind(fit, unfitted=make)


def _isolation_forest():
    def fit(codes, _target, seed):
        model = IsolationForest(n_estimators=5, random_state=seed % 1000, contamination=0.3)
        return model.fit(ENCODING.encode(codes))

    def chances(model):
        usual = model.decision_function(ENCODING.encode(POINTS))
        return np.stack([np.where(usual == 0, -1.0, -usual), usual], axis=1)  # 0 is usual

    return Kind(fit, chances=chances, unfitted=IsolationForest, classes=(1,))


def _scorecard():
    def fit(_codes, _target, seed):
        rng = np.random.default_rng(seed)
        features = SCHEMA.features[1:]  # one is left out: it gives no points
        return {f.name: {level: int(rng.integers(-3, 7)) / 10 for level in f.levels} for f in features}

    def chances(model):
        tables = [
            [round(10 * model[f.name][level]) for level in f.levels] if f.name in model else [0] * f.n_levels
            for f in SCHEMA.features
        ]
        tenths = [sum(table[code] for table, code in zip(tables, point, strict=True)) for point in POINTS]
        points = np.array(tenths) / 10
        return np.stack([-points, points], axis=1)

    return Kind(fit, SCHEMA, chances=chances, needs_threshold=True, classes=(1,))


KINDS = {
    "tree": _fitted(lambda: DecisionTreeClassifier(max_depth=3)),
    "extra tree": _fitted(lambda: ExtraTreeClassifier(max_depth=3)),
    "forest of 2": _fitted(lambda: RandomForestClassifier(2)),
    "forest of 3 small": _fitted(lambda: RandomForestClassifier(3, max_depth=2)),
    "forest of 4": _fitted(lambda: RandomForestClassifier(4, min_samples_leaf=3)),
    "extra trees": _fitted(lambda: ExtraTreesClassifier(4)),
    "bagging": _fitted(lambda: BaggingClassifier(n_estimators=4, max_features=0.6)),
    "bagging, one input per tree": _fitted(lambda: BaggingClassifier(n_estimators=6, max_features=1)),
    "gradient boosting": _fitted(lambda: GradientBoostingClassifier(n_estimators=4, max_depth=2)),
    "gradient boosting, stumps": _fitted(lambda: GradientBoostingClassifier(n_estimators=4, max_depth=1)),
    "exponential loss": _fitted(
        lambda: GradientBoostingClassifier(n_estimators=4, max_depth=2, loss="exponential")
    ),
    "histogram boosting": _fitted(lambda: HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=2)),
    "isolation forest": _isolation_forest(),
    "XGBoost": _xgboost(),
    "XGBoost, one tree": _xgboost(learning_rate=1.0, base_score=0.5),
    "XGBoost booster": _xgboost_booster(),
    "CatBoost": _catboost(),
    "LightGBM": _lightgbm(),
    "LightGBM booster": _lightgbm_booster(),
    "logistic regression": _fitted(LogisticRegression),
    "logistic regression, round": _round_weights(LogisticRegression),
    "linear support vectors": _fitted(LinearSVC),
    "linear support vectors, round": _round_weights(LinearSVC),
    "linear kernel": _fitted(lambda: SVC(kernel="linear", C=100)),
    "ridge": _fitted(RidgeClassifier),
    "perceptron": _fitted(Perceptron),
    "gradient descent": _fitted(lambda: SGDClassifier(loss="log_loss")),
    "gradient descent, hinge": _fitted(SGDClassifier),
    "discriminant analysis": _fitted(LinearDiscriminantAnalysis),
    "Bernoulli": _fitted(BernoulliNB),
    "categorical": _fitted(lambda: CategoricalNB(min_categories=LEVELS), COLUMNS),
    "complement": _fitted(ComplementNB),
    "Gaussian": _fitted(GaussianNB),
    "multinomial": _fitted(MultinomialNB),
    "calibrated": _fitted(
        lambda: CalibratedClassifierCV(LogisticRegression(), method="sigmoid", ensemble=False, cv=2)
    ),
    "cutoff": _fitted(lambda: FixedThresholdClassifier(RandomForestClassifier(2, random_state=0))),
    "cutoff, other label": _fitted(
        lambda: FixedThresholdClassifier(DecisionTreeClassifier(max_depth=2), threshold=0.25, pos_label=0)
    ),
    "cutoff of decision values": _fitted(lambda: FixedThresholdClassifier(LinearSVC(), threshold=0.2)),
    "tuned cutoff": _fitted(
        lambda: TunedThresholdClassifierCV(
            LogisticRegression(), cv=2, thresholds=5, scoring=make_scorer(f1_score, pos_label=0)
        )
    ),
    "perceptron of two layers": _fitted(lambda: MLPClassifier((4,), max_iter=20)),
    "perceptron of two layers, round": Kind(_round_network),
    # A framework that a machine may lack: the head of the test run says whether it is there.
    **(
        {"torch": _torch(round_weights=False), "torch, round": _torch(round_weights=True)}
        if find_spec("torch")
        else {}
    ),
    "ONNX, round": _onnx(),
    "boosting machine": _frames(_boosting_machine),
    "pipeline": _frames(
        lambda seed: make_pipeline(OneHotEncoder(), RandomForestClassifier(2, random_state=seed))
    ),
    "function": _function(),
    "scorecard": _scorecard(),
}
