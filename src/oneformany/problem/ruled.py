"""A classifier that also keeps the rules on whole rows, as one row meets them."""

from collections.abc import Sequence

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.oracles.constrained import ConstrainedOracle
from oneformany.oracles.protocol import Oracle
from oneformany.problem.problem import AnyRestriction, Problem


def ruled(problem: Problem, row: int, rules: Sequence[AnyRestriction] | None = None) -> Oracle:
    """Accept only what some rules, by default those of the problem, let a distinct row become."""
    restrictions = problem.restrictions if rules is None else rules
    if not restrictions:
        return problem.oracle

    def permits(points: IntArray) -> BoolArray:
        after = problem.cells_of(points.T).T
        return problem.permits(np.full(len(after), row), after, restrictions)

    return ConstrainedOracle(problem.oracle, permits)
