"""Each claim of a file with a goal, own values, rules or costs can fail, and fails by name."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import sealed
from judgement_goals import is_true_of_goals
from oneformany.exceptions import CertificateError
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.own import OwnValues
from oneformany.schema.rules.not_together import NotTogetherCells
from oneformany.verify import Outcome, Report, verify
from oneformany.verify.json_object import JsonObject
from oneformany.verify.restrictions import read_restrictions
from reference_sharing import all_groups, cost_of_joining, maximal
from verify.asked import answered, restriction

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


def asked(share: str = "action", **more: Any) -> ofm.Problem:
    oracle = ofm.AdditiveOracle([[0, 1, 2, 2], *[[0, 2]] * 4], threshold=10)
    own = OwnValues(
        np.array(VALUES),
        (np.array([0, 0, 1, 1]), *(np.arange(2),) * 4),
        (np.array([-1, 2]), *(np.array([-1, 1]),) * 4),
    )
    return ofm.Problem(CODES, LEVELS, oracle, 2, share=share, own=own, **more)  # type: ignore[arg-type]


def written(problem: ofm.Problem, **wanted: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(ofm.solve(problem, **wanted).to_json())
    return content


def outcome_of(content: dict[str, Any], name: str) -> tuple[Outcome, str]:
    (check,) = [check for check in verify(sealed(content)).checks if name in check.name]
    return check.outcome, check.detail


def fewer_covered(content: dict[str, Any]) -> None:
    content["covered_bound"] -= 1


def another_cost(content: dict[str, Any]) -> None:
    content["cost"] += 1


def lighter(content: dict[str, Any]) -> None:
    content["certificate"]["coverage"]["capacity"] = 1


def too_heavy_row(content: dict[str, Any]) -> None:
    proof = content["certificate"]["coverage"]
    proof["weights"][0] = 10 * proof["scale"]


def other_people(content: dict[str, Any]) -> None:
    content["certificate"]["coverage"]["rows"] += 1


def end_without_target(content: dict[str, Any]) -> None:
    content["problem"]["own"]["targets"] = [[-1] * 2] * 5


def foreign_rule(content: dict[str, Any]) -> None:
    content["problem"]["restrictions"] = [{"kind": "linked", "features": [0, 1], "one_way": False}]


@pytest.mark.parametrize(
    ("bend", "claim", "message"),
    [
        (fewer_covered, "counts", "covered_bound"),
        (another_cost, "cost is", "cost"),
        (end_without_target, "few and allowed", "not allowed"),
        (foreign_rule, "few and allowed", "linked"),
    ],
)
def test_a_bent_answer_is_wrong(bend: Callable[[dict[str, Any]], None], claim: str, message: str) -> None:
    content = written(asked(), explanations=1)
    bend(content)
    outcome, detail = outcome_of(content, claim)
    assert outcome is Outcome.WRONG
    assert message in detail


@pytest.mark.parametrize(
    ("bend", "message"),
    [(lighter, "weighs more"), (too_heavy_row, "weighs more"), (other_people, "people instead of")],
)
def test_a_bent_coverage_proof_is_wrong(bend: Callable[[dict[str, Any]], None], message: str) -> None:
    content = written(asked(), explanations=1)
    assert content["covered_bound"] < HELPABLE
    bend(content)
    outcome, detail = outcome_of(content, "no more people")
    assert outcome is Outcome.WRONG
    assert message in detail


def test_a_cost_bound_that_is_one_too_high_is_wrong() -> None:
    content = written(asked(), explanations=1, options=ofm.Options(least_cost=True))
    assert content["cost"] == content["cost_bound"]
    for explanation in content["explanations"]:
        explanation["members"] = explanation["members"][::-1]
    content["cost_bound"] += 1
    content["certificate"]["cost"]["bound"] += 1
    outcome, detail = outcome_of(content, "cost bound")
    assert outcome is Outcome.WRONG
    assert "exceeds" in detail


def test_rules_on_rows_are_those_of_the_schema() -> None:
    rng = np.random.default_rng(0)
    kinds = set()
    for _ in range(200):
        levels = tuple(int(n) for n in rng.integers(1, 4, size=3))
        rule = restriction(rng, levels)
        before, after = rng.integers(levels, size=(2, 60, 3))
        after = np.where(rng.random(after.shape) < 0.5, before, after)
        (read,) = read_restrictions([JsonObject(json.loads(json.dumps(rule.to_dict())))], levels)
        kinds.add(read.kind)
        assert np.array_equal(read.holds(before, after), rule.holds(before, after))
    assert len(kinds) == 4


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"memory_limit": 1e-5}])
@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_what_takes_too_long_or_too_much_cannot_be_confirmed(share: str, limits: dict[str, float]) -> None:
    content = written(asked(share), explanations=2)
    assert verify(content).ok
    assert verify(content, **limits).outcome is Outcome.UNCONFIRMED


def test_own_values_outside_of_their_cells_are_named() -> None:
    content = written(asked())
    for path, value, message in (
        (("values", 0, 0), 3, "row's cell"),
        (("targets", 0, 0), 3, "another cell"),
        (("cell_of", 0), [], "values"),
        (("values", 0), [0], "entries"),
    ):
        bent = copy.deepcopy(content)
        target = bent["problem"]["own"]
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value
        with pytest.raises(CertificateError, match=message):
            verify(sealed(bent))


def test_a_proof_by_branching_is_open_where_rows_have_own_values() -> None:
    content = written(asked())
    proof = {"kind": "dual", "weights": [1, *[0] * HELPABLE], "capacity": 1, "bound": 1}
    branch = {"kind": "branch", "pair": [0, 1], "together": proof, "apart": proof, "bound": 1}
    content |= {"status": "feasible", "lower_bound": 1, "certificate": {"bound": 1, "proof": branch}}
    for name in ("cost", "cost_bound"):
        content.pop(name, None)
    assert outcome_of(content, "lower bound")[0] is Outcome.UNCONFIRMED


def test_a_black_box_needs_its_score() -> None:
    oracle = BlackBoxOracle(lambda codes: np.asarray(codes).sum(axis=1) / 5, LEVELS, 0.9)
    problem = ofm.Problem(CODES, LEVELS, oracle, 2, share="action")
    content = written(problem, explanations=1)
    assert outcome_of(content, "points are positive")[0] is Outcome.UNCONFIRMED
    report = verify(content, score=lambda codes: codes.sum(axis=1) / 5)
    assert {check.outcome for check in report.checks if "score" in check.name} == {Outcome.CONFIRMED}
    assert report.outcome is not Outcome.WRONG


def complete_tree(columns: list[Any], left: int, number: int = 0) -> dict[str, Any]:
    """Every choice of columns, each added up."""
    if left == 0 or number == len(columns):
        return {"filters": [], "evaluated": True}
    with_it, without = (complete_tree(columns, left - used, number + 1) for used in (1, 0))
    return {"filters": [], "column": number, "parts": [with_it, without]}


def stripped(tree: dict[str, Any]) -> dict[str, Any]:
    """The same tree for coverage, where nothing needs to be said about the ends."""
    parts = {"parts": [stripped(part) for part in tree["parts"]]} if "parts" in tree else {}
    return {name: part for name, part in {**tree, **parts}.items() if name != "evaluated"}


def listed(problem: ofm.Problem) -> list[Any]:
    """All groups that are not part of others, by brute force; how they come does not matter."""
    first = [problem.row_of.tolist().index(kind) for kind in range(len(problem.rows))]
    groups = maximal(all_groups(problem), problem.multiplicity)
    return sorted([sorted(first[row] for row in rows), [], [-1] * len(LEVELS)] for rows in groups)


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("k", [1, 2])
def test_a_complete_search_proves_what_weights_do_not(share: str, k: int) -> None:
    problem = asked(share)
    content = written(problem, explanations=k)
    assert content["status"] == "optimal"
    columns = listed(problem)
    proof = content["certificate"]["coverage"]
    nothing = {"weights": [0] * len(CODES), "capacity": 1, "scale": 1, "rows": HELPABLE}
    exclusion = {
        "explanations": k,
        "target": content["covered_bound"] + 1,
        "columns": columns,
        "tree": stripped(complete_tree(columns, k)),
    }
    content["lower_bound"] = content["certificate"]["bound"] = 1
    content["certificate"]["coverage"] = {**proof, **nothing, "exclusion": exclusion}
    assert verify(sealed(content)).ok, verify(sealed(content))
    assert is_true_of_goals(content)
    for bent in (
        {**exclusion, "target": content["covered_bound"]},
        {**exclusion, "columns": columns[1:], "tree": stripped(complete_tree(columns[1:], k))},
        {**exclusion, "tree": stripped(complete_tree(columns[1:], k))},
        {**exclusion, "tree": {"filters": []}},
        {**exclusion, "explanations": k - 1},
    ):
        content["certificate"]["coverage"]["exclusion"] = bent
        outcome, _ = outcome_of(content, "no more people")
        assert outcome is Outcome.WRONG


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_a_complete_search_proves_the_least_cost(share: str) -> None:
    problem = asked(share)
    content = written(problem, explanations=1, options=ofm.Options(least_cost=True))
    assert content["cost"] == content["cost_bound"] > 0
    proof = content["certificate"]["cost"]
    columns = costed_columns(problem)
    proof["prices"] = [0] * len(CODES)
    exclusion = {
        "explanations": 1,
        "target": content["cost"] - 1,
        "columns": columns,
        "tree": complete_tree(columns, 1),
    }
    proof["exclusion"] = exclusion
    assert verify(sealed(content)).ok, verify(sealed(content))
    for bent in (
        {**exclusion, "columns": columns[1:], "tree": complete_tree(columns[1:], 1)},
        {**exclusion, "tree": complete_tree(columns[1:], 1)},
        {**exclusion, "tree": {"filters": [], "short": True}},
        {**exclusion, "tree": {"filters": []}},
        {**exclusion, "target": content["cost"] - 2},
        None,
    ):
        proof["exclusion"] = bent
        outcome, _ = outcome_of(content, "cost bound")
        assert outcome is Outcome.WRONG


def costed_columns(problem: ofm.Problem) -> list[Any]:
    """Every explanation that somebody can follow, without those that another one makes superfluous."""
    first = [problem.row_of.tolist().index(kind) for kind in range(len(problem.rows))]
    found: dict[str, tuple[dict[int, int], list[Any]]] = {}
    for size in range(problem.max_changes + 1):
        for changed in combinations(range(len(LEVELS)), size):
            for column in columns_of(problem, changed):
                found.setdefault(json.dumps(column), column)
    kept = []
    for name, (group, column) in found.items():
        others = [g for other, (g, _) in found.items() if other != name]
        if not any(beats(g, group) and g != group for g in others):
            kept.append([sorted(first[row] for row in group), *column])
    return kept


def beats(one: dict[int, int], other: dict[int, int]) -> bool:
    return all(row in one and one[row] <= cost for row, cost in other.items())


def columns_of(problem: ofm.Problem, changed: tuple[int, ...]) -> list[tuple[dict[int, int], list[Any]]]:
    """Groups of one set of features, with what the file says about each."""
    goals = list(product(*(range(LEVELS[feature]) for feature in changed)))
    rows = range(len(problem.rows))
    found = []
    for to in goals if problem.share != "features" else [None]:
        groups: dict[tuple[int, ...], dict[int, int]] = {}
        for row in rows:
            tried = goals if to is None else [to]
            paid = [cost_of_joining(problem, row, changed, goal) for goal in tried]
            costs = [cost for cost in paid if cost is not None]
            outside = (
                tuple(np.delete(problem.rows[row], changed).tolist()) if problem.share == "point" else ()
            )
            if costs:
                groups.setdefault(outside, {})[row] = min(costs)
        for group in groups.values():
            point = problem.rows[min(group)].tolist() if problem.share == "point" else [-1] * len(LEVELS)
            for feature, cell in zip(changed, to or (), strict=to is not None):
                point[feature] = cell
            found.append((group, [list(changed), point]))
    return found


def test_files_with_strange_values_end_in_a_report_or_an_error() -> None:
    rng = np.random.default_rng(5)
    strange = [None, True, -1, 2**70, 1.5, "x", [], {}, [[]], [None]]
    for number in range(36):
        content = answered(rng, number)
        paths = _paths(content)
        for _ in range(12):
            copied = copy.deepcopy(content)
            path = paths[int(rng.integers(len(paths)))]
            target: Any = copied
            for step in path[:-1]:
                target = target[step]
            target[path[-1]] = strange[int(rng.integers(len(strange)))]
            try:
                assert isinstance(verify(sealed(copied)), Report)
            except CertificateError as error:
                assert str(error)  # noqa: PT017 (either will do)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything that proofs and questions hold."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in inner for found in ((*path, key), *_paths(part, (*path, key)))]


@pytest.mark.parametrize("kind", ["additive", "network"])
def test_questions_with_more_points_than_integers_count_are_confirmed(kind: str) -> None:
    levels, rng = (2,) * 70, np.random.default_rng(7)
    codes = (rng.random((5, 70)) < 0.5).astype(np.int64)
    codes[1:3] = codes[0]
    codes[1, 3] ^= 1
    worth = rng.integers(1, 5, size=70)
    least = int((codes @ worth).max()) + 2
    oracle: Any = ofm.AdditiveOracle([[0, int(n)] for n in worth], threshold=least)
    if kind == "network":
        tables = tuple(np.array([[0.0], [float(n)]]) for n in worth)
        layer = (np.array([[1.0]]), np.array([0.5 - least]))
        oracle = NetworkOracle(Network(tables, np.zeros(1), (layer,)), 0.0)
    for share in ("point", "features"):
        problem = ofm.Problem(codes, levels, oracle, 1, share=share, restrictions=(NotTogetherCells((0, 1)),))  # type: ignore[arg-type]
        content = written(problem, explanations=2)
        assert content["covered"] > 0
        assert verify(content).ok, verify(content)
