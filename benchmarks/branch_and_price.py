"""Branch and price on the published cells with 100 rows that the root node may leave open.

    python benchmarks/branch_and_price.py                     # a few minutes
    python benchmarks/branch_and_price.py --quick             # seconds
    python benchmarks/branch_and_price.py --format markdown

Each cell is run with the root node alone, with enumeration inside the nodes, and by branching alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from measuring import script_parser, timed
from oneformany.engine.pricing.pricer import SearchPricer
from oneformany.engine.run import Options
from oneformany.methods import solve
from oneformany.paper.methods.program_pricing import ProgramPricer
from oneformany.paper.runs.prepare import prepare
from oneformany.paper.tables.table import FORMATS, TextTable, make_table
from oneformany.problem import Problem

CELLS = tuple(("german", 100, changes) for changes in (5, 10, 15)) + tuple(
    ("students-published", 100, changes) for changes in (10, 15, 20)
)
QUICK = (("german", 20, 10),)
PRICERS = {"search": SearchPricer, "mip": ProgramPricer}


def variants(pricing: str) -> Iterator[tuple[str, Options]]:
    """How each cell is run."""
    yield "root node alone", Options(pricer=PRICERS[pricing], enumeration=False, branching=False)
    yield "with enumeration", Options(pricer=PRICERS[pricing])
    yield "branching alone", Options(pricer=PRICERS[pricing], enumeration=False)


def line(problem: Problem, options: Options, limit: float) -> tuple[str, ...]:
    """Run one variant: what was found, what was proved, and after how many nodes."""
    result, seconds = timed(solve, problem, time_limit=limit, options=options)
    nodes = result.statistics.counters.get("branching nodes", 0)
    return (
        str(result.count),
        str(result.lower_bound),
        f"{100 * (result.count - result.lower_bound) / max(result.count, 1):.1f} %",
        result.status,
        str(nodes),
        f"{seconds:.2f}",
    )


def table(lines: Sequence[tuple[str, ...]], pricing: str, limit: float) -> TextTable:
    """All runs."""
    titles = ("data set", "rows", "changes", "run", "count", "bound", "gap", "status", "nodes", "seconds")
    return make_table(
        "branch-and-price",
        f"Branch and price, logistic regression, pricing by {pricing}",
        dict(zip(titles, zip(*lines, strict=True), strict=True)),
        [f"At most {limit:g} s per run. A bound is proved at any time."],
    )


def main() -> None:
    """Run all variants on all cells."""
    parser = script_parser(__doc__)
    parser.add_argument("--pricing", choices=list(PRICERS), default="search")
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds per run")
    parser.add_argument("--quick", action="store_true", help="a small cell, seconds in all")
    parser.add_argument("--format", choices=list(FORMATS), default="text")
    options = parser.parse_args()
    progress = Console(stderr=True)
    lines = []
    for dataset, rows, changes in QUICK if options.quick else CELLS:
        prepared = prepare(dataset, "lr")
        solve(prepared.problem("published", 2, 2))  # compiled code is loaded before the clock starts
        problem = prepared.problem("published", rows, changes)
        for name, switches in variants(options.pricing):
            outcome = line(problem, switches, options.time_limit)
            lines.append((dataset, str(rows), str(changes), name, *outcome))
            progress.print(", ".join(lines[-1]), highlight=False)
    print(FORMATS[options.format].write(table(lines, options.pricing, options.time_limit)))


if __name__ == "__main__":
    main()
