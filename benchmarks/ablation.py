"""What each refinement buys: every switch of a method flipped, one at a time, on a few cells.

    python benchmarks/ablation.py                      # a few minutes
    python benchmarks/ablation.py --quick              # seconds
    python benchmarks/ablation.py --cpu                # limits count processor seconds: for busy machines
    python benchmarks/ablation.py --method cg-mip --format markdown

All variants of a cell run in turn, in one process, on the same rows; with --repeats the best time counts.
Seconds are the processor's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import process_time
from typing import Any

from measuring import keep, script_parser, show, tell
from oneformany.engine.options import Options
from oneformany.methods import METHODS, solve
from oneformany.paper.methods.formulation import CgOptions, CompactOptions
from oneformany.paper.runs.prepare import prepare
from oneformany.paper.text_table import Heading
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
NOTE = (
    "times: processor seconds in relation to the method as it is; =: every counted step is the same. "
    "Where a bound is given, a limit struck."
)


@dataclass(frozen=True)
class Outcome:
    """One variant of a method on one cell."""

    method: str
    dataset: str
    rows: int
    max_changes: int
    variant: str
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
        words = ("off", "on")[value] if isinstance(value, bool) else value
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
            told = (result.count, result.lower_bound, seconds, dict(result.statistics.counters))
            yield Outcome(method, dataset, rows, max_changes, variant, *told)


def table(outcomes: Iterable[Outcome]) -> list[dict[Heading, str]]:
    """One line per variant, a group of columns per cell."""
    lines: dict[str, dict[Heading, str]] = {}
    usual: dict[str, Outcome] = {}
    for run in outcomes:
        cell = f"{run.dataset}, {run.rows} rows, {run.max_changes} changes"
        bound = "" if run.count == run.lower_bound else f", bound {run.lower_bound}"
        base = usual.setdefault(cell, run)
        same = " =" if run.counters == base.counters else ""
        lines.setdefault(run.variant, {"variant": run.variant}).update(
            {
                (cell, "count"): f"{run.count}{bound}",
                (cell, "seconds"): f"{run.seconds:.2f}",
                (cell, "times"): f"{run.seconds / base.seconds:.2f}{same}",
            }
        )
    return list(lines.values())


def main() -> None:
    """Run the ablation."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("--method", choices=METHODS, action="append", help="default: exact and cg-mip")
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per run")
    parser.add_argument("--cpu", action="store_true", help="limits count the processor's seconds as well")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="tiny cells, seconds in all")
    parser.add_argument("--json", type=Path, help="also write every run as a JSON line")
    options = parser.parse_args()
    if options.cpu:
        Stop.__init__.__kwdefaults__ = {"clock": process_time}
    limit = min(options.time_limit, 3.0) if options.quick else options.time_limit
    if options.json:
        options.json.unlink(missing_ok=True)
    for method in options.method or ("exact", "cg-mip"):
        outcomes = []
        for outcome in measure(method, (QUICK if options.quick else CELLS)[method], limit, options.repeats):
            outcomes.append(outcome)
            tell(asdict(outcome))
            keep(options.json, asdict(outcome))
        show(f"Ablation of {method}, logistic regression", table(outcomes), [NOTE], form=options.format)


if __name__ == "__main__":
    main()
