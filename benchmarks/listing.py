"""Seconds, columns and memory of listing all columns, for the data sets that the package loads.

    python benchmarks/listing.py                 # about a minute
    python benchmarks/listing.py --json out.json

Logistic regression of the paper's recipe. Adult twice: all refused rows, sharing points; and the refused rows
of the test half, sharing actions, with age, race, sex and native country fixed. Compiling is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from measuring import FIXED, megabytes, question, refused, script_parser, timed
from oneformany.datasets import load
from oneformany.engine.listing.estimate import affordable
from oneformany.engine.listing.listing import list_columns
from oneformany.paper.runs.model_kinds import paper_model
from oneformany.problem import Problem, Share

# Data set, its test half only, share, changes, what is kept, personal traits fixed.
CASES: tuple[tuple[str, bool, Share, int, Any, bool], ...] = (
    ("adult", False, "point", 3, "coverage", False),
    ("adult", False, "point", 3, "cost", False),
    ("german", True, "action", 3, "coverage", True),
    ("german", True, "action", 3, "cost", True),
    ("german", True, "features", 3, "cost", True),
    ("compas", True, "action", 2, "cost", False),
    ("compas", True, "action", 3, "cost", False),
    ("adult", True, "action", 2, "cost", True),
    ("adult", True, "action", 3, "coverage", True),
    ("adult", True, "action", 3, "cost", True),
)


def problem_of(name: str, share: Share, changes: int, *, test_only: bool, fixed: bool) -> Problem:
    """The refused rows of a data set."""
    data = load(name)
    model = paper_model(data)
    rows = refused(data, model, test_only=test_only)
    return question(data, model, rows, changes, share, FIXED[name] if fixed else ())


def measured(threads: int) -> Iterator[dict[str, Any]]:
    """All cases, one after the other."""
    small = problem_of("compas", "point", 2, test_only=True, fixed=False)
    for share in ("point", "action", "features"):  # every kernel is compiled before the clock starts
        for costed in (False, True):
            list_columns(replace(small, share=share), costed=costed)
    for name, test_only, share, changes, keep, fixed in CASES:
        problem = problem_of(name, share, changes, test_only=test_only, fixed=fixed)
        worked = process_time()
        listing, seconds = timed(list_columns, problem, costed=keep == "cost", threads=threads)
        yield {
            "data": name,
            "share": share,
            "changes": changes,
            "keep": keep,
            "rows": len(problem.codes),
            "distinct": len(problem.rows),
            "columns": len(listing.table),
            "entries": len(listing.table.rows),
            "unreachable": int(problem.multiplicity[listing.unreachable].sum()),
            "complete": listing.table.complete,
            "seconds": round(seconds, 2),
            "processor_seconds": round(process_time() - worked, 2),
            "estimate": affordable(problem, costed=keep == "cost").work,
            "peak_megabytes": megabytes(),
        }


def main() -> None:
    """Measure and print."""
    parser = script_parser(__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    lines = list(measured(options.threads))
    table = Table(*lines[0])
    for line in lines:
        table.add_row(*map(str, {**line, "estimate": f"{line['estimate']:.2g}"}.values()))
    Console(width=200).print(table)
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
