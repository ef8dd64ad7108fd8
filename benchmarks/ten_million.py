"""Ten million rows: from a Parquet file in batches, and from a Dask cluster of two workers, with one answer.

    python benchmarks/ten_million.py                     # a file in the folder for temporary files
    python benchmarks/ten_million.py --rows 1000000

Applicants with eight features of few values each, as after binning, and a logistic regression. Only the
distinct refused rows are kept, each with the number of people who have it. Printed: rows, people refused,
distinct rows, explanations and their bound, seconds, and the most memory that this process ever had.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.linear_model import LogisticRegression

from measuring import megabytes, script_parser, timed
from oneformany import OneForMany, Result

LEVELS = {
    "employment": 5,
    "savings": 5,
    "checking": 4,
    "property": 4,
    "housing": 3,
    "installments": 4,
    "credits": 4,
    "guarantor": 2,
}
CHUNK = 1_000_000
CHANGES = 2
LIMIT = 120.0


def applicants(n: int, seed: int) -> pd.DataFrame:
    """Rows in which a few combinations are common and many are rare."""
    rng = np.random.default_rng(seed)
    wealth = rng.beta(2, 3, n)
    columns = {
        name: np.minimum((wealth * 0.6 + rng.random(n) * 0.4) * levels, levels - 1).astype(np.int8)
        for name, levels in LEVELS.items()
    }
    return pd.DataFrame(columns)


def fitted() -> tuple[LogisticRegression, pd.DataFrame]:
    """A model and the rows it was fitted on."""
    frame = applicants(20_000, seed=0)
    score = sum(frame[name] / (levels - 1) for name, levels in LEVELS.items())
    noise = np.random.default_rng(1).normal(0, 0.5, len(frame))
    return LogisticRegression().fit(frame, (score + noise > 4).astype(int)), frame


def write(path: Path, rows: int) -> None:
    """Write the file part by part."""
    with pq.ParquetWriter(path, pa.Schema.from_pandas(applicants(1, 0))) as file:
        for number, start in enumerate(range(0, rows, CHUNK)):
            part = applicants(min(CHUNK, rows - start), seed=number + 2)
            file.write_table(pa.Table.from_pandas(part, preserve_index=False))


def explained(explainer: OneForMany, source: Any, how: str) -> Result:
    """Explain, and print what it took."""
    result, seconds = timed(explainer.explain, source, time_limit=LIMIT)
    print(
        f"{how}: {result.problem['rows_read']:,} rows, {result.people:,} people refused, "
        f"{len(result.assignment):,} distinct; {result.covered:,} covered by {result.count} explanations, at "
        f"least {result.lower_bound}; {seconds:.1f} s, {megabytes():,} MB",
        flush=True,
    )
    return result


def main() -> None:
    """Write the file, explain it twice, compare."""
    parser = script_parser(__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    asked = parser.parse_args()
    model, reference = fitted()
    explainer = OneForMany(model, CHANGES, share="action", reference=reference)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "applicants.parquet"
        write(path, asked.rows)
        print(f"the file has {path.stat().st_size / 2**20:,.0f} MB")
        one = explained(explainer, path, "in batches")

        import dask.dataframe
        from distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster),
        ):
            other = explained(
                explainer, dask.dataframe.read_parquet(path, split_row_groups=True), "two workers"
            )
    same = [(r.status, r.count, r.lower_bound, r.covered, r.people) for r in (one, other)]
    if same[0] != same[1]:
        raise AssertionError(f"the answers differ: {same}")
    print("both give the same answer")


if __name__ == "__main__":
    main()
