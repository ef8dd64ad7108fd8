"""Advice for many on raw columns: data x model x changes x explanations, with bounds; and how it grows.

    python benchmarks/wide.py --data-dir data                              # hours
    python benchmarks/wide.py german lightgbm --changes 3 4 --k 1 3        # some data sets and models
    python benchmarks/wide.py adult forest --against                       # and with what else there is
    python benchmarks/wide.py adult --judges                               # milliseconds per row, all actions
    python benchmarks/wide.py --growth features rows trees
    python benchmarks/wide.py --json lines.json --markdown table.md

Each model is fitted on one half of the rows, which are the reference data too; all rows of the other half
that it refuses are explained with share="action" on default cells, and the columns that nobody can change
are immutable. Where more than 85 % are accepted the threshold is the 0.3 quantile of the probabilities. No
k: the fewest explanations for everybody; otherwise the most people with k. Seconds are the processor's, of
``explain`` alone; compiled parts are loaded before, by a small problem of the same kind. Nothing is
downloaded: where a file is not in ``--data-dir``, its data set is left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import xgboost
from scipy import optimize, sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from measuring import megabytes, script_parser
from oneformany import OneForMany, methods
from oneformany.datasets import load
from oneformany.datasets.dataset import sources_of
from oneformany.engine.few.listed_rows import ListedRows
from oneformany.engine.few.masks import BitTable, Masks
from oneformany.engine.listing.ground import Ground
from oneformany.engine.options import Options
from oneformany.methods import solve
from oneformany.oracles.protocol import NEGATIVE, POSITIVE
from oneformany.problem import Problem
from oneformany.result.result import Result
from oneformany.schema.rules.moves import Immutable
from oneformany.stop import Stop
from raw_data import in_pipeline

FIXED = {
    "german": ("personal_status", "age", "foreign_worker"),
    "students": ("sex", "age", "address", "famsize", "Pstatus", "Medu", "Fedu", "Mjob", "Fjob"),
    "adult": ("age", "race", "sex", "native_country", "capital_gain"),
    "credit": ("age",),
    "default_credit": ("sex", "edu", "married", "age"),
}
"""Columns that nobody can change; on adult also the one by which a single piece of advice helps everybody."""

CHANGES, BUDGETS, LIMIT = (2, 3, 4), (1, 3, 5, 10), 120.0
TREES = 200
ACCEPTED, QUANTILE = 0.85, 0.3
JUDGED = 20  # rows, to see how long one takes
MOST_BITS = 2e9  # rows times actions, up to which greedy and HiGHS get a table of all
MOST_ENTRIES = 2e7  # of that table, up to which HiGHS gets it
HIGHS_SECONDS = 120.0


def forest(trees: int = TREES) -> Any:
    """A forest with leaves of at least five rows."""
    return RandomForestClassifier(trees, min_samples_leaf=5, random_state=0, n_jobs=1)


def boosted(trees: int = TREES) -> Any:
    """LightGBM as its library sets it."""
    return lightgbm.LGBMClassifier(n_estimators=trees, n_jobs=1, verbose=-1, random_state=0)


MODELS: dict[str, Callable[[], Any]] = {
    "xgboost": lambda: xgboost.XGBClassifier(
        n_estimators=TREES, max_depth=5, enable_categorical=True, n_jobs=1, random_state=0
    ),
    "lightgbm": boosted,
    "histogram": lambda: HistGradientBoostingClassifier(
        max_iter=TREES, categorical_features="from_dtype", early_stopping=False, random_state=0
    ),
    "forest": lambda: in_pipeline(forest()),
    "network": lambda: in_pipeline(MLPClassifier((32, 16), alpha=1.0, random_state=0, max_iter=300)),
    "logistic": lambda: in_pipeline(LogisticRegression(max_iter=2000)),
}


@dataclass(frozen=True, eq=False)
class Halves:
    """The reference rows, what to predict for them, and the other rows."""

    name: str
    train: pd.DataFrame
    target: np.ndarray[Any, Any]
    test: pd.DataFrame

    @classmethod
    def of(cls, name: str, folder: Path | None) -> Halves:
        """Read a data set and cut it in two."""
        if name == "default_credit":
            path = next((folder or Path()).glob("**/default_credit.csv.gz"))
            raw = pd.read_csv(path).astype(np.float64)
            frame, target = raw.iloc[:, :-1], 1 - raw.iloc[:, -1].to_numpy().astype(np.int64)
        else:
            data = load(name, folder)
            texts = [c for c in data.frame if not pd.api.types.is_numeric_dtype(data.frame[c])]
            frame, target = data.frame.astype(dict.fromkeys(texts, "category")), data.target
        order = np.random.default_rng(0).permutation(len(frame))
        first, second = order[: len(frame) // 2], order[len(frame) // 2 :]
        return cls(name, frame.iloc[first], target[first], frame.iloc[second])


@dataclass(frozen=True, eq=False)
class Case:
    """A fitted model and the rows that it refuses."""

    halves: Halves
    model: Any
    refused: pd.DataFrame
    threshold: float | None

    @classmethod
    def of(cls, halves: Halves, model: Any) -> Case:
        """Fit a model."""
        fitted = model.fit(halves.train, halves.target)
        chances = fitted.predict_proba(halves.test)[:, 1]
        common = (chances >= 0.5).mean() > ACCEPTED
        threshold = round(float(np.quantile(chances, QUANTILE)), 3) if common else None
        return cls(halves, fitted, halves.test[chances < (threshold or 0.5)], threshold)

    def explainer(self, changes: int) -> OneForMany:
        """The question."""
        rules = [Immutable(name) for name in FIXED[self.halves.name] if name in self.refused]
        return OneForMany(
            self.model,
            max_changes=changes,
            share="action",
            reference=self.halves.train,
            threshold=self.threshold,
            rules=rules,
        )

    def measured(self, changes: int, k: int | None, limit: float) -> dict[str, Any]:
        """Explain, and tell how good that is."""
        explainer = self.explainer(changes)
        explainer.explain(self.refused.head(20), time_limit=5)  # compiles what it needs
        began = process_time()
        result = explainer.explain(self.refused, explanations=k, time_limit=limit)
        return self.told(result, changes, k, process_time() - began)

    def told(self, result: Result, changes: int, k: int | None, seconds: float) -> dict[str, Any]:
        """How good an answer is."""
        return {
            "data": self.halves.name,
            "rows": len(self.refused),
            "columns": self.refused.shape[1],
            "changes": changes,
            "k": "all" if k is None else k,
            "explanations": result.count,
            "at least": result.lower_bound,
            "people": result.covered,
            "at most": result.covered_bound,
            "beyond help": len(result.unreachable),
            "undecided": len(result.undecided),
            "ended": result.ended,
            "listed": result.statistics.counters.get("rows listed", "-"),
            "seconds": round(seconds, 1),
            "MB": megabytes(),
        }

    def problem(self, changes: int) -> Problem:
        """The question as the engine gets it: what a run of no time leaves of it."""
        kept: list[Problem] = []

        class Kept(Exception):  # noqa: N818 (nothing went wrong)
            pass

        def keep(problem: Problem, **_: Any) -> None:
            kept.append(problem)
            raise Kept

        methods.solve = keep  # type: ignore[assignment]
        try:
            self.explainer(changes).explain(self.refused)
        except Kept:
            pass
        finally:
            methods.solve = solve
        return kept[0]


def rivals(case: Case, changes: int, limit: float) -> Iterator[dict[str, Any]]:
    """The same question with the listing of everything, and with a table of all rows and actions."""
    problem, began = case.problem(changes), process_time()
    result = solve(problem, time_limit=limit, options=Options(few_rows=False))
    way = case.told(result, changes, None, process_time() - began)
    yield {"by": "listing", **way}
    stop = Stop(limit)
    listed = ListedRows.of(Ground.of(problem), stop)
    size = len(problem.rows) * float(len(listed.offered.actions))
    if size > MOST_BITS:
        yield {"by": "table", **_nothing(way), "ended": f"{size:.0e} pairs"}
        return
    began = process_time()
    bits = BitTable.empty(len(listed.offered.actions))
    for row in range(len(problem.rows)):
        if stop.expired():
            yield {"by": "table", **_nothing(way), "ended": f"{row} rows judged"}
            return
        judged = listed.judged(row)
        bits.add(np.where(judged == POSITIVE, POSITIVE, NEGATIVE).astype(np.int8))
    rank = np.zeros(bits.n_actions, dtype=np.int32)
    masks = Masks.of(bits, np.arange(len(problem.rows)), rank, stop)
    if masks is None:
        yield {"by": "table", **_nothing(way), "ended": "no time for its sets"}
        return
    inside = sparse.csr_matrix(masks.inside(np.arange(len(masks))).astype(np.int32))
    inside = inside[:, np.flatnonzero(inside.getnnz(axis=0))]
    built = process_time() - began
    covered, count = greedy(inside)
    told = {"people": covered, "explanations": count, "seconds": round(process_time() - began, 1)}
    yield {"by": "greedy", **_nothing(way), **told, "ended": f"{len(masks):,} sets"}
    if inside.nnz > MOST_ENTRIES:
        yield {"by": "HiGHS", **_nothing(way), "ended": f"{inside.nnz:.0e} entries"}
        return
    began = process_time()
    found = optimize.milp(
        np.ones(len(masks)),
        integrality=np.ones(len(masks)),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(inside.T.tocsr(), lb=1),
        options={"time_limit": HIGHS_SECONDS},
    )
    value = None if found.fun is None else round(found.fun)
    bound = int(np.ceil((found.mip_dual_bound or 0) - 1e-6))
    told = {"explanations": value, "at least": bound, "seconds": round(built + process_time() - began, 1)}
    yield {"by": "HiGHS", **_nothing(way), **told, "people": covered, "ended": found.message[:24]}


def _nothing(line: dict[str, Any]) -> dict[str, Any]:
    """The same columns, of which nothing is known."""
    known = ("data", "rows", "columns", "changes", "k")
    return {name: value if name in known else "-" for name, value in line.items()}


def judged(case: Case, changes: int) -> dict[str, Any]:
    """How long it takes to say of a row which of all actions it accepts."""
    problem = case.problem(changes)
    listed = ListedRows.of(Ground.of(problem), Stop())
    listed.judged(0)  # compiles what it needs
    accepted, began = 0, process_time()
    some = range(1, min(len(problem.rows), 1 + JUDGED))
    for row in some:
        accepted += int((listed.judged(row) != NEGATIVE).sum())
    each = (process_time() - began) / len(some)
    actions = len(listed.offered.actions)
    told = {
        "data": case.halves.name,
        "changes": changes,
        "actions": actions,
        "accepted": accepted // len(some),
    }
    return {**told, "ms per row": round(1000 * each, 1), "ns per action": round(1e9 * each / actions, 1)}


def greedy(inside: sparse.csr_matrix) -> tuple[int, int]:
    """The action that helps most of those who are left, again and again: people and actions."""
    left, count = np.ones(inside.shape[1], dtype=np.int32), 0
    while left.any():
        best = int((inside @ left).argmax())
        left[inside[best].indices] = 0
        count += 1
    return inside.shape[1], count


def growth(kinds: list[str], limit: float) -> Iterator[dict[str, Any]]:
    """Made-up rows of decimal numbers: how long it takes as there are more rows, features and trees."""
    sizes = {
        "rows": [(n, 20, TREES) for n in (1_000, 10_000, 100_000)],
        "features": [(4_000, p, TREES) for p in (10, 20, 40, 60)],
        "trees": [(4_000, 20, n) for n in (50, 200, 1_000)],
    }
    for kind in kinds:
        for rows, features, trees in sizes[kind]:
            rng = np.random.default_rng(0)
            frame = pd.DataFrame(rng.normal(size=(3 * rows, features))).rename(columns="x{}".format)
            pairs = frame.to_numpy()[:, ::2] * frame.to_numpy()[:, 1::2]
            score = frame.to_numpy().sum(axis=1) + pairs.sum(axis=1) + rng.normal(size=len(frame))
            target = (score > np.quantile(score, 0.5)).astype(np.int64)
            train = min(len(frame) // 3, 10_000)
            halves = Halves("made up", frame[:train], target[:train], frame[rows:])
            case = Case.of(halves, boosted(trees))
            case = replace(case, refused=case.refused[:rows])
            yield {"grows": kind, "trees": trees, **case.measured(3, None, limit)}


FIXED["made up"] = ()


def markdown(lines: list[dict[str, Any]]) -> str:
    """The lines as a table."""
    heads = list(dict.fromkeys(name for line in lines for name in line))
    rows = [heads, ["---"] * len(heads), *([str(line.get(h, "")) for h in heads] for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def lines_of(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Everything that was asked for."""
    if asked.growth:
        yield from growth(asked.growth, asked.limit)
        return
    wanted = [name for name in FIXED if name in asked.only] or ["german", "students", "adult", "credit"]
    kinds = [name for name in MODELS if name in asked.only] or list(MODELS)
    for name in wanted:
        files = [source.file for source in sources_of(name)] if name != "default_credit" else [f"{name}.csv"]
        found = asked.data_dir and list(asked.data_dir.glob(f"**/{files[0]}*")) if files else True
        if not found:
            print(f"{name} is left out: {files[0]} is not in --data-dir", flush=True)
            continue
        halves = Halves.of(name, asked.data_dir)
        for kind in kinds:
            case = Case.of(halves, MODELS[kind]())
            for changes in asked.changes:
                if asked.judges:
                    yield {"model": kind, **judged(case, changes)}
                for k in asked.k if not asked.judges else ():
                    yield {"model": kind, "by": "few rows", **case.measured(changes, k or None, asked.limit)}
                if asked.against:
                    for line in rivals(case, changes, asked.limit):
                        yield {"model": kind, **line}


def main() -> None:
    """Measure what was asked for, and write every line as soon as it is known."""
    parser = script_parser(__doc__)
    parser.add_argument("only", nargs="*", choices=[*FIXED, *MODELS, []], help="data sets and models")
    parser.add_argument("--changes", type=int, nargs="+", default=list(CHANGES))
    parser.add_argument("--k", type=int, nargs="+", default=[0, *BUDGETS], help="0: everybody")
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--against", action="store_true")
    parser.add_argument("--judges", action="store_true")
    parser.add_argument("--growth", nargs="+", choices=("rows", "features", "trees"))
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    lines: list[dict[str, Any]] = []
    for line in lines_of(asked):
        lines.append(line)
        print("  ".join(f"{value!s:>9}" for value in line.values()), flush=True)
        if asked.markdown is not None:
            asked.markdown.write_text(markdown(lines), encoding="utf-8")
        if asked.json is not None:
            asked.json.write_text(json.dumps(lines, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
