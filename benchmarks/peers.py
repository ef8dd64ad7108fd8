"""DiCE, plain greedy over all advices, and this package, side by side on the same refused rows.

    pip install dice-ml
    python benchmarks/peers.py                  # german, 100 refused rows, 3 changes
    python benchmarks/peers.py --rows 20        # a quick look

Logistic regression of the paper's recipe; personal status, age and foreign worker stay as they are. DiCE
gives every row a counterfactual of its own, so its explanations are the different advices that come out (its
genetic method needs a feature that is a number, and there is none in this coding). Coverage is checked by the
model for every row; changes are features per covered row.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from time import perf_counter

import numpy as np
import pandas as pd

import oneformany as ofm
from measuring import FIXED, question, script_parser, show, timed
from oneformany.arrays import IntArray
from oneformany.datasets import Dataset
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.table.table import ColumnTable
from oneformany.oracles import Oracle
from oneformany.paper.runs.prepare import prepare

CHANGES = 3
COLUMNS = ("method", "explanations", "covered", "changes per row", "fixed features changed", "at least", "s")


class Coded:
    """The model as DiCE wants it: a classifier on a frame of text codes."""

    _estimator_type = "classifier"
    classes_ = np.array([0, 1])

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """Chances of both classes."""
        scores = self.oracle.score(frame.astype(int).to_numpy())
        chances = 1 / (1 + np.exp(-scores))
        return np.column_stack([1 - chances, chances])

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """The likelier class."""
        return (self.predict_proba(frame)[:, 1] >= 0.5).astype(int)


def judged(asked: ofm.Problem, after: IntArray, fixed: list[int]) -> tuple[str, str, str]:
    """Coverage, changes and violations of rows as they are afterwards; -1 where there is nothing."""
    found = (after >= 0).all(axis=1)
    accepted = np.zeros(len(after), dtype=np.bool_)
    accepted[found] = asked.oracle.positive(after[found])
    moved = after != asked.codes
    changes = moved[accepted].sum(axis=1).mean() if accepted.any() else float("nan")
    return f"{accepted.sum()} of {len(after)}", f"{changes:.3f}", str(int(moved[found][:, fixed].sum()))


def dice(data: Dataset, asked: ofm.Problem, method: str, fixed: list[int]) -> tuple[str, ...]:
    """One counterfactual of DiCE for every row."""
    import dice_ml

    names = list(data.schema.names)
    text = pd.DataFrame(data.codes.astype(str), columns=names)
    whole = text.assign(outcome=asked.oracle.positive(data.codes).astype(int))
    model = dice_ml.Model(model=Coded(asked.oracle), backend="sklearn", model_type="classifier")
    source = dice_ml.Data(dataframe=whole, continuous_features=[], outcome_name="outcome")
    explainer = dice_ml.Dice(source, model, method=method)
    free = [name for index, name in enumerate(names) if index not in fixed]
    after = np.full(asked.codes.shape, -1, dtype=np.int64)
    start = perf_counter()
    for row, codes in enumerate(asked.codes):
        query = pd.DataFrame([codes.astype(str)], columns=names)
        seed = {"random_seed": 0} if method == "random" else {}
        try:
            made = explainer.generate_counterfactuals(
                query, total_CFs=1, desired_class=1, features_to_vary=free, verbose=False, **seed
            )
        except Exception:  # noqa: BLE001, S112 (DiCE raises errors of its own where it finds nothing)
            continue
        found = made.cf_examples_list[0].final_cfs_df
        if found is not None and len(found):
            after[row] = found.iloc[0][names].astype(int).to_numpy()
    took = perf_counter() - start
    advices = {
        tuple(
            (feature, int(after[row, feature])) for feature in np.flatnonzero(after[row] != asked.codes[row])
        )
        for row in range(len(after))
        if (after[row] >= 0).all()
    }
    return (f"DiCE, {method}", str(len(advices)), *judged(asked, after, fixed), "none", f"{took:.1f}")


def greedy(asked: ofm.Problem, k: int, fixed: list[int]) -> tuple[str, ...]:
    """The advice that accepts most further rows, again and again."""
    start = perf_counter()
    table: ColumnTable = list_columns(asked).table
    waiting = np.ones(table.n_rows, dtype=np.bool_)
    chosen: list[int] = []
    for _ in range(k):
        adds = table.incidence.loads(asked.multiplicity * waiting)
        chosen.append(int(adds.argmax()))
        waiting[table.group(chosen[-1])] = False
    after = np.full(asked.rows.shape, -1, dtype=np.int64)
    least = np.full(len(asked.rows), asked.n_features + 1)
    for column in chosen:
        rows, changed = table.group(column), table.changed[column]
        ends = np.where(changed, table.targets[column], asked.rows[rows])
        changes = (ends != asked.rows[rows]).sum(axis=1)
        fewer = changes < least[rows]
        after[rows[fewer]], least[rows[fewer]] = ends[fewer], changes[fewer]
    took = perf_counter() - start
    return (f"greedy, {k}", str(k), *judged(asked, after[asked.row_of], fixed), "none", f"{took:.1f}")


def ours(asked: ofm.Problem, k: int, fixed: list[int]) -> tuple[str, ...]:
    """The most rows, then the fewest changes, with so many advices."""
    result, took = timed(ofm.solve, asked, explanations=k, time_limit=120.0)
    bound = "" if result.cost_bound is None else f"{result.cost_bound / max(1, result.covered):.3f}"
    told = judged(asked, result.points, fixed)
    return (f"oneformany, {k}", str(result.count), *told, bound, f"{took:.1f}")


def lines(rows: int) -> Iterator[tuple[str, ...]]:
    """One method after the other."""
    prepared = prepare("german", "lr")
    data, first = prepared.dataset, prepared.rows("negatives", rows)
    asked = question(data, prepared.classifier, first, CHANGES, "action", FIXED["german"])
    fixed = [data.schema.names.index(name) for name in FIXED["german"]]
    ofm.solve(ofm.Problem(asked.codes[:10], asked.levels, asked.oracle, 2, share="action"), explanations=2)
    for method in ("random", "kdtree"):
        yield dice(data, asked, method, fixed)
    for k in (1, 3, 5):
        yield greedy(asked, k, fixed)
        yield ours(asked, k, fixed)


def main() -> None:
    """Print a table."""
    parser = script_parser(__doc__)
    parser.add_argument("--rows", type=int, default=100, help="how many refused rows")
    arguments = parser.parse_args()
    if find_spec("dice_ml") is None:
        parser.error("DiCE is not installed; run: pip install dice-ml")
    warnings.filterwarnings("ignore")
    os.environ.setdefault("TQDM_DISABLE", "1")
    told = [dict(zip(COLUMNS, line, strict=True)) for line in lines(arguments.rows)]
    show(f"german, {arguments.rows} refused rows, {CHANGES} changes", told)


if __name__ == "__main__":
    main()
