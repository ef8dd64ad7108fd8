"""Random small problems of advice for many, of the kinds of classifiers that judge all actions of a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.listing.sharing_problems import draw_problem
from oneformany.engine.options import Options
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.problem.goal import Goal
from oneformany.verify import verify
from oneformany.verify.verification import Outcome
from reference_goals import best_answer
from reference_sharing import all_groups

FEW_ROWS = Options(most_work=1.0)
"""So little that listing everything is too much, and a few rows have to do."""


READ = ("additive", "tree", "tree", "network")
KINDS = (*READ, "black box")  # of the last a file does not hold the classifier


def draw_few(rng, kinds=KINDS):
    """A problem with people, and with points that the model itself has to be asked about."""
    problem = draw_problem(rng, str(rng.choice(kinds)), "action")
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


def assert_fewest(problem, result):
    """As few explanations as brute force needs, for the same rows."""
    helpable = set().union(*all_groups(problem))
    assert result.count == best_answer(problem, Goal()).explanations
    beyond = {int(problem.row_of[entry.row]) for entry in result.unreachable}
    assert beyond == set(range(len(problem.rows))) - helpable
    assert result.undecided == ()
