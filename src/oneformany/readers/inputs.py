"""How a fitted model reads a frame: columns, the steps of a pipeline, categories; and what it says itself."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import BoolArray, FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.callables import decision
from oneformany.readers.columns import (
    Rows,
    as_fitted,
    columns_of,
    dropped_columns,
    encoded_columns,
    fitted_names,
    is_plain,
    probe,
    same_inputs,
)
from oneformany.readers.on_columns import OnColumns
from oneformany.readers.registry import PIPELINE, first_step, load, reader_for
from oneformany.readers.verdict import Reading, Verdict, class_index
from oneformany.readers.wrappers import model_name, named, threshold_inside, unwrapped
from oneformany.schema.encoding import Encoding
from oneformany.schema.frames import NUMBERS, Column, Table

# Steps that make columns of one column each, and steps that leave columns out
ENCODERS = {
    *("Binarizer", "KBinsDiscretizer", "MaxAbsScaler", "MinMaxScaler", "MissingIndicator", "OneHotEncoder"),
    *("OrdinalEncoder", "PowerTransformer", "QuantileTransformer", "RobustScaler", "SimpleImputer"),
    *("SplineTransformer", "StandardScaler", "TargetEncoder"),
}
SELECTORS = {
    *("GenericUnivariateSelect", "RFE", "RFECV", "SelectFdr", "SelectFpr", "SelectFromModel"),
    *("SelectFwe", "SelectKBest", "SelectPercentile", "SequentialFeatureSelector", "VarianceThreshold"),
}
CONTAINERS: dict[type, str] = {  # steps made of others, and where these are
    Pipeline: "steps",
    FeatureUnion: "transformer_list",
    ColumnTransformer: "transformers_",
}
TEXTS = frozenset({"string", "large_string"})  # types of pyarrow


@dataclass(frozen=True, eq=False)
class Inputs:
    """A model's way from a frame to its answer."""

    model: Any
    names: tuple[str, ...]  # frame columns that the model reads, in order
    # The model's own decision about each row of a frame that has these columns, by the user's labels
    decide: Callable[[pd.DataFrame], BoolArray]
    unread: frozenset[str]  # those of the columns that its first step drops
    # Turns such a frame into the numbers that ``classifier`` reads, column by column; ``None``: unknown
    transform: Callable[[pd.DataFrame], FloatArray] | None = None
    oracle: OnColumns | None = None  # what follows
    # Categories that the model was fitted on, where it says so
    known: dict[str, frozenset[object]] = field(default_factory=dict)

    def decision(self, table: Table) -> Callable[[pd.DataFrame], BoolArray]:
        """Ask the model about frames with the columns of a table; what asks may travel, so it has no rows."""
        labels = replace(table, frame=table.frame.iloc[:0])
        return lambda frame: self.decide(labels.named(frame[list(self.names)]))


def inputs_of(model: AnyModel, table: Table, threshold: float | None, positive: object) -> Inputs:
    """See how a fitted classifier that reads the frame's own columns does it."""
    reader, first = reader_for(model), first_step(model)
    if asked := reader.read == PIPELINE or reader.reads == "columns":
        steps, oracle = opened(model, threshold, positive)
    known = table.frame.columns
    labels = [table.labels.get(name, name) for name in fitted_names(first, known) or known]
    unread = dropped_columns(first, labels)
    names = columns_of(first, known, "the frame")
    if not asked:  # but a function, or a model with a reader for frames of its own
        return Inputs(model, names, decision(model, threshold, positive), unread)
    transform: Callable[[pd.DataFrame], FloatArray] = steps
    if steps.steps:
        encoded = encoded_columns(first if reader.read == PIPELINE else steps.steps[0], labels)
        values = {str(name): frozenset(categories.tolist()) for _, name, categories in encoded}
    else:
        categories = known_categories(oracle.classifier, table.frame, names)
        codes = {str(table.labels[name]): values for name, values in categories.items()}
        transform = CategoryCodes(model_name(oracle.classifier), codes)
        values = {name: frozenset(values) for name, values in categories.items()}
    decide: Any = Verdict(model, steps.inputs, threshold, positive)
    if reader.probabilities:
        decide = reader.verdict(model, transform, threshold, positive)
    return Inputs(model, names, decide, unread, transform, oracle, values)


def read_pipeline(model: Pipeline, rows: Rows, threshold: float | None, positive: object) -> Reading:
    """Read a fitted pipeline of feature-by-feature steps that ends in a classifier which can be read.

    What each level becomes is seen: frames in which one feature takes each of its levels go through the
    steps.
    """
    transform, oracle = opened(model, threshold, positive)
    encoding = probe(lambda codes: transform(rows.frame(codes)), rows.schema.levels)
    decide = Verdict(model, transform.inputs, threshold, positive)
    return Reading(oracle(encoding), lambda codes: decide(rows.frame(codes)))


