"""Few advices, and how little people must change: least total cost with so many explanations.

    python benchmarks/advices.py                    # german: a minute or two
    python benchmarks/advices.py compas adult       # all refused test rows, 2 and 3 changes
    python benchmarks/advices.py lists              # shared features only: german, students, compas
    python benchmarks/advices.py cells              # the paper's published cells with 50 rows

Rows are the refused ones of the test half. Personal traits stay as they are: german's personal status, age
and foreign worker; compas's race, age and sex; adult's age, race, sex and native country.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import oneformany as ofm
from measuring import FIXED, question, refused, script_parser, show, tell, timed
from oneformany.datasets import Dataset, load
from oneformany.paper.runs.prepare import MODEL_KINDS, paper_split
from oneformany.paper.runs.records import choose

SECONDS = 300.0


def boosted(data: Dataset) -> Any:
    """XGBoost with 100 trees on the one-hot columns."""
    from xgboost import XGBClassifier

    train, _ = paper_split(data)
    model = XGBClassifier(n_estimators=100, random_state=0, n_jobs=1)
    return model.fit(data.one_hot[train], data.target[train])


def fitted(data: Dataset, kind: str) -> Any:
    """A model of some kind."""
    return boosted(data) if kind == "xgboost-100" else MODEL_KINDS[kind].fitted(data)


def line(data: str, kind: str, changes: int, k: int | None, asked: Any, seconds: float) -> dict[str, object]:
    """Solve, and tell it in a line."""
    result, took = timed(ofm.solve, asked, explanations=k, time_limit=seconds)
    bound = result.cost_bound
    return {
        "data": data,
        "model": kind,
        "share": asked.share,
        "T": changes,
        "k": result.count if k is None else k,
        "rows": len(asked.codes),
        "covered": result.covered,
        "at most": result.covered_bound,
        "cost": result.cost,
        "at least": bound,
        "gap": None if bound is None else f"{(result.cost - bound) / max(1, result.cost):.2%}",
        "s": f"{took:.1f}",
    }


def cells(seconds: float) -> Iterator[dict[str, object]]:
    """The paper's cells with 50 rows: the cost of the fewest explanations, then the least cost of as many."""
    for cell in choose(("lr", "nn"), rows=(50,)):
        data = load(cell.dataset)
        model = fitted(data, cell.model)
        asked = question(data, model, paper_split(data)[1][: cell.rows], cell.max_changes)
        before = ofm.solve(asked, time_limit=seconds)
        after, took = timed(ofm.solve, asked, time_limit=seconds, options=ofm.Options(least_cost=True))
        bound = after.cost_bound or 0
        yield {
            "data": cell.dataset,
            "model": cell.model,
            "T": cell.max_changes,
            "explanations": after.count,
            "rows": cell.rows,
            "cost before": before.cost,
            "after": after.cost,
            "at least": bound,
            "gap": f"{1 - bound / max(1, after.cost):.1%}",
            "s": f"{took:.1f}",
        }


def cases(name: str, seconds: float) -> Iterator[dict[str, object]]:
    """One line after the other."""
    if name == "lists":
        for dataset in ("german", "students", "compas"):
            data = load(dataset)
            for kind in ("nn", "forest"):
                model = fitted(data, kind)
                asked = question(data, model, refused(data, model), 2, "features", FIXED[dataset])
                yield line(dataset, kind, 2, None, asked, seconds)
        return
    if name == "cells":
        yield from cells(seconds)
        return
    data = load(name)
    for kind in ("lr", "xgboost-100") if name == "german" else ("lr",):
        model = fitted(data, kind)
        rows = refused(data, model)
        for changes in (3,) if name == "german" else (2, 3):
            for k in (1, 3, 5, 10):
                asked = question(data, model, rows, changes, "action", FIXED[name])
                yield line(name, kind, changes, k, asked, seconds)


def main() -> None:
    """Print a table."""
    parser = script_parser(__doc__)
    parser.add_argument("data", nargs="*", default=["german"], help="german, compas, adult, lists, cells")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of each line")
    arguments = parser.parse_args()
    for name in arguments.data:
        lines = []
        for entries in cases(name, arguments.seconds):
            lines.append(entries)
            tell(entries)
        show(name, lines)


if __name__ == "__main__":
    main()
