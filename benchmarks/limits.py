"""Whether time limits are kept: rows x classifier x limit on the adult income data.

    python benchmarks/limits.py                      # up to a quarter of an hour
    python benchmarks/limits.py --quick              # 100 rows, seconds in all
    python benchmarks/limits.py --rows 4000 --model forest --limit 10

The clock starts with the call of ``solve``; compiled code is loaded before. A limit is kept when the answer
comes within a fifth more plus two seconds. The rows are the first that the classifier turns down; those of
which the limit did not allow to say whether they can be helped are counted as open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from measuring import script_parser, show, timed, told
from oneformany.datasets import load
from oneformany.engine.options import Options
from oneformany.methods import solve
from oneformany.problem import Problem
from oneformany.readers.registry import read_model

ROWS = (100, 4_000, 40_000)
LIMITS = (1.0, 10.0, 30.0)
MODELS: dict[str, Any] = {
    "logistic": LogisticRegression(max_iter=1000),
    "forest": RandomForestClassifier(50, max_depth=8, random_state=0),
    "network": MLPClassifier((20, 20), alpha=1.0, max_iter=15, random_state=0),
}
MAX_CHANGES = 3
TOLERATED_SHARE, TOLERATED_SECONDS = 0.2, 2.0


def measured(
    rows: Sequence[int], models: Sequence[str], limits: Sequence[float], max_changes: int
) -> Iterator[dict[str, object]]:
    """Run every combination; one line each."""
    data = load("adult")
    for name in models:
        model = MODELS[name].fit(data.one_hot, data.target)
        reading = read_model(model, data.schema, frame=data.frame)
        refused = data.codes[~reading.verdict(data.codes)]
        few = Problem(refused[:60], data.schema.levels, reading.oracle, max_changes)
        for way in ("search", "listing"):
            solve(few, options=Options(way=way))
        for n in rows:
            problem = Problem(refused[:n], data.schema.levels, reading.oracle, max_changes)
            for limit in limits:
                result, seconds = timed(solve, problem, time_limit=limit)
                kept = seconds <= limit * (1.0 + TOLERATED_SHARE) + TOLERATED_SECONDS
                asked = {"model": name, "limit": f"{limit:g}", "kept": "yes" if kept else "no"}
                yield {**asked, **told(problem, result, seconds)}


def main() -> None:
    """Print the table."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("--rows", type=int, action="append")
    parser.add_argument("--model", choices=list(MODELS), action="append")
    parser.add_argument("--limit", type=float, action="append")
    parser.add_argument("--changes", type=int, default=MAX_CHANGES)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rows = options.rows or (ROWS[:1] if options.quick else ROWS)
    limits = options.limit or (LIMITS[:1] if options.quick else LIMITS)
    lines = list(measured(rows, options.model or list(MODELS), limits, options.changes))
    note = f"adult income, at most {options.changes} changes; open: rows of which nobody knows yet"
    show("Time limits", lines, [note], form=options.format)


if __name__ == "__main__":
    main()
