"""Explanations on raw columns: four data sets, six kinds of models, two ways to share.

    ONEFORMANY_DATA=folder python benchmarks/raw_data.py               # all, one after the other
    ONEFORMANY_DATA=folder python benchmarks/raw_data.py german tree   # some data sets, models or ways
    python benchmarks/raw_data.py german --markdown table.md --json table.json

Each model is fitted on one half of the rows, with the settings of its library; all rows of the other half
that it refuses, at most 2,000, are explained with up to 3 changes on default cells, the first half being
reference data. Borrowers of the competition data are seldom late, so those models are fitted on all that
were late and on as many others. Some columns: how many of the covered rows, as they are after following,
the model's own predict accepts; and seconds, reading the model included; the limit is 60.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from measuring import script_parser, timed
from oneformany import OneForMany
from oneformany.datasets import load

DATA = ("german", "students", "adult", "credit")
WAYS = ("point", "action")
MOST_ROWS = 2_000
CHANGES = 3
LIMIT = 60.0


def in_pipeline(classifier: Any) -> Pipeline:
    """Numbers scaled, gaps filled; categories one-hot."""
    return make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
            (
                OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
                make_column_selector(dtype_exclude="number"),
            ),
        ),
        classifier,
    )


MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: in_pipeline(LogisticRegression(max_iter=2000)),
    "network": lambda: in_pipeline(MLPClassifier((16,), alpha=1.0, random_state=0, max_iter=1000)),
    "histogram": lambda: HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0),
    "xgboost": lambda: xgboost.XGBClassifier(enable_categorical=True, n_jobs=1, random_state=0),
    "lightgbm": lambda: lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    "tree": lambda: in_pipeline(DecisionTreeClassifier(max_depth=3, random_state=0)),
}


def halves(name: str) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """Training rows, other rows, and what to predict for the first."""
    data = load(name)
    texts = [column for column in data.frame if not pd.api.types.is_numeric_dtype(data.frame[column])]
    frame = data.frame.astype(dict.fromkeys(texts, "category"))
    train, test, target, _ = train_test_split(frame, data.target, test_size=0.5, random_state=0)
    return train, test, np.asarray(target)


def balanced(train: pd.DataFrame, target: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """As many positive rows as negative ones, if these are rare."""
    negative, positive = np.flatnonzero(target == 0), np.flatnonzero(target == 1)
    if 5 * len(negative) > len(positive):
        return train, target
    kept = np.sort(
        np.concatenate([negative, np.random.default_rng(0).permutation(positive)[: len(negative)]])
    )
    return train.iloc[kept], target[kept]


def measure(data: str, kind: str, ways: list[str]) -> Iterator[dict[str, Any]]:
    """Fit a model and explain what it refuses."""
    train, test, target = halves(data)
    some, labels = balanced(train, target)
    model = MODELS[kind]().fit(some, labels)
    refused = test[np.asarray(model.predict(test)) == 0].head(MOST_ROWS)
    for share in ways:
        explainer = OneForMany(model, max_changes=CHANGES, share=share, reference=train)
        result, seconds = timed(explainer.explain, refused, time_limit=LIMIT)
        accepted = np.asarray(model.predict(result.apply(refused))) == 1 if result.covered else np.ones(0)
        if result.covered + len(result.unreachable) + len(result.undecided) != len(refused):
            raise AssertionError(f"{data}, {kind}, {share}: some refused rows are nowhere")
        if not accepted.all():
            raise AssertionError(f"{data}, {kind}, {share}: the model refuses rows that followed")
        if 2 * result.count > result.covered > 1 and "keeps rows apart" not in result.summary():
            raise AssertionError(f"{data}, {kind}, {share}: the summary does not say what keeps rows apart")
        yield {
            "data": data,
            "model": kind,
            "share": share,
            "refused": len(refused),
            "covered": result.covered,
            "unreachable": len(result.unreachable),
            "undecided": len(result.undecided),
            "explanations": result.count,
            "bound": result.lower_bound,
            "accepted": f"{100 * accepted.mean():.0f} %" if len(accepted) else "-",
            "seconds": round(seconds, 1),
            "status": result.status,
            "ended": result.ended,
        }


def markdown(lines: list[dict[str, Any]]) -> str:
    """The table for the documentation."""
    rows = [lines[0], ["---"] * len(lines[0]), *(map(str, line.values()) for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def main() -> None:
    """Measure what was asked for."""
    parser = script_parser(__doc__)
    parser.add_argument(
        "only", nargs="*", choices=[*DATA, *MODELS, *WAYS, []], help="data sets, models, ways"
    )
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    data, kinds, ways = (
        [name for name in names if name in asked.only] or list(names) for names in (DATA, MODELS, WAYS)
    )
    lines: list[dict[str, Any]] = []
    for name in data:
        for kind in kinds:
            for line in measure(name, kind, ways):
                lines.append(line)
                print("  ".join(f"{value!s:>9}" for value in line.values()), flush=True)
                if asked.markdown is not None:
                    asked.markdown.write_text(markdown(lines), encoding="utf-8")
                if asked.json is not None:
                    asked.json.write_text(json.dumps(lines, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
