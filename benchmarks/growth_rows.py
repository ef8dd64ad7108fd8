"""How time to a gap of 5 % grows with rows: adult, 3 changes, beside another version of the engine.

    python benchmarks/growth_rows.py
    python benchmarks/growth_rows.py --old ../before/src --picture docs/figures/growth-adult.png

Logistic regression of the paper's recipe in the package's coding; the first so many distinct rows that it
refuses, in an order drawn once. Each size runs in a process of its own, and the clock stops at the first step
whose bound is within 5 % of what was found. The exponent is the slope of a line through the logarithms.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from measuring import run_with, script_parser

SIZES = (1_000, 2_000, 4_000, 8_000, 14_000, 20_000)
GAP = 0.05


class CloseEnough(Exception):  # noqa: N818 (not an error)
    """The gap is small enough."""


def pose(path: Path) -> None:
    """Write all rows and the model's tables, for every version to read."""
    from oneformany.datasets import load
    from oneformany.paper.runs.prepare import paper_model
    from oneformany.readers.registry import oracle_for

    data = load("adult")
    oracle = oracle_for(paper_model(data), data.schema)
    rows = np.unique(data.codes[~oracle.positive(data.codes)], axis=0)
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    units = oracle.relaxation()
    score = np.array([units.intercept, units.threshold])
    np.savez(path, rows=rows, levels=np.array(data.schema.levels), units=units.units, score=score)


def worker(file: Path, size: int, seconds: float) -> None:
    """Measure one size with whatever version is imported, and print it as JSON."""
    import oneformany as ofm

    data = np.load(file)
    rows, levels = data["rows"], tuple(data["levels"].tolist())
    tables = [units[:count].astype(np.float64) for units, count in zip(data["units"], levels, strict=True)]
    oracle = ofm.AdditiveOracle(tables, *data["score"].astype(np.float64).tolist())
    for few in (20, 200):  # compiled code is loaded before the clock starts
        ofm.solve(ofm.Problem(rows[:few], levels, oracle, 3), time_limit=20)
    found = {"size": size, "count": 0, "bound": 0}
    wall, processor = time.perf_counter(), time.process_time()

    def look(step: Any) -> None:
        found.update(count=step.count, bound=step.bound)
        if step.count and step.count - step.bound <= GAP * step.count:
            raise CloseEnough

    done = False
    try:
        ofm.solve(ofm.Problem(rows[:size], levels, oracle, 3), time_limit=seconds, progress=look)
    except CloseEnough:
        done = True
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(json.dumps({**found, "seconds": wall, "processor": processor, "done": done}))


def measure(tree: Path, file: Path, sizes: list[int], seconds: float) -> list[dict[str, Any]]:
    """Run one size after the other with the package of a source tree, until one is not done in time."""
    lines = []
    for size in sizes:
        asked = (__file__, str(file), "--sizes", str(size), "--seconds", str(seconds))
        most = 3 * seconds + 120
        try:
            ran = run_with(tree, *asked, capture_output=True, timeout=most)
            line = json.loads(ran.stdout.splitlines()[-1])
        except subprocess.TimeoutExpired:
            line = {"size": size, "count": 0, "bound": 0, "seconds": most, "processor": most, "done": False}
        lines.append(line)
        state = "" if line["done"] else "  not within 5 %"
        numbers = f"{line['size']:>7} {line['count']:>6} {line['bound']:>6}"
        print(f"{numbers} {line['seconds']:>9.2f} {line['processor']:>9.2f}{state}", flush=True)
        if not line["done"]:
            break
    return lines


def exponent(lines: list[dict[str, Any]], clock: str) -> float:
    """Slope of the logarithm of time over that of rows."""
    done = [line for line in lines if line["done"]]
    if len(done) < 2:
        return float("nan")
    logs = np.log([[line["size"], line[clock]] for line in done])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def draw(curves: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Processor seconds over rows, both logarithmic; a hollow mark was not done in time."""
    from growth import Timing, plot_growth

    timings = {
        f"{name}, exponent {exponent(lines, 'processor'):.2f}": [
            Timing(line["size"], line["processor"], line["done"]) for line in lines
        ]
        for name, lines in curves.items()
    }
    ax = plot_growth(timings, "distinct rows of adult, 3 changes")
    ax.set_ylabel("processor seconds to 5 %")
    ax.legend(frameon=False, fontsize=8)
    ax.get_figure(root=True).savefig(path, dpi=150)


def main() -> None:
    """Measure this version, and the old one if it is named; fit; draw."""
    parser = script_parser(__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="for the script itself: what a process reads")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit of each size")
    parser.add_argument("--old", type=Path, help="source tree of the version to compare with")
    parser.add_argument("--picture", type=Path, help="where to draw")
    arguments = parser.parse_args()
    if arguments.file is not None:
        worker(arguments.file, arguments.sizes[0], arguments.seconds)
        return
    trees = {"this version": Path(__file__).resolve().parent.parent / "src"}
    if arguments.old is not None:
        trees["the version before"] = arguments.old
    curves = {}
    with TemporaryDirectory() as folder:
        pose(Path(folder) / "adult.npz")
        for name, tree in trees.items():
            print(f"{name}\n{'rows':>7} {'count':>6} {'bound':>6} {'seconds':>9} {'processor':>9}")
            curves[name] = measure(tree, Path(folder) / "adult.npz", arguments.sizes, arguments.seconds)
            slopes = (f"{exponent(curves[name], clock):.2f} by {clock}" for clock in ("seconds", "processor"))
            print(f"exponent {', '.join(slopes)}", flush=True)
    if arguments.picture is not None:
        draw(curves, arguments.picture)


if __name__ == "__main__":
    main()
