"""The published cells of two source trees, run in turn: does the new one count alike, and how fast is it?

    python benchmarks/old_and_new.py --old ../before/src --new src
    python benchmarks/old_and_new.py --old ../before/src --new src --repeats 3 --json cells.jsonl

Each group of cells (a data set and a classifier) runs in a process of its own, first with the old tree, then
with the new one, so that both meet the same state of the machine. Of several repeats the best time of a cell
counts. Cells of up to 20 rows take hundredths of a second and are added up. With ``--cpu`` the clock counts
the processor's time, so that a busy machine tells as well.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from measuring import run_with, script_parser

CELL = ["dataset", "model", "max_changes", "rows"]
GROUPS = tuple(product(("compas", "german", "students"), ("lr", "nn")))
SMALL = 20
CPU_CLOCK = """import runpy, time
time.perf_counter = time.process_time
runpy.run_module("oneformany", run_name="__main__", alter_sys=True)"""


def run_group(
    source: Path, dataset: str, model: str, options: list[str], folder: Path, *, cpu: bool
) -> pd.DataFrame:
    """Run the cells of one data set and one classifier with the package found in a source tree."""
    file = folder / "cells.jsonl"
    file.unlink(missing_ok=True)
    arguments = ["bench", "paper", "--dataset", dataset, "--model", model, "--json", str(file), *options]
    program = ("-c", CPU_CLOCK) if cpu else ("-m", "oneformany")
    run_with(source, *program, *arguments, capture_output=True)
    return pd.read_json(file, lines=True)[[*CELL, "count", "lower_bound", "status", "seconds"]]


def measure(trees: dict[str, Path], repeats: int, options: list[str], *, cpu: bool) -> pd.DataFrame:
    """Run all groups with all trees, and keep the best time of every cell."""
    runs = []
    with TemporaryDirectory() as folder:
        for (dataset, model), _ in product(GROUPS, range(repeats)):
            for name, source in trees.items():
                print(f"{dataset} {model}, {name}", file=sys.stderr)
                found = run_group(source, dataset, model, options, Path(folder), cpu=cpu)
                runs.append(found.assign(tree=name))
    every = pd.concat(runs)
    return every.sort_values("seconds", kind="stable").drop_duplicates([*CELL, "tree"])


def compare(cells: pd.DataFrame) -> pd.DataFrame:
    """Set the two trees side by side, one line per cell; small cells of a group are one line."""
    wide = cells.pivot_table(
        index=CELL, columns="tree", values=["count", "lower_bound", "seconds"]
    ).reset_index()
    size = wide["rows"].where(wide["rows"] > SMALL, 0)
    lines = []
    for (dataset, model, rows, changes), part in wide.groupby(
        ["dataset", "model", size, wide["max_changes"].where(size > 0, 0)]
    ):
        old, new = part["seconds", "old"].sum(), part["seconds", "new"].sum()
        alike = (part["count", "old"] == part["count", "new"]).all()
        lines.append(
            {
                "data set": dataset,
                "model": model,
                "rows": rows or f"<= {SMALL}",
                "changes": changes or "all",
                "old s": round(old, 3),
                "new s": round(new, 3),
                "old : new": f"{old / new:.2f} : 1",
                "counts": "equal" if alike else "DIFFERENT",
                "proved": f"{(part['count', 'new'] == part['lower_bound', 'new']).sum()} of {len(part)}",
            }
        )
    return pd.DataFrame(lines)


def main() -> int:
    """Run both trees; exit code 1 when a count differs."""
    parser = script_parser(__doc__)
    parser.add_argument("--old", type=Path, required=True, help="folder that holds the package, before")
    parser.add_argument("--new", type=Path, default=Path("src"), help="folder that holds the package, after")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--cpu", action="store_true", help="count the processor's time")
    parser.add_argument("--rows", help="numbers of rows instead of the paper's")
    parser.add_argument("--json", type=Path, help="also write every cell as a JSON line")
    options = parser.parse_args()
    further = [] if options.rows is None else ["--rows", options.rows]
    cells = measure({"old": options.old, "new": options.new}, options.repeats, further, cpu=options.cpu)
    if options.json:
        cells.to_json(options.json, orient="records", lines=True)
    table = compare(cells)
    print(table.to_string(index=False))
    total = cells.groupby("tree")["seconds"].sum()
    print(
        f"together: old {total['old']:.2f} s, new {total['new']:.2f} s, {total['old'] / total['new']:.2f} : 1"
    )
    return int((table["counts"] != "equal").any())


if __name__ == "__main__":
    sys.exit(main())
