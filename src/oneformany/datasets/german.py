"""Statlog German Credit: 1000 loan applicants, good or bad credit risks."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pandas as pd

from oneformany.datasets.dataset import Dataset, translated
from oneformany.datasets.sources import embedded
from oneformany.schema.discretise import bin_labels
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

__all__ = ["load_german"]

COLUMNS = (
    "checking_account",
    "duration",
    "credit_history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "installment_rate",
    "personal_status",
    "other_debtors",
    "residence",
    "property",
    "age",
    "other_installments",
    "housing",
    "existing_credits",
    "job",
    "dependants",
    "telephone",
    "foreign_worker",
)

MEANINGS = {
    "checking_account": {
        "A11": "below 0 DM",
        "A12": "0 to 200 DM",
        "A13": "200 DM or more",
        "A14": "no checking account",
    },
    "credit_history": {
        "A30": "no credits taken",
        "A31": "all credits here paid back",
        "A32": "existing credits paid back so far",
        "A33": "delays in the past",
        "A34": "critical account",
    },
    "purpose": {
        "A40": "new car",
        "A41": "used car",
        "A42": "furniture",
        "A43": "radio or television",
        "A44": "domestic appliances",
        "A45": "repairs",
        "A46": "education",
        "A48": "retraining",
        "A49": "business",
        "A410": "other",
    },
    "savings": {
        "A61": "below 100 DM",
        "A62": "100 to 500 DM",
        "A63": "500 to 1000 DM",
        "A64": "1000 DM or more",
        "A65": "none or unknown",
    },
    "employment": {
        "A71": "unemployed",
        "A72": "below 1 year",
        "A73": "1 to 4 years",
        "A74": "4 to 7 years",
        "A75": "7 years or more",
    },
    "personal_status": {
        "A91": "male, divorced or separated",
        "A92": "female, divorced, separated or married",
        "A93": "male, single",
        "A94": "male, married or widowed",
    },
    "other_debtors": {"A101": "none", "A102": "co-applicant", "A103": "guarantor"},
    "property": {
        "A121": "real estate",
        "A122": "savings agreement or life insurance",
        "A123": "car or other",
        "A124": "none or unknown",
    },
    "other_installments": {"A141": "bank", "A142": "stores", "A143": "none"},
    "housing": {"A151": "rent", "A152": "own", "A153": "for free"},
    "job": {
        "A171": "unemployed or unskilled, non-resident",
        "A172": "unskilled, resident",
        "A173": "skilled",
        "A174": "management or self-employed",
    },
    "telephone": {"A191": "none", "A192": "yes"},
    "foreign_worker": {"A202": "no", "A201": "yes"},
}

ORDERED = ("employment",)

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
        return Feature(column, tuple(MEANINGS[column].values()), ordered=column in ORDERED)
    cut, unit = CUTS[column]
    return Feature(column, bin_labels([cut]), ordered=True, edges=(cut,), unit=unit)
