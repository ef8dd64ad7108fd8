"""Which numeric columns a fitted model reads: found by their names, or by their number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.schema.encoding import Encoding
from oneformany.schema.schema import Schema


def encoding_for(model: AnyModel, schema: Schema) -> Encoding:
    """Find how codes become the columns that a model was fitted on.

    A model fitted on a frame is matched by its column names: the schema's one-hot names, or the
    features' own names when their levels are numbers; the order does not matter. A model fitted on an array
    is matched by its width: the one-hot columns, or one column of codes per feature.
    """
    names = _fitted_names(model, (*schema.names, *schema.one_hot_names))
    if names is not None:
        return _by_name(names, schema)
    if getattr(model, "n_features_in_", None) == len(schema.features) and not _one_hot_is_plain(schema):
        if all(feature.numbers is not None for feature in schema.features) and not _reads_codes(model):
            return schema.number_encoding()
        return schema.code_encoding()
    return schema.encoding()


def reads_schema(model: AnyModel, schema: Schema) -> bool:
    """Whether a model was fitted on columns that a schema makes, rather than on those of a frame."""
    names = _fitted_names(model, (*schema.names, *schema.one_hot_names))
    if names is not None:
        return sorted(names) == sorted(schema.one_hot_names) and sorted(names) != sorted(schema.names)
    width = getattr(model, "n_features_in_", None)
    if width is None or width != len(schema.features) or _reads_codes(model):
        return True
    labelled = [feature.numbers is None and not feature.binned for feature in schema.features]
    if all(labelled) or _one_hot_is_plain(schema):
        return True
    if any(labelled):
        stray = schema.names[labelled.index(True)]
        raise InputError(
            f"{type(model).__name__} was fitted on an array of {width} columns, but {stray!r} has labels: "
            "nobody can tell whether the columns held numbers or codes; fit the model on a frame, so "
            "that it knows the names of its columns, or on the schema's one-hot columns"
        )
    return False


def _reads_codes(model: AnyModel) -> bool:
    """Whether a model reads codes whatever they stand for."""
    return any(base.__name__ == "CategoricalNB" for base in type(model).__mro__)


def _one_hot_is_plain(schema: Schema) -> bool:
    """Whether one-hot columns are one per feature and hold the same as codes and numbers."""
    return len(schema.one_hot_names) == len(schema.features) and all(
        feature.numbers is None or tuple(feature.numbers) == tuple(range(feature.n_levels))
        for feature in schema.features
    )


def inputs_for(model: AnyModel, encoding: Encoding) -> Callable[[IntArray], Any]:
    """Turn codes into what a model reads: a frame if it was fitted on one, an array otherwise."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return encoding.encode
    return lambda codes: pd.DataFrame(encoding.encode(codes), columns=list(names))


def columns_of(
    model: AnyModel, known: Collection[str], where: str, others: Collection[str] = ()
) -> tuple[str, ...]:
    """Name the columns that a model reads: as it was fitted, of these and others, else all of these."""
    kind = type(model).__name__
    names = _fitted_names(model, (*known, *others))
    width = getattr(model, "n_features_in_", None)
    if names is None:
        if width is not None and width != len(known):
            raise InputError(
                f"{kind} was fitted on {width} columns without names, {where} has {len(known)}; "
                "give it these columns only, or pass the schema whose one-hot columns it was fitted on"
            )
        return tuple(known)
    if missing := [name for name in names if name not in {*known, *others}]:
        raise InputError(
            f"{kind} was fitted on {len(names)} columns, {where} lacks {missing[0]!r}; add it, or "
            "pass the schema whose one-hot columns the model was fitted on"
        )
    return tuple(names)


def _fitted_names(model: AnyModel, known: Collection[str]) -> list[str] | None:
    """Name the columns that a model was fitted with, if it knows; LightGBM has them with "_" for spaces."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    spelled = {str(name).replace(" ", "_"): str(name) for name in known}
    return [str(name) if name in known else spelled.get(str(name), str(name)) for name in names]


def _by_name(names: Sequence[str], schema: Schema) -> Encoding:
    if sorted(names) == sorted(schema.one_hot_names):
        return _reordered(schema.encoding(), names)
    if sorted(names) == sorted(schema.names):
        return _reordered(schema.number_encoding(), names)
    known = {*schema.one_hot_names, *schema.names}
    stray = [name for name in names if name not in known]
    reason = f"{stray[0]!r} is none of them" if stray else f"it reads {len(names)} of them"
    raise InputError(
        f"the model was fitted on other columns than the {len(schema.one_hot_names)} one-hot columns of the "
        f"schema: {reason}; fit it on these, or pass the schema it was fitted with"
    )


def _reordered(encoding: Encoding, names: Sequence[str]) -> Encoding:
    """Put the columns where the model has them."""
    index = {name: column for column, name in enumerate(names)}
    moved = np.array([index[name] for name in encoding.names], dtype=np.int64)
    columns = tuple(moved[own] for own in encoding.columns)
    return Encoding(columns, encoding.values, encoding.constants, tuple(names))
