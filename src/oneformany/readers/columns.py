"""What a fitted model reads: columns found by name or number, rows of a frame, or what steps make of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError, PredictionMismatchError
from oneformany.readers.wrappers import named, own_answer
from oneformany.schema.cells import infer_schema
from oneformany.schema.encoding import Encoding
from oneformany.schema.feature import Feature, is_missing, suggestion
from oneformany.schema.frames import alike, as_pandas, in_own_type
from oneformany.schema.schema import Schema, ValueSchema
from oneformany.stop import Stop

N_CHECKED = 64
reads_codes = named("sklearn", "CategoricalNB")  # whatever they stand for
PASSING = frozenset({"str", "NoneType"})  # steps that leave a column as it is
KEEPING = PASSING | {"SimpleImputer"}  # and those that leave it its values
NUMBERS_AT_ONCE = 1 << 22  # how many numbers the steps of a pipeline shall make at once


def encoding_for(model: AnyModel, schema: Schema) -> Encoding:
    """Find how codes become the columns that a model was fitted on: one-hot, numbers or codes.

    A model that was fitted on a frame is matched by names, in any order, others by their number of columns.
    """
    names = fitted_names(model, (*schema.names, *schema.one_hot_names))
    if names is None:
        if getattr(model, "n_features_in_", None) != len(schema.features):
            return schema.encoding()
        labelled = any(feature.numbers is None for feature in schema.features)
        return schema.code_encoding() if labelled or reads_codes(type(model)) else schema.number_encoding()
    if sorted(names) == sorted(schema.one_hot_names):
        encoding = schema.encoding()
    elif sorted(names) == sorted(schema.names):
        encoding = schema.number_encoding()
    else:
        stray = [name for name in names if name not in {*schema.one_hot_names, *schema.names}]
        reason = f"{stray[0]!r} is not one of them" if stray else f"it reads {len(names)} of them"
        raise InputError(
            f"the model was fitted on other columns than the {len(schema.one_hot_names)} one-hot columns of "
            f"the schema: {reason}; fit it on these, or pass the schema it was fitted with"
        )
    moved = np.array([names.index(name) for name in encoding.names], dtype=np.int64)
    return replace(encoding, columns=tuple(moved[own] for own in encoding.columns), names=tuple(names))


def reads_schema(model: AnyModel, schema: Schema) -> bool:
    """Whether a model was fitted on columns that a schema makes, rather than on those of a frame."""
    names = fitted_names(model, (*schema.names, *schema.one_hot_names))
    if names is not None:
        return sorted(names) == sorted(schema.one_hot_names) != sorted(schema.names)
    width = getattr(model, "n_features_in_", None)
    labelled = [f.name for f in schema.features if f.numbers is None and not f.binned]
    plain = all(f.numbers is None or tuple(f.numbers) == tuple(range(f.n_levels)) for f in schema.features)
    coded = reads_codes(type(model)) or (plain and len(schema.one_hot_names) == width)
    if width != len(schema.features) or coded:
        return True
    if labelled and len(labelled) < width:
        raise InputError(
            f"{type(model).__name__} was fitted on an array of {width} columns, but {labelled[0]!r} has "
            "labels: nobody can tell whether the columns held numbers or codes; fit the model on a frame, so "
            "that it knows the names of its columns, or on the schema's one-hot columns"
        )
    return bool(labelled)


def inputs_for(model: AnyModel, encoding: Encoding) -> Callable[[IntArray], Any]:
    """Turn codes into what a model reads."""
    return lambda codes: named_as_fitted(model, encoding.encode(codes))


def named_as_fitted(model: AnyModel, matrix: FloatArray) -> AnyValue:
    """Make a frame for a model that was fitted on one; for others the array stays what it is."""
    names = getattr(model, "feature_names_in_", None)
    return matrix if names is None else pd.DataFrame(matrix, columns=list(names))


def as_fitted(model: AnyModel, frame: pd.DataFrame) -> AnyValue:
    """Give a model, or its first step, what it was fitted on: columns of a frame, or an array of numbers.

    Gaps of an array become not-a-number. One that does not know how many columns it was fitted on may read
    them by name: it gets the frame, unless the columns are numbered as those of an array.
    """
    if (names := fitted_names(model, frame.columns)) is not None:
        return _as_encoded(model, frame[[name for name in names if name in frame.columns]], names)
    counted = hasattr(model, "n_features_in_") and not hasattr(model, "booster_")  # LightGBM looks at types
    if not counted and not frame.columns.equals(pd.RangeIndex(frame.shape[1])):
        return frame
    if all(pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind) for kind in frame.dtypes):
        return frame.to_numpy(np.float64, na_value=np.nan)
    return frame.to_numpy()


def _as_encoded(model: AnyModel, frame: pd.DataFrame, names: list[Any]) -> pd.DataFrame:
    """Give numbers and gaps as encoders know them, where they would refuse others.

    Of a polars frame they see objects where columns of several types go together, and None for a gap.
    """
    for encoder, name, known in encoded_columns(model, names, PASSING):
        column, missing = frame[name], [value for value in known.tolist() if is_missing(value)]
        strict, gaps = getattr(encoder, "handle_unknown", "") == "error", column.isna()
        is_none = any(value is None for value in column[gaps])
        other = strict and gaps.any() and len(missing) == 1 and is_none != (missing[0] is None)
        if other or (known.dtype == object and pd.api.types.is_numeric_dtype(column.dtype)):
            frame = frame.copy()
            frame[name] = column.astype(object).where(~gaps, missing[0] if missing else None)
    return frame


def encoded_columns(
    step: AnyModel, columns: list[Any], before: frozenset[str] = KEEPING
) -> Iterator[tuple[Any, Any, NDArray[Any]]]:
    """Each encoder of a fitted step, with a column and its categories; steps ``before`` it are passed."""
    inside: Any = ()
    if type(step).__name__ in {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder"}:
        categories = getattr(step, "categories_", [])
        if len(categories) == len(columns):
            for name, known in zip(columns, categories, strict=True):
                yield step, name, np.asarray(known)
    elif isinstance(step, ColumnTransformer):
        inside = parts_of(step, columns)
    elif isinstance(step, FeatureUnion):
        inside = [(transformer, columns) for _, transformer in step.transformer_list]
    elif isinstance(step, Pipeline):
        inside = [(inner, columns) for _, inner in step.steps if type(inner).__name__ not in before][:1]
    for inner, chosen in inside:
        yield from encoded_columns(inner, chosen, before)


def parts_of(step: ColumnTransformer, columns: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Each transformer inside a fitted one, and which of the columns it reads."""
    read = step._transformer_to_input_indices  # noqa: SLF001 (columns as indices, however they were chosen)
    for name, inner, _ in step.transformers_:
        yield inner, [columns[index] for index in read[name]]


