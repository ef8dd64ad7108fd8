"""Covers, budgets, shares and least costs over tables of columns that were saved before.

A table is an .npz file with starts, rows, multiplicity, n_rows and, for costs, costs.

Usage: python benchmarks/covers.py TABLE.npz [--time-limit 120] [--columns 10 50] [--shares 0.5] [--cost]
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path
from time import perf_counter

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.budget import solve_budget, solve_coverage
from oneformany.engine.cover.cost import solve_cost
from oneformany.engine.cover.large_cover import solve_cover
from oneformany.engine.cover.table import ColumnTable
from oneformany.stop import Stop


def load(path: Path) -> tuple[ColumnTable, IntArray]:
    """Read a table and the people of each row."""
    data = np.load(path)
    starts = data["starts"].astype(np.int64)
    m = len(starts) - 1
    costs = data["costs"] if "costs" in data else np.zeros(len(data["rows"]), dtype=np.int64)
    table = ColumnTable(
        starts,
        data["rows"].astype(np.int32),
        costs,
        np.zeros((m, 1), dtype=np.bool_),
        np.zeros((m, 1), dtype=np.int32),
        int(data["n_rows"]),
        complete=True,
    )
    return table, data["multiplicity"].astype(np.int64)


def line(question: str, value: int, bound: int, began: float) -> None:
    """Print one outcome: value, bound, gap, seconds and memory so far."""
    gap = abs(value - bound) / max(1, value, bound)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    seconds = perf_counter() - began
    print(f"{question:>18} {value:>9} {bound:>9} {gap:>8.2%} {seconds:>8.1f} s {peak:>6.2f} GB", flush=True)


def main() -> None:
    """Ask every question of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--time-limit", type=float, default=120.0)
    parser.add_argument("--columns", type=int, nargs="*", default=[])
    parser.add_argument("--shares", type=float, nargs="*", default=[])
    parser.add_argument("--cost", action="store_true", help="also the least cost after each")
    parser.add_argument("--no-cover", action="store_true", help="leave out the cover of all rows")
    arguments = parser.parse_args()
    table, people = load(arguments.table)
    print(f"{table.n_rows} rows, {people.sum()} people, {len(table)} columns, {len(table.rows)} entries")
    first: list[tuple[str, int, int, IntArray]] = []
    if not arguments.no_cover:
        began = perf_counter()
        cover = solve_cover(table, Stop(arguments.time_limit))
        line("cover", len(cover.chosen), cover.bound, began)
        reachable = np.zeros(table.n_rows, dtype=np.bool_)
        reachable[table.rows] = True
        first.append(("cover", len(cover.chosen), int(people[reachable].sum()), cover.chosen))
    for k in arguments.columns:
        began = perf_counter()
        budget = solve_budget(table, people, k, Stop(arguments.time_limit))
        line(f"{k} columns", budget.covered, budget.bound, began)
        first.append((f"{k} columns", k, budget.covered, budget.chosen))
    for share in arguments.shares:
        began = perf_counter()
        needed = int(np.ceil(share * people.sum()))
        coverage = solve_coverage(table, people, needed, Stop(arguments.time_limit))
        line(f"{share:.0%} of people", len(coverage.chosen), coverage.bound, began)
        if coverage.covered >= needed:
            first.append((f"{share:.0%}", len(coverage.chosen), needed, coverage.chosen))
    for name, k, needed, chosen in first if arguments.cost else []:
        began = perf_counter()
        cost = solve_cost(table, people, k, needed, chosen, Stop(arguments.time_limit))
        line(f"cost, {name}", cost.cost, cost.bound, began)


if __name__ == "__main__":
    main()
