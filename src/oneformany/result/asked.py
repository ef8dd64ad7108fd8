"""What was asked, as plain data from which the answer can be checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.exceptions import InputError
from oneformany.problem import Problem, Restriction

__all__ = ["problem_to_dict"]


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Write down what was asked, as plain data from which the answer can be checked.

    Parameters
    ----------
    problem : Problem
        Rows, levels, classifier, changes and rules.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> asked = problem_to_dict(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> asked["codes"], asked["max_changes"], asked["share"]
    ([[0, 0]], 1, 'point')
    """
    return {
        "codes": problem.codes.tolist(),
        "levels": list(problem.levels),
        "max_changes": problem.max_changes,
        "allowed": _allowed(problem),
        "oracle": problem.oracle.describe(),
        "share": problem.share,
        "own": _own(problem),
        "costs": _costs(problem),
        "restrictions": [_restriction(entry) for entry in problem.restrictions],
        **({} if problem.people is None else {"people": np.asarray(problem.people).tolist()}),
    }


def _allowed(problem: Problem) -> list[list[list[int]] | None] | None:
    if problem.allowed is None:
        return None
    return [
        None if given is None or moves is None else moves[:n, :n].astype(int).tolist()
        for given, moves, n in zip(problem.allowed, problem.moves, problem.levels, strict=True)
    ]


def _own(problem: Problem) -> dict[str, Any] | None:
    if problem.own is None:
        return None
    return {
        "values": problem.own.values.tolist(),
        "cell_of": [cells.tolist() for cells in problem.own.cell_of],
        "targets": [targets.tolist() for targets in problem.own.targets],
    }


def _costs(problem: Problem) -> dict[str, Any] | None:
    if problem.costs is None:
        return None
    return {"tables": [table.tolist() for table in problem.costs.tables], "scale": problem.costs.scale}


def _restriction(restriction: Restriction) -> dict[str, Any]:
    to_dict = getattr(restriction, "to_dict", None)
    if to_dict is None:
        raise InputError(
            f"the rule {type(restriction).__name__} cannot be written down: give it a method to_dict()"
        )
    return dict(to_dict())