@dataclass(frozen=True, eq=False)
class Transform:
    """The fitted steps before the classifier."""

    steps: Sequence[Any]
    inputs: Callable[[pd.DataFrame], Any]  # gives what the first of them reads
    gaps_are_missing: bool  # to the classifier, where a sparse matrix stores nothing; otherwise zero

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Send a frame through the steps."""
        data = self.inputs(frame)
        try:
            for step in self.steps:
                data = step.transform(data)
        except (ValueError, TypeError) as error:
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


def opened(model: AnyModel, threshold: float | None, positive: object) -> tuple[Transform, OnColumns]:
    """Find the steps before the classifier, if any, and the classifier, which reads columns."""
    steps: list[Any] = []
    last = model
    while True:
        threshold, last = threshold_inside(last, threshold, positive), unwrapped(last)
        if last is not model and (last is None or isinstance(last, str)):
            raise UnsupportedModelError(f"the pipeline ends in {last!r}: give a fitted classifier")
        reader = reader_for(last)
        if reader.read != PIPELINE:
            break
        for name, step in last.steps[:-1]:
            check_step(step, name)
        if len(last.steps) > 1:
            steps.append(Pipeline(last.steps[:-1]))  # as predict goes through them, whatever the class
        last = last.steps[-1][1]
    if not reader.probabilities:
        class_index(last, positive)
    calibrated = [member.estimator for member in getattr(last, "calibrated_classifiers_", ())]
    for read in (last, *map(unwrapped, calibrated)):
        if reader_for(read).reads != "columns":
            raise UnsupportedModelError(
                f"the model ends in {type(read).__name__}, which reads no columns of numbers"
            )
    if hasattr(last, "_preprocessor") and getattr(last, "is_categorical_", None) is not None:
        steps.append(last._preprocessor)  # noqa: SLF001 (no public way to the codes of histogram boosting)
        last = copy(last)
        last.is_categorical_ = None
    sparse = type(last).__module__.split(".")[0] == "xgboost"
    transform = Transform(steps, partial(as_fitted, first_step(model)), sparse)
    return transform, OnColumns(last, reader.read, threshold, positive)


def check_step(step: AnyModel, name: str) -> None:
    """Make sure that a fitted step, and every step inside it, acts feature by feature."""
    if step is None or isinstance(step, str):
        return
    for container, parts in CONTAINERS.items():
        if is_plain(step, container):
            if not hasattr(step, parts):
                raise UnsupportedModelError(f"step {name!r} of the pipeline is not fitted: call its fit")
            for inner, transformer, *_ in getattr(step, parts):
                check_step(transformer, f"{name}/{inner}")
            return
    kind, function = type(step).__name__, getattr(step, "func", None)
    alone = type(step).__module__.split(".")[0] == "sklearn" and kind in ENCODERS | SELECTORS
    if is_plain(step, FunctionTransformer):  # numpy's functions of one number act on each number alone
        entrywise = isinstance(function, np.ufunc) and function.nin == function.nout == 1
        alone = function is None or (entrywise and not step.kw_args)
        kind += f" with {getattr(function, '__name__', function)!r}"
    if not alone:
        known = ", ".join(sorted(ENCODERS | SELECTORS))
        raise UnsupportedModelError(
            f"step {name!r} of the pipeline, {kind}, may mix features; read are {known}, "
            "FunctionTransformer with a numpy function of one argument such as numpy.log1p, and "
            "ColumnTransformer, FeatureUnion and Pipeline of these; pass the pipeline's predict_proba "
            "instead to have it asked as a black box"
        )


@dataclass(frozen=True, eq=False)
class CategoryCodes:
    """Turn a frame into numbers, with the codes that a model has for categories."""

    model: str  # what to call it in messages
    categories: dict[str, list[Any]]  # known ones of columns that are read so, in the order of their codes

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Numbers for each row; categories that the model does not know are not-a-number."""
        columns = [self._column(frame[name], str(name)) for name in frame.columns]
        return np.column_stack(columns).astype(np.float64)

    def encoding(self, columns: Mapping[str, Column]) -> Encoding:
        """What values of columns become: each fills a column of its own, unless it has but one value."""
        seen = [self._column(column, name).astype(np.float64) for name, column in columns.items()]
        moves = [len(own) > 1 and not same_inputs(own, own[0]).all() for own in seen]
        own = tuple(np.arange(index, index + moved) for index, moved in enumerate(moves))
        blocks = tuple(values[:, None][:, :moved] for values, moved in zip(seen, moves, strict=True))
        return Encoding(own, blocks, np.array([values[0] for values in seen]))

    def _column(self, column: Column, name: str) -> FloatArray:
        if name in self.categories:
            code = {category: float(number) for number, category in enumerate(self.categories[name])}
            return column.astype(object).map(code).to_numpy(dtype=np.float64)
        if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in NUMBERS:
            column = pd.to_numeric(column, errors="coerce")
        try:
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (ValueError, TypeError) as error:
            odd = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
            if 0 < len(odd) < len(column):
                raise InputError(
                    f"column {name!r} holds {odd.iloc[0]!r} among numbers; write a number, or drop the row"
                ) from error
            raise InputError(
                f"column {name!r} holds texts, which {self.model} cannot read; leave it out if the model was "
                "fitted without it, turn it into a column of type category if the model was fitted so, or "
                "pass the schema whose one-hot columns it reads"
            ) from error


