"""Frames of any library as those of pandas, and the distinct values of their columns in their own types."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Raw, is_finite, is_missing, listed, plain_value, repeated, suggestion

NUMBERS = ("integer", "floating", "mixed-integer-float")
KINDS = {**dict.fromkeys(NUMBERS, "number"), "boolean": "boolean", "string": "category", "empty": "category"}
DOUBLE = 8  # bytes
DATES = ("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period", "interval")
UNKNOWN = "unknown categor"  # what encoders say
OTHER_KIND = "ufunc 'isnan' not supported"  # and what they say of numbers where they know texts
Column: TypeAlias = "pd.Series[Any]"


@dataclass(frozen=True, eq=False)
class Table:
    """A frame with the user's index and with texts as names, and what the user calls its columns."""

    frame: pd.DataFrame
    labels: dict[str, Hashable]

    @classmethod
    def of(cls, frame: AnyFrame, what: str = "the rows", needed: Iterable[str] | None = None) -> Self:
        """Take a frame of any library that narwhals knows; it needs rows, and these columns or any."""
        given = as_pandas(frame, what)
        names = [str(label) for label in given.columns]
        if lacking := [name for name in needed or () if name not in names]:
            told = f"column{'s' if len(lacking) > 1 else ''} {', '.join(map(repr, lacking))}"
            raise InputError(f"the frame lacks the {told}{suggestion(lacking[0], names)}")
        for name in repeated([name for name in names if needed is None or name in needed]):
            raise InputError(f"the frame has {names.count(str(name))} columns named {name!r}; keep one")
        if not names:
            raise InputError(f"{what} have no columns; give at least one")
        if given.empty:
            raise InputError(f"{what} are an empty frame; give at least one row")
        if isinstance(given.columns, pd.MultiIndex):
            raise InputError(f"{what} have columns of several levels; join their names into one text each")
        labels: dict[str, Hashable] = dict(zip(names, given.columns.tolist(), strict=True))
        return cls(given.set_axis(pd.Index(names, name=given.columns.name), axis=1), labels)

    def named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give columns back the names that they had."""
        labels = [self.labels.get(name, name) for name in frame.columns]
        return frame.set_axis(pd.Index(labels, name=frame.columns.name, tupleize_cols=False), axis=1)


def as_pandas(frame: AnyFrame, what: str = "the rows") -> pd.DataFrame:
    """Turn a frame of pandas, polars, pyarrow or any library that narwhals knows into one of pandas."""
    if isinstance(frame, pd.DataFrame):
        stored = {name: _stored(kind) for name, kind in frame.dtypes.items()}
        unusual = {name: kind for name, kind in stored.items() if kind is not None}
        return frame.astype(unusual) if unusual else frame
    if isinstance(frame, np.ndarray) and frame.ndim == 2 and frame.dtype.names is None:
        return pd.DataFrame(frame)  # whose columns are numbered, as are the inputs of a model fitted on it
    wrong = f"{what} must be a pandas DataFrame (or one of polars or pyarrow), not {type(frame).__name__}"
    if isinstance(frame, (np.ndarray, list, tuple, dict, str, pd.Series)):
        raise InputError(f"{wrong}; pandas.DataFrame(...) makes one, with the names of the columns")
    try:
        import narwhals.stable.v1 as narwhals

        native = narwhals.from_native(frame)
    except ImportError as error:
        raise InputError(f"{wrong}; install narwhals for these") from error
    except TypeError as error:
        raise InputError(wrong) from error
    except ValueError as error:  # of a table of pyarrow
        raise InputError(f"{what} have columns of one name; keep one of each: {error}") from error
    return _in_pandas(native.collect() if isinstance(native, narwhals.LazyFrame) else native)


def _stored(kind: AnyValue) -> AnyValue:
    """Say how columns are stored instead that have gaps or digits which models do not read, if they have."""
    if isinstance(kind, pd.SparseDtype):
        return kind.subtype
    longer = isinstance(kind, np.dtype) and kind.kind == "f" and kind.itemsize > DOUBLE
    return np.dtype(np.float64) if longer else None


def _in_pandas(native: AnyFrame) -> pd.DataFrame:
    """Turn a frame of narwhals into one of pandas; texts have gaps as scikit-learn sees them in it: None."""
    if odd := [name for name, kind in native.schema.items() if str(kind) in {"Int128", "UInt128"}]:
        raise InputError(f"column {odd[0]!r} holds integers of 128 bits; cast it to Int64, or to texts")
    made: pd.DataFrame = native.to_pandas()
    for name, column in made.items():
        kind = pd.api.types.infer_dtype(column) if (gaps := column.isna()).any() else "full"
        if kind == "boolean":
            made[name] = column.astype("boolean")
        elif kind == "string":
            made[name] = column.astype(object).mask(gaps, None)
    return made


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The distinct values of a column, and which of them each row has."""

    name: str
    array: Any  # of pandas, in the column's own type; numbers increase, missing values are the last
    codes: IntArray  # one per row
    kind: str  # "number", "boolean" or "category"
    ordered: bool

    @classmethod
    def of(cls, column: Column) -> Self:
        """Find them; dates, lists, infinite numbers, and numbers beside texts are refused."""
        name, kind = str(column.name), column_kind(column)
        try:
            codes, array = _distinct(column)
        except TypeError as error:
            raise InputError(f"column {name!r} holds more than single values: {error}") from error
        ordered = kind == "number" or bool(getattr(column.dtype, "ordered", False))
        found = cls(name, array, codes, kind, ordered).in_order()
        if kind == "number":
            try:
                beyond, why = np.isinf(found.numbers), "is infinite"
            except OverflowError:  # of an integer of hundreds of digits
                beyond = np.array([not (value is None or is_finite(value)) for value in found.plain])
                why = "has more digits than decimal numbers have"
            for row in column.index[beyond[found.codes]]:
                raise InputError(f"column {name!r}, row {row}: the number {why}; replace it or drop the row")
        return found

    @classmethod
    def of_numbers(cls, column: Column, more: Column) -> Self | None:
        """Find those of two columns of numpy's numbers in few steps; ``None``: they are others."""
        if column.dtype != more.dtype or not is_plain_number(column):
            return None
        distinct, codes = np.unique(np.concatenate([column, more]) + 0, return_inverse=True)
        if not np.isfinite(distinct[~np.isnan(distinct)]).all():
            return None
        return cls(str(column.name), pd.Series(distinct).array, codes, "number", ordered=True)

    @classmethod
    def unread(cls, column: Column) -> Self:
        """Let one value stand for all of a column on which nothing depends, whatever it holds."""
        nowhere = np.zeros(len(column), dtype=np.int64)
        return cls(str(column.name), column.array[:1], nowhere, "category", ordered=False)

    @cached_property
    def plain(self) -> tuple[Any, ...]:
        """The values as Python objects; missing ones are None."""
        values = zip(pd.Series(self.array).tolist(), self.gaps.tolist(), strict=True)
        return tuple(None if gap else plain_value(value) for value, gap in values)

    @cached_property
    def gaps(self) -> BoolArray:
        """Which of them are missing: the last, or several where a model may tell them apart."""
        return np.asarray(pd.isna(self.array), dtype=np.bool_)

    @cached_property
    def numbers(self) -> FloatArray:
        """The values as numbers; missing ones are not-a-number."""
        return np.asarray(pd.Series(self.array).to_numpy(dtype=np.float64, na_value=np.nan))

    def with_values(self, values: Sequence[Raw | None]) -> Self:
        """Add values that are not there yet, in the column's own type where that does not change them."""
        added = [value for value in dict.fromkeys(values) if value not in self._places]
        if not added:
            return self
        column = in_own_type(self.array)
        if isinstance(column.dtype, pd.CategoricalDtype):
            kinds = {None, *column.cat.categories}
            column = column.cat.add_categories([value for value in added if value not in kinds])
        joined = pd.concat([column, alike(pd.Series(added), column.dtype)], ignore_index=True)
        return replace(self, array=joined.array).in_order()

    def in_order(self) -> Self:
        """Put values in order: numbers and categories by their own, texts by letters, missing ones last."""
        series = pd.Series(self.array)
        if self.kind == "category" and not isinstance(series.dtype, pd.CategoricalDtype):
            series = series.map(str, na_action="ignore")
        order = series.sort_values(na_position="last", kind="stable").index.to_numpy()
        codes = np.argsort(order)[self.codes].astype(np.int64)
        return replace(self, array=self.array.take(order), codes=codes)

    def index_of(self, value: Raw | None) -> int:
        """Find a value."""
        return self._places[None if is_missing(value) else value]

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {value: index for index, value in reversed(list(enumerate(self.plain)))}


