"""Compare the engine with brute force on many random small problems, and verify every result.

    python benchmarks/against_brute_force.py --problems 100000 --seed 0 --jobs 2
    python benchmarks/against_brute_force.py --conjunctions --problems 2000
    python benchmarks/against_brute_force.py --few --problems 20000

With ``--few`` a few rows carry the proof: every goal, kind of classifier and way to share that they serve,
people, costs, own values, rules, and points about which the model has to be asked. With ``--conjunctions``
the problems have two or three classifiers of every pair of kinds at once, every way to share, every goal, own
values, rules and costs; otherwise one additive classifier.
Ends with exit code 1 if any problem disagrees; each such problem is printed so that it can be repeated.
"""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import conjunctions
from agreement import disagreement
from engine.few import few_problems
from measuring import script_parser
from strategies import random_problem

CHUNK = 100


def check_joint_chunk(task: tuple[int, int, int]) -> list[str]:
    """Check one chunk of problems with several classifiers; return what disagrees."""
    seed, chunk, problems = task
    numbers = range(chunk * CHUNK, chunk * CHUNK + problems)
    found = ((number, conjunctions.disagreement(seed, number)) for number in numbers)
    return [f"seed {seed}, number {number}: {wrong}" for number, wrong in found if wrong]


def check_few_chunk(task: tuple[int, int, int]) -> list[str]:
    """Check one chunk of problems of which a few rows carry the proof; return what disagrees."""
    seed, chunk, problems = task
    numbers = range(chunk * CHUNK, chunk * CHUNK + problems)
    found = ((number, few_problems.disagreement(seed, number)) for number in numbers)
    return [f"seed {seed}, number {number}: {wrong}" for number, wrong in found if wrong]


def check_chunk(task: tuple[int, int, int]) -> list[str]:
    """Check one chunk of problems; return what disagrees."""
    seed, chunk, problems = task
    rng = np.random.default_rng([seed, chunk])
    drawn = [random_problem(rng) for _ in range(problems)]
    return [f"{problem}: {wrong}" for problem in drawn if (wrong := disagreement(problem))]


def main() -> int:
    """Run the comparison."""
    parser = script_parser(__doc__)
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--conjunctions", action="store_true")
    parser.add_argument("--few", action="store_true")
    options = parser.parse_args()
    check = check_few_chunk if options.few else check_joint_chunk if options.conjunctions else check_chunk
    tasks = [
        (options.seed, chunk, min(CHUNK, options.problems - start))
        for chunk, start in enumerate(range(0, options.problems, CHUNK))
    ]
    disagreements = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        chunks = pool.imap_unordered(check, tasks)
        for wrong in track(chunks, f"chunks of {CHUNK} problems", total=len(tasks)):
            disagreements += len(wrong)
            for line in wrong:
                print(line, flush=True)
    print(f"{options.problems} problems, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
