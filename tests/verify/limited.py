"""Questions with a slack and limits of how far numbers go, all else on top, by brute force; altered files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from judgement_goals import is_true_of_goals
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.slack import Slack
from oneformany.schema.rules.distance import AtMostNumbers
from oneformany.verify import Outcome, verify
from test_goals import check_best, solved
from verify.asked import GOALS, KINDS, SHARES, goal, question
from verify.test_fuzz import Alteration, altered, outcome_of
from verify.test_fuzz_goals import ALTERATIONS, made_consistent


def drawn(seed: int, number: int) -> tuple[Problem, Goal]:
    """Draw a question with a slack, a limit on a number, or both; the number tells kind, sharing and goal."""
    rng = np.random.default_rng([28, seed, number])
    kind, share, wanted = KINDS[number % 4], SHARES[number // 4 % 3], goal(rng, GOALS[number // 12 % 4])
    slack = Slack(more=float(rng.choice([0, 0, 1, 2])), times=float(rng.choice([1, 1, 1.5])))
    problem = replace(question(rng, kind, share), slack=slack)
    if number % 3 == 0:
        return problem, wanted
    problem = replace(problem, restrictions=(*problem.restrictions, limit(rng, problem)))
    return replace(problem, slack=None if number % 3 == 1 else slack), wanted


def limit(rng: np.random.Generator, problem: Problem) -> AtMostNumbers:
    """A limit on how far the number of a feature goes; some values are not numbers."""
    feature = int(rng.integers(len(problem.levels)))
    numbers = np.round(rng.choice([-0.3, 0, 0.1, 0.2, 0.3, 1, 2], size=problem.oracle.levels[feature]), 1)
    numbers = np.where(rng.random(len(numbers)) < 0.1, np.nan, numbers)
    part = bool(rng.random() < 0.5)
    by = float(rng.choice([50, 100, 200] if part else [0.1, 0.3, 1]))
    return AtMostNumbers(feature, by, part, {feature: numbers})


def disagreement(seed: int, number: int) -> str:
    """What is wrong with an answer, with its file, or with what ``verify`` says of it; empty when nothing."""
    problem, wanted = drawn(seed, number)
    result = solved(problem, wanted)
    try:
        if problem.people is None:  # of which this comparison knows nothing
            check_best(problem, wanted, result)
    except AssertionError as error:
        return f"brute force: {error}"
    if not is_true_of_goals(json.loads(result.to_json())):
        return "the file says what is not true"
    return "; ".join(f"{one.name}: {one.detail}" for one in verify(result.to_json()).checks if not one.ok)


def bend_way(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Say of a row, or of all rows like it, that alone it goes elsewhere, or nowhere."""
    problem = result["problem"]
    ways, values = problem["slack"]["alone"], (problem.get("own") or {}).get("values", problem["codes"])
    row, levels = int(rng.integers(len(ways))), problem["levels"]
    way = [list(move) for move in ways[row] or ()]
    choice = int(rng.integers(5))
    if choice == 0:
        way = None
    elif choice == 1:
        way.pop(int(rng.integers(len(way))))
    elif choice == 2:
        way[int(rng.integers(len(way)))][1] = int(rng.integers(max(levels)))
    else:
        feature = int(rng.integers(len(levels)))
        way = [*(move for move in way if move[0] != feature), [feature, int(rng.integers(levels[feature]))]]
    alike = [other for other in range(len(ways)) if values[other] == values[row]]
    for other in alike if rng.random() < 0.8 else [row]:
        ways[other] = way


def ask_for_more(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Allow rows to pay more or less."""
    slack = result["problem"]["slack"]
    if rng.random() < 0.5:
        slack["more"] = max(0.0, slack["more"] + float(rng.choice([-1, 1])))
    else:
        slack["times"] = float(rng.choice([1, 1.5, 2]))


def reach_further(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let a number go further, or say that it is another one."""
    (rule,) = (one for one in result["problem"]["restrictions"] if one["kind"] == "at_most")
    if rng.random() < 0.5:
        rule["by"] = float(rng.choice([0.1, 0.5, 2, 100]))
    else:
        numbers = rule["numbers"][0][1]
        numbers[int(rng.integers(len(numbers)))] = float(rng.choice([0, 0.2, 1]))


def forget(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Say that there is no slack, or no rule."""
    if rng.random() < 0.5:
        del result["problem"]["slack"]
    else:
        result["problem"]["restrictions"] = []


SLACK_ALTERATIONS: list[Alteration] = [
    *[bend_way, bend_way, bend_way, ask_for_more, reach_further, reach_further, forget],
    *ALTERATIONS[::4],
]


def forged(rng: np.random.Generator, count: int, each: int = 8) -> Iterator[dict[str, Any]]:
    """So many altered files, some of each true file."""
    made = 0
    while made < count:
        problem, wanted = drawn(int(rng.integers(2**30)), made // each)
        result = json.loads(solved(problem, wanted).to_json())
        for _ in range(min(each, count - made)):
            made += 1
            yield altered(result, rng, SLACK_ALTERATIONS, 2, made_consistent)


def judged(rng: np.random.Generator, count: int) -> tuple[Counter[str], list[str]]:
    """What becomes of so many altered files, and those that were confirmed although they are false."""
    found, believed = Counter[str](), list[str]()
    for bent in forged(rng, count):
        outcome = outcome_of(bent)
        found[outcome] += 1
        if outcome == Outcome.CONFIRMED and not is_true_of_goals(bent):
            believed.append(json.dumps(bent))
    return found, believed
