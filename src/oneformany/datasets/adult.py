"""Census Income ("Adult"): income above 50 000 dollars a year or not."""

from __future__ import annotations

import os
from io import StringIO

import numpy as np
import pandas as pd

from oneformany.datasets.dataset import Dataset, binned, translated
from oneformany.datasets.sources import Source, fetch, meanings
from oneformany.exceptions import DataUnavailableError
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

PUBLISHER = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"

SOURCES = (
    Source(
        dataset="adult",
        file="adult.data",
        url=f"{PUBLISHER}/adult.data",
        sha256="5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    Source(
        dataset="adult",
        file="adult.test",
        url=f"{PUBLISHER}/adult.test",
        sha256="a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ),
)

COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country",
    "income",
)  # fmt: skip

MEANINGS = meanings("adult")

BINNED = (
    binned("age", (25, 35, 45, 55, 65), "years"),
    binned("capital_gain", (0, 5000), "dollars", ("none", "1-5000", "> 5000")),
    binned("capital_loss", (0,), "dollars", ("none", "some")),
    binned("hours_per_week", (34, 39, 40, 50), "hours"),
)

KNOWN = {
    **{name: Feature(name, tuple(of.values()), ordered=name == "education") for name, of in MEANINGS.items()},
    **{feature.name: feature for feature in BINNED},
    "native_country": Feature("native_country", ("United States", "elsewhere", "unknown")),
}

FEATURES = tuple(name for name in COLUMNS if name not in ("fnlwgt", "education_num", "income"))


def load_adult(data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load both files, the publisher's test rows after its training rows."""
    raw = pd.concat([_read(source, data_dir) for source in SOURCES], ignore_index=True)
    frame = translated(raw[list(FEATURES)], MEANINGS)
    frame["native_country"] = raw["native_country"].map(_country)
    return Dataset(
        name="adult",
        frame=frame,
        target=raw["income"].str.startswith(">50K").to_numpy().astype(np.int64),
        schema=Schema(tuple(KNOWN[column] for column in FEATURES)),
        positive_label="income above 50 000 dollars a year",
        negative_label="income of at most 50 000 dollars a year",
        description=(
            "People in the 1994 census of the United States, 12 features; the first 32 561 rows are the "
            "publisher's training rows. Left out: fnlwgt (a survey weight), education_num (education again)."
        ),
        attribution="Census Income, Ron Kohavi and Barry Becker, 1996, UCI, CC BY 4.0",
    )


def _read(source: Source, data_dir: str | os.PathLike[str] | None) -> pd.DataFrame:
    """Read one file; the second begins with a line that is not data."""
    text = fetch(source, data_dir)
    rows = text.partition("\n")[2] if text.startswith("|") else text
    raw = pd.read_csv(StringIO(rows), header=None, skipinitialspace=True)
    if raw.shape[1] != len(COLUMNS):
        raise DataUnavailableError(
            f"{source.file} has {raw.shape[1]} columns, not {len(COLUMNS)}; replace it by {source.url}"
        )
    return raw.set_axis(list(COLUMNS), axis=1)


def _country(name: str) -> str:
    return {"United-States": "United States", "?": "unknown"}.get(name, "elsewhere")
