"""What the scripts of this folder share: parser, clock, memory, tables, and questions about refused rows.

Some scripts run other versions of the package, so nothing of it is imported before it is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from oneformany.arrays import IntArray
    from oneformany.datasets import Dataset
    from oneformany.problem import Problem, Share
    from oneformany.result.result import Result

P = ParamSpec("P")
R = TypeVar("R")

FIXED = {
    "german": ("personal_status", "age", "foreign_worker"),
    "compas": ("race", "age_cat", "sex"),
    "adult": ("age", "race", "sex", "native_country"),
    "students": (),
}
"""Personal traits, by data set."""


def script_parser(words: str | None, *, formats: bool = False) -> argparse.ArgumentParser:
    """A parser whose help is the script's own description; with ``formats``, of tables to choose from."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    if formats:
        from oneformany.paper.text_table import FORMATS

        parser.add_argument("--format", choices=list(FORMATS), default="text")
    return parser


def timed(call: Callable[P, R], *given: P.args, **named: P.kwargs) -> tuple[R, float]:
    """What a call returns, and the seconds it takes."""
    start = perf_counter()
    returned = call(*given, **named)
    return returned, perf_counter() - start


def megabytes() -> int:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def tell(line: Mapping[Any, object]) -> None:
    """Show whoever waits the line that was just measured."""
    texts = (f"{value:.3f}" if isinstance(value, float) else str(value) for value in line.values())
    print("  ".join(texts), file=sys.stderr, flush=True)


def keep(path: Path | None, line: Mapping[str, object]) -> None:
    """Add a JSON line to a file, if there is one."""
    if path is not None:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def show(
    title: str,
    lines: Sequence[Mapping[Any, object]],
    notes: Sequence[str] = (),
    *,
    form: str = "text",
) -> None:
    """Print a table: a column for each heading, or group and heading, of its lines."""
    from oneformany.paper.text_table import FORMATS, make_table

    columns = {heading: [line[heading] for line in lines] for heading in lines[0]}
    print(FORMATS[form](make_table("measured", title, columns, notes)))


def run_with(tree: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with the package that a source tree holds."""
    environment = {**os.environ, "PYTHONPATH": str(tree.resolve())}
    return subprocess.run(  # noqa: S603 (this script's own interpreter)
        [sys.executable, *arguments], env=environment, check=True, text=True, **options
    )


def told(problem: Problem, result: Result, seconds: float) -> dict[str, object]:
    """What was asked about, found and proved, and what it took."""
    return {
        "rows": len(problem.codes),
        "distinct": len(problem.rows),
        "count": result.count,
        "at least": result.lower_bound,
        "covered": result.covered,
        "at most": result.covered_bound,
        "beyond help": len(result.unreachable),
        "open": len(result.undecided),
        "gap": f"{result.gap:.2%}",
        "seconds": f"{seconds:.1f}",
        "MB": megabytes(),
    }


def refused(data: Dataset, model: Any, *, test_only: bool = True) -> IntArray:
    """Rows that a model turns down, of the test half or of all."""
    from oneformany.paper.runs.prepare import paper_split
    from oneformany.readers.registry import oracle_for

    rows = paper_split(data)[1] if test_only else np.arange(len(data.target))
    return rows[~oracle_for(model, data.schema).positive(data.codes[rows])]


def question(
    data: Dataset,
    model: Any,
    rows: IntArray,
    changes: int,
    share: Share = "point",
    fixed: Sequence[str] = (),
) -> Problem:
    """The question about these rows, in which some features cannot change."""
    from oneformany.problem import Problem
    from oneformany.readers.registry import oracle_for
    from oneformany.schema.rules.combine import allowed_moves
    from oneformany.schema.rules.moves import Immutable

    schema = data.schema
    allowed = allowed_moves(schema, [Immutable(name) for name in fixed]) if fixed else None
    return Problem(data.codes[rows], schema.levels, oracle_for(model, schema), changes, allowed, share)
