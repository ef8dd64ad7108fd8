"""What it costs to convince more than one model: refits, a detector of outliers, a policy.

    ONEFORMANY_DATA=folder python benchmarks/acceptors.py                    # german and adult, two models
    python benchmarks/acceptors.py german logistic robust --folder measured  # some of it

Each model is fitted on one half of the rows, at most 8,000. Of the other half, all rows that it refuses, at
most 300, get advice of up to 3 changes, shared by action; personal traits stay. Three tables:

- robust: 0, 5 or 20 bootstrap refits have to accept the rows as well, or at least 18 of 20. How many rows
  stay valid is measured on 30 other refits, by bootstrap and with seeds of their own, which the search never
  saw: the mean over the refits with its interval of 95 % (Student's t over the refits), and the worst refit.
- plausible: an isolation forest has to find the rows usual. The judge, a local outlier factor, took no part.
- policy: a function has to accept the rows as well.

Validity counts rows that were helped. "Proved": the count of explanations is proved to be the least
possible. Seconds are processor time.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import xgboost
from scipy import stats
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from measuring import FIXED, script_parser
from oneformany import Immutable, OneForMany
from oneformany.datasets import load
from oneformany.explainer.settings import Cells
from oneformany.robust import refits

DATA = ("german", "adult")
TABLES = ("robust", "plausible", "policy")
MOST_PAST, MOST_ROWS, CHANGES, LIMIT = 8_000, 300, 3, 600.0
BINS = 6  # the same cells whoever has to accept, so that a minimum can only rise
HELD_BACK = 30
JUDGED = 5_000  # training rows that the local outlier factor knows


def in_pipeline(last: Any) -> Pipeline:
    """Numbers scaled, categories one-hot."""
    texts = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    return make_pipeline(
        make_column_transformer(
            (StandardScaler(), make_column_selector(dtype_include="number")),
            (texts, make_column_selector(dtype_exclude="number")),
        ),
        last,
    )


MODELS = {
    "logistic": lambda: in_pipeline(LogisticRegression(max_iter=2000)),
    "xgboost": lambda: in_pipeline(
        xgboost.XGBClassifier(
            n_estimators=50, max_depth=4, learning_rate=0.2, subsample=0.8, n_jobs=1, random_state=0
        )
    ),
}
POLICIES = {  # what a lender, or an office, may ask for beside the score
    "german": lambda frame: (frame["amount"] <= 150 * frame["duration"]).astype(float),  # a month
    "adult": lambda frame: (frame["hours_per_week"].between(20, 50)).astype(float),
}


class Case:
    """A data set and a model: what is fitted, and what is explained."""

    def __init__(self, data: str, kind: str) -> None:
        frame, target = load(data).frame, load(data).target
        self.data, self.kind = data, kind
        self.past, rows, known, _ = train_test_split(frame, target, test_size=0.5, random_state=0)
        self.past, self.labels = self.past.head(MOST_PAST), np.asarray(known)[:MOST_PAST]
        self.model = MODELS[kind]().fit(self.past, self.labels)
        self.refused = rows[np.asarray(self.model.predict(rows)) == 0].head(MOST_ROWS)
        self.rules = [Immutable(name) for name in FIXED[data] if name in frame]

    def explained(self, **acceptors: Any) -> tuple[dict[str, Any], pd.DataFrame]:
        """Explain under some acceptors: what is told of the answer, and the rows as they are afterwards."""
        explainer = OneForMany(
            self.model,
            max_changes=CHANGES,
            share="action",
            reference=self.past,
            rules=self.rules,
            cells=Cells(bins=BINS),
            **acceptors,
        )
        start = process_time()
        result = explainer.explain(self.refused, time_limit=LIMIT)
        line = {
            "rows": len(self.refused),
            "helped": result.covered,
            "beyond help": len(result.unreachable),
            "explanations": result.count,
            "at least": result.lower_bound,
            "proved": "yes" if result.status == "optimal" else "no",
            "changes per row": f"{result.cost / max(1, result.covered):.2f}",
            "seconds": round(process_time() - start, 1),
        }
        return line, result.apply(self.refused)


def robust(case: Case) -> Iterator[dict[str, Any]]:
    """How explanations hold under refits, with and without others in the search."""
    inside = refits(case.model, case.past, case.labels, 20, seed=1)
    unseen = refits(case.model, case.past, case.labels, HELD_BACK, seed=1_000_000)
    for n, at_least in ((0, None), (5, None), (20, 0.9), (20, None)):
        line, moved = case.explained(also=inside[:n], at_least=at_least)
        held = [float(np.mean(np.asarray(one.predict(moved)) == 1)) for one in unseen]
        half = stats.t.ppf(0.975, HELD_BACK - 1) * np.std(held, ddof=1) / np.sqrt(HELD_BACK)
        asked = f"at least {int(np.ceil(at_least * n))} of {n}" if at_least else str(n)
        yield {
            "refits inside": asked,
            **line,
            "valid on 30 others": f"{100 * np.mean(held):.1f} ± {100 * half:.1f} %",
            "worst of 30": f"{100 * min(held):.1f} %",
        }


def plausible(case: Case) -> Iterator[dict[str, Any]]:
    """How usual rows are afterwards, by the forest and by a judge that took no part."""
    forest = in_pipeline(IsolationForest(n_estimators=50, max_samples=128, contamination=0.1, random_state=0))
    forest.fit(case.past)
    judge = in_pipeline(LocalOutlierFactor(novelty=True)).fit(case.past.head(JUDGED))
    yield {"asked": "rows of the other half, as they are"} | usual(forest, judge, case.refused)
    for name, also in (("the model", []), ("the model and the forest", [forest])):
        line, moved = case.explained(also=also)
        yield {"asked": name, **line} | usual(forest, judge, moved)


def usual(forest: Pipeline, judge: Pipeline, rows: pd.DataFrame) -> dict[str, str]:
    """What both say of rows."""
    return {
        "usual (forest)": f"{100 * np.mean(forest.predict(rows) == 1):.0f} %",
        "usual (judge)": f"{100 * np.mean(judge.predict(rows) == 1):.0f} %",
        "local outlier factor, median": f"{np.median(-judge.score_samples(rows)):.2f}",
    }


def policy(case: Case) -> Iterator[dict[str, Any]]:
    """What a second decision costs."""
    second = POLICIES[case.data]
    for name, also in (("the score", []), ("the score and the policy", [second])):
        line, moved = case.explained(also=also)
        yield {
            "asked": name,
            **line,
            "accepted by the policy": f"{100 * np.mean(second(moved) >= 0.5):.0f} %",
        }


def markdown(lines: list[dict[str, Any]]) -> str:
    """The table for the documentation."""
    names = list(dict.fromkeys(name for line in lines for name in line))
    cells = [[str(line.get(name, "")) for name in names] for line in lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, ["---"] * len(names), *cells)) + "\n"


def main() -> None:
    """Measure what was asked for."""
    parser = script_parser(__doc__)
    parser.add_argument("only", nargs="*", choices=[*DATA, *MODELS, *TABLES, []], help="data, models, tables")
    parser.add_argument("--folder", type=Path, help="where to write TABLE.md and TABLE.json")
    asked = parser.parse_args()
    data, kinds, tables = (
        [name for name in names if name in asked.only] or list(names) for names in (DATA, MODELS, TABLES)
    )
    warnings.filterwarnings("ignore", message="Found unknown categories")
    measure = {"robust": robust, "plausible": plausible, "policy": policy}
    lines: dict[str, list[dict[str, Any]]] = {name: [] for name in tables}
    for name in data:
        for kind in kinds:
            case = Case(name, kind)
            for table in tables:
                for line in measure[table](case):
                    lines[table].append({"data": name, "model": kind, **line})
                    print(table, *lines[table][-1].values(), sep="  ", flush=True)
                if asked.folder is not None:
                    asked.folder.mkdir(parents=True, exist_ok=True)
                    (asked.folder / f"{table}.md").write_text(markdown(lines[table]), encoding="utf-8")
                    told = json.dumps(lines[table], indent=1)
                    (asked.folder / f"{table}.json").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main()
