"""What advice for many costs on raw columns, and what it costs at least; and how long verify takes.

    python benchmarks/least_costs.py --data-dir data                                   # hours
    python benchmarks/least_costs.py --data-dir data default_credit lightgbm --k 0 3 --costs one
    python benchmarks/least_costs.py --data-dir data adult --share features --verify

Models, rows and what nobody can change are those of ``wide.py``, 3 changes; ``--k 0`` asks for everybody.
``--costs``: what a change costs: one, the percentiles that it passes, or a number of four digits for each
column. The clock, also that of the limit, is the processor's; reading, fitting and compiling do not count.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from measuring import keep, script_parser, tell
from oneformany.engine.options import Options
from oneformany.methods import solve
from oneformany.problem import Problem
from oneformany.stop import Stop
from oneformany.verify import verify
from wide import FIXED, MODELS, Case, Halves

CHANGES = 3
WARM_ROWS = 30
DATA = ("default_credit", "adult", "credit")
KINDS = ("xgboost", "lightgbm")


def costs_of(kind: str, names: list[str]) -> Any:
    """What a change costs; ``None``: one."""
    if kind != "digits":
        return None if kind == "one" else kind
    drawn = np.random.default_rng(1).uniform(0.5, 2, len(names))
    return {name: round(float(cost), 4) for name, cost in zip(names, drawn, strict=True)}


def line_of(problem: Problem, count: int, limit: float, *, checked: bool) -> dict[str, Any]:
    """Ask one question, and say how that went."""
    began = process_time()
    result = solve(problem, explanations=count or None, time_limit=limit)
    line = {"k": count or "all", "rows": len(problem.rows), "people": int(problem.multiplicity.sum())}
    line |= {"count": result.count, "at least": result.lower_bound, "covered": result.covered}
    line |= {"at most": result.covered_bound if count else "", "undecided": len(result.undecided)}
    line |= {"cost": result.cost, "cost at least": result.cost_bound, "seconds": process_time() - began}
    line |= {"listed": result.statistics.counters.get("rows listed", 0)}
    if checked:
        text = result.to_json()
        began = process_time()
        report = verify(text, time_limit=1e4)
        line |= {"verified": str(report.outcome), "in": process_time() - began}
    return line


def main() -> None:
    """Ask everything that was asked for."""
    parser = script_parser(__doc__)
    parser.add_argument("only", nargs="*", choices=[*DATA, *KINDS, []], help="data sets, models")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--k", type=int, nargs="*", default=[0, 3, 5])
    parser.add_argument(
        "--costs", choices=("one", "percentile", "digits"), nargs="*", default=["one", "digits"]
    )
    parser.add_argument("--share", choices=("action", "features"), default="action")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for each question")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    (Stop.__init__.__kwdefaults__ or {})["clock"] = process_time
    for data in [name for name in DATA if name in asked.only] or DATA:
        halves = Halves.of(data, asked.data_dir)
        for kind in [name for name in KINDS if name in asked.only] or KINDS:
            case = Case.of(halves, MODELS[kind]())
            names = [name for name in case.refused if name not in FIXED[data]]
            for costs in asked.costs:
                front = case.explainer(CHANGES)
                front = replace(front, share=asked.share, costs=costs_of(costs, names))
                problem = front.problem(case.refused)
                warm = front.problem(case.refused.head(WARM_ROWS))
                solve(warm, options=Options(most_work=1.0), explanations=1)
                for count in asked.k:
                    told = {"data": data, "model": kind, "costs": costs, "share": asked.share}
                    line = told | line_of(problem, count, asked.limit, checked=asked.verify)
                    tell(line)
                    keep(asked.json, line)


if __name__ == "__main__":
    main()