def is_plain(step: AnyModel, kind: type) -> bool:
    """Whether a step is of a kind, or of a class derived from it, and transforms frames as that does."""
    derived = isinstance(step, kind)
    return derived and not own_answer(step, lambda base: issubclass(base, kind), ("transform",))


def dropped_columns(step: AnyModel, columns: list[Any]) -> frozenset[str]:
    """Name the columns that a fitted step leaves out, of all that it was fitted on."""
    if not is_plain(step, ColumnTransformer) or not columns:
        return frozenset()
    kept = {str(column) for inner, chosen in parts_of(step, columns) if inner != "drop" for column in chosen}
    return frozenset(map(str, columns)) - kept


def columns_of(model: AnyModel, known: Collection[str], where: str) -> tuple[str, ...]:
    """Name the columns that a model reads: of these those that it was fitted with, if it knows, else all.

    Those that it drops may be lacking.
    """
    kind = type(model).__name__
    names = fitted_names(model, known)
    width = getattr(model, "n_features_in_", None)
    if names is None:
        if width is not None and width != len(known):
            raise InputError(
                f"{kind} was fitted on {width} columns without names, {where} has {len(known)}; "
                "give it these columns only, or pass the schema whose one-hot columns it was fitted on"
            )
        return tuple(known)
    dropped = dropped_columns(model, names)
    if missing := [name for name in names if name not in known and name not in dropped]:
        raise InputError(
            f"{kind} was fitted on {len(names)} columns, {where} lacks {missing[0]!r}; add it, or pass the "
            f"schema whose one-hot columns the model was fitted on{suggestion(missing[0], list(known))}"
        )
    return tuple(name for name in names if name in known)


def fitted_names(model: AnyModel, known: Collection[str]) -> list[str] | None:
    """Name the columns that a model was fitted with, if it knows; LightGBM has them with "_" for spaces.

    LightGBM, interpret and CatBoost number the columns of an array.
    """
    names = getattr(model, "feature_names_in_", getattr(model, "feature_names_", None))  # of CatBoost
    if type(model).__name__ == "Booster":
        names = model.feature_names if hasattr(model, "feature_names") else model.feature_name()
    if names is None:
        return None
    spelled = {str(name).replace(" ", "_"): str(name) for name in known}
    found = [str(name) if name in known else spelled.get(str(name), str(name)) for name in names]
    numbered = [[name.format(n) for n in range(len(found))] for name in ("Column_{}", "feature_{:04}", "{}")]
    return None if found in numbered and not set(found).intersection(known) else found


