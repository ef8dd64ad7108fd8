"""How a fitted model reads a frame: which columns, what it makes of them, and what it says itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import BoolArray, FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.callables import decision
from oneformany.readers.columns import columns_of, plain_array
from oneformany.readers.pipeline import (
    Transform,
    dropped_columns,
    encoder_categories,
    first_step,
    open_pipeline,
    preprocessed,
)
from oneformany.readers.registry import Reader, named, reader_for, unwrapped
from oneformany.readers.verdict import Verdict, class_index
from oneformany.schema.frames import NUMBERS, Table


@dataclass(frozen=True, eq=False)
class Inputs:
    """A model's way from a frame to its answer."""

    model: Any
    reader: Reader  # reads ``classifier``, or the model itself where nobody can look inside
    names: tuple[str, ...]  # frame columns that the model reads, in order
    # The model's own decision about each row of a frame that has these columns, by the user's labels
    decide: Callable[[pd.DataFrame], BoolArray]
    # Turns such a frame into the numbers that ``classifier`` reads, column by column; ``None``: unknown
    transform: Callable[[pd.DataFrame], FloatArray] | None = None
    classifier: Any = None  # what follows
    # Categories that the model was fitted on, where it says so
    known: dict[str, frozenset[object]] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()  # those of the columns that its first step drops


def inputs_of(model: AnyModel, table: Table, threshold: float | None, positive: object) -> Inputs:
    """See how a fitted classifier that reads the frame's own columns does it."""
    reader = reader_for(model)
    outer, model = model, unwrapped(model)
    if isinstance(model, Pipeline):
        reader, steps, classifier = open_pipeline(model, positive)
        first = first_step(model)
        names = columns_of(first, table.frame.columns, "the frame")
        labels = [table.labels[name] for name in names]
        decide = Verdict(model, steps.inputs, threshold, positive)
        known, unread = encoder_categories(first, labels), dropped_columns(first, labels)
        return Inputs(outer, reader, names, decide, steps, classifier, known, unread)
    if reader.reads != "columns":
        return _opaque(model, reader, table, threshold, positive)
    names = columns_of(model, table.frame.columns, "the frame")
    if not reader.probabilities:
        class_index(model, positive)
    if (parts := preprocessed(model)) is not None:
        coding, classifier = parts
        named = hasattr(model, "feature_names_in_")
        transform: Callable[[pd.DataFrame], FloatArray] = Transform([coding], named=named)
        known = encoder_categories(coding, [table.labels[name] for name in names])
    else:
        categories = known_categories(model, table.frame, names)
        codes = {str(table.labels[name]): values for name, values in categories.items()}
        classifier, transform = model, CategoryCodes(type(model).__name__, codes)
        known = {name: frozenset(values) for name, values in categories.items()}
    inputs: Callable[[pd.DataFrame], Any] = transform
    if not reader.probabilities:
        named = hasattr(model, "feature_names_in_") or hasattr(model, "booster_")
        inputs = (lambda frame: frame) if named else plain_array
    verdict = reader.verdict(model, inputs, threshold, positive)
    return Inputs(outer, reader, names, verdict, transform, classifier, known)


def _opaque(
    model: AnyModel, reader: Reader, table: Table, threshold: float | None, positive: object
) -> Inputs:
    """A function, or a model with a reader for frames of its own."""
    function = getattr(model, "function", model)
    owner = model if hasattr(model, "feature_names_in_") else getattr(function, "__self__", None)
    names = columns_of(owner, table.frame.columns, "the frame")
    if hasattr(model, "predict"):
        decide: Any = Verdict(model, lambda frame: frame, threshold, positive)
        class_index(model, positive)
    else:
        decide = decision(model, threshold, positive)
    own = table.named(table.frame[list(names)])
    unread = dropped_columns(first_step(unwrapped(getattr(owner, "model", owner))), list(own.columns))
    return Inputs(model, reader, names, decide, unread=unread)


class TextsError(InputError):
    """A column holds texts, and the model reads numbers."""


@dataclass(frozen=True, eq=False)
class CategoryCodes:
    """Turn a frame into numbers, with the codes that a model has for categories."""

    model: str  # what to call it in messages
    # Known categories of the columns that are read as such, in the order of their codes
    categories: dict[str, list[Any]]

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Numbers for each row; categories that the model does not know are not-a-number."""
        columns = [self._column(frame[name], str(name)) for name in frame.columns]
        return np.column_stack(columns).astype(np.float64)

    def _column(self, column: pd.Series[Any], name: str) -> FloatArray:
        if name in self.categories:
            code = {category: float(number) for number, category in enumerate(self.categories[name])}
            return column.astype(object).map(code).to_numpy(dtype=np.float64)
        if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in NUMBERS:
            column = pd.to_numeric(column, errors="coerce")
        try:
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (ValueError, TypeError) as error:
            raise TextsError(
                f"column {name!r} holds texts, which {self.model} cannot read; turn it into a column of type "
                "category if the model was fitted so, or pass the schema whose one-hot columns it reads"
            ) from error


def known_categories(model: AnyModel, frame: pd.DataFrame, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Find the categories that a boosting model was fitted on, by columns that have the type category."""
    typed = [name for name in labels if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    kind = type(model)
    if named("lightgbm", "LGBMClassifier", "Booster")(kind):
        booster: AnyModel = getattr(model, "booster_", model)
        known = booster.pandas_categorical or []
        if len(known) != len(typed):
            raise InputError(
                f"{kind.__name__} was fitted with {len(known)} columns of type category, the frame has "
                f"{len(typed)}; give the columns the types that they had"
            )
        return dict(zip(typed, known, strict=True))
    if named("xgboost", "XGBClassifier", "Booster")(kind):
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        stored = _xgboost_categories(booster)
        if stored:
            return {
                name: _as_in(values, frame[name])
                for name, values in zip(labels, stored, strict=True)
                if values is not None
            }
    return {name: frame[name].cat.categories.tolist() for name in typed}


def _xgboost_categories(booster: AnyModel) -> list[Any]:
    """Give the categories of each column as an array of pyarrow, ``None`` for numbers."""
    if not hasattr(booster, "get_categories"):
        return []
    try:
        stored = booster.get_categories(export_to_arrow=True).to_arrow()
    except (ImportError, ValueError, RuntimeError):
        return []
    return [values for _, values in stored]


def _as_in(values: AnyValue, column: pd.Series[Any]) -> list[Any]:
    """Find the categories that XGBoost knows by the texts of a column.

    XGBoost (3.1, 3.2) counts letters where it should count bytes, so that beyond ASCII it keeps, and later
    compares, pieces of texts. All is well if the pieces differ and the column has the same categories.
    """
    if str(values.type) not in {"string", "large_string"}:
        return list(values.to_pylist())
    kinds = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else ()
    own = [text for text in kinds if isinstance(text, str)]
    ends = np.cumsum([0, *map(len, own)]).tolist()
    cut = ["".join(own).encode()[start:end] for start, end in pairwise(ends)]
    pieces = values.cast("binary").to_pylist()
    if pieces == cut and len(set(pieces)) == len(pieces):
        return own
    try:
        known = [piece.decode() for piece in pieces]
    except UnicodeDecodeError:
        known = []
    if len(set(known)) < len(pieces) or any(not text.isascii() and text not in known for text in own):
        raise UnsupportedModelError(
            f"XGBoost keeps only pieces of the categories of column {column.name!r}, which have letters "
            "beyond ASCII; give the column the categories that it had in training, in their order, or fit "
            "the model on categories in ASCII letters"
        )
    return known
