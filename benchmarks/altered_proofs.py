"""Alter proofs of every kind as a careful forger would, and let brute force judge what is confirmed.

    python benchmarks/altered_proofs.py --each 5000 --seed 0 --jobs 2

Ends with exit code 1 if a file was confirmed that is false; each such file is printed.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from measuring import script_parser
from verify.altered_proofs import KINDS, judged

CHUNK = 500


def judge_chunk(task: tuple[str, int, int, int]) -> tuple[str, Counter[str], list[str]]:
    """Judge one chunk of altered files of one kind."""
    kind, seed, chunk, count = task
    return kind, *judged(kind, np.random.default_rng([seed, list(KINDS).index(kind), chunk]), count)


def main() -> int:
    """Alter, verify and judge."""
    parser = script_parser(__doc__)
    parser.add_argument("--each", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    tasks = [
        (kind, options.seed, chunk, min(CHUNK, options.each - start))
        for kind in KINDS
        for chunk, start in enumerate(range(0, options.each, CHUNK))
    ]
    found: dict[str, Counter[str]] = defaultdict(Counter)
    false: list[str] = []
    with multiprocessing.Pool(options.jobs) as pool:
        for kind, outcomes, believed in pool.imap_unordered(judge_chunk, tasks):
            found[kind] += outcomes
            false += believed
    for kind in KINDS:
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in found[kind].most_common())
        print(f"{kind}: {found[kind].total():,} altered: {told}")
    print(f"{len(false)} of them false and confirmed", *false, sep="\n")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
