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

from rich.console import Console
from rich.table import Table

import oneformany as ofm
from measuring import FIXED, question, refused, script_parser, timed
from oneformany.datasets import Dataset, load
from oneformany.paper.runs.cells import choose
from oneformany.paper.runs.model_kinds import model_kind, paper_split

CELLS = ("data", "model", "T", "explanations", "rows", "cost before", "after", "at least", "gap", "s")
COLUMNS = ("data", "model", "share", "T", "k", "rows", "covered", "at most", "cost", "at least", "gap", "s")
SECONDS = 300.0


def boosted(data: Dataset) -> Any:
    """XGBoost with 100 trees on the one-hot columns."""
    from xgboost import XGBClassifier

    train, _ = paper_split(data)
    model = XGBClassifier(n_estimators=100, random_state=0, n_jobs=1)
    return model.fit(data.one_hot[train], data.target[train])


def fitted(data: Dataset, kind: str) -> Any:
    """A model of some kind."""
    return boosted(data) if kind == "xgboost-100" else model_kind(kind).fitted(data)


def line(data: str, kind: str, changes: int, k: int | None, asked: Any, seconds: float) -> list[str]:
    """Solve, and tell it in a line."""
    result, took = timed(ofm.solve, asked, explanations=k, time_limit=seconds)
    bound = result.cost_bound
    gap = "" if bound is None else f"{(result.cost - bound) / max(1, result.cost):.2%}"
    shown = f"{result.count}" if k is None else f"{k}"
    return [
        *(data, kind, asked.share, str(changes), shown, str(len(asked.codes)), str(result.covered)),
        *(str(result.covered_bound), str(result.cost), str(bound), gap, f"{took:.1f}"),
    ]


def cells(seconds: float) -> Iterator[list[str]]:
    """The paper's cells with 50 rows: the cost of the fewest explanations, then the least cost of as many."""
    for cell in choose(("lr", "nn"), rows=(50,)):
        data = load(cell.dataset)
        model = fitted(data, cell.model)
        rows = paper_split(data)[1][: cell.rows]
        asked = question(data, model, rows, cell.max_changes)
        before = ofm.solve(asked, time_limit=seconds)
        after, took = timed(ofm.solve, asked, time_limit=seconds, options=ofm.Options(least_cost=True))
        bound = after.cost_bound or 0
        gap = f"{1 - bound / max(1, after.cost):.1%}"
        yield [
            *(cell.dataset, cell.model, str(cell.max_changes), str(after.count), str(len(rows))),
            *(str(before.cost), str(after.cost), str(bound), gap, f"{took:.1f}"),
        ]


def cases(name: str, seconds: float) -> Iterator[list[str]]:
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
    console = Console(width=140)
    for name in arguments.data:
        table = Table(*(CELLS if name == "cells" else COLUMNS))
        for entries in cases(name, arguments.seconds):
            table.add_row(*entries)
            console.print("  ".join(entries), highlight=False)
        console.print(table)


if __name__ == "__main__":
    main()
