"""Seconds, columns and memory of listing all columns, for the data sets that the package loads.

    python benchmarks/listing.py                 # about a minute
    python benchmarks/listing.py --json out.json

Logistic regression of the paper's recipe. Adult twice: all refused rows, sharing points; and the refused rows
of the test half, sharing actions, with age, race, sex and native country fixed. Compiling is not counted.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from oneformany.datasets import load
from oneformany.engine.listing.estimate import affordable
from oneformany.engine.listing.listing import Keep, list_columns
from oneformany.paper.runs.split import paper_model, paper_split
from oneformany.problem import Problem, Share
from oneformany.readers.registry import oracle_for

ADULT = ("age", "race", "sex", "native_country")
GERMAN = ("personal_status", "age", "foreign_worker")


@dataclass(frozen=True)
class Case:
    """A problem to list."""

    data: str
    rows: str
    share: Share
    changes: int
    keep: Keep
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What listing it took."""

    data: str
    share: str
    changes: int
    keep: str
    rows: int
    distinct: int
    columns: int
    entries: int
    unreachable: int
    complete: bool
    estimate: float
    seconds: float
    processor_seconds: float
    peak_megabytes: int


CASES = (
    Case("adult", "all", "point", 3, "coverage"),
    Case("adult", "all", "point", 3, "cost"),
    Case("german", "test", "action", 3, "coverage", GERMAN),
    Case("german", "test", "action", 3, "cost", GERMAN),
    Case("german", "test", "features", 3, "cost", GERMAN),
    Case("compas", "test", "action", 2, "cost"),
    Case("compas", "test", "action", 3, "cost"),
    Case("adult", "test", "action", 2, "cost", ADULT),
    Case("adult", "test", "action", 3, "coverage", ADULT),
    Case("adult", "test", "action", 3, "cost", ADULT),
)


def problem_of(case: Case) -> Problem:
    """The refused rows of a case."""
    data = load(case.data)
    oracle = oracle_for(paper_model(data), data.schema)
    codes = data.codes if case.rows == "all" else data.codes[paper_split(data)[1]]
    allowed = [
        np.eye(n, dtype=np.bool_) if feature.name in case.fixed else None
        for feature, n in zip(data.schema.features, oracle.levels, strict=True)
    ]
    refused = codes[~oracle.positive(codes)]
    return Problem(refused, oracle.levels, oracle, case.changes, allowed, case.share)


def measure(case: Case, threads: int) -> Measured:
    """List the columns of a case."""
    problem = problem_of(case)
    begin, worked = perf_counter(), process_time()
    listing = list_columns(problem, keep=case.keep, threads=threads)
    return Measured(
        data=case.data,
        share=case.share,
        changes=case.changes,
        keep=case.keep,
        rows=len(problem.codes),
        distinct=len(problem.rows),
        columns=len(listing.table),
        entries=len(listing.table.rows),
        unreachable=int(problem.multiplicity[listing.unreachable].sum()),
        complete=listing.table.complete,
        estimate=affordable(problem, keep=case.keep).work,
        seconds=round(perf_counter() - begin, 2),
        processor_seconds=round(process_time() - worked, 2),
        peak_megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


def compile_all() -> None:
    """Run every kernel once on a small problem."""
    problem = problem_of(Case("compas", "test", "point", 2, "coverage"))
    for share in ("point", "action", "features"):
        for keep in ("coverage", "cost"):
            list_columns(replace(problem, share=share), keep=keep)


def measure_all(threads: int) -> Iterator[Measured]:
    """All cases, one after the other."""
    compile_all()
    for case in CASES:
        yield measure(case, threads)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    measured = list(measure_all(options.threads))
    table = Table(*asdict(measured[0]))
    for line in measured:
        shown = {**asdict(line), "estimate": f"{line.estimate:.2g}"}
        table.add_row(*map(str, shown.values()))
    Console(width=200).print(table)
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in measured], indent=1) + "\n")


if __name__ == "__main__":
    main()
