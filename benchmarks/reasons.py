"""Reasons by SHAP values, and how many of them lead nowhere, beside reasons that people can respond to.

    python benchmarks/reasons.py                          # german: half a minute
    python benchmarks/reasons.py german adult credit      # 200 refused rows of each: some minutes

For each refused row the four features with the lowest SHAP values are what a letter would usually name. For a
linear model these values are its weights times the distance from the mean; for XGBoost they are what it tells
itself (``pred_contribs``). A reason leads nowhere if it is proved that no allowed change of up to three
features, this one among them, is accepted. Personal traits stay as they are, and nobody gets younger.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import oneformany as ofm
from measuring import script_parser, show, tell, timed
from oneformany.datasets import Dataset, load
from oneformany.explainer.posing import pose
from oneformany.schema.frames import Table
from oneformany.stop import Stop
from oneformany.studies.reasons import MOST_REASONS, principal, reasons_of

ROWS = 200
CHANGES = 3
FIXED = {
    "german": ("personal_status", "age", "foreign_worker", "credit_history", "purpose"),
    "adult": ("age", "race", "sex", "native_country", "marital_status", "relationship"),
    "credit": ("age", "dependents"),
}
Values = Callable[[pd.DataFrame], pd.DataFrame]


def linear(past: pd.DataFrame, target: Any) -> tuple[Any, Values]:
    """A logistic regression on scaled and one-hot columns, and its SHAP values by feature."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    texts = past.select_dtypes(exclude="number").columns.tolist()
    numbers = [name for name in past.columns if name not in texts]
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts), (scaled, numbers)
    )
    model = make_pipeline(encode, LogisticRegression(max_iter=2000)).fit(past, target)
    blocks = (
        [len(known) for known in encode.named_transformers_["onehotencoder"].categories_] if texts else []
    )
    names = [*np.repeat(texts, blocks), *numbers]
    mean = encode.transform(past).mean(axis=0)

    def values(rows: pd.DataFrame) -> pd.DataFrame:
        told = (encode.transform(rows) - mean) * model[-1].coef_[0]
        return pd.DataFrame(told, rows.index, names).T.groupby(level=0).sum().T[past.columns]

    return model, values


def boosted(past: pd.DataFrame, target: Any) -> tuple[Any, Values]:
    """XGBoost on the columns as they are, categories among them, and its own SHAP values."""
    import xgboost

    model = xgboost.XGBClassifier(
        n_estimators=100, max_depth=4, random_state=0, n_jobs=1, enable_categorical=True
    )
    model.fit(past, target)

    def values(rows: pd.DataFrame) -> pd.DataFrame:
        matrix = xgboost.DMatrix(rows, enable_categorical=True)
        told = model.get_booster().predict(matrix, pred_contribs=True)
        return pd.DataFrame(told[:, :-1], rows.index, past.columns)

    return model, values


MODELS = {"logistic regression": linear, "XGBoost": boosted}


def halves(data: Dataset) -> tuple[pd.DataFrame, Any, pd.DataFrame]:
    """Rows to fit to, their targets, and rows to decide about."""
    frame = data.frame.copy()
    for name in frame.select_dtypes(exclude="number").columns:
        frame[name] = frame[name].astype("category")
    order = np.random.default_rng(0).permutation(len(frame))
    first, second = order[: len(frame) // 2], order[len(frame) // 2 :]
    return frame.iloc[first], np.asarray(data.target)[first], frame.iloc[second]


def line(name: str, kind: str, data: Dataset, most: int) -> dict[str, object]:
    """Ask about every feature of every refused row, and look up what SHAP would have named."""
    past, target, new = halves(data)
    if kind == "logistic regression":
        past, new = (
            part.astype(dict.fromkeys(part.select_dtypes("category"), object)) for part in (past, new)
        )
    model, values = MODELS[kind](past, target)
    refused = new[model.predict(new) == 0].head(most)
    rules = [ofm.Immutable(column) for column in FIXED[name] if column in past.columns]
    explainer = ofm.OneForMany(model, max_changes=CHANGES, share="action", reference=past, rules=rules)
    problem = pose(explainer, Table.of(refused)).problem(CHANGES, "action")
    shap = values(refused)
    counts = dict.fromkeys(
        ("rows", "helpable", "first", "told", "nowhere", "all", "ours", "our", "unknown"), 0
    )
    for given, row in enumerate(problem.row_of.tolist()):
        found = reasons_of(problem, problem, row, Stop())
        answers = {reason.feature: reason.responsive for reason in found}
        lowest = shap.iloc[given].sort_values()
        named = [past.columns.get_loc(column) for column in lowest[lowest < 0].index[:MOST_REASONS]]
        lead = [answers[feature] for feature in named]
        counts["rows"] += 1
        counts["unknown"] += sum(answer is None for answer in answers.values())
        if any(answers.values()):
            counts["helpable"] += 1
            counts["first"] += lead[:1] == [False]
            counts["told"] += len(lead)
            counts["nowhere"] += sum(answer is False for answer in lead)
            counts["all"] += bool(lead) and all(answer is False for answer in lead)
            mine = principal(found, [None] * len(found), MOST_REASONS)
            counts["ours"] += sum(reason.responsive is False for reason in mine)
            counts["our"] += len(mine)
    helpable, told = max(1, counts["helpable"]), max(1, counts["told"])
    return {
        "data": name,
        "model": kind,
        "refused": counts["rows"],
        "can be helped": counts["helpable"],
        "first by SHAP leads nowhere": f"{counts['first'] / helpable:.1%}",
        "of the four lead nowhere": f"{counts['nowhere'] / told:.1%}",
        "all four lead nowhere": f"{counts['all'] / helpable:.1%}",
        "of ours": f"{counts['ours'] / max(1, counts['our']):.1%}",
        "unknown": counts["unknown"],
    }


def lines(names: list[str], most: int, folder: str | None) -> Iterator[dict[str, object]]:
    """A line per data set and model."""
    for name in names:
        data = load(name, folder)
        for kind in MODELS:
            found, seconds = timed(line, name, kind, data, most)
            found["s"] = f"{seconds:.0f}"
            tell(found)
            yield found


def main() -> None:
    """Measure and print."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("data", nargs="*", help=f"data sets, of {', '.join(FIXED)}")
    parser.add_argument("--rows", type=int, default=ROWS, help="refused rows of each data set")
    parser.add_argument("--data-dir", default=os.environ.get("ONEFORMANY_DATA"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = list(lines(given.data or ["german"], given.rows, given.data_dir))
    show(f"reasons that lead nowhere, of up to {given.rows} refused rows each", found, form=given.format)


if __name__ == "__main__":
    main()
