"""Read scikit-learn pipelines: their steps as an encoding, their last step by its own reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.readers.feature_steps import check_step
from oneformany.readers.native_categories import preprocessed
from oneformany.readers.registry import Reader, reader_for, unwrapped
from oneformany.readers.rows import Rows, wanted_columns
from oneformany.readers.verdict import FrameVerdict, Reading, Verdict, class_index
from oneformany.schema.discretise import infer_schema
from oneformany.schema.encoding import Encoding
from oneformany.schema.schema import Schema

N_CHECKED = 64
MOST_ENTRIES = 1 << 22
"""How many numbers the steps shall make at once."""


def read_pipeline(
    model: Pipeline,
    schema: Schema | None = None,
    frame: pd.DataFrame | None = None,
    threshold: float | None = None,
    positive: object = 1,
) -> Reading:
    """Read a fitted pipeline of feature-by-feature steps that ends in a classifier which can be read.

    What each level becomes is not computed from the steps' parameters but seen: frames in which one
    feature takes each of its levels are sent through the fitted steps, and random rows confirm it.

    A number in a bin of the schema counts as the number that stands for the bin, see
    :class:`~oneformany.readers.rows.Rows`. Without a schema every distinct value of the frame is a level;
    columns that the steps ignore are not features.
    """
    reader, transform, classifier = open_pipeline(model, positive)
    rows = _rows(transform, wanted_columns(first_step(model), frame, schema), schema, frame)
    oracle = reader.load()(classifier, probe(transform, rows), threshold, positive)
    decide = Verdict(model, transform.inputs, threshold, positive)
    return Reading(oracle, FrameVerdict(rows, decide))


def probe(transform: Callable[[pd.DataFrame], FloatArray], rows: Rows) -> Encoding:
    """See what each level of each feature becomes."""
    levels = rows.schema.levels
    base = transform(rows.frame(np.zeros((1, len(levels)), dtype=np.int64)))[0]
    columns, values = [], []
    for feature, n in enumerate(levels):
        codes = np.zeros((n, len(levels)), dtype=np.int64)
        codes[:, feature] = np.arange(n)
        own, seen = _differing(transform, rows, codes, base)
        columns.append(own)
        values.append(seen)
    encoding = Encoding(tuple(columns), tuple(values), base)
    checked = np.random.default_rng(0).integers(levels, size=(N_CHECKED, len(levels)))
    if not _same(encoding.encode(checked), transform(rows.frame(checked))).all():
        raise PredictionMismatchError(
            "the pipeline's steps mix features on some rows, although none of them should; pass its "
            "predict_proba instead to have it asked as a black box, and please report this pipeline"
        )
    return encoding


def _differing(
    transform: Callable[[pd.DataFrame], FloatArray], rows: Rows, codes: IntArray, base: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Find the columns in which rows differ from the first one, and what they hold, some rows at a time."""
    size = max(1, MOST_ENTRIES // len(base))
    parts = []
    for start in range(0, len(codes), size):
        seen = transform(rows.frame(codes[start : start + size]))
        own = np.flatnonzero(~_same(seen, base).all(axis=0))
        parts.append((slice(start, start + size), own, seen[:, own]))
    columns = np.unique(np.concatenate([own for _, own, _ in parts]))
    values = np.tile(base[columns], (len(codes), 1))
    for part, own, seen in parts:
        values[part, np.searchsorted(columns, own)] = seen
    return columns, values


@dataclass(frozen=True, eq=False)
class Transform:
    """The fitted steps before the classifier.

    ``named``: they read frames, not arrays. ``gaps_are_missing``: the classifier takes what a sparse
    matrix does not store as missing, not as zero.
    """

    steps: Sequence[Any]
    named: bool
    gaps_are_missing: bool = False

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
        if not _same(seen, transform(frame.assign(**{name: frame[name].array.take(first)}))).all()
    ]


def _same(one: FloatArray, other: FloatArray) -> AnyValue:
    return (one == other) | (np.isnan(one) & np.isnan(other))
