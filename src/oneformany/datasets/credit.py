"""Give Me Some Credit: 150 000 borrowers, seriously late with a payment within two years or not."""

from __future__ import annotations

import os
from io import StringIO

import numpy as np
import pandas as pd

from oneformany.datasets.dataset import Dataset
from oneformany.datasets.sources import Source, fetch
from oneformany.exceptions import DataUnavailableError
from oneformany.schema.discretise import bin_labels
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

__all__ = ["SOURCE", "load_credit"]

SOURCE = Source(
    dataset="give_me_some_credit",
    file="cs-training.csv",
    url="https://www.kaggle.com/c/GiveMeSomeCredit/download/cs-training.csv",
    sha256="1bd46da486a5708c58c7b01a034fae2a13b327f6f7b62ea7ba4fe3b5824b24ac",
)

TARGET = "SeriousDlqin2yrs"

COLUMNS: dict[str, tuple[str, tuple[float, ...], bool, str]] = {
    "RevolvingUtilizationOfUnsecuredLines": (
        "utilization",
        (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
        False,
        "of the limit",
    ),
    "age": ("age", (30, 40, 45, 50, 55, 60, 70), False, "years"),
    "NumberOfTime30-59DaysPastDueNotWorse": ("late_30_days", (0, 1, 2, 3), False, "times"),
    "DebtRatio": ("debt_ratio", (0.1, 0.2, 0.3, 0.4, 0.6, 1), False, "of income"),
    "MonthlyIncome": ("monthly_income", (2000, 3000, 4000, 5000, 6500, 9000), True, "dollars"),
    "NumberOfOpenCreditLinesAndLoans": ("open_credits", (2, 4, 6, 8, 10, 12), False, ""),
    "NumberOfTimes90DaysLate": ("late_90_days", (0, 1, 2), False, "times"),
    "NumberRealEstateLoansOrLines": ("real_estate_loans", (0, 1, 2), False, ""),
    "NumberOfTime60-89DaysPastDueNotWorse": ("late_60_days", (0, 1, 2), False, "times"),
    "NumberOfDependents": ("dependents", (0, 1, 2, 3), True, ""),
}
"""For each published column: our name, edges, whether values are missing, and the unit."""


def load_credit(data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load the published training rows; numbers are raw, missing values stay missing.

    The publisher gives the file to registered users only, so it has to be in a named folder.

    Parameters
    ----------
    data_dir : path, optional
        Folder with the file; see :func:`oneformany.datasets.load`.
    """
    raw = pd.read_csv(StringIO(fetch(SOURCE, data_dir)))
    for column in (*COLUMNS, TARGET):
        if column not in raw.columns:
            raise DataUnavailableError(f"{SOURCE.file} has no column {column!r}; replace it by {SOURCE.url}")
    return Dataset(
        name="credit",
        frame=raw[list(COLUMNS)].set_axis([name for name, *_ in COLUMNS.values()], axis=1),
        target=(raw[TARGET] == 0).to_numpy().astype(np.int64),
        schema=Schema(tuple(_feature(*given) for given in COLUMNS.values())),
        positive_label="pays in time",
        negative_label="90 days late within two years",
        description="Borrowers of the competition Give Me Some Credit, 10 features; 96 and 98 are codes.",
        attribution="Give Me Some Credit, Kaggle, 2011; no licence stated",
    )


def _feature(name: str, edges: tuple[float, ...], missing: bool, unit: str) -> Feature:
    integers = all(edge == int(edge) for edge in edges)
    labels = (*bin_labels(edges, integers=integers), *(("missing",) if missing else ()))
    return Feature(name, labels, ordered=True, edges=edges, unit=unit, missing=missing)
