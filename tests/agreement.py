"""Does the engine agree with brute force, and the verifier with the engine?"""

from __future__ import annotations

import numpy as np

from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.verify import verify
from reference import brute_force
from strategies import SmallProblem


def disagreement(small: SmallProblem) -> str:
    """What is wrong with the engine's answer to a small problem; empty when nothing is."""
    count, unreachable = brute_force(**small.arguments())
    oracle = AdditiveOracle(small.tables, small.intercept, small.threshold)
    result = solve(
        Problem(np.array(small.codes), tuple(small.levels), oracle, small.max_changes, small.allowed)
    )
    status = "infeasible" if len(unreachable) == len(small.codes) else "optimal"
    wrong = []
    if (result.status, result.count) != (status, count):
        wrong.append(f"{result.count} explanations, {result.status}; brute force: {count}, {status}")
    if result.lower_bound != count:
        wrong.append(f"bound {result.lower_bound}; brute force: {count}")
    if tuple(entry.row for entry in result.unreachable) != unreachable:
        wrong.append(f"unreachable {result.unreachable}; brute force: {unreachable}")
    wrong += [f"{check.name}: {check.detail}" for check in verify(result.to_json()).checks if not check.ok]
    return "; ".join(wrong)
