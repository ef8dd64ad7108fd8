"""COMPAS: defendants in Broward County, charged again within two years or not."""

from __future__ import annotations

import os

import numpy as np

from oneformany.datasets.dataset import Dataset, translated
from oneformany.datasets.sources import Source, fetch_table
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

SOURCE = Source(
    dataset="compas",
    file="compas-scores-two-years.csv",
    url="https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv",
    sha256="c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
)

CHARGES = {"M": "misdemeanor", "F": "felony"}

SCHEMA = Schema(
    (
        Feature("race", ("African-American", "Asian", "Caucasian", "Hispanic", "Native American", "Other")),
        Feature("age_cat", ("Less than 25", "25 - 45", "Greater than 45"), ordered=True),
        Feature("priors_count", ("0", "1", "2-3", "4 or more"), ordered=True, edges=(0, 1, 3)),
        Feature("sex", ("Male", "Female")),
        Feature("c_charge_degree", tuple(CHARGES.values())),
    )
)

FILTER = ("days_b_screening_arrest", "is_recid", "score_text")
TARGET = "two_year_recid"


def load_compas(data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load the defendants that ProPublica's own filter keeps."""
    raw = fetch_table(SOURCE, data_dir, (*SCHEMA.names, *FILTER, TARGET))
    kept = raw[
        raw["days_b_screening_arrest"].between(-30, 30)
        & (raw["is_recid"] != -1)
        & (raw["c_charge_degree"] != "O")
        & raw["score_text"].notna()
        & (raw["score_text"] != "N/A")
    ]
    frame = kept[list(SCHEMA.names)].reset_index(drop=True)
    return Dataset(
        name="compas",
        frame=translated(frame, {"c_charge_degree": CHARGES}),
        target=(kept[TARGET] == 0).to_numpy().astype(np.int64),
        schema=SCHEMA,
        positive_label="not charged again within two years",
        negative_label="charged again within two years",
        description="Defendants in Broward County, Florida, after ProPublica's filter, 5 features.",
        attribution="ProPublica, compas-analysis, 2016; no licence stated",
    )