def is_plain_number(column: Column) -> bool:
    """Whether a column holds numbers of numpy."""
    return isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"


def refused_value(
    error: Exception,
    columns: Iterable[ColumnValues],
    known: Mapping[str, Collection[object]],
    labels: pd.Index,
) -> str | None:
    """Find the value that a model names where it refuses one: say its column, its row and what to do.

    ``known`` has the categories of the columns that the model reads so; ``labels`` are those of the rows.
    """
    said = str(error)
    for column in sorted(columns, key=_without_numbers):  # a text for a number is among numbers
        kinds = known.get(column.name)
        for index, value in enumerate(column.plain):
            if not _refused(value, kinds, said):
                continue
            why = f"{value!r} is a text, and the model reads numbers there; write a number such as 12.5"
            if kinds is not None or UNKNOWN in said:
                told = listed(sorted(kinds or (), key=str))
                what = "missing values" if value is None else repr(value)
                why = f"the model was not fitted on {what}; write {told or 'a category that it knows'}"
            if not len(at := np.flatnonzero(column.codes == index)):
                return f"column {column.name!r}, named as a target or in the schema: {why}, or leave it out"
            where = f", row {labels[at[0]]}" if at[0] < len(labels) else " of the reference data"
            return f"column {column.name!r}{where}: {why}, or drop the row"
    return None


