"""Compare the engine with brute force on many random small problems, and verify every result.

    python benchmarks/against_brute_force.py --problems 100000 --seed 0 --jobs 2

Ends with exit code 1 if any problem disagrees; each such problem is printed so that it can be repeated.
"""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from agreement import disagreement
from measuring import script_parser
from strategies import random_problem

CHUNK = 100


def check_chunk(task: tuple[int, int, int]) -> tuple[int, list[str]]:
    """Check one chunk of problems; return how many they are and what disagrees."""
    seed, chunk, problems = task
    rng = np.random.default_rng([seed, chunk])
    drawn = [random_problem(rng) for _ in range(problems)]
    return problems, [f"{problem}: {wrong}" for problem in drawn if (wrong := disagreement(problem))]


def main() -> int:
    """Run the comparison."""
    parser = script_parser(__doc__)
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    tasks = [
        (options.seed, chunk, min(CHUNK, options.problems - start))
        for chunk, start in enumerate(range(0, options.problems, CHUNK))
    ]
    console = Console()
    disagreements = 0
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        multiprocessing.get_context("spawn").Pool(options.jobs) as pool,
        Progress(*bar, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as progress,
    ):
        running = progress.add_task("problems", total=options.problems)
        for problems, wrong in pool.imap_unordered(check_chunk, tasks):
            for line in wrong:
                progress.console.print(line, markup=False, highlight=False)
            disagreements += len(wrong)
            progress.update(running, advance=problems, description=f"{disagreements} disagreements")
    console.print(f"{options.problems} problems, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
