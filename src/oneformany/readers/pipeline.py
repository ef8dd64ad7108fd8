"""Read scikit-learn pipelines: their steps as an encoding, their last step by its own reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer

from oneformany.anything import AnyFrame, AnyModel
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.columns import Rows, probe, same_inputs, wanted_columns
from oneformany.readers.registry import Reader, named, reader_for, unwrapped
from oneformany.readers.verdict import FrameVerdict, Reading, Verdict, class_index
from oneformany.schema.discretise import infer_schema
from oneformany.schema.schema import Schema

ENCODERS = frozenset(
    {
        *("Binarizer", "KBinsDiscretizer", "MaxAbsScaler", "MinMaxScaler", "OneHotEncoder", "OrdinalEncoder"),
        *("PowerTransformer", "QuantileTransformer", "RobustScaler", "SimpleImputer", "SplineTransformer"),
        *("StandardScaler", "TargetEncoder"),
    }
)
"""Steps that make columns of one column each."""

SELECTORS = frozenset(
    {
        *("GenericUnivariateSelect", "RFE", "RFECV", "SelectFdr", "SelectFpr", "SelectFromModel"),
        *("SelectFwe", "SelectKBest", "SelectPercentile", "SequentialFeatureSelector", "VarianceThreshold"),
    }
)
"""Steps that leave columns out."""

KEEPING = frozenset({"SimpleImputer", "str", "NoneType"})
"""Steps before an encoder that leave a column a column of the same values."""


def read_pipeline(
    model: Pipeline,
    schema: Schema | None = None,
    frame: pd.DataFrame | None = None,
    threshold: float | None = None,
    positive: object = 1,
) -> Reading:
    """Read a fitted pipeline of feature-by-feature steps that ends in a classifier which can be read.

    What each level becomes is seen: frames in which one feature takes each of its levels go through the
    steps. Without a schema every distinct value is a level, and columns that the steps ignore are left out.
    """
    reader, transform, classifier = open_pipeline(model, positive)
    rows = _rows(transform, wanted_columns(first_step(model), frame, schema), schema, frame)
    encoding = probe(lambda codes: transform(rows.frame(codes)), rows.schema.levels)
    oracle = reader.load()(classifier, encoding, threshold, positive)
    decide = Verdict(model, transform.inputs, threshold, positive)
    return Reading(oracle, FrameVerdict(rows, decide))


@dataclass(frozen=True, eq=False)
class Transform:
    """The fitted steps before the classifier."""

    steps: Sequence[Any]
    named: bool  # they read frames, not arrays
    gaps_are_missing: bool = (
        False  # what a sparse matrix does not store is missing to the classifier, not zero
    )

    def inputs(self, frame: pd.DataFrame) -> AnyFrame:
        """Give what the first step reads."""
        return frame if self.named else frame.to_numpy()

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Send a frame through the steps."""
        data = self.inputs(frame)
        try:
            for step in self.steps:
                data = step.transform(data)
        except ValueError as error:
            raise InputError(f"the pipeline's steps refuse a value: {error}") from error
        if hasattr(data, "tocoo"):
            stored = data.tocoo()
            dense = np.full(stored.shape, np.nan if self.gaps_are_missing else 0.0)
            dense[stored.row, stored.col] = stored.data
            return dense
        try:
            return np.asarray(data, dtype=np.float64)
        except ValueError as error:
            raise UnsupportedModelError(f"the pipeline's steps leave texts as they are: {error}") from error


def open_pipeline(model: Pipeline, positive: object) -> tuple[Reader, Transform, Any]:
    """Find the classifier at the end, its reader, and the steps before it."""
    steps: list[Any] = []
    last: Any = model
    while isinstance(last, Pipeline):
        for name, step in last.steps[:-1]:
            check_step(step, name)
        if len(last.steps) > 1:
            steps.append(last[:-1])
        last = unwrapped(last.steps[-1][1])
    if last is None or isinstance(last, str):
        raise UnsupportedModelError(f"the pipeline ends in {last!r}, not in a classifier")
    class_index(last, positive)
    reader = reader_for(last)
    if reader.reads != "columns":
        raise UnsupportedModelError(
            f"the pipeline ends in {type(last).__name__}, which reads no columns of numbers"
        )
    if (parts := preprocessed(last)) is not None:
        steps, last = [*steps, parts[0]], parts[1]
    sparse = type(last).__module__.split(".")[0] == "xgboost"
    named = hasattr(first_step(model), "feature_names_in_")
    return reader, Transform(steps, named=named, gaps_are_missing=sparse), last


def first_step(model: AnyModel) -> AnyModel:
    """Find what reads the frame: the first step of a pipeline, or the model itself."""
    while isinstance(model, Pipeline):
        model = next(inner for _, inner in model.steps if inner is not None and not isinstance(inner, str))
    return model


def preprocessed(model: AnyModel) -> tuple[Any, Any] | None:
    """Separate a histogram boosting model from the coding of categories that it begins with, if it does."""
    if not named("sklearn", "HistGradientBoostingClassifier")(type(model)):
        return None
    if getattr(model, "is_categorical_", None) is None:
        return None
    bare = copy(model)
    bare.is_categorical_ = None
    return model._preprocessor, bare  # noqa: SLF001 (no public way to the codes)


