"""Judge the words of many random answers: each number and range printed, against the model itself.

    python benchmarks/judge_words.py --answers 5000 --seed 0 --jobs 2

Summary, repr, tables and report are read by code that shares nothing with what writes them; what they promise
is done to the rows, and the model is asked about these. Ends with exit code 1 if anything printed is not so.
"""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from pathlib import Path

from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from measuring import script_parser
from word_judge import judged
from word_questions import random_asked

CHUNK = 20


def judge_chunk(task: tuple[int, int]) -> tuple[int, list[str]]:
    """Judge a chunk of answers; count what was checked, and list what is wrong."""
    first, answers = task
    warnings.simplefilter("ignore")  # random classes look like refusals now and then
    checked, faults = 0, list[str]()
    for seed in range(first, first + answers):
        number, found = judged(random_asked(seed))
        checked += number
        faults += found
    return checked, faults


def main() -> int:
    """Judge."""
    parser = script_parser(__doc__)
    parser.add_argument("--answers", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    ends = options.seed + options.answers
    tasks = [(first, min(CHUNK, ends - first)) for first in range(options.seed, ends, CHUNK)]
    checked = wrong = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        chunks = pool.imap_unordered(judge_chunk, tasks)
        for number, faults in track(chunks, f"chunks of {CHUNK} answers", total=len(tasks)):
            checked += number
            wrong += len(faults)
            for fault in faults:
                print(fault, flush=True)
    print(f"{options.answers} answers, {checked} printed claims checked, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
