"""Small files that the commands read: rows and a model of raw columns."""

from __future__ import annotations

import joblib
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

from oneformany.cli.app import app

FRAME = pd.DataFrame(
    {
        "income": [1, 1, 2, 2, 3, 3, 1, 2],
        "savings": [1, 2, 1, 2, 1, 2, 3, 3],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
    }
)
GOOD = (FRAME["income"] + FRAME["savings"] >= 4).astype(int)


def tree():
    return DecisionTreeClassifier(random_state=0).fit(FRAME[["income", "savings"]], GOOD)


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def write_case(folder):
    """Write rows.csv and model.joblib."""
    FRAME.to_csv(folder / "rows.csv", index=False)
    joblib.dump(tree(), folder / "model.joblib")
    return folder
