"""A data set as frozen plain data, made of its file and of what ``data/sets.toml`` says about it."""

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.datasets.sources import Source, embedded, fetch
from oneformany.exceptions import DataUnavailableError
from oneformany.schema.cells import bin_labels
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

POSITIVE: dict[str, Callable[[pd.DataFrame], AnyValue]] = {
    "german": lambda raw: raw["risk"] == 1,
    "students": lambda raw: raw["G3"] >= 12,
    "compas": lambda raw: raw["two_year_recid"] == 0,
    "adult": lambda raw: raw["income"].str.startswith(">50K"),
    "credit": lambda raw: raw["SeriousDlqin2yrs"] == 0,
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with readable labels, what to predict, and how to code them.

    Attributes
    ----------
    name : str
        Name to load it by.
    frame : DataFrame
        One column per feature.
    target : (n,) array of 0 and 1
        1 for the positive class.
    schema : Schema
        Features and levels; its one-hot columns are those of the paper where the paper uses the data.
    positive_label, negative_label : str
        The two classes in words.
    description : str
        What the rows are, and what was done to them.
    attribution : str
        Who made the data, and under which licence.
    """

    name: str
    frame: pd.DataFrame
    target: IntArray
    schema: Schema
    positive_label: str
    negative_label: str
    description: str
    attribution: str

    def __repr__(self) -> str:
        rows, features = self.frame.shape
        return (
            f"Dataset({self.name!r}: {rows:,} rows, {features} features, {self.positive_label!r} is positive)"
        )

    @cached_property
    def codes(self) -> IntArray:
        """The rows as codes."""
        return self.schema.encode(self.frame)

    @property
    def one_hot(self) -> FloatArray:
        """The rows as one-hot columns."""
        return self.schema.one_hot(self.codes)


@cache
def known_sets() -> dict[str, dict[str, Any]]:
    """Read what is known about all data sets."""
    return tomllib.loads(embedded("sets.toml"))


def schema_of(name: str) -> Schema:
    """Give the features of a data set, without its rows."""
    features = known_sets()[name.removesuffix("-published")]["features"]
    return Schema(tuple(_feature(column, about) for column, about in features.items()))


def sources_of(name: str) -> list[Source]:
    """Say where the files of a data set are; none where its file comes with the package."""
    about = known_sets()[name]
    return [Source(about.get("folder", name), **file) for file in about.get("files", ())]


def read_set(name: str, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Read the files of a data set; codes become words, numbers and missing values stay as they are."""
    about, sources = known_sets()[name], sources_of(name)
    texts = {one.file: fetch(one, data_dir) for one in sources} or {name: embedded(about["embedded"])}
    instead = {one.file: f"; replace it by {one.url}" for one in sources}
    found = (_table(text, about, f"{file} has", instead.get(file, "")) for file, text in texts.items())
    raw = pd.concat(found, ignore_index=True)
    if name == "compas":  # ProPublica's own filter
        scored = raw["score_text"].notna() & (raw["score_text"] != "N/A")
        known = raw["days_b_screening_arrest"].between(-30, 30) & (raw["is_recid"] != -1)
        raw = raw[scored & known & (raw["c_charge_degree"] != "O")].reset_index(drop=True)
    elif name == "adult":
        country = raw["native_country"]
        raw["native_country"] = country.where(country.isin(["United-States", "?"]), "elsewhere")
    columns = {feature: one.get("column", feature) for feature, one in about["features"].items()}
    words = ("positive_label", "negative_label", "description", "attribution")
    return Dataset(
        name,
        _translated(raw[list(columns.values())].set_axis(list(columns), axis=1), about["features"]),
        POSITIVE[name](raw).to_numpy().astype(np.int64),
        schema_of(name),
        **{word: about[word] for word in words},
    )


def _feature(name: str, about: dict[str, Any]) -> Feature:
    edges, numbers = about.get("edges"), about.get("numbers")
    levels = about.get("levels") or [*about.get("codes", {}).values()] or [*map(str, numbers or ())]
    if edges is not None and not levels:
        levels = bin_labels(edges, integers=all(edge == int(edge) for edge in edges))
    ordered = about.get("ordered", edges is not None or numbers is not None)
    made = Feature(name, tuple(levels), ordered, edges, numbers, about.get("unit", ""))
    return made.with_cells(missing=about.get("missing", False))


def _table(text: str, about: dict[str, Any], has: str, instead: str) -> pd.DataFrame:
    """Read a file that begins with the names of its columns, or has those that are known."""
    names = about.get("columns")
    rows = text.partition("\n")[2] if text.startswith("|") else text  # a first line that is not data
    known: dict[str, Any] = {} if names is None else {"header": None, "skipinitialspace": True}
    mark = about.get("separator", ",")
    try:
        raw: pd.DataFrame = pd.read_csv(StringIO(rows), sep=mark, low_memory=False, **known)
    except ValueError as error:
        raise DataUnavailableError(f"{has} no table ({error}){instead}") from error
    if names is not None:
        if raw.shape[1] != len(names):
            raise DataUnavailableError(f"{has} {raw.shape[1]} columns, not {len(names)}{instead}")
        raw = raw.set_axis(names, axis=1)
    needed = [one.get("column", name) for name, one in about["features"].items()]
    for column in (*needed, *about.get("needed", ())):
        if column not in raw.columns:
            raise DataUnavailableError(f"{has} no column {column!r}{instead}")
    return raw


def _translated(frame: pd.DataFrame, features: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """Replace the publisher's codes by words; an unknown code says that this is not the published file."""
    for name, words in ((name, about["codes"]) for name, about in features.items() if "codes" in about):
        codes = frame[name].astype(str)
        unknown = codes[~codes.isin(list(words))]
        if len(unknown):
            raise DataUnavailableError(
                f"column {name!r}, row {unknown.index[0]}: {unknown.iloc[0]!r} is not one of the codes "
                f"{', '.join(words)}; replace the file by the original"
            )
        frame[name] = codes.map(words)
    return frame
