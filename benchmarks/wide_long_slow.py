"""Whether limits of time and memory hold on thirty wide, long and slow questions, through the front door.

    python benchmarks/wide_long_slow.py                       # limits of 1, 5 and 20 s: a quarter of an hour
    python benchmarks/wide_long_slow.py --limit 5
    python benchmarks/wide_long_slow.py --question "network, 30 columns" --limit 5
    python benchmarks/wide_long_slow.py --clock processor     # where others keep the processor busy

Each question has a process of its own. Kernels are compiled, or loaded, by a small question of the same kind
before the clock starts. A limit is kept when the answer took at most a tenth more plus a second of processor
time, and the process never had more than the memory of a run (1 GB) plus 300 MB. There is an answer when
somebody is covered, or it is proved that nobody can be. A slow function works as long as it says on the
processor. Limits count time by the clock on the wall; on a machine that is busy with other work they grant a
part of the processor only, so ``--clock processor`` has them count processor time instead.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from measuring import megabytes, script_parser, show, tell

LIMITS = (1.0, 5.0, 20.0)
SHARE, SECONDS = 0.1, 1.0  # beyond the limit
MOST_MEGABYTES = 1024 + 300
WARM_ROWS = 20


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked: a fitted model, the rows, and how."""

    model: Any
    rows: pd.DataFrame
    reference: pd.DataFrame | None = None
    asked: dict[str, Any] = field(default_factory=dict)
    explanations: int | None = None


