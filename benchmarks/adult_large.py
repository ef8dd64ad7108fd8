"""All refused rows of adult: the fewest explanations, the best few, and a share of the people.

    python benchmarks/adult_large.py                 # 10 minutes: 39,440 rows, 3 changes
    python benchmarks/adult_large.py --seconds 30    # what there is after half a minute
    python benchmarks/adult_large.py --best          # the best 10, 50 and 100 explanations
    python benchmarks/adult_large.py --share         # the fewest for 80, 90 and 95 % of the people

Logistic regression of the paper's recipe, fitted on the training half; every row of the whole set that it
refuses is asked about.
"""

from __future__ import annotations

import oneformany as ofm
from measuring import question, refused, script_parser, show, timed, told
from oneformany.datasets import load
from oneformany.paper.runs.prepare import paper_model


def main() -> None:
    """Print a table."""
    parser = script_parser(__doc__)
    parser.add_argument(
        "--seconds", type=float, default=None, help="time limit: 600, or 120 with --best, --share"
    )
    parser.add_argument("--best", action="store_true", help="the best 10, 50 and 100 explanations")
    parser.add_argument("--share", action="store_true", help="the fewest for 80, 90 and 95 %% of the people")
    arguments = parser.parse_args()
    data = load("adult")
    model = paper_model(data)
    rows = refused(data, model, test_only=False)
    for k in (None, 3):  # compiled code is loaded before the clock starts
        ofm.solve(question(data, model, rows[:50], 3), explanations=k, options=ofm.Options(way="listing"))
    problem = question(data, model, rows, 3)
    seconds = arguments.seconds or (120.0 if arguments.best or arguments.share else 600.0)
    goals: list[dict[str, float]] = [{}]
    if arguments.best:
        goals = [{"explanations": 10}, {"explanations": 50}, {"explanations": 100}]
    elif arguments.share:
        goals = [{"coverage": 0.8}, {"coverage": 0.9}, {"coverage": 0.95}]
    lines = []
    for goal in goals:
        options = ofm.Options(least_cost=False) if goal else ofm.Options()
        result, took = timed(ofm.solve, problem, **goal, time_limit=seconds, options=options)
        asked = ", ".join(f"{name}={number}" for name, number in goal.items()) or "everybody"
        lines.append({"asked": asked, **told(problem, result, took)})
    show("Adult, 3 changes", lines)


if __name__ == "__main__":
    main()
