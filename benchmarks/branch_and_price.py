"""Branch and price on the published cells with 100 rows that the root node may leave open.

    python benchmarks/branch_and_price.py                     # a few minutes
    python benchmarks/branch_and_price.py --quick             # seconds
    python benchmarks/branch_and_price.py --format markdown

Each cell is run with the root node alone, with enumeration inside the nodes, and by branching alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from measuring import script_parser, show, tell, timed
from oneformany.engine.options import Options
from oneformany.engine.pricing.pricer import SearchPricer
from oneformany.methods import solve
from oneformany.paper.runs.prepare import prepare
from oneformany.problem import Problem
from program_pricer import ProgramPricer

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


def line(problem: Problem, options: Options, limit: float) -> dict[str, object]:
    """Run one variant: what was found, what was proved, and after how many nodes."""
    result, seconds = timed(solve, problem, time_limit=limit, options=options)
    return {
        "count": result.count,
        "bound": result.lower_bound,
        "gap": f"{100 * (result.count - result.lower_bound) / max(result.count, 1):.1f} %",
        "status": result.status,
        "nodes": result.statistics.counters.get("branching nodes", 0),
        "seconds": f"{seconds:.2f}",
    }


def main() -> None:
    """Run all variants on all cells."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("--pricing", choices=list(PRICERS), default="search")
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds per run")
    parser.add_argument("--quick", action="store_true", help="a small cell, seconds in all")
    options = parser.parse_args()
    lines = []
    for dataset, rows, changes in QUICK if options.quick else CELLS:
        prepared = prepare(dataset, "lr")
        solve(prepared.problem("published", 2, 2))  # compiled code is loaded before the clock starts
        problem = prepared.problem("published", rows, changes)
        for name, switches in variants(options.pricing):
            asked = {"data set": dataset, "rows": rows, "changes": changes, "run": name}
            lines.append({**asked, **line(problem, switches, options.time_limit)})
            tell(lines[-1])
    title = f"Branch and price, logistic regression, pricing by {options.pricing}"
    note = f"At most {options.time_limit:g} s per run. A bound is proved at any time."
    show(title, lines, [note], form=options.format)


if __name__ == "__main__":
    main()