class TimeIsUpError(Exception):
    """Time was up before a model was read."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What every level of every feature is in a frame that a model reads.

    A bin stands for the lower median of the numbers that a frame has in it, or for its right edge; the last
    one has that as far above its left edge as the bin before is wide.
    """

    schema: Schema  # the features
    values: tuple[Any, ...]  # ``values[l][v]``: what stands in the frame for level ``v`` of feature ``l``
    names: tuple[str, ...]  # columns of the frames, in order

    @classmethod
    def of(cls, schema: Schema | None, frame: pd.DataFrame | None = None, model: AnyModel = None) -> Rows:
        """Find the values, in columns as the model names them; numbers in bins and types are the frame's.

        Without a schema every distinct value of the frame is a level.
        """
        frame = None if frame is None else as_pandas(frame)
        if schema is not None:
            names = columns_of(model, schema.names, "the schema")
        elif frame is not None:
            names = columns_of(model, tuple(frame.columns), "the frame")
            schema = infer_schema(frame, columns=list(names), bins=None)
        else:
            raise InputError("the model reads rows by name: pass a schema or a frame")
        if isinstance(schema, ValueSchema):
            return cls(schema, schema.arrays, names)
        there = {} if frame is None else {str(name): frame[name] for name in frame.columns}
        values = tuple(_values(feature, there.get(feature.name)) for feature in schema.features)
        return cls(schema, values, names)

    def frame(self, codes: IntArray) -> pd.DataFrame:
        """Turn an ``(n, p)`` array of codes into a frame with a row for each."""
        codes = np.atleast_2d(codes)
        own = {name: self.schema.index(name) for name in self.names}
        columns = {name: self.values[index].take(codes[:, index]) for name, index in own.items()}
        made = pd.DataFrame({name: in_own_type(column) for name, column in columns.items()})
        if isinstance(self.schema, ValueSchema):
            made.columns = pd.Index([self.schema.labels.get(name, name) for name in self.names])
        return made


def _values(feature: Feature, column: pd.Series[Any] | None) -> AnyValue:
    if feature.n_regular < feature.n_levels:
        if column is not None and column.isna().any():
            row = column.index[int(column.isna().to_numpy().argmax())]
            raise InputError(
                f"column {feature.name!r}, row {row}: the value is missing; fill it in or drop the row"
            )
        level = feature.levels[feature.n_regular]
        raise InputError(f"feature {feature.name!r}: no value stands for the level {level!r}; leave it out")
    values = pd.Series(list(feature.numbers or feature.levels))
    if (edges := feature.edges) is not None:
        width = edges[-1] - edges[-2] if len(edges) > 1 else abs(edges[-1]) or 1.0
        numbers: list[Any] = [*edges, edges[-1] + width]
        if column is not None and pd.api.types.is_numeric_dtype(column):
            there = np.sort(column.to_numpy())
            bins = zip(numbers, np.split(there, np.searchsorted(there, edges, side="right")), strict=True)
            numbers = [own[(len(own) - 1) // 2].item() if len(own) else edge for edge, own in bins]
        values = pd.Series(numbers)
    return (values if column is None else alike(values, column.dtype)).array


def probe(
    inputs: Callable[[IntArray], FloatArray], levels: Sequence[int], stop: Stop | None = None
) -> Encoding:
    """See what each level of each feature becomes, some rows at a time; random rows confirm it."""
    base = inputs(np.zeros((1, len(levels)), dtype=np.int64))[0]
    size = max(1, NUMBERS_AT_ONCE // len(base))
    columns, values = [], []
    for feature, n in enumerate(levels):
        codes = np.zeros((n, len(levels)), dtype=np.int64)
        codes[:, feature] = np.arange(n)
        parts = []
        for start in range(0, n, size):
            if stop is not None and stop.expired():
                raise TimeIsUpError
            seen = inputs(codes[start : start + size])
            own = np.flatnonzero(~same_inputs(seen, base).all(axis=0))
            parts.append((slice(start, start + size), own, seen[:, own]))
        columns.append(np.unique(np.concatenate([own for _, own, _ in parts])))
        values.append(np.tile(base[columns[-1]], (n, 1)))
        for part, own, seen in parts:
            values[-1][part, np.searchsorted(columns[-1], own)] = seen
    encoding = Encoding(tuple(columns), tuple(values), base)
    checked = np.random.default_rng(0).integers(levels, size=(N_CHECKED, len(levels)))
    if not same_inputs(encoding.encode(checked), inputs(checked)).all():
        raise PredictionMismatchError(
            "the pipeline's steps mix features on some rows, although none of them should; pass its "
            "predict_proba instead to have it asked as a black box, and please report this pipeline"
        )
    return encoding


def same_inputs(one: FloatArray, other: FloatArray) -> AnyValue:
    """Compare number by number; not-a-number is the same as itself."""
    return (one == other) | (np.isnan(one) & np.isnan(other))
