"""Random small problems of advice for many, of the kinds of classifiers that judge all actions of a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.listing.sharing_problems import draw_problem
from oneformany.engine.options import Options
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem.goal import Goal
from oneformany.verify import verify
from oneformany.verify.verification import Outcome
from reference_goals import best_answer
from reference_sharing import all_groups

SHARES = ("action", "features")
FEW_ROWS = Options(most_work=1.0)
"""So little that listing everything is too much, and a few rows have to do."""


READ = ("additive", "tree", "tree", "network")
KINDS = (*READ, "black box")  # of the last a file does not hold the classifier


def draw_few(rng, kinds=KINDS, share="action"):
    """A problem with people, and with points that the model itself has to be asked about."""
    problem = draw_problem(rng, str(rng.choice(kinds)), share)
    if rng.random() < 0.5:
        problem = replace(problem, people=rng.integers(1, 4, size=len(problem.codes)))
    if isinstance(problem.oracle, NetworkOracle):  # no score ties, so that rounding leaves nothing open
        network, threshold = problem.oracle.network, problem.oracle.threshold
        problem = replace(problem, oracle=NetworkOracle(network, threshold - 1e-6))
    elif not isinstance(problem.oracle, BlackBoxOracle) and rng.random() < 0.5:
        problem = replace(problem, oracle=doubtful(rng, problem.oracle))
    return problem


def doubtful(rng, oracle):
    """The same classifier with a margin, within which its model decides by score, though not in order."""
    salt = int(rng.integers(2, 50))

    def decide(points):
        return np.rint(oracle.score(points)).astype(np.int64) * salt % 7 < 4

    made = {"threshold": oracle.threshold, "margin": float(rng.choice([0.5, 1.0, 2.0]))}
    if isinstance(oracle, TreeOracle):
        return TreeOracle(oracle.ensemble, **made).decided_by(decide)
    tables = [line[:n] / 10**oracle.digits for line, n in zip(oracle.units, oracle.levels, strict=True)]
    return AdditiveOracle(tables, **made).decided_by(decide)


def assert_confirmed(problem, result):
    """Every claim is confirmed; where the file lacks rules or the classifier, the checker says so."""
    report, unknown = verify(result.to_json()), isinstance(problem.oracle, BlackBoxOracle)
    assert report.ok or ((problem.restrictions or unknown) and report.outcome is not Outcome.WRONG), report


def draw_goal(rng):
    """Everybody, a number of explanations, or a share of the people."""
    goals = [Goal(), Goal(explanations=int(rng.integers(1, 4)))]
    return [*goals, Goal(coverage=float(rng.choice([0.3, 0.5, 0.8, 1.0])))][int(rng.integers(3))]


def disagreement(seed, number):
    """How an answer to a random question differs from brute force, or from what verify says; or nothing."""
    rng = np.random.default_rng([seed, number])
    problem, goal = draw_few(rng, share=SHARES[number % 2]), draw_goal(rng)
    asked = {"explanations": goal.explanations, "coverage": goal.coverage}
    result, best = solve(problem, options=FEW_ROWS, **asked), best_answer(problem, goal)
    report, unknown = verify(result.to_json()), isinstance(problem.oracle, BlackBoxOracle)
    if not (report.ok or ((problem.restrictions or unknown) and report.outcome is not Outcome.WRONG)):
        return str(report)
    if result.undecided or (result.count and not unknown and "rows listed" not in result.statistics.counters):
        return "undecided, or not by a few rows"
    if goal.explanations is not None:
        found, wanted = (result.covered, result.covered_bound), (best.covered, best.covered)
    else:
        found, wanted = (result.count, result.lower_bound), (best.explanations, best.explanations)
    if found != wanted:
        return f"{found} instead of {wanted}"
    if result.count and not result.cost_bound <= best.cost <= result.cost:
        return f"cost {result.cost}, bound {result.cost_bound}, and {best.cost} is the least"
    return ""


def assert_fewest(problem, result):
    """As few explanations as brute force needs, for the same rows."""
    helpable = set().union(*all_groups(problem))
    assert result.count == best_answer(problem, Goal()).explanations
    beyond = {int(problem.row_of[entry.row]) for entry in result.unreachable}
    assert beyond == set(range(len(problem.rows))) - helpable
    assert result.undecided == ()
