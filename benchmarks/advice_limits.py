"""Random questions that limit what is asked of rows, against brute force; altered files, all judged.

    python benchmarks/advice_limits.py --problems 2000 --files 2000 --seed 0 --jobs 2

Ends with exit code 1 if an answer is not the best, or a file was confirmed that is false; each is printed.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from measuring import script_parser
from verify.limited import disagreement, judged

CHUNK = 250


def compare_chunk(task: tuple[int, int, int]) -> list[str]:
    """Compare one chunk of answers with brute force."""
    seed, first, count = task
    found = ((number, disagreement(seed, number)) for number in range(first, first + count))
    return [f"seed {seed}, number {number}: {wrong}" for number, wrong in found if wrong]


def judge_chunk(task: tuple[int, int, int]) -> tuple[Counter[str], list[str]]:
    """Judge one chunk of altered files."""
    seed, first, count = task
    return judged(np.random.default_rng([seed, first]), count)


def main() -> int:
    """Compare, then alter, verify and judge."""
    parser = script_parser(__doc__)
    parser.add_argument("--problems", type=int, default=2_000)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()

    def chunks(total: int) -> list[tuple[int, int, int]]:
        return [(options.seed, first, min(CHUNK, total - first)) for first in range(0, total, CHUNK)]

    outcomes, wrong, false = Counter[str](), list[str](), list[str]()
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for found in pool.imap_unordered(compare_chunk, chunks(options.problems)):
            wrong += found
        print(f"{options.problems:,} problems, {len(wrong)} disagreements", *wrong, sep="\n", flush=True)
        for found_here, believed in pool.imap_unordered(judge_chunk, chunks(options.files)):
            outcomes += found_here
            false += believed
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    print(f"{options.files:,} altered files: {told}")
    print(f"{len(false)} of them false and confirmed", *false, sep="\n")
    return 1 if wrong or false else 0


if __name__ == "__main__":
    sys.exit(main())
