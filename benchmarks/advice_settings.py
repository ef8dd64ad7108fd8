"""What advice asks for under different settings: explanations, and what each covered row has to change.

    python benchmarks/advice_settings.py german --markdown table.md
    python benchmarks/advice_settings.py default_credit --models lightgbm --changes 2 --k 1 3 --settings \
        "as by default" nearest --data-dir data

The models and the refused rows are those of ``wide.py``: fitted on one half of the data, which is also the
reference data, the other half explained; one piece of advice for many, at most 60 s. Whatever the setting, a
row's change is told in the same three measures: features; the share of the reference data that it passes,
and 1 for a category; tenths of a column's range in the reference data, and 1 for a category. ``outside``
are rows that end with a number that nobody there is below, or above.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measuring import script_parser, timed
from oneformany import Immutable, NeverTarget, OneForMany, OnlyDecrease, OnlyIncrease
from raw_data import markdown
from wide import FIXED, MODELS, Case, Halves

LIMIT = 60.0
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
        *map(Immutable, (*FIXED["adult"], "marital_status", "relationship")),
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


def distances(before: pd.DataFrame, after: pd.DataFrame, past: pd.DataFrame) -> tuple[float, float, int]:
    """Shares of the reference data passed, and tenths of ranges, per row; how many rows leave the data."""
    shares, tenths, outside = 0.0, 0.0, np.zeros(len(before), dtype=np.bool_)
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
        outside |= (new < known[0]) | (new > known[-1])
    return shares / len(before), tenths / len(before), int(outside.sum())


def measure(case: Case, changes: int, k: int | None, settings: list[str]) -> Iterator[dict[str, Any]]:
    """Explain the same rows under several settings."""
    name, train = case.halves.name, case.halves.train
    rules = [rule for rule in RULES.get(name, []) if rule.feature in train.columns]
    plain = replace(case.explainer(changes), rules=rules or case.explainer(changes).rules)
    for setting in settings:
        explainer: OneForMany = replace(plain, **SETTINGS[setting])
        result, seconds = timed(explainer.explain, case.refused, explanations=k, time_limit=LIMIT)
        after = result.apply(case.refused)
        shares, tenths, outside = distances(case.refused.loc[after.index], after, train)
        yield {
            "data": name,
            "setting": setting,
            "changes": changes,
            "k": "all" if k is None else k,
            "explanations": f"{result.count} (at least {result.lower_bound})",
            "helped": f"{result.covered} of {result.people}",
            "at most": "-" if result.covered_bound is None else result.covered_bound,
            "undecided": len(result.undecided),
            "features": f"{result.changes.sum() / result.covered:.2f}",
            "passed": f"{shares:.2f}",
            "tenths": f"{tenths:.2f}",
            "outside": outside,
            "seconds": round(seconds, 1),
            "ended": result.ended,
        }


def main() -> None:
    """Measure what was asked for."""
    warnings.simplefilter("ignore")
    parser = script_parser(__doc__)
    parser.add_argument("data", nargs="+", choices=list(FIXED))
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["logistic"])
    parser.add_argument("--changes", type=int, nargs="+", default=[3])
    parser.add_argument("--k", type=int, nargs="+", default=[0], help="0: everybody")
    parser.add_argument("--settings", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--markdown", type=Path)
    asked = parser.parse_args()
    lines: list[dict[str, Any]] = []
    for name, kind in product(asked.data, asked.models):
        case = Case.of(Halves.of(name, asked.data_dir), MODELS[kind]())
        for changes, k in product(asked.changes, asked.k):
            for line in measure(case, changes, k or None, asked.settings):
                lines.append({"model": kind, **line})
                print("  ".join(f"{value!s:>9}" for value in lines[-1].values()), flush=True)
                if asked.markdown is not None:
                    asked.markdown.write_text(markdown(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
