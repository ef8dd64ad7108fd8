"""Give Me Some Credit: 150 000 borrowers, seriously late with a payment within two years or not."""

from __future__ import annotations

import os

import numpy as np

from oneformany.datasets.dataset import Dataset, binned
from oneformany.datasets.sources import Source, fetch_table
from oneformany.schema.schema import Schema

SOURCE = Source(
    dataset="give_me_some_credit",
    file="cs-training.csv",
    url="https://www.kaggle.com/c/GiveMeSomeCredit/download/cs-training.csv",
    sha256="1bd46da486a5708c58c7b01a034fae2a13b327f6f7b62ea7ba4fe3b5824b24ac",
)

TARGET = "SeriousDlqin2yrs"

COLUMNS = {
    "RevolvingUtilizationOfUnsecuredLines": binned(
        "utilization", (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9), "of the limit"
    ),
    "age": binned("age", (30, 40, 45, 50, 55, 60, 70), "years"),
    "NumberOfTime30-59DaysPastDueNotWorse": binned("late_30_days", (0, 1, 2, 3), "times"),
    "DebtRatio": binned("debt_ratio", (0.1, 0.2, 0.3, 0.4, 0.6, 1), "of income"),
    "MonthlyIncome": binned("monthly_income", (2000, 3000, 4000, 5000, 6500, 9000), "dollars", missing=True),
    "NumberOfOpenCreditLinesAndLoans": binned("open_credits", (2, 4, 6, 8, 10, 12)),
    "NumberOfTimes90DaysLate": binned("late_90_days", (0, 1, 2), "times"),
    "NumberRealEstateLoansOrLines": binned("real_estate_loans", (0, 1, 2)),
    "NumberOfTime60-89DaysPastDueNotWorse": binned("late_60_days", (0, 1, 2), "times"),
    "NumberOfDependents": binned("dependents", (0, 1, 2, 3), missing=True),
}
"""The feature that each published column becomes."""


def load_credit(data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load the published training rows; numbers are raw, missing values stay missing.

    The publisher gives the file to registered users only, so it has to be in a named folder.
    """
    raw = fetch_table(SOURCE, data_dir, (*COLUMNS, TARGET))
    return Dataset(
        name="credit",
        frame=raw[list(COLUMNS)].set_axis([feature.name for feature in COLUMNS.values()], axis=1),
        target=(raw[TARGET] == 0).to_numpy().astype(np.int64),
        schema=Schema(tuple(COLUMNS.values())),
        positive_label="pays in time",
        negative_label="90 days late within two years",
        description="Borrowers of the competition Give Me Some Credit, 10 features; 96 and 98 are codes.",
        attribution="Give Me Some Credit, Kaggle, 2011; no licence stated",
    )
