"""The question that a result answers, as a problem that can be asked more about."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.oracles.described import described
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.problem.own import OwnValues
from oneformany.problem.slack import Slack
from oneformany.result.squares import Square
from oneformany.schema.rules.rows import cell_rule


def question_of(problem: Mapping[str, Any], *, perhaps: bool = False) -> Problem:
    """Rebuild the problem that a result file describes.

    Parameters
    ----------
    problem : dict
        ``problem`` of a result.
    perhaps : bool
        Whether points that only the model itself could decide count as positive; see
        :func:`oneformany.oracles.described.described`.

    Raises
    ------
    UnsupportedModelError
        The file does not hold the classifier.
    InputError
        It has a rule that nobody else can check.
    """
    costs, allowed, own = problem.get("costs"), problem.get("allowed"), problem.get("own")
    slack = problem.get("slack")
    priced = None
    if costs is not None:
        tables = tuple(_matrix(table, staying=0) for table in costs["tables"])
        priced = Costs(tables, costs["scale"], costs.get("measure"))
    return Problem(
        problem["codes"],
        problem["levels"],
        described(problem["oracle"], perhaps=perhaps),
        problem["max_changes"],
        allowed=None if allowed is None else [one and _matrix(one, staying=1) for one in allowed],
        share=problem.get("share", "point"),
        own=None if own is None else OwnValues.from_dict(own),
        costs=priced,
        restrictions=tuple(cell_rule(rule) for rule in problem.get("restrictions") or ()),
        people=problem.get("people"),
        slack=None if slack is None else Slack(slack["more"], slack["times"]),
    )


def _matrix(data: AnyValue, *, staying: int) -> IntArray:
    """What a square says of all moves, and what is said of staying, whatever stands there."""
    square = Square.read(data)
    matrix = square.lines[square.line_of].copy()
    np.fill_diagonal(matrix, staying)
    return matrix
