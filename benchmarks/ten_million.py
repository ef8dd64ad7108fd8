"""Ten million rows: from a Parquet file in batches, and from a Dask cluster of two workers, with one answer.

    python benchmarks/ten_million.py                     # a file in the folder for temporary files
    python benchmarks/ten_million.py --rows 1000000
    ONEFORMANY_DATA=folder python benchmarks/ten_million.py --distinct --rows 1000000
    ONEFORMANY_DATA=folder python benchmarks/ten_million.py --distinct --rows 40000 --compare

With ``--distinct`` no two rows are equal: borrowers of the competition data, drawn again and again, with the
decimals of three columns jittered; boosted trees (XGBoost), 3 changes, and nobody changes age or dependents.
They stay in the file: asked are the fewest explanations for everybody, and the most people with three; each
answer is verified with a sample of the source. ``--compare`` explains the frame in memory, too. Otherwise:

Applicants with eight features of few values each, as after binning, and a logistic regression. Only the
distinct refused rows are kept, each with the number of people who have it. Printed: rows, people refused,
distinct rows, explanations and their bound, seconds, and the most memory that this process ever had.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.linear_model import LogisticRegression

from measuring import megabytes, script_parser, timed
from oneformany import Immutable, OneForMany, Result

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
TREES, DEPTH, RAW_CHANGES = 100, 4, 3
DECIMALS, JITTER = ("utilization", "debt_ratio", "monthly_income"), 0.01
KEPT = ("age", "dependents")
GOALS: dict[str, dict[str, Any]] = {"everybody": {}, "three": {"explanations": 3}}
SAMPLE = 4_000


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


def borrowers() -> tuple[OneForMany, pd.DataFrame]:
    """Boosted trees on half of the competition data; and the other half."""
    from xgboost import XGBClassifier

    from raw_data import balanced, halves

    train, test, target = halves("credit")
    some, labels = balanced(train, target)
    model = XGBClassifier(n_estimators=TREES, max_depth=DEPTH, learning_rate=0.2, n_jobs=2, random_state=0)
    rules = [Immutable(name) for name in KEPT]
    told = {"share": "action", "reference": train, "rules": rules}
    return OneForMany(model.fit(some, labels), max_changes=RAW_CHANGES, **told), test


def jittered(test: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """Rows drawn again, no two of them equal."""
    rng = np.random.default_rng(seed)
    rows = test.iloc[rng.integers(0, len(test), n)].reset_index(drop=True)
    for name in DECIMALS:
        rows[name] = rows[name].astype(np.float64) * (1 + JITTER * rng.standard_normal(n))
    return rows


def write_distinct(path: Path, test: pd.DataFrame, rows: int) -> None:
    """Write them part by part."""
    with pq.ParquetWriter(path, pa.Schema.from_pandas(jittered(test, 1, 0), preserve_index=False)) as file:
        for number, start in enumerate(range(0, rows, CHUNK // 4)):
            part = jittered(test, min(CHUNK // 4, rows - start), seed=number + 1)
            file.write_table(pa.Table.from_pandas(part, preserve_index=False))


def explained_in_parts(
    explainer: OneForMany, source: Any, how: str, sample: pd.DataFrame, limit: float | None
) -> dict[str, Result]:
    """Explain for both goals, print what it took, and verify."""
    results = {}
    for name, goal in GOALS.items():
        began = process_time()
        result, seconds = timed(explainer.explain, source, time_limit=limit, **goal)
        spent, read = process_time() - began, result.problem["rows_read"]
        known = f"at least {result.lower_bound}"
        if name != "everybody":
            known = f"at most {result.covered_bound:,}"
        print(
            f"{how}, {name}: {read:,} rows, {result.people:,} refused, {len(result.assignment):,} kept; "
            f"{result.count} explanations cover {result.covered:,}, {known}; {result.beyond_help:,} beyond "
            f"help, {result.beyond_knowledge:,} undecided; {result.status}, gap {result.gap:.2%}; "
            f"{seconds:.0f} s ({spent:.0f} s of processor time here), {1e6 * seconds / read:.1f} s per "
            f"million rows; {megabytes():,} MB",
            flush=True,
        )
        report, seconds = timed(result.verify, model=explainer, frame=sample)
        print(f"    {report.outcome} in {seconds:.0f} s, with a sample of {len(sample):,} rows", flush=True)
        results[name] = result
    return results


def distinct(rows: int, limit: float | None, ways: list[str], *, compare: bool) -> None:
    """Explain rows that are all distinct from a file, by a cluster, and, where asked for, in memory."""
    import oneformany.explainer.explainer as front

    front.MOST_KEPT = 0  # however few they are, they stay in the file
    explainer, test = borrowers()
    found: dict[str, dict[str, Result]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "borrowers.parquet"
        write_distinct(path, test, rows)
        print(f"the file has {path.stat().st_size / 2**20:,.0f} MB", flush=True)
        groups = pq.ParquetFile(path)
        middle = groups.read_row_group(groups.num_row_groups // 2).to_pandas()
        sample = middle.sample(min(SAMPLE, len(middle)), random_state=0)
        if "file" in ways:
            found["in batches"] = explained_in_parts(explainer, path, "in batches", sample, limit)
        if "dask" in ways:
            import dask.dataframe
            from distributed import Client, LocalCluster

            with (
                LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
                Client(cluster),
            ):
                spread = dask.dataframe.read_parquet(path, split_row_groups=True)
                found["two workers"] = explained_in_parts(explainer, spread, "two workers", sample, limit)
        if compare:  # so many rows fit
            whole, seconds = timed(explainer.explain, pd.read_parquet(path), time_limit=limit)
            print(f"in memory: {whole}; {seconds:.0f} s", flush=True)
            found["in memory"] = {"everybody": whole}
    for how, results in found.items():
        one = results["everybody"]
        print(f"{how}: {one.count} explanations, at least {one.lower_bound}, for {one.covered:,}")


def main() -> None:
    """Write the file, explain it twice, compare."""
    parser = script_parser(__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--distinct", action="store_true", help="no two rows are equal")
    parser.add_argument("--compare", action="store_true", help="explain the frame in memory, too")
    parser.add_argument("--limit", type=float, help="seconds for each answer about distinct rows")
    parser.add_argument("--ways", nargs="+", choices=["file", "dask"], default=["file", "dask"])
    asked = parser.parse_args()
    if asked.distinct:
        distinct(asked.rows, asked.limit, asked.ways, compare=asked.compare)
        return
    model, reference = fitted()
    explainer = OneForMany(model, max_changes=CHANGES, share="action", reference=reference)
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
