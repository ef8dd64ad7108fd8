"""What advice asks for under different settings: explanations, and what each covered row has to change.

    ONEFORMANY_DATA=folder python benchmarks/advice_settings.py german adult --markdown table.md

The rows are the refused ones of one half of the data, at most 2,000, of a model that was fitted on the other
half, which is also the reference data; three changes, one piece of advice for many, at most 60 s. Whatever
the setting, a row's change is told in the same three measures: features; the share of the reference data
that it passes, and 1 for a category; tenths of a column's range, and 1 for a category.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measuring import FIXED, script_parser, timed
from oneformany import Immutable, NeverTarget, OneForMany, OnlyDecrease, OnlyIncrease
from raw_data import MODELS, halves, markdown

LIMIT = 60.0
MOST_ROWS = 2_000
RULES: dict[str, list[Any]] = {  # those of docs/raw.md, and nobody is told to lose a job
    "german": [
        OnlyIncrease("age"),
        *map(Immutable, ("personal_status", "foreign_worker", "purpose", "employment", "credit_history")),
        *map(Immutable, ("dependants", "job")),
        OnlyDecrease("duration"),
        OnlyDecrease("amount"),
        NeverTarget("checking_account", "no checking account"),
        NeverTarget("savings", "none or unknown"),
        NeverTarget("housing", ["rent", "for free"]),
        NeverTarget("property", ["car or other", "none or unknown"]),
    ],
    "adult": [
        *map(Immutable, FIXED["adult"]),
        *map(Immutable, ("marital_status", "relationship")),
        OnlyIncrease("education_num"),
    ],
}
SETTINGS: dict[str, dict[str, Any]] = {
    "as by default": {},
    "slack 2": {"slack": 2},
    "slack 1": {"slack": 1},
    "slack 0": {"slack": 0},
    "nearest": {"targets": "nearest"},
    "percentile": {"costs": "percentile"},
    "nearest, percentile, slack 0.5": {"targets": "nearest", "costs": "percentile", "slack": 0.5},
    "nearest, percentile, slack 0.2": {"targets": "nearest", "costs": "percentile", "slack": 0.2},
}


def distances(before: pd.DataFrame, after: pd.DataFrame, past: pd.DataFrame) -> tuple[float, float]:
    """Shares of the reference data that rows pass, and tenths of ranges, per row."""
    shares = tenths = 0.0
    for name in before:
        if not pd.api.types.is_numeric_dtype(past[name]):
            moved = float((before[name].astype(str) != after[name].astype(str)).sum())
            shares, tenths = shares + moved, tenths + moved
            continue
        known = np.sort(past[name].dropna().to_numpy(np.float64))
        old, new = (frame[name].to_numpy(np.float64) for frame in (before, after))
        ranks = [
            (np.searchsorted(known, values) + np.searchsorted(known, values, side="right")) / 2
            for values in (old, new)
        ]
        shares += float(np.abs(ranks[0] - ranks[1]).sum()) / len(known)
        tenths += float(np.nansum(np.abs(new - old))) * 10 / ((known[-1] - known[0]) or 1)
    return shares / len(before), tenths / len(before)


def measure(data: str, kind: str) -> Iterator[dict[str, Any]]:
    """Explain the same rows under all settings."""
    train, test, target = halves(data)
    names = set(train.columns)
    model = MODELS[kind]().fit(train, target)
    refused = test[np.asarray(model.predict(test)) == 0].head(MOST_ROWS)
    rules = [rule for rule in RULES[data] if rule.feature in names]
    plain = OneForMany(model, 3, rules=rules, share="action", reference=train)
    for name, setting in SETTINGS.items():
        result, seconds = timed(replace(plain, **setting).explain, refused, time_limit=LIMIT)
        after = result.apply(refused)
        shares, tenths = distances(refused.loc[after.index], after, train)
        yield {
            "data": data,
            "model": kind,
            "setting": name,
            "helped": f"{result.covered} of {result.people}",
            "undecided": len(result.undecided),
            "explanations": result.count,
            "bound": result.lower_bound,
            "features": f"{result.changes.sum() / result.covered:.2f}",
            "passed": f"{shares:.2f}",
            "tenths": f"{tenths:.2f}",
            "seconds": round(seconds, 1),
            "ended": result.ended,
        }


def main() -> None:
    """Measure what was asked for."""
    warnings.simplefilter("ignore")
    parser = script_parser(__doc__)
    parser.add_argument("data", nargs="+", choices=list(RULES))
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["logistic"])
    parser.add_argument("--markdown", type=Path)
    asked = parser.parse_args()
    lines: list[dict[str, Any]] = []
    for name in asked.data:
        for kind in asked.models:
            for line in measure(name, kind):
                lines.append(line)
                print("  ".join(f"{value!s:>9}" for value in line.values()), flush=True)
                if asked.markdown is not None:
                    asked.markdown.write_text(markdown(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
