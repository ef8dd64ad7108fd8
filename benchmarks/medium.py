"""Hundreds of rows with many changes, where the set cover at the end is the hard part.

    python benchmarks/medium.py                             # all problems
    python benchmarks/medium.py german-252 --seconds 30
    python benchmarks/medium.py --old ../before/src         # with another source tree
    python benchmarks/medium.py --cpu                       # limits count the processor's seconds

Logistic regressions of the paper's recipe: german credit's 252 refused rows and all 500 rows of its test
half, 10 changes; the first 240 refused rows of students, 15 changes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from measuring import run_with, script_parser

PROBLEMS = {
    "german-252": ("german", "negatives", 252, 10, 60.0),
    "german-500": ("german", "published", 500, 10, 300.0),
    "students-240": ("students", "negatives", 240, 15, 300.0),
}


def measure(name: str, seconds: float | None, *, cpu: bool, check: bool) -> None:
    """Solve one problem and print a line."""
    if cpu:
        time.monotonic = time.perf_counter = time.process_time
    from oneformany.methods import solve
    from oneformany.paper.runs.prepare import prepare
    from oneformany.verify import verify

    dataset, protocol, rows, changes, limit = PROBLEMS[name]
    prepared = prepare(dataset, "lr")
    solve(prepared.problem(protocol, 8, 2))  # compiled code is loaded before the clock starts
    problem = prepared.problem(protocol, rows, changes)
    wall, processor = time.perf_counter(), time.process_time()
    result = solve(problem, time_limit=seconds or limit)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    numbers = f"{rows:>5} {changes:>8} {result.count:>6} {result.lower_bound:>6} {result.gap:>6.1%}"
    print(f"{name:<13} {numbers} {wall:>8.1f} {processor:>10.1f}", flush=True)
    spent = {phase: round(value, 1) for phase, value in result.statistics.timings.items() if value >= 0.1}
    print(f"  {spent} {dict(result.statistics.counters)}", file=sys.stderr, flush=True)
    if check:
        print(f"  verify: {verify(result.to_json()).outcome}", flush=True)


def main() -> None:
    """Measure here, or with the package of another source tree."""
    parser = script_parser(__doc__)
    parser.add_argument("problems", nargs="*", choices=[*PROBLEMS, []], help="default: all")
    parser.add_argument("--seconds", type=float, help="time limit of each")
    parser.add_argument("--old", type=Path, help="source tree of another version to measure instead")
    parser.add_argument("--cpu", action="store_true", help="count the processor's seconds: for busy machines")
    parser.add_argument("--verify", action="store_true", help="check each result and its proof")
    arguments = parser.parse_args()
    if arguments.old is not None:
        chosen = [*arguments.problems, *(["--seconds", str(arguments.seconds)] if arguments.seconds else [])]
        chosen += [f"--{name}" for name in ("cpu", "verify") if getattr(arguments, name)]
        run_with(arguments.old, __file__, *chosen)
        return
    print("problem        rows  changes  count  bound    gap  seconds  processor")
    for name in arguments.problems or PROBLEMS:
        measure(name, arguments.seconds, cpu=arguments.cpu, check=arguments.verify)


if __name__ == "__main__":
    main()