def _rows(
    transform: Transform, names: Sequence[str], schema: Schema | None, frame: pd.DataFrame | None
) -> Rows:
    if schema is None:
        given = cast("pd.DataFrame", frame)
        read = _read_columns(transform, given[list(names)], names)
        if not read:
            raise InputError(
                "the rows do not differ in any column that the pipeline reads, and without a schema a "
                "feature can only change to a value that occurs in the frame; pass a schema"
            )
        return Rows.of(infer_schema(given, columns=read, bins=None), given, names)
    rows = Rows.of(schema, frame, names)
    if frame is not None and (read := _read_columns(transform, frame[list(names)], rows.fixed)):
        raise InputError(f"the pipeline reads the column {read[0]!r}, which the schema lacks; add it")
    return rows


def _read_columns(transform: Transform, frame: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Name the columns in which the steps make something of the differences between the rows."""
    first = np.zeros(len(frame), np.int64)
    seen = transform(frame)
    return [
        name
        for name in names
        if not same_inputs(seen, transform(frame.assign(**{name: frame[name].array.take(first)}))).all()
    ]


def check_step(step: AnyModel, name: str) -> None:
    """Make sure that a fitted step, and every step inside it, acts feature by feature."""
    if step is None or isinstance(step, str):
        return
    if isinstance(step, (Pipeline, FeatureUnion, ColumnTransformer)):
        for inner, transformer in _inside(step, name):
            check_step(transformer, f"{name}/{inner}")
    elif isinstance(step, FunctionTransformer):
        _check_function(step, name)
    elif type(step).__module__.split(".")[0] != "sklearn" or type(step).__name__ not in ENCODERS | SELECTORS:
        known = ", ".join(sorted(ENCODERS | SELECTORS))
        raise UnsupportedModelError(
            f"step {name!r} of the pipeline, {type(step).__name__}, may mix features; read are {known}, "
            "FunctionTransformer with a numpy function of one argument, ColumnTransformer, FeatureUnion and "
            "Pipeline of these. Pass the pipeline's predict_proba instead of the pipeline to have it asked "
            "as a black box"
        )


def _inside(step: Pipeline | FeatureUnion | ColumnTransformer, name: str) -> list[tuple[str, Any]]:
    if isinstance(step, Pipeline):
        return list(step.steps)
    if isinstance(step, FeatureUnion):
        return list(step.transformer_list)
    if not hasattr(step, "transformers_"):
        raise UnsupportedModelError(f"step {name!r} of the pipeline is not fitted: call the pipeline's fit")
    return [(inner, transformer) for inner, transformer, _ in step.transformers_]


def _check_function(step: FunctionTransformer, name: str) -> None:
    """Numpy's functions of one number act on each number alone; others could do anything."""
    function = step.func
    entrywise = isinstance(function, np.ufunc) and function.nin == function.nout == 1
    if function is not None and (not entrywise or step.kw_args):
        raise UnsupportedModelError(
            f"step {name!r} of the pipeline calls {getattr(function, '__name__', function)!r}, which may mix "
            "features; use a numpy function of one argument such as numpy.log1p, or pass the pipeline's "
            "predict_proba instead of the pipeline to have it asked as a black box"
        )


def dropped_columns(step: AnyModel, columns: list[Any]) -> frozenset[str]:
    """Name the columns that a fitted step leaves out."""
    if not isinstance(step, ColumnTransformer):
        return frozenset()
    kept = {str(column) for inner, chosen in _parts(step, columns) if inner != "drop" for column in chosen}
    return frozenset(map(str, columns)) - kept


def _parts(step: ColumnTransformer, columns: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Each transformer inside a fitted one, and which of the columns it reads."""
    read = step._transformer_to_input_indices  # noqa: SLF001 (columns as indices, however they were chosen)
    for name, inner, _ in step.transformers_:
        yield inner, [columns[index] for index in read[name]]


def encoder_categories(step: AnyModel, columns: list[Any]) -> dict[str, frozenset[object]]:
    """Find the categories that the encoders of a fitted step know, by column."""
    return {str(name): frozenset(values) for name, values in _encoders(step, columns)}


def _encoders(step: AnyModel, columns: list[Any]) -> Iterator[tuple[Any, Any]]:
    if isinstance(step, ColumnTransformer):
        for transformer, chosen in _parts(step, columns):
            yield from _encoders(transformer, chosen)
    elif isinstance(step, FeatureUnion):
        for _, transformer in step.transformer_list:
            yield from _encoders(transformer, columns)
    elif isinstance(step, Pipeline):
        for _, inner in step.steps:
            if type(inner).__name__ not in KEEPING:
                yield from _encoders(inner, columns)
                break
    elif type(step).__name__ in {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder"}:
        known = getattr(step, "categories_", [])
        if len(known) == len(columns):
            yield from zip(columns, (np.asarray(values).tolist() for values in known), strict=True)
