"""A classifier that also keeps the rules on whole rows, as one row meets them."""

from collections.abc import Sequence

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.oracles.constrained import ConstrainedOracle
from oneformany.oracles.protocol import Oracle
from oneformany.problem.problem import Problem, Restriction


def ruled(problem: Problem, row: int, rules: Sequence[Restriction] | None = None) -> Oracle:
    """Accept only what some rules, by default those of the problem, let a distinct row become."""
    restrictions = problem.restrictions if rules is None else rules
    if not restrictions:
        return problem.oracle
    before = problem.rows[[row]]

    def permits(points: IntArray) -> BoolArray:
        after = problem.cells_of(points.T).T
        given = before.repeat(len(after), axis=0)
        return np.asarray(np.all([rule.holds(given, after) for rule in restrictions], axis=0))

    return ConstrainedOracle(problem.oracle, permits)
