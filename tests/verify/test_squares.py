"""Rules and costs between many levels: different lines once, in steps, and read as if all were written."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import sealed
from oneformany.exceptions import CertificateError
from oneformany.problem.costs import Costs
from oneformany.verify import Outcome, verify
from verify.asked import answered
from verify.test_fuzz_goals import ALTERATIONS, altered, made_consistent

LEVELS = 2**20


def in_lines(square: list[list[int]], rng: np.random.Generator) -> dict[str, Any]:
    """The same moves in other words; what is said of staying does not count."""
    lines: list[Any] = []
    line_of = []
    for level, told in enumerate(square):
        numbers = [int(rng.integers(2)) if to == level else number for to, number in enumerate(told)]
        starts = [to for to in range(len(told)) if to == 0 or numbers[to] != numbers[to - 1]]
        line = [starts, [numbers[to] for to in starts]]
        if line not in lines:
            lines.append(line)
        line_of.append(lines.index(line))
    return {"line_of": line_of, "lines": lines}


def rewritten(content: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """A file with all its squares in lines."""
    copied = copy.deepcopy(content)
    problem = copied["problem"]
    if problem["allowed"]:
        problem["allowed"] = [rule and in_lines(rule, rng) for rule in problem["allowed"]]
    if problem["costs"]:
        problem["costs"]["tables"] = [in_lines(table, rng) for table in problem["costs"]["tables"]]
    return sealed(copied)


def said(content: dict[str, Any]) -> str:
    """All that is found out about a file, but for its digest."""
    try:
        return "\n".join(line for line in str(verify(content)).split("\n") if "sha256" not in line)
    except CertificateError:
        return "unreadable"


def test_both_forms_say_the_same_of_true_and_of_altered_files() -> None:
    rng = np.random.default_rng(3)
    ruled = 0
    for number in range(96):
        content = answered(rng, number)
        ruled += bool(content["problem"]["allowed"]) + bool(content["problem"]["costs"])
        assert said(rewritten(content, rng)) == said(content)
        forged = altered(content, rng, ALTERATIONS, 2, made_consistent)
        if "unreadable" not in (told := said(forged)):
            assert said(rewritten(forged, rng)) == told
    assert ruled > 50


def many_levels() -> dict[str, Any]:
    """A file with a rule and costs on a feature of many levels."""
    rng = np.random.default_rng(0)
    allowed = np.ones((300, 300), dtype=bool)
    allowed[:, rng.random(300) < 0.5] = False
    oracle = ofm.AdditiveOracle([rng.integers(0, 3, size=300), [0, 2]], threshold=2)
    costs = Costs([3 * (1 - np.eye(n, dtype=np.int64)) for n in (300, 2)], scale=2)
    rows = [[level, 0] for level in range(40) if oracle.score(np.array([[level, 0]]))[0] < 2]
    problem = ofm.Problem(rows, (300, 2), oracle, 1, [allowed, None], costs=costs)
    content: dict[str, Any] = json.loads(ofm.solve(problem).to_json())
    return content


def test_a_rule_on_many_levels_is_written_in_lines_and_confirmed() -> None:
    content = many_levels()
    assert len(content["problem"]["allowed"][0]["lines"]) == 1
    assert content["problem"]["costs"]["tables"][0]["lines"] == [[[0], [3]]]
    assert content["problem"]["costs"]["tables"][1] == [[0, 3], [3, 0]]
    assert verify(content).ok
    moved = next(e for e in content["explanations"] if 0 in e["changed"] or 1 in e["changed"])
    moved["point"][0] = 5
    assert verify(sealed(content)).outcome is Outcome.WRONG


def test_costs_are_told_as_the_user_counts() -> None:
    content = many_levels()
    result = ofm.Result.from_json(json.dumps(content))
    assert result.cost == content["cost"] / 2
    assert f"(at least {result.cost:g} for" in str(verify(content))
    assert f"({result.cost:g} for" in str(verify(content))
    content["cost"] += 3
    assert f"cost is {result.cost + 1.5:g}, the changes cost {result.cost:g}" in str(verify(sealed(content)))
    content["cost_bound"] = content["certificate"]["cost"]["bound"] = content["cost"] - 3 + 1
    content["cost"] -= 3
    assert f"cost_bound {result.cost + 0.5:g} exceeds the cost {result.cost:g}" in str(
        verify(sealed(content))
    )


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([[[0, 5, 5], [1, 0, 1]]], "must rise"),
        ([[[1], [1]]], "must rise"),
        ([[[], []]], "must rise"),
        ([[[0, 300], [1, 0]]], "not between 0 and 299"),
        ([[[0, 7], [1]]], "1 entries instead of 2"),
        ([[[0], [2]]], "not between 0 and 1"),
        ([[[0], [1], [1]]], "3 entries instead of 2"),
        ([], "not between"),
    ],
)
def test_lines_that_are_not_of_the_form_are_refused(lines: Any, found: str) -> None:
    content = many_levels()
    content["problem"]["allowed"][0]["lines"] = lines
    with pytest.raises(CertificateError, match=found):
        verify(sealed(content))


def test_a_small_file_cannot_ask_for_squares_that_exhaust_the_machine() -> None:
    content = many_levels()
    problem, rows = content["problem"], len(content["problem"]["codes"])
    problem["levels"][0], problem["allowed"] = LEVELS, None
    problem["oracle"]["tables"][0] = [0] * LEVELS
    of, lines = list(range(rows)) + [0] * (LEVELS - rows), [[[0, n + 1], [0, 1]] for n in range(rows)]
    problem["costs"]["tables"][0] = {"line_of": of, "lines": lines}
    problem["codes"] = [[row, 0] for row in range(rows)]
    report = verify(sealed(content), memory_limit=0.2)
    assert report.outcome is Outcome.UNCONFIRMED
    assert "the moves between cells would need" in str(report)
