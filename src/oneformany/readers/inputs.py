"""How a fitted model reads a frame: which columns, what it makes of them, and what it says itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import BoolArray, FloatArray
from oneformany.readers.columns import columns_of
from oneformany.readers.native_categories import CategoryCodes, known_categories, preprocessed
from oneformany.readers.pipeline import Transform, first_step, open_pipeline
from oneformany.readers.registry import Reader, reader_for, unwrapped
from oneformany.readers.verdict import Verdict, class_index
from oneformany.schema.frames import Table


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
        return _pipeline(outer, model, table, threshold, positive)
    if reader.reads != "columns":
        return _opaque(model, reader, table, threshold, positive)
    names = columns_of(model, table.frame.columns, "the frame")
    if not reader.probabilities:
        class_index(model, positive)
    if (parts := preprocessed(model)) is not None:
        steps, classifier = parts
        named = hasattr(model, "feature_names_in_")
        transform: Callable[[pd.DataFrame], FloatArray] = Transform([steps], named=named)
        known = _encoder_categories(steps, [table.labels[name] for name in names])
    else:
        categories = known_categories(model, table.frame, names)
        codes = {str(table.labels[name]): values for name, values in categories.items()}
        classifier, transform = model, CategoryCodes(type(model).__name__, codes)
        known = {name: frozenset(values) for name, values in categories.items()}
    inputs: Callable[[pd.DataFrame], Any] = transform
    if not reader.probabilities:
        named = hasattr(model, "feature_names_in_") or hasattr(model, "booster_")
        inputs = (lambda frame: frame) if named else plain_array
    decide = reader.verdict(model, inputs, threshold, positive)
    return Inputs(outer, reader, names, decide, transform, classifier, known)


def plain_array(frame: pd.DataFrame) -> AnyValue:
    """Make an array for a model that was fitted on one; gaps become not-a-number."""
    if all(pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind) for kind in frame.dtypes):
        return np.column_stack(
            [frame.iloc[:, c].to_numpy(np.float64, na_value=np.nan) for c in range(frame.shape[1])]
        )
    return frame.to_numpy()


def _pipeline(
    outer: AnyModel, model: Pipeline, table: Table, threshold: float | None, positive: object
) -> Inputs:
    reader, transform, classifier = open_pipeline(model, positive)
    first = first_step(model)
    names = columns_of(first, table.frame.columns, "the frame")
    labels = [table.labels[name] for name in names]
    known = _encoder_categories(first, labels)
    decide = Verdict(model, transform.inputs, threshold, positive)
    return Inputs(outer, reader, names, decide, transform, classifier, known, _dropped(first, labels))


def _dropped(step: AnyModel, columns: list[Any]) -> frozenset[str]:
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
        from oneformany.readers.callables import decision

        decide = decision(model, threshold, positive)
    own = table.named(table.frame[list(names)])
    unread = _dropped(first_step(unwrapped(getattr(owner, "model", owner))), list(own.columns))
    return Inputs(model, reader, names, decide, unread=unread)


def _encoder_categories(step: AnyModel, columns: list[Any]) -> dict[str, frozenset[object]]:
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


KEEPING = frozenset({"SimpleImputer", "str", "NoneType"})
"""Steps before an encoder that leave a column a column of the same values."""
