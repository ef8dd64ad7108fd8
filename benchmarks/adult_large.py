"""All refused rows of adult: the fewest explanations, and the best few.

    python benchmarks/adult_large.py                 # 10 minutes: 39,440 rows, 3 changes
    python benchmarks/adult_large.py --seconds 30    # what there is after half a minute
    python benchmarks/adult_large.py --best          # the best 10, 50 and 100 explanations

Logistic regression of the paper's recipe, fitted on the training half; every row of the whole set that it
refuses is asked about.
"""

from __future__ import annotations

import argparse
import resource
from time import perf_counter

from rich.console import Console
from rich.table import Table

import oneformany as ofm
from oneformany.datasets import load
from oneformany.engine.run import Options
from oneformany.paper.runs.split import paper_model
from oneformany.readers.registry import oracle_for

COLUMNS = ("asked", "rows", "distinct", "count", "at least", "covered", "at most", "gap", "s", "MB")


def refused(changes: int = 3) -> ofm.Problem:
    """The question about all refused rows."""
    data = load("adult")
    oracle = oracle_for(paper_model(data), data.schema)
    return ofm.Problem(data.codes[~oracle.positive(data.codes)], data.schema.levels, oracle, changes)


def solved(problem: ofm.Problem, k: int | None, seconds: float) -> tuple[str, ...]:
    """Solve, and tell it in a line."""
    start = perf_counter()
    options = Options() if k is None else Options(least_cost=False)
    result = ofm.solve(problem, explanations=k, time_limit=seconds, options=options)
    took = perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (
        *("everybody" if k is None else f"the best {k}", str(len(problem.codes)), str(len(problem.rows))),
        *(str(result.count), str(result.lower_bound), str(result.covered), str(result.covered_bound)),
        *(f"{result.gap:.2%}", f"{took:.1f}", str(memory)),
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=None, help="time limit: 600, or 120 with --best")
    parser.add_argument("--best", action="store_true", help="the best 10, 50 and 100 explanations")
    arguments = parser.parse_args()
    problem = refused()
    warm_up = ofm.Problem(problem.codes[:50], problem.levels, problem.oracle, 3)
    for k in (None, 3):
        ofm.solve(warm_up, explanations=k, options=Options(way="listing"))
    table = Table(*COLUMNS, title="Adult, 3 changes")
    seconds = arguments.seconds or (120.0 if arguments.best else 600.0)
    for k in (10, 50, 100) if arguments.best else (None,):
        table.add_row(*solved(problem, k, seconds))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
