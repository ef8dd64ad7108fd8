"""How time grows with rows, features and changes, for the three methods: a log-log plot.

    python benchmarks/growth.py --out growth.png       # a few minutes
    python benchmarks/growth.py --quick                # seconds

German credit, logistic regression on its first features. A method is given up on an axis once it has met
the time limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, ScalarFormatter

from measuring import keep, question, script_parser, tell, timed
from oneformany.datasets import load
from oneformany.methods import METHODS, solve
from oneformany.paper.runs.prepare import paper_model, paper_split
from oneformany.plotting.canvas import PAPER_WIDTH, axes
from oneformany.problem import Problem
from oneformany.schema.schema import Schema


@dataclass(frozen=True)
class Size:
    """Size of a problem."""

    rows: int
    features: int
    changes: int


BASE = Size(rows=6, features=8, changes=3)
SIZES = {
    "rows": (2, 4, 6, 8, 12, 16, 32, 64, 128, 256),
    "features": (3, 4, 6, 8, 12, 16, 20),
    "changes": (1, 2, 3, 4, 6, 8),
}
STYLES = (("#3a9d4f", "o"), ("#d9822b", "s"), ("#5b6bb5", "^"))
CLOSEST = 0.065  # of the axis, between two labels
QUICK = {"rows": (2, 3, 4), "features": (3, 4), "changes": (2, 3)}


@dataclass(frozen=True)
class Timing:
    """How long one size took, and whether it ended with a proof; if not, it would have taken longer."""

    size: int
    seconds: float
    finished: bool


def plot_growth(timings: Mapping[str, Sequence[Timing]], size: str, ax: Axes | None = None) -> Axes:
    """Draw seconds against size, both logarithmic; a hollow mark is a run that did not end with a proof.

    ``size`` names the sizes, for the axis.
    """
    ax = axes(ax, PAPER_WIDTH / 2, 2.8)
    for (method, points), (color, marker) in zip(timings.items(), STYLES, strict=False):
        sizes, seconds = [point.size for point in points], [point.seconds for point in points]
        ax.plot(sizes, seconds, color=color, linewidth=1.3, label=method)
        for point in points:
            face = color if point.finished else "white"
            mark = {"color": color, "markerfacecolor": face, "markersize": 5, "label": "_"}
            ax.plot(point.size, point.seconds, marker, **mark)
    if not all(point.finished for points in timings.values() for point in points):
        ax.plot([], [], "o", color="#606060", markerfacecolor="white", markersize=5, label="no proof in time")
    ax.set(xscale="log", yscale="log")
    every = sorted({point.size for points in timings.values() for point in points})
    ax.xaxis.set_major_locator(FixedLocator(_apart(every)))
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(size, fontsize=9)
    ax.set_ylabel("seconds", fontsize=9)
    ax.tick_params(labelsize=8)
    ax.grid(visible=True, which="major", color="#e4e4e4", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _apart(sizes: Sequence[int]) -> list[int]:
    """Leave out sizes whose labels would touch on a logarithmic axis."""
    nearest = (sizes[-1] / sizes[0]) ** CLOSEST
    kept = [sizes[0]]
    for size in sizes[1:]:
        if size / kept[-1] >= nearest:
            kept.append(size)
    return kept


def problem_of(size: Size) -> Problem:
    """The first rows of the test half, with the first features only."""
    data = load("german")
    schema = Schema(data.schema.features[: size.features])
    data = replace(data, frame=data.frame[list(schema.names)], schema=schema)
    return question(data, paper_model(data), paper_split(data)[1][: size.rows], size.changes)


def measure(axis: str, sizes: tuple[int, ...], method: str, limit: float) -> Iterator[Timing]:
    """Time a method on one problem after the other, until it does not end."""
    for value in sizes:
        problem = problem_of(replace(BASE, **{axis: value}))
        result, seconds = timed(solve, problem, method=method, time_limit=limit)
        finished = result.status != "feasible" and result.count == result.lower_bound
        yield Timing(value, seconds, finished)
        if not finished:
            return


def main() -> None:
    """Measure and draw."""
    parser = script_parser(__doc__)
    parser.add_argument("--method", choices=METHODS, action="append", help="default: all")
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per run")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, seconds in all")
    parser.add_argument("--out", type=Path, default=Path("growth.png"))
    parser.add_argument("--json", type=Path, help="also write every timing as a JSON line")
    options = parser.parse_args()
    limit = min(options.time_limit, 2.0) if options.quick else options.time_limit
    mpl.use("agg")
    for method in options.method or METHODS:  # compiled code and solvers are loaded before the clock starts
        solve(problem_of(replace(BASE, rows=2)), method=method, time_limit=1.0)
    if options.json:
        options.json.unlink(missing_ok=True)
    figure, panels = plt.subplots(1, 3, figsize=(1.25 * PAPER_WIDTH, 2.9), layout="constrained", sharey=True)
    for ax, (axis, sizes) in zip(panels, (QUICK if options.quick else SIZES).items(), strict=True):
        timings: dict[str, list[Timing]] = {}
        for method in options.method or METHODS:
            for timing in measure(axis, sizes, method, limit):
                timings.setdefault(method, []).append(timing)
                line = {"axis": axis, "method": method, **asdict(timing)}
                tell(line)
                keep(options.json, line)
        rest = [f"{value} {name}" for name, value in asdict(BASE).items() if name != axis]
        plot_growth(timings, f"{axis} ({', '.join(rest)})", ax)
        ax.label_outer()
    handles = {
        label: line for ax in panels for line, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=4, fontsize=8, frameon=False
    )
    figure.savefig(options.out, dpi=200)
    print(options.out)


if __name__ == "__main__":
    main()
