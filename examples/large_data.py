"""Many rows: a time limit, the best few explanations, and a bound on what any others could do.

::

    python examples/large_data.py [rows] [seconds]
"""

import sys

import numpy as np

import oneformany as ofm


def main(rows: int, seconds: float) -> None:
    """Explain made-up rows that a scorecard refuses: all of them, then the most with few explanations."""
    rng = np.random.default_rng(0)
    levels = (5, 4, 4, 3, 3, 2)
    oracle = ofm.AdditiveOracle([np.linspace(0, 1, size) for size in levels], threshold=4.0)
    codes = np.column_stack([rng.integers(0, size, rows) for size in levels])
    refused = codes[~oracle.positive(codes)]
    problem = ofm.Problem(refused, levels, oracle, max_changes=2, share="action")

    everybody = ofm.solve(problem, time_limit=seconds)
    print(f"everybody: {everybody!r}, {everybody.ended}")
    for explanations in (1, 3):
        few = ofm.solve(problem, explanations=explanations, time_limit=seconds)
        told = f"{few.covered} of {len(refused)} rows, and it is proved that none cover more than"
        print(f"the best {explanations}: {told} {few.covered_bound}")


if __name__ == "__main__":
    numbers = [float(word) for word in sys.argv[1:]]
    main(int(numbers[0]) if numbers else 2000, numbers[1] if len(numbers) > 1 else 20.0)
