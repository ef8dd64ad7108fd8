"""Small random questions of every kind that a file can ask, and the solver's answers to them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

import oneformany as ofm
from certificates import sealed
from engine.listing.sharing_problems import draw_problem
from oneformany.engine.sources.opening import searchable
from oneformany.engine.table.options import TableOptions
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.own import OwnValues
from oneformany.schema.rules.rows import Implies, Linked, NotTogether, ObservedCells
from verify.search_proofs import with_searches

KINDS = ("additive", "tree", "network", "tied")
SHARES = ("point", "action", "features")
GOALS = ("everybody", "explanations", "coverage", "both")


# Five features, all of which have to be high. Each row lacks one of them, so that with two changes two kinds
# of rows share an explanation; the last row lacks three. Values 0 and 1 of the first feature are low, 2 and 3
# high.
LEVELS = (2,) * 5
VALUES = [
    *([0, 1, 1, 1, 1], [1, 1, 1, 1, 1], [2, 0, 1, 1, 1], [3, 0, 1, 1, 1], [2, 1, 0, 1, 1], [2, 1, 0, 1, 1]),
    *([2, 1, 1, 0, 1], [3, 1, 1, 1, 0], [0, 0, 0, 1, 1]),
]
CODES = [[row[0] // 2, *row[1:]] for row in VALUES]
HELPABLE = len(CODES) - 1


def five_features(share: str = "action", **more: Any) -> Problem:
    """A question that three explanations answer, and two or one do not."""
    oracle = ofm.AdditiveOracle([[0, 1, 2, 2], *[[0, 2]] * 4], threshold=10)
    own = OwnValues(
        np.array(VALUES),
        (np.array([0, 0, 1, 1]), *(np.arange(2),) * 4),
        (np.array([-1, 2]), *(np.array([-1, 1]),) * 4),
    )
    return Problem(CODES, LEVELS, oracle, 2, share=share, own=own, **more)  # type: ignore[arg-type]


def question(rng: np.random.Generator, kind: str, share: str) -> Problem:
    """A problem with own values, rules on features and rows, costs and people, each by chance."""
    problem = draw_problem(rng, "additive" if kind == "tied" else kind, share, restricted=False)
    if kind == "tied":
        problem = replace(problem, oracle=tied(rng, problem.oracle.levels))
    if isinstance(problem.oracle, NetworkOracle):
        # Between two scores, where rounding does not decide.
        problem = replace(
            problem, oracle=NetworkOracle(problem.oracle.network, problem.oracle.threshold - 1e-6)
        )
    people = rng.integers(1, 4, size=len(problem.codes)) if rng.random() < 0.3 else None
    restrictions = (
        (restriction(rng, problem.levels),) if len(problem.levels) > 1 and rng.random() < 0.5 else ()
    )
    return replace(problem, restrictions=restrictions, people=people)


def tied(rng: np.random.Generator, levels: tuple[int, ...]) -> ofm.AdditiveOracle:
    """Sums next to the threshold say nothing: the model turns down some of these points, as it likes."""
    tables = [rng.integers(-3, 4, size=n) for n in levels]
    accepted = rng.random(levels) < 0.4
    tie = float(sum(rng.choice(table) for table in tables) + rng.integers(3))
    oracle = ofm.AdditiveOracle(tables, threshold=tie, margin=float(rng.choice([0.25, 1, 2])))
    return oracle.decided_by(lambda points: accepted[tuple(points.T)])


def restriction(rng: np.random.Generator, levels: tuple[int, ...]) -> Any:
    """A rule on two features."""
    one, other = rng.permutation(len(levels))[:2].tolist()
    number = int(rng.integers(4))
    if number == 0:
        levels_of = {feature: (int(rng.integers(levels[feature])),) for feature in (one, other)}
        return Implies({one: levels_of[one]}, {other: levels_of[other]})
    if number == 1:
        return Linked(one, other, one_way=bool(rng.random() < 0.5))
    if number == 2:
        return NotTogether(one, other)
    reference = rng.integers(levels, size=(6, len(levels)))[:, [one, other]]
    rows, counts = np.unique(reference, axis=0, return_counts=True)
    return ObservedCells((one, other), rows, counts, int(rng.integers(1, 3)))


def goal(rng: np.random.Generator, name: str) -> Goal:
    """Cover everybody, or less."""
    explanations = int(rng.integers(1, 4)) if name in {"explanations", "both"} else None
    coverage = float(rng.choice([0.3, 0.5, 0.9, 1.0])) if name in {"coverage", "both"} else None
    return Goal(explanations, coverage)


def answered(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """The file of an answer, half of them with searches as proofs; the number tells kind, share and goal."""
    kind, share = KINDS[number % 4], SHARES[number // 4 % 3]
    problem, wanted = question(rng, kind, share), goal(rng, GOALS[number // 12 % 4])
    if number % 5 == 0:
        problem = five_features(share, people=rng.integers(1, 4, size=len(CODES)))
    # Few rounds leave bad weights and prices, so that proofs may need searches.
    table = TableOptions(max_rounds=int(rng.integers(0, 3)), repair=bool(rng.random() < 0.5))
    searched = searchable(problem, wanted) and bool(rng.random() < 0.5)
    way: Any = "search" if searched else "listing"
    result = ofm.solve(
        problem,
        explanations=wanted.explanations,
        coverage=wanted.coverage,
        options=ofm.Options(way=way, least_cost=bool(rng.random() < 0.8), table=table),
    )
    content: dict[str, Any] = json.loads(result.to_json())
    if searched or rng.random() < 0.5:
        return content
    content = with_searches(content, problem, wanted)
    content["problem"]["oracle"] = problem.oracle.describe()  # brute force asked about more points
    return sealed(json.loads(json.dumps(content)))