def _without_numbers(column: ColumnValues) -> bool:
    return bool(pd.to_numeric(pd.Series(column.plain, dtype=object), errors="coerce").isna().all())


def _refused(value: object, kinds: Collection[object] | None, said: str) -> bool:
    """Whether a model means this value: a text for a number, or a category that it does not know."""
    if value is None:
        named = "nan" in said or "None" in said
        return named and kinds is not None and not any(map(is_missing, kinds))
    quoted = f"`{value}`" in said  # as XGBoost does
    if isinstance(value, str):
        return (quoted or repr(value) in said) and (kinds is None or value not in kinds)
    named = quoted or (UNKNOWN in said and repr(value) in said) or OTHER_KIND in said
    return named and kinds is not None and value not in kinds


def in_own_type(array: AnyValue) -> Column:
    """Make a column that keeps objects as they are: pandas itself would read texts and lose ``None``."""
    made: Column = pd.Series(array, dtype=array.dtype)
    return made


def missing_value(column: Column) -> AnyValue:
    """Give what a column has where a value is missing: not-a-number unless it only has another."""
    gaps = list(column[column.isna()]) if column.dtype == object else []
    return gaps[0] if gaps and not any(isinstance(value, float) for value in gaps) else np.nan


def _distinct(column: Column) -> tuple[IntArray, Any]:
    """Number the distinct values; ``None`` and not-a-number are two, as they are to scikit-learn."""
    if column.dtype != object:
        if pd.api.types.is_float_dtype(column.dtype):
            column = column + 0  # -0.0 is 0.0, which pyarrow does not know
        codes, distinct = pd.factorize(column, use_na_sentinel=False)
        return codes, pd.Series(distinct).array
    codes, distinct = pd.factorize(column)
    gaps = codes < 0
    first = missing_value(column)
    missing = {type(value): value for value in (first, *column[gaps])} if gaps.any() else {}
    codes[gaps] = [len(distinct) + list(missing).index(type(value)) for value in column[gaps]]
    return codes, pd.Series([*distinct, *missing.values()], dtype=object).array


def alike(values: Column, dtype: AnyValue) -> Column:
    """Cast to a type if that changes no value."""
    if values.dtype == dtype:
        return values
    try:
        cast = values.astype(dtype)
    except (ValueError, TypeError, OverflowError):
        return values
    both = zip(cast, values, strict=True)
    same = all(is_missing(a) == is_missing(b) and (is_missing(a) or a == b) for a, b in both)
    return cast if same else values


def column_kind(column: Column) -> str:
    """Say what the values of a column are; dates, lists, and numbers beside texts are refused."""
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found == "categorical":
        kinds = column.cat.categories
        found = pd.api.types.infer_dtype(kinds, skipna=True)
        if all(isinstance(plain_value(kind), (str, bool, int, float)) for kind in kinds):
            return "category"
    if found in KINDS:
        return "number" if found == "empty" and pd.api.types.is_numeric_dtype(column) else KINDS[found]
    told, into = f"{found} values", "texts, truth values, numbers or categories"
    if found == "interval":
        told, into = "intervals", "texts, with column.astype(str), before the model is fitted"
    elif found in DATES:
        told = f"dates or times ({found})"
        into = (
            "numbers, such as the days up to a fixed day, before the model is fitted, or drop the column if "
            "the model does not need it"
        )
    present = column[column.notna()]
    words = present.map(_kind_in_words)
    if present.empty:
        return "category"
    usual = words.value_counts().index[0]
    for row, kind, value in zip(present.index, words, present, strict=True):
        if kind != usual:
            raise InputError(
                f"column {column.name!r} holds {usual} and {kind}: the first of these {kind} is "
                f"{repr(plain_value(value))[:40]} in row {row}; turn all values into numbers (in Python: "
                "pandas.to_numeric(column, errors='coerce')), or all into texts (in Python: "
                "column.astype(str)), as the model was fitted on them"
            )
    raise InputError(f"column {column.name!r} holds {told}; turn them into {into}")


def _kind_in_words(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "truth values"
    if isinstance(value, Real):
        return "numbers"
    return "texts" if isinstance(value, str) else f"values of the type {type(value).__name__}"
