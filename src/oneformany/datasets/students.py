"""Student Performance in mathematics: 395 pupils of two Portuguese schools, pass with a good grade or not."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd

from oneformany.datasets.dataset import Dataset, binned, translated
from oneformany.datasets.sources import embedded, meanings
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

GOOD_GRADE = 12

YES_NO = ("schoolsup", "famsup", "paid", "activities", "nursery", "higher", "internet", "romantic")

MEANINGS = meanings("students")

ORDERED = ("Medu", "Fedu", "traveltime", "studytime")

BINS: dict[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    "age": ((16, 17), ("<= 16", "17", ">= 18")),
    "failures": ((0,), ("0", "1 or more")),
    "absences": ((0, 10), ("0", "1-10", "11 or more")),
}

FEATURES = (
    *("school", "sex", "age", "address", "famsize", "Pstatus", "Medu", "Fedu", "Mjob", "Fjob", "reason"),
    *("guardian", "traveltime", "studytime", "failures"),
    *YES_NO,
    *("famrel", "freetime", "goout", "Dalc", "Walc", "health", "absences"),
)


def load_students() -> Dataset:
    """Load the embedded file; the grades G1, G2 and G3 are not features."""
    raw = pd.read_csv(StringIO(embedded("student-mat.csv")), sep=";")
    frame = translated(raw[list(FEATURES)], MEANINGS)
    return Dataset(
        name="students",
        frame=frame,
        target=(raw["G3"] >= GOOD_GRADE).to_numpy().astype(np.int64),
        schema=Schema(tuple(_feature(column) for column in FEATURES)),
        positive_label=f"final grade of {GOOD_GRADE} or more",
        negative_label=f"final grade below {GOOD_GRADE}",
        description="395 pupils of two Portuguese schools, mathematics, 30 features.",
        attribution="Student Performance, Paulo Cortez and Alice Silva, 2008, UCI, CC BY 4.0",
    )


def load_students_published() -> Dataset:
    """Load the pupils as the paper's published runs coded them: the yes/no features all say "no"."""
    correct = load_students()
    return replace(
        correct,
        name="students-published",
        frame=correct.frame.assign(**dict.fromkeys(YES_NO, "no")),
        description=(
            "The pupils as in the paper's published runs, where a slip sets the eight yes/no features to a "
            "constant (0, here: no). Only for comparison with the paper; use students otherwise."
        ),
    )


def _feature(column: str) -> Feature:
    if column in BINS:
        edges, labels = BINS[column]
        return binned(column, edges, labels=labels)
    if column in MEANINGS:
        return Feature(column, tuple(MEANINGS[column].values()), ordered=column in ORDERED)
    return Feature(column, tuple("12345"), ordered=True, numbers=(1, 2, 3, 4, 5))
