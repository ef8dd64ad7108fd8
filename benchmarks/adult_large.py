"""All refused rows of adult: the fewest explanations, and the best few.

    python benchmarks/adult_large.py                 # 10 minutes: 39,440 rows, 3 changes
    python benchmarks/adult_large.py --seconds 30    # what there is after half a minute
    python benchmarks/adult_large.py --best          # the best 10, 50 and 100 explanations

Logistic regression of the paper's recipe, fitted on the training half; every row of the whole set that it
refuses is asked about.
"""

from __future__ import annotations

import oneformany as ofm
from measuring import question, refused, script_parser, show, timed, told
from oneformany.datasets import load
from oneformany.paper.runs.model_kinds import paper_model


def main() -> None:
    """Print a table."""
    parser = script_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=None, help="time limit: 600, or 120 with --best")
    parser.add_argument("--best", action="store_true", help="the best 10, 50 and 100 explanations")
    arguments = parser.parse_args()
    data = load("adult")
    model = paper_model(data)
    rows = refused(data, model, test_only=False)
    for k in (None, 3):  # compiled code is loaded before the clock starts
        ofm.solve(question(data, model, rows[:50], 3), explanations=k, options=ofm.Options(way="listing"))
    problem = question(data, model, rows, 3)
    seconds = arguments.seconds or (120.0 if arguments.best else 600.0)
    lines = []
    for k in (10, 50, 100) if arguments.best else (None,):
        options = ofm.Options() if k is None else ofm.Options(least_cost=False)
        result, took = timed(ofm.solve, problem, explanations=k, time_limit=seconds, options=options)
        asked = "everybody" if k is None else f"the best {k}"
        lines.append({"asked": asked, **told(problem, result, took)})
    show("Adult, 3 changes", lines)


if __name__ == "__main__":
    main()
