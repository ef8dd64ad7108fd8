"""Statlog German Credit: 1000 loan applicants, good or bad credit risks."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pandas as pd

from oneformany.datasets.dataset import Dataset, binned, translated
from oneformany.datasets.sources import embedded, meanings
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

COLUMNS = (
    "checking_account", "duration", "credit_history", "purpose", "amount", "savings", "employment",
    "installment_rate", "personal_status", "other_debtors", "residence", "property", "age",
    "other_installments", "housing", "existing_credits", "job", "dependants", "telephone", "foreign_worker",
)  # fmt: skip

MEANINGS = meanings("german")

CUTS = {
    "duration": (18, "months"),
    "amount": (2319.5, "DM"),
    "installment_rate": (3, "% of income"),
    "residence": (3, "years"),
    "age": (33, "years"),
    "existing_credits": (1, ""),
    "dependants": (1, ""),
}


def load_german() -> Dataset:
    """Load the embedded file; its codes are translated, numbers are cut in two as in the paper."""
    raw = pd.read_csv(StringIO(embedded("german.data")), sep=" ", header=None, names=[*COLUMNS, "risk"])
    frame = translated(raw[list(COLUMNS)], MEANINGS)
    return Dataset(
        name="german",
        frame=frame,
        target=(raw["risk"] == 1).to_numpy().astype(np.int64),
        schema=Schema(tuple(_feature(column) for column in COLUMNS)),
        positive_label="good credit risk",
        negative_label="bad credit risk",
        description="1000 loan applicants of a German bank, 20 features.",
        attribution="Statlog (German Credit Data), Hans Hofmann, 1994, UCI, CC BY 4.0",
    )


def _feature(column: str) -> Feature:
    if column in MEANINGS:
        return Feature(column, tuple(MEANINGS[column].values()), ordered=column == "employment")
    cut, unit = CUTS[column]
    return binned(column, (cut,), unit)
