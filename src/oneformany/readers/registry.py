"""Which reader understands which model, decided by the names of its type: no framework is imported for it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import NoneType
from typing import Any, Literal

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.oracles.protocol import Oracle
from oneformany.readers.columns import Rows, as_fitted, encoding_for, inputs_for, reads_schema
from oneformany.readers.verdict import ProbabilityVerdict, Reading, Verdict, class_number, is_regressor
from oneformany.readers.wrappers import (
    ANSWERS,
    is_graph,
    is_wrapper,
    model_name,
    named,
    own_answer,
    threshold_inside,
    unwrapped,
)
from oneformany.schema.encoding import Encoding
from oneformany.schema.schema import Schema

N_CONFIRMED = 64


@dataclass(frozen=True)
class Reader:
    """A kind of model and the function that reads it; :func:`register_reader` says what the parts mean.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> read = lambda model, encoding, threshold, positive: AdditiveOracle([[0, 1]])
    >>> Reader("scorecard", lambda kind: kind.__name__ == "Card", read).matches(int)
    False
    """

    kind: str
    matches: Callable[[type], bool]
    read: str | Callable[..., Any]
    reads: Literal["columns", "labels", "frames"] = "columns"
    probabilities: str | Callable[..., Any] | None = None

    def verdict(
        self, model: object, inputs: Callable[[Any], Any], threshold: float | None, positive: object
    ) -> Verdict | ProbabilityVerdict:
        """Make the last word of a model that reads columns; ``inputs`` turns points into what it reads."""
        if self.probabilities is None:
            return Verdict(model, inputs, threshold, positive)
        own = partial(load(self.probabilities), model)
        return ProbabilityVerdict(own, inputs, threshold, class_number(positive, model_name(model)))


def is_function(kind: type) -> bool:
    """Whether objects of a type are functions, that is can be called; classes make objects when called."""
    called = any("__call__" in vars(base) for base in kind.__mro__) and not issubclass(kind, type)
    return called or named("oneformany", "BlackBox")(kind)


PIPELINE = ".inputs:read_pipeline"
TREES = ".trees.libraries:read_trees"
ISOLATION = ".trees.isolation:read_isolation_forest"
_BOOSTER = ".trees.libraries:class_probabilities"
_NETWORK, _OUTPUTS = ".networks.graphs:read_network", ".networks.graphs:class_probabilities"
READERS: list[Reader] = [
    Reader(
        "linear classifiers and naive Bayes of scikit-learn, and CalibratedClassifierCV (sigmoid, one "
        "calibrator) over these",
        named(
            "sklearn",
            *("LinearDiscriminantAnalysis", "LinearSVC", "LogisticRegression", "NuSVC", "Perceptron"),
            *("RidgeClassifier", "RidgeClassifierCV", "SGDClassifier", "SVC", "CalibratedClassifierCV"),
            *("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
        ),
        ".linear:read_linear",
    ),
    Reader(
        "trees, forests, bagging and boosting of scikit-learn",
        named(
            "sklearn",
            *("AdaBoostClassifier", "BaggingClassifier", "DecisionTreeClassifier", "ExtraTreesClassifier"),
            *("GradientBoostingClassifier", "HistGradientBoostingClassifier", "RandomForestClassifier"),
        ),
        TREES,
    ),
    Reader("isolation forests of scikit-learn", named("sklearn", "IsolationForest"), ISOLATION),
    Reader("XGBClassifier", named("xgboost", "XGBClassifier"), TREES),
    Reader("boosters of XGBoost", named("xgboost", "Booster"), TREES, probabilities=_BOOSTER),
    Reader("LGBMClassifier", named("lightgbm", "LGBMClassifier"), TREES),
    Reader("CatBoostClassifier", named("catboost", "CatBoostClassifier"), TREES),
    Reader("boosters of LightGBM", named("lightgbm", "Booster"), TREES, probabilities=_BOOSTER),
    Reader("MLPClassifier", named("sklearn", "MLPClassifier"), ".networks.feed_forward:read_mlp"),
    Reader(
        "PyTorch modules of linear layers and ReLU",
        named("torch", "Module"),
        _NETWORK,
        probabilities=_OUTPUTS,
    ),
    Reader(
        "ONNX graphs of linear layers and ReLU (or the path to one)",
        is_graph,
        _NETWORK,
        probabilities=_OUTPUTS,
    ),
    Reader(
        "explainable boosting machines of interpret",
        named("interpret", "ExplainableBoostingClassifier"),
        ".boosting_machine:read_boosting_machine",
        "frames",
    ),
    Reader(
        "pipelines of scikit-learn that end in one of these", named("sklearn", "Pipeline"), PIPELINE, "frames"
    ),
    Reader(
        "scorecards (dict of feature to level to points)",
        named("builtins", "dict"),
        ".callables:read_scorecard",
        "labels",
    ),
    Reader(
        "functions from frames to probabilities, as black boxes",
        is_function,
        ".callables:read_function",
        "frames",
    ),
]


def register_reader(
    kind: str,
    matches: type | Callable[[type], bool],
    read: str | Callable[..., Any],
    reads: Literal["columns", "labels", "frames"] = "columns",
    probabilities: str | Callable[..., Any] | None = None,
) -> Reader:
    """Teach the front door to read another kind of model; it is tried before those known so far.

    Parameters
    ----------
    kind : str
        What is read, in words, for messages.
    matches : type or callable
        The class of these models, or a function that says whether a class is one of them. To match
        a class of a library that may not be installed see :func:`~oneformany.readers.wrappers.named`.
    read : callable or str
        The reading function, or where it is, as ``"module:function"``, to be imported when it is needed. An
        oracle that it returns and that has a method ``decided_by(verdict)`` is given the model's own verdict,
        to ask it about points at which rounding could decide; ``doubtful(codes)`` may say which these are.
    reads : {"columns", "labels", "frames"}
        What the model itself reads, and so how the function is called:

        - columns of numbers, which is usual: with ``(model, encoding, threshold, positive)``; it returns an
          :class:`~oneformany.oracles.protocol.Oracle`, often an
          :class:`~oneformany.oracles.additive.AdditiveOracle`,
          :class:`~oneformany.oracles.trees.oracle.TreeOracle` or
          :class:`~oneformany.oracles.network.oracle.NetworkOracle`;
        - labels of levels: with ``(model, schema, threshold, positive)``; it returns a :class:`Reading`;
        - frames: with ``(model, rows, threshold, positive)``, where ``rows.frame(codes)`` is a frame; it
          returns a :class:`Reading`, often with ``Verdict(model, rows.frame, threshold, positive)``.
    probabilities : callable or str, optional
        For models that read columns and have neither ``predict`` nor ``classes_``: a function
        ``(model, columns)`` that returns an ``(n, classes)`` array, or where it is.

    Returns
    -------
    Reader
        The new entry of :data:`READERS`; remove it from there to forget it.

    Examples
    --------
    >>> import numpy as np
    >>> import oneformany as ofm
    >>> class Majority:
    ...     '''Positive is a row of which more than half is 1.'''
    ...     classes_ = (0, 1)
    ...     def predict(self, matrix):
    ...         return (matrix.mean(axis=1) > 0.5).astype(int)
    >>> def read(model, encoding, threshold, positive):
    ...     tables = [block[:, 0] for block in encoding.values]
    ...     return ofm.AdditiveOracle(tables, threshold=encoding.width / 2, margin=0.1)
    >>> reader = ofm.readers.register_reader("majorities", Majority, read)
    >>> READERS.remove(reader)  # forgotten again
    """
    if reads not in ("columns", "labels", "frames"):
        raise InputError(f"reads is {reads!r}; it must be 'columns', 'labels' or 'frames'")
    of_type = (lambda other: issubclass(other, matches)) if isinstance(matches, type) else matches
    reader = Reader(kind, of_type, read, reads, probabilities)
    READERS.insert(0, reader)
    return reader


def first_step(model: AnyModel) -> AnyModel:
    """Find what reads the frame: the model itself, its first step, or the classifier that a function asks."""
    model, is_pipeline = unwrapped(model), named("sklearn", "Pipeline")
    if is_pipeline(type(model)) and not own_answer(model, is_pipeline):
        steps = (inner for _, inner in model.steps if inner is not None and not isinstance(inner, str))
        return first_step(next(steps))
    if is_function(type(model)) and not hasattr(model, "feature_names_in_"):
        function: AnyModel = getattr(model, "function", model)
        owner: AnyModel = getattr(function, "__self__", None)
        if named("oneformany", "_Asked")(type(owner)):
            owner = owner.model
        elif getattr(function, "__name__", None) not in ANSWERS:
            return None  # it may read more than its owner
        return None if owner is None else first_step(owner)
    return model


def reader_for(model: object) -> Reader:
    """Find the first reader that understands a model; without one, ``UnsupportedModelError`` is raised."""
    inner = unwrapped(model)
    kind = type(inner)
    found = next((reader for reader in READERS if reader.matches(kind)), None)
    known = is_wrapper if found is None else found.matches
    added = found is None or found.probabilities is None
    if known is not is_function and known(kind) and (own := own_answer(inner, known, added=added)):
        raise UnsupportedModelError(
            f"{kind.__name__} has a {own} of its own; pass a function that returns its probabilities"
        )
    if found is not None:
        return found
    kinds = "; ".join(reader.kind for reader in READERS)
    what = f"the class {model.__name__}, not fitted," if isinstance(model, type) else kind.__name__
    if is_regressor(kind):
        what += ", a regressor,"
    elif hasattr(inner, "get_params") and not any(name.endswith("_") for name in vars(inner)):
        what += ", not fitted,"
    raise UnsupportedModelError(
        f"{what} cannot be read as a classifier; supported are: {kinds}. A function can be its predict_proba"
    )


def reads_levels(model: object, schema: Schema | None) -> bool:
    """Whether a model reads the levels of a schema, rather than the columns of a frame."""
    reads = reader_for(model).reads
    return reads == "labels" or (
        reads == "columns" and schema is not None and reads_schema(unwrapped(model), schema)
    )


def read_model(
    model: object,
    source: Schema | Encoding | None,
    threshold: float | None = None,
    positive: object = 1,
    frame: pd.DataFrame | None = None,
) -> Reading:
    """Read a model for the engine as :func:`oracle_for` does, and keep its own verdict at hand."""
    reader, inner = reader_for(model), unwrapped(model)
    if not isinstance(source, (Schema, Encoding, NoneType)):
        raise InputError(f"source is a {type(source).__name__}, not a Schema or an Encoding; rows are frame=")
    least = threshold_inside(model, threshold, positive)
    if reader.reads == "columns":
        if source is None:
            raise InputError(f"{type(inner).__name__} reads columns: pass a schema or an encoding")
        encoding = source if isinstance(source, Encoding) else encoding_for(inner, source)
        oracle: Oracle = load(reader.read)(inner, encoding, least, positive)
        return Reading(oracle, reader.verdict(model, inputs_for(inner, encoding), threshold, positive))
    if isinstance(source, Encoding):
        raise InputError(f"{type(inner).__name__} reads rows by name: pass a schema, not an encoding")
    first = first_step(inner)
    rows = None if reader.reads == "labels" else Rows.of(source, frame, first)
    reading: Reading = load(reader.read)(inner, rows or source, least, positive)
    if rows is None or inner is model:
        return reading
    decide = Verdict(model, lambda codes: as_fitted(first, rows.frame(codes)), threshold, positive)
    return replace(reading, verdict=decide)


def oracle_for(
    model: object,
    source: Schema | Encoding | None,
    threshold: float | None = None,
    positive: object = 1,
    frame: pd.DataFrame | None = None,
) -> Oracle:
    """Read a model for the engine.

    Parameters
    ----------
    model : object
        A fitted classifier.
    source : Schema, Encoding or None
        The features, or how their codes become the columns that the model reads; models that read frames
        can do without.
    threshold : float or None
        Least probability (or decision value, for models without probabilities) of a positive point;
        ``None``: as the model's ``predict`` decides.
    positive : object
        Label of the positive class.
    frame : DataFrame, optional
        Rows, for models that read frames: levels are values that occur there.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from oneformany import Feature, Schema
    >>> schema = Schema(tuple(Feature(name, ("0", "1"), numbers=(0, 1)) for name in ("job", "own")))
    >>> model = LogisticRegression().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> oracle_for(model, schema).levels
    (2, 2)
    """
    reading = read_model(model, source, threshold, positive, frame)
    oracle = reading.oracle
    if reader_for(model).reads == "columns":  # no rows are at hand to compare with, so random points are
        codes = np.random.default_rng(0).integers(oracle.levels, size=(N_CONFIRMED, len(oracle.levels)))
        wrong = oracle.positive(codes) != reading.verdict(codes)
        if wrong.any() and not (hasattr(oracle, "doubtful") and oracle.doubtful(codes)[wrong].all()):
            raise PredictionMismatchError(
                f"{type(model).__name__} was read, but its own answers differ: it does something else than "
                "it says; pass a function that returns its probabilities instead"
            )
    return oracle


def load(where: str | Callable[..., Any]) -> Callable[..., Any]:
    """Import a function that is named as ``"module:function"``."""
    if not isinstance(where, str):
        return where
    module, _, name = where.partition(":")
    function: Callable[..., Any] = getattr(import_module(module, "oneformany.readers"), name)
    return function