def known_categories(model: AnyModel, frame: pd.DataFrame, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Find the categories that a boosting model was fitted on, by columns that have the type category."""
    typed = [name for name in labels if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    kind = type(model)
    if named("catboost", "CatBoostClassifier")(kind):
        load(".trees.catboost:check_numbers")(model)
    if named("lightgbm", "LGBMClassifier", "Booster")(kind):
        booster: AnyModel = getattr(model, "booster_", model)
        known = booster.pandas_categorical or []
        if len(known) != len(typed):
            raise InputError(
                f"{kind.__name__} was fitted with {len(known)} columns of type category, the frame has "
                f"{len(typed)}; give the columns the types that they had"
            )
        return dict(zip(typed, known, strict=True))
    booster = model.get_booster() if named("xgboost", "XGBClassifier")(kind) else model
    if named("xgboost", "Booster")(type(booster)) and hasattr(booster, "get_categories"):
        try:  # the categories of each column as an array of pyarrow, None for numbers
            stored = booster.get_categories(export_to_arrow=True).to_arrow()
        except (ImportError, ValueError, RuntimeError):
            stored = []
        if len(stored) == len(labels):  # otherwise its reader says which columns it was fitted on
            both = zip(labels, (values for _, values in stored), strict=True)
            known = {name: values for name, values in both if values is not None}
            for name, values in known.items() if booster is not model else ():
                _check_categories(frame[name], texts=str(values.type) in TEXTS)
            return {name: _as_in(values, frame[name]) for name, values in known.items()}
    return {name: frame[name].cat.categories.tolist() for name in typed}


def _check_categories(column: Column, *, texts: bool) -> None:
    """Refuse a column in which ``XGBClassifier`` does not see categories that are all texts, or all not."""
    typed = isinstance(column.dtype, pd.CategoricalDtype)
    kinds = column.cat.categories if typed else ()
    for odd in [kind for kind in kinds if isinstance(kind, str) != texts] if typed else [None]:
        has = f"has the category {odd!r}" if typed else "is not of type category"
        raise InputError(
            f"column {column.name!r} {has}, and the model was fitted on categories that are "
            f"{'texts' if texts else 'numbers'}; give the column the type and the categories that it had"
        )


def _as_in(values: AnyValue, column: Column) -> list[Any]:
    """Find the categories that XGBoost knows by the texts of a column.

    XGBoost (3.1, 3.2) counts letters where it should count bytes, so that beyond ASCII it keeps, and later
    compares, pieces of texts. All is well if the pieces differ and the column has the same categories.
    """
    if str(values.type) not in TEXTS:
        return list(values.to_pylist())
    kinds = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else ()
    own = [text for text in kinds if isinstance(text, str)]
    ends = np.cumsum([0, *map(len, own)]).tolist()
    cut = ["".join(own).encode()[start:end] for start, end in pairwise(ends)]
    pieces = values.cast("binary").to_pylist()
    known = [piece.decode(errors="replace") for piece in pieces]
    if pieces == cut and len(set(pieces)) == len(pieces):
        return own
    lost = any("\N{REPLACEMENT CHARACTER}" in text for text in known)
    if lost or len(set(known)) < len(pieces) or any(not t.isascii() and t not in known for t in own):
        raise UnsupportedModelError(
            f"XGBoost keeps only pieces of the categories of column {column.name!r}, which have letters "
            "beyond ASCII; give the column the categories that it had in training, in their order, or fit "
            "the model on categories in ASCII letters"
        )
    return known