def numbers(rows: int, columns: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Decimal and integer columns, and classes that ten of them decide."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, columns))
    values[:, ::3] = np.floor(3 * values[:, ::3])
    frame = pd.DataFrame(values, columns=[f"x{index}" for index in range(columns)])
    score = (frame / frame.std()).iloc[:, :10].sum(axis=1).to_numpy() + rng.logistic(size=rows)
    return frame, score > 1.5


def shops(rows: int, shops_there: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of many categories beside three of numbers."""
    rng = np.random.default_rng(0)
    shop, effect = rng.integers(0, shops_there, rows), rng.normal(size=shops_there)
    income, debt = rng.gamma(2, 1500, rows).round(), rng.integers(0, 5, rows)
    frame = pd.DataFrame({"shop": [f"shop{number:05}" for number in shop], "income": income, "debt": debt})
    return frame, effect[shop] + income / 2000 - 0.4 * debt + rng.logistic(size=rows) > 1.5


def of_numbers(
    model: Any,
    columns: int,
    rows: int = 300,
    data: int = 4_000,
    explanations: int | None = None,
    **asked: Any,
) -> Question:
    """A model on numbers; the reference data are as long as ``data`` says."""
    frame, target = numbers(data, columns)
    fitted = model.fit(frame.iloc[:4_000], target[:4_000])
    return Question(fitted, frame.iloc[:rows], frame, asked, explanations)


def of_shops(model: Any, shops_there: int) -> Question:
    """A pipeline on a column of many categories."""
    frame, target = shops(20_000, shops_there)
    codes = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["shop"]), remainder="passthrough"
    )
    return Question(make_pipeline(codes, model).fit(frame, target), frame.iloc[:300], frame)


def one_hot(columns: int) -> Question:
    """A logistic regression on as many columns of zeros and ones."""
    rng = np.random.default_rng(0)
    held = np.eye(columns, dtype=np.int8)[rng.integers(0, columns, 500)]
    frame = pd.DataFrame(held, columns=[f"c{index}" for index in range(columns)])
    target = held @ rng.normal(size=columns) > 0
    return Question(LogisticRegression(C=100).fit(frame, target), frame.iloc[:200])


def slow(milliseconds: float, columns: int, rows: int = 300, **asked: Any) -> Question:
    """A function that works so long for each row."""
    frame, _ = numbers(2_000, columns)

    def chance(given: pd.DataFrame) -> np.ndarray:
        until = process_time() + milliseconds * len(given) / 1_000
        while process_time() < until:
            pass
        return 1 / (1 + np.exp(0.5 - given.iloc[:, :10].sum(axis=1).to_numpy() / 4))

    return Question(chance, frame.iloc[:rows], frame, asked)


def costs(columns: int) -> dict[str, float]:
    """Costs of four digits."""
    drawn = np.random.default_rng(1).uniform(0.5, 2, columns)
    return {f"x{index}": round(float(cost), 4) for index, cost in enumerate(drawn)}


logistic = partial(LogisticRegression, max_iter=300)
forest = partial(RandomForestClassifier, 50, max_depth=8, max_features=8, random_state=0)
boosting = partial(GradientBoostingClassifier, max_depth=3, max_features=8, subsample=0.5, random_state=0)
network = partial(MLPClassifier, (20, 20), max_iter=20, random_state=0)
QUESTIONS: dict[str, Callable[[], Question]] = {
    "logistic, 60 columns": lambda: of_numbers(logistic(), 60),
    "logistic, 200 columns, 20,000 reference rows": lambda: of_numbers(logistic(), 200, data=20_000),
    "boosting, 60 columns": lambda: of_numbers(boosting(), 60),
    "boosting, 200 columns, 20,000 reference rows": lambda: of_numbers(boosting(), 200, data=20_000),
    "forest, 60 columns": lambda: of_numbers(forest(), 60),
    "network, 30 columns": lambda: of_numbers(network(), 30),
    "network, 60 columns, 6 changes": lambda: of_numbers(network(), 60, max_changes=6),
    "logistic, 10,000 one-hot columns": lambda: one_hot(10_000),
    "forest, 10,000 categories": lambda: of_shops(forest(max_features=0.3), 10_000),
    "logistic, 3,000 categories": lambda: of_shops(logistic(), 3_000),
    "logistic, 2,000 rows, share action": lambda: of_numbers(logistic(), 22, 2_000, share="action"),
    "logistic, 2,000 rows, share action, 0.97": lambda: of_numbers(
        logistic(), 22, 2_000, share="action", threshold=0.97
    ),
    "logistic, 2,000 rows, costs, one explanation": lambda: of_numbers(
        logistic(), 22, 2_000, explanations=1, share="action", max_changes=2, costs=costs(22)
    ),
    "logistic, 2,000 rows, costs, share point": lambda: of_numbers(logistic(), 22, 2_000, costs=costs(22)),
    "forest, 2,000 rows, share action": lambda: of_numbers(forest(), 15, 2_000, share="action"),
    "boosting, 2,000 rows, share action": lambda: of_numbers(boosting(), 15, 2_000, share="action"),
    "network, 2,000 rows, share features": lambda: of_numbers(network(), 15, 2_000, share="features"),
    "forest, 20,000 rows": lambda: of_numbers(forest(), 12, 20_000, 20_000),
    "boosting, 20,000 rows": lambda: of_numbers(boosting(), 12, 20_000, 20_000),
    "logistic, 20,000 rows, 10 explanations": lambda: of_numbers(logistic(), 12, 20_000, 20_000, 10),
    "function, 0.1 ms, 12 columns": lambda: slow(0.1, 12),
    "function, 0.1 ms, 60 columns": lambda: slow(0.1, 60),
    "function, 1 ms, 12 columns": lambda: slow(1, 12),
    "function, 1 ms, 30 columns": lambda: slow(1, 30),
    "function, 5 ms, 12 columns": lambda: slow(5, 12, 60),
    "function, 5 ms, 30 columns": lambda: slow(5, 30, 60),
    "function, 1 ms, share action": lambda: slow(1, 12, share="action"),
    "function, 5 ms, share action": lambda: slow(5, 12, 60, share="action"),
    "function, 1 ms, share features": lambda: slow(1, 12, share="features"),
    "function, 0.1 ms, 2,000 rows": lambda: slow(0.1, 12, 1_000),
}


def count_processor_time() -> None:
    """From here on, limits of time count what this process spends of the processor."""
    from oneformany import stop

    stop.working_time = process_time  # type: ignore[attr-defined]
    stop.Stop.__init__.__kwdefaults__["clock"] = process_time  # type: ignore[index]


def measured(name: str, limit: float) -> dict[str, Any]:
    """Ask one question, after a small one of its kind, and say what it took."""
    from oneformany import OneForMany

    warnings.simplefilter("ignore")
    question = QUESTIONS[name]()
    few, target = numbers(WARM_ROWS * 10, 3)
    small: Any = question.model
    if not callable(small):
        last = small.steps[-1][1] if hasattr(small, "steps") else small
        small = type(last)().fit(few, target)
    else:
        small = lambda given: 1 / (1 + np.exp(-given.sum(axis=1).to_numpy()))  # noqa: E731 (like the slow one)
    share = question.asked.get("share", "point")
    for explanations in (None, question.explanations):
        OneForMany(small, max_changes=2, share=share).explain(few, explanations, time_limit=10)
    start, begin = process_time(), perf_counter()
    explainer = OneForMany(
        question.model, reference=question.reference, **({"share": "point"} | question.asked)
    )
    result = explainer.explain(question.rows, question.explanations, time_limit=limit)
    seconds, passed, peak = process_time() - start, perf_counter() - begin, megabytes()
    answered = result.covered > 0 or len(result.unreachable) == len(result.assignment)
    return {
        "question": name,
        "limit": f"{limit:g}",
        "kept": "yes" if seconds <= limit * (1 + SHARE) + SECONDS else "no",
        "answer": "yes" if answered else "no",
        "memory": "yes" if peak <= MOST_MEGABYTES else "no",
        "count": result.count,
        "at least": result.lower_bound,
        "covered": result.covered,
        "open": len(result.undecided),
        "processor s": f"{seconds:.1f}",
        "s": f"{passed:.1f}",
        "MB": peak,
    }


def every(names: list[str], limits: list[float], clock: str) -> Iterator[dict[str, Any]]:
    """Ask each question in a process of its own."""
    for name in names:
        for limit in limits:
            run = subprocess.run(  # noqa: S603 (this script's own interpreter)
                [
                    sys.executable,
                    __file__,
                    "--one",
                    "--question",
                    name,
                    "--limit",
                    str(limit),
                    "--clock",
                    clock,
                ],
                check=False,
                capture_output=True,
                text=True,
            )
            if run.returncode:
                raise SystemExit(f"{name}, {limit:g} s: {run.stderr[-2000:]}")
            line = json.loads(run.stdout.splitlines()[-1])
            tell(line)
            yield line


def main() -> None:
    """Print the table; end with 1 where a limit was not kept or there is no answer."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("--question", choices=list(QUESTIONS), action="append")
    parser.add_argument("--limit", type=float, action="append")
    parser.add_argument("--one", action="store_true", help="ask in this process")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="what limits count")
    options = parser.parse_args()
    if options.one:
        if options.clock == "processor":
            count_processor_time()
        print(json.dumps(measured(options.question[0], options.limit[0])))
        return
    lines = list(every(options.question or list(QUESTIONS), options.limit or list(LIMITS), options.clock))
    broken = [line for line in lines if "no" in (line["kept"], line["answer"], line["memory"])]
    show("Limits of time and memory", lines, [f"{len(broken)} of {len(lines)} broken"], form=options.format)
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
