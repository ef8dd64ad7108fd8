"""A small schema that the tests of all rules share."""

import numpy as np

from oneformany import Feature, Schema

SCHEMA = Schema(
    (
        Feature(
            "savings",
            ("<= 100", "101-500", "> 500", "-9", "missing"),
            ordered=True,
            edges=(100, 500),
            special=(("-9", (-9,)),),
            missing=True,
            targets=(50, 300, 900, None, None),
        ),
        Feature("job", ("none", "part", "full")),
        Feature("home", ("rent", "own")),
    )
)
SAVINGS, JOB, HOME = SCHEMA.features


def matrix(rule, feature):
    return rule.allowed(feature).astype(int).tolist()


def cells(*rows):
    return np.array(rows, dtype=np.int64)
