"""Student Performance in mathematics: 395 pupils of two Portuguese schools, pass with a good grade or not."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pandas as pd

from oneformany.datasets.dataset import Dataset, translated
from oneformany.datasets.sources import embedded
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

__all__ = ["YES_NO", "load_students", "load_students_published"]

GOOD_GRADE = 12

YES_NO = ("schoolsup", "famsup", "paid", "activities", "nursery", "higher", "internet", "romantic")

EDUCATION = {"0": "none", "1": "4th grade", "2": "5th to 9th grade", "3": "secondary", "4": "higher"}
JOBS = {
    "at_home": "at home",
    "health": "health care",
    "other": "other",
    "services": "civil services",
    "teacher": "teacher",
}

MEANINGS = {
    "school": {"GP": "Gabriel Pereira", "MS": "Mousinho da Silveira"},
    "sex": {"F": "female", "M": "male"},
    "address": {"R": "rural", "U": "urban"},
    "famsize": {"GT3": "more than 3", "LE3": "3 or fewer"},
    "Pstatus": {"A": "apart", "T": "together"},
    "Medu": EDUCATION,
    "Fedu": EDUCATION,
    "Mjob": JOBS,
    "Fjob": JOBS,
    "reason": {"course": "course", "home": "close to home", "other": "other", "reputation": "reputation"},
    "guardian": {"father": "father", "mother": "mother", "other": "other"},
    "traveltime": {"1": "below 15 min", "2": "15 to 30 min", "3": "30 min to 1 h", "4": "above 1 h"},
    "studytime": {"1": "below 2 h", "2": "2 to 5 h", "3": "5 to 10 h", "4": "above 10 h"},
    **{name: {"no": "no", "yes": "yes"} for name in YES_NO},
}

ORDERED = ("Medu", "Fedu", "traveltime", "studytime")

BINS = {
    "age": ((16.0, 17.0), ("<= 16", "17", ">= 18")),
    "failures": ((0.0,), ("0", "1 or more")),
    "absences": ((0.0, 10.0), ("0", "1-10", "11 or more")),
}

FEATURES = (
    *("school", "sex", "age", "address", "famsize", "Pstatus", "Medu", "Fedu", "Mjob", "Fjob", "reason"),
    *("guardian", "traveltime", "studytime", "failures"),
    *YES_NO,
    *("famrel", "freetime", "goout", "Dalc", "Walc", "health", "absences"),
)

ATTRIBUTION = "Student Performance, Paulo Cortez and Alice Silva, 2008, UCI, CC BY 4.0"


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
        attribution=ATTRIBUTION,
    )


def load_students_published() -> Dataset:
    """Load the pupils as the paper's published runs coded them: the yes/no features all say "no"."""
    correct = load_students()
    return Dataset(
        name="students-published",
        frame=correct.frame.assign(**dict.fromkeys(YES_NO, "no")),
        target=correct.target,
        schema=correct.schema,
        positive_label=correct.positive_label,
        negative_label=correct.negative_label,
        description=(
            "The pupils as in the paper's published runs, where a slip sets the eight yes/no features to a "
            "constant (0, here: no). Only for comparison with the paper; use students otherwise."
        ),
        attribution=correct.attribution,
    )


def _feature(column: str) -> Feature:
    if column in BINS:
        edges, labels = BINS[column]
        return Feature(column, labels, ordered=True, edges=edges)
    if column in MEANINGS:
        return Feature(column, tuple(MEANINGS[column].values()), ordered=column in ORDERED)
    return Feature(column, tuple("12345"), ordered=True, numbers=(1, 2, 3, 4, 5))
