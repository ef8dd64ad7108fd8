"""Explanations against changes on german credit, with bounds: a table, a picture, and the seconds.

    python benchmarks/curves.py                          # logistic regression and network, 1 to 20 changes
    python benchmarks/curves.py --rows 50 --seconds 120  # per curve
    python benchmarks/curves.py --picture curve.png

Rows are the first refused ones of the test half, in the paper's coding.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
from rich.console import Console
from rich.table import Table

import oneformany as ofm
from oneformany.datasets import load
from oneformany.paper.data.split import paper_rows
from oneformany.paper.runs.model_kinds import model_kind


def main() -> None:
    """Print tables, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100, help="how many refused rows")
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit of each curve")
    parser.add_argument("--picture", type=Path, help="where to draw")
    arguments = parser.parse_args()
    data = load("german")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
    for axis, kind in zip(axes, ("lr", "nn"), strict=True):
        model = model_kind(kind).fitted(data)
        rows = paper_rows(data, model, "negatives", arguments.rows)
        problem = ofm.Problem(
            data.codes[rows], data.schema.levels, ofm.oracle_for(model, data.schema), len(data.schema.levels)
        )
        start = perf_counter()
        curve = ofm.frontier(problem, time_limit=arguments.seconds)
        took = perf_counter() - start
        table = Table(
            *("changes", "explanations", "at least", "rows covered", "s"),
            title=f"german, {arguments.rows} refused rows, {model_kind(kind).title}: {took:.0f} s",
        )
        for point in curve.points:
            numbers = (point.asked, point.value, point.bound, point.covered)
            table.add_row(*map(str, numbers), f"{point.seconds:.1f}")
        Console().print(table)
        curve.plot(axis).set_title(model_kind(kind).title, fontsize=9)
    if arguments.picture is not None:
        figure.savefig(arguments.picture, dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
