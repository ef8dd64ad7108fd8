"""Give Me Some Credit: the fewest explanations for a hundred thousand refused rows.

    python benchmarks/credit_large.py --data FOLDER          # 10 minutes
    python benchmarks/credit_large.py --data FOLDER --seconds 60

FOLDER holds cs-training.csv.gz. Ten features in up to 8 quantile bins (missing values are a bin of their
own), a logistic regression on these, the threshold set so that two thirds of the rows are refused, 3 changes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

import oneformany as ofm
from measuring import script_parser, show, timed, told
from oneformany.arrays import IntArray

BINS = 8
REFUSED = 2 / 3


def binned(frame: pd.DataFrame) -> tuple[IntArray, tuple[int, ...]]:
    """Quantile bins of every column, and how many there are."""
    codes = []
    for name in frame.columns:
        column = frame[name]
        edges = np.unique(np.nanquantile(column, np.linspace(0, 1, BINS + 1)[1:-1]))
        code = np.searchsorted(edges, column, side="right")
        code = np.where(column.isna(), code.max() + 1, code)
        codes.append(np.unique(code, return_inverse=True)[1])
    table = np.stack(codes, axis=1).astype(np.int64)
    return table, tuple(int(n) for n in table.max(axis=0) + 1)


def problem(folder: Path, changes: int) -> ofm.Problem:
    """The question about all refused rows."""
    (path,) = folder.rglob("cs-training.csv.gz")
    frame = pd.read_csv(path, index_col=0)
    good = 1 - frame.pop("SeriousDlqin2yrs").to_numpy()
    codes, levels = binned(frame)
    one_hot = OneHotEncoder(sparse_output=False).fit_transform(codes)
    model = LogisticRegression(solver="liblinear", C=10, random_state=0).fit(one_hot, good)
    tables = np.split(model.coef_[0], np.cumsum(levels)[:-1])
    scores = ofm.AdditiveOracle(tables, float(model.intercept_[0])).score(codes)
    oracle = ofm.AdditiveOracle(tables, float(model.intercept_[0]), float(np.quantile(scores, REFUSED)))
    return ofm.Problem(codes[~oracle.positive(codes)], levels, oracle, changes)


def main() -> None:
    """Print a table."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of cs-training.csv.gz")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit")
    parser.add_argument("--changes", type=int, default=3, help="features that may change")
    arguments = parser.parse_args()
    asked = problem(arguments.data, arguments.changes)
    ofm.solve(
        ofm.Problem(asked.codes[:50], asked.levels, asked.oracle, 3), options=ofm.Options(way="listing")
    )
    result, took = timed(ofm.solve, asked, time_limit=arguments.seconds)
    show(f"Give Me Some Credit, {arguments.changes} changes", [told(asked, result, took)])


if __name__ == "__main__":
    main()
