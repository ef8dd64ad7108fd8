"""What each refinement buys: every switch of a method flipped, one at a time, on a few cells.

    python benchmarks/ablation.py                      # a few minutes
    python benchmarks/ablation.py --quick              # seconds
    python benchmarks/ablation.py --cpu                # limits count processor seconds: for busy machines
    python benchmarks/ablation.py --method cg-mip --format markdown

All variants of a cell run in turn, in one process, on the same rows; with --repeats the best time counts.
Seconds are the processor's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import process_time
from typing import Any

from rich.console import Console

from measuring import script_parser
from oneformany.engine.run import Options
from oneformany.methods import METHODS, solve
from oneformany.paper.methods.options import CgOptions, CompactOptions
from oneformany.paper.runs.prepare import prepare
from oneformany.paper.tables.table import FORMATS, Columns, TextTable, make_table
from oneformany.stop import Stop

# Data set, rows, changes; sizes at which the method as it is ends within seconds. All but the last are the
# paper's rows; the 252 are all rows of german credit that are refused: the hardest set cover of these.
CELLS = {
    "exact": (("students-published", 100, 15), ("german", 100, 10), ("german", 252, 10)),
    "cg-mip": (("students-published", 10, 20), ("german", 10, 15)),
    "mip": (("german", 6, 15), ("german", 10, 15)),
}
MOST_PUBLISHED = 100  # rows; beyond, those that are refused
QUICK = {"exact": (("german", 20, 10),), "cg-mip": (("german", 4, 15),), "mip": (("german", 2, 15),)}
DEFAULTS: dict[str, Any] = {"exact": Options(), "cg-mip": CgOptions(), "mip": CompactOptions()}
# Switches that are not simply on or off.
FURTHER: dict[str, dict[str, Any]] = {
    "exact": {},
    "cg-mip": {"pricing": "compact", "stop_at": 1.1},
    "mip": {},
}


@dataclass(frozen=True)
class Outcome:
    """One variant of a method on one cell."""

    method: str
    variant: str
    dataset: str
    rows: int
    max_changes: int
    count: int
    lower_bound: int
    seconds: float
    counters: dict[str, int]


def variants(method: str) -> Iterator[tuple[str, Any]]:
    """The method as it is, each switch flipped, and all refinements off."""
    options = DEFAULTS[method]
    yield "as it is", options
    switches = {
        field.name: not value
        for field in fields(options)
        if isinstance(value := getattr(options, field.name), bool)
    }
    for name, value in (switches | FURTHER[method]).items():
        words = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
        yield f"{name} {words}", replace(options, **{name: value})
    if method == "cg-mip":
        yield "all refinements off", replace(options, **switches)


def measure(
    method: str, cells: Sequence[tuple[str, int, int]], limit: float, repeats: int
) -> Iterator[Outcome]:
    """Run all variants on all cells."""
    for dataset, rows, max_changes in cells:
        prepared = prepare(dataset, "lr")
        # Compiled code and solvers are loaded before the clock starts.
        solve(prepared.problem("published", 2, 2), method=method, time_limit=1.0)
        protocol = "published" if rows <= MOST_PUBLISHED else "negatives"
        problem = prepared.problem(protocol, rows, max_changes)
        for variant, options in variants(method):
            runs = []
            for _ in range(repeats):
                start = process_time()
                result = solve(problem, method=method, time_limit=limit, options=options)
                runs.append((process_time() - start, result))
            seconds, result = min(runs, key=lambda run: run[0])
            yield Outcome(
                method,
                variant,
                dataset,
                rows,
                max_changes,
                result.count,
                result.lower_bound,
                seconds,
                dict(result.statistics.counters),
            )


def table(method: str, outcomes: Sequence[Outcome]) -> TextTable:
    """One line per variant, a group of columns per cell."""
    cells = list(dict.fromkeys((o.dataset, o.rows, o.max_changes) for o in outcomes))
    found = {(o.variant, (o.dataset, o.rows, o.max_changes)): o for o in outcomes}
    variants = list(dict.fromkeys(o.variant for o in outcomes))
    columns: Columns = {"variant": variants}
    for cell in cells:
        group = "{}, {} rows, {} changes".format(*cell)
        runs, base = [found[variant, cell] for variant in variants], found["as it is", cell]
        columns[group, "count"] = [
            str(run.count) if run.count == run.lower_bound else f"{run.count}, bound {run.lower_bound}"
            for run in runs
        ]
        columns[group, "seconds"] = [f"{run.seconds:.2f}" for run in runs]
        columns[group, "times"] = [
            f"{run.seconds / base.seconds:.2f}" + (" =" if run.counters == base.counters else "")
            for run in runs
        ]
    notes = [
        "times: processor seconds in relation to the method as it is; =: every counted step is the same.",
        "Where a bound is given, a limit struck.",
    ]
    title = f"Ablation of {method}, logistic regression"
    return make_table(f"ablation-{method}", title, columns, notes)


def main() -> None:
    """Run the ablation."""
    parser = script_parser(__doc__)
    parser.add_argument("--method", choices=METHODS, action="append", help="default: exact and cg-mip")
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per run")
    parser.add_argument("--cpu", action="store_true", help="limits count the processor's seconds as well")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="tiny cells, seconds in all")
    parser.add_argument("--format", choices=list(FORMATS), default="text")
    parser.add_argument("--json", type=Path, help="also write every run as a JSON line")
    options = parser.parse_args()
    if options.cpu:
        Stop.__init__.__kwdefaults__ = {"clock": process_time}
    limit = min(options.time_limit, 3.0) if options.quick else options.time_limit
    progress = Console(stderr=True)
    if options.json:
        options.json.write_text("", encoding="utf-8")
    for method in options.method or ("exact", "cg-mip"):
        outcomes = []
        for outcome in measure(method, (QUICK if options.quick else CELLS)[method], limit, options.repeats):
            outcomes.append(outcome)
            cell = f"{outcome.dataset}, {outcome.rows} rows, {outcome.max_changes} changes"
            progress.print(f"{method}, {cell}: {outcome.variant}, {outcome.seconds:.2f} s", highlight=False)
            if options.json:
                with options.json.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(asdict(outcome)) + "\n")
        print(FORMATS[options.format].write(table(method, outcomes)))


if __name__ == "__main__":
    main()
