"""Categories that boosting libraries read as they are: which they know, and by which codes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.registry import named
from oneformany.schema.frames import NUMBERS


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


def preprocessed(model: AnyModel) -> tuple[Any, Any] | None:
    """Separate a histogram boosting model from the coding of categories that it begins with, if it does."""
    if not named("sklearn", "HistGradientBoostingClassifier")(type(model)):
        return None
    if getattr(model, "is_categorical_", None) is None:
        return None
    bare = copy(model)
    bare.is_categorical_ = None
    return model._preprocessor, bare  # noqa: SLF001 (no public way to the codes)


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
