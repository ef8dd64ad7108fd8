"""Each claim of a file with a goal, own values, rules or costs can fail, and fails by name."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import sealed, weighed
from judgement_goals import is_true_of_goals
from oneformany.exceptions import CertificateError
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.problem.costs import Costs
from oneformany.schema.rules.rows import NotTogether
from oneformany.verify import Outcome, Report, bound, verify
from oneformany.verify.bound import BestSavings
from oneformany.verify.claims import Goal
from oneformany.verify.problem import read_rules
from oneformany.verify.proofs import Case, Exclusion, Weights
from oneformany.verify.reading import Json, Limits
from verify.asked import CODES, HELPABLE, LEVELS, answered, five_features, restriction
from verify.search_proofs import (
    complete_tree,
    costed,
    costed_columns,
    searched_coverage,
    stripped,
    zeros,
)


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
    content["certificate"]["proof"]["capacity"] = 1
    content["certificate"]["proof"]["bound"] = sum(content["certificate"]["proof"]["weights"])


def too_heavy_row(content: dict[str, Any]) -> None:
    proof = content["certificate"]["proof"]
    proof["weights"][0] += proof["scale"] + 1
    proof["bound"] = -(-sum(proof["weights"]) // proof["capacity"])


def unreachable_row(content: dict[str, Any]) -> None:
    proof = content["certificate"]["proof"]
    proof["scope"].append(len(CODES) - 1)
    proof["weights"].append(0)


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
    content = written(five_features(), explanations=1)
    bend(content)
    outcome, detail = outcome_of(content, claim)
    assert outcome is Outcome.WRONG
    assert message in detail


@pytest.mark.parametrize(
    ("bend", "message"),
    [(lighter, "weighs more"), (too_heavy_row, "than its people count"), (unreachable_row, "names row 8")],
)
def test_a_bent_coverage_proof_is_wrong(bend: Callable[[dict[str, Any]], None], message: str) -> None:
    content = written(five_features(), explanations=1)
    assert content["covered_bound"] < HELPABLE
    bend(content)
    outcome, detail = outcome_of(content, "no more people")
    assert outcome is Outcome.WRONG
    assert message in detail


def test_a_cost_bound_that_is_one_too_high_is_wrong() -> None:
    content = written(five_features(), explanations=1, options=ofm.Options(least_cost=True))
    assert content["cost"] == content["cost_bound"]
    for explanation in content["explanations"]:
        explanation["members"] = explanation["members"][::-1]
    content["cost_bound"] += 1
    content["certificate"]["cost"]["bound"] += 1
    outcome, detail = outcome_of(content, "cost bound")
    assert outcome is Outcome.WRONG
    assert "exceeds" in detail


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_the_cost_of_a_share_is_proved_for_that_share_and_not_for_more(share: str) -> None:
    problem = replace(five_features(share), people=np.arange(len(CODES)) % 3 + 1)
    content = written(problem, coverage=0.5, options=ofm.Options(least_cost=True))
    assert content["cost"] == content["cost_bound"] > 0
    assert verify(content).ok
    assert is_true_of_goals(content)
    columns, k = costed_columns(problem), content["count"]
    proof = content["certificate"]["cost"]
    proof |= zeros("prices", content, problem)
    proof["exclusion"] = costed(columns, k, content["cost"] - 1, complete_tree(len(columns), k))
    assert verify(sealed(content)).ok
    proof["needed"] += 1
    outcome, detail = outcome_of(content, "cost bound")
    assert outcome is Outcome.WRONG
    assert "not" in detail


def test_rules_on_rows_are_those_of_the_schema() -> None:
    rng = np.random.default_rng(0)
    kinds = set()
    for _ in range(200):
        levels = tuple(int(n) for n in rng.integers(1, 4, size=3))
        rule = restriction(rng, levels)
        before, after = rng.integers(levels, size=(2, 60, 3))
        after = np.where(rng.random(after.shape) < 0.5, before, after)
        given = [Json(json.loads(json.dumps(rule.to_dict())))]
        ((kind, holds),), unknown = read_rules(given, levels, levels, ())
        kinds.add(kind)
        assert not unknown
        assert np.array_equal(holds(before, after, after, before), rule.holds(before, after))
    assert len(kinds) == 4


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"memory_limit": 1e-5}])
@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_what_takes_too_long_or_too_much_cannot_be_confirmed(share: str, limits: dict[str, float]) -> None:
    content = written(five_features(share), explanations=2)
    assert verify(content).ok
    assert verify(content, **limits).outcome is Outcome.UNCONFIRMED


def test_own_values_outside_of_their_cells_are_named() -> None:
    content = written(five_features())
    for path, value, message in (
        (("values", 0, 0), 3, "row's cell"),
        (("targets", 0, 0), 3, "another cell"),
        (("targets", 0, 0), 4, "not between -1 and 3"),
        (("cell_of", 0, 0), 2, "not between 0 and 1"),
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


@pytest.mark.parametrize("wrong", [{"features": [0]}, {"one_way": 1}, {"features": [0, 5]}])
def test_a_rule_that_links_nothing_is_refused(wrong: dict[str, Any]) -> None:
    content = written(five_features())
    content["problem"]["restrictions"] = [{"kind": "linked", "features": [0, 1], "one_way": False, **wrong}]
    with pytest.raises(CertificateError, match="features"):
        verify(sealed(content))


def test_a_search_that_uses_a_column_which_is_not_listed_is_refused() -> None:
    problem = five_features()
    content, columns = written(problem, explanations=1), costed_columns(problem)
    proof = searched_coverage(columns, 1, content["covered_bound"] + 1, content, problem)
    proof["exclusion"]["tree"]["column"] = len(columns)
    content["certificate"]["proof"] = proof
    with pytest.raises(CertificateError, match=r"column.* not between"):
        verify(sealed(content))


def test_a_proof_by_branching_is_open_where_rows_have_own_values() -> None:
    content = written(five_features())
    proof = weighed([1, *[0] * HELPABLE], 1, 1)
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


def test_a_cost_that_only_the_black_box_tells_is_not_called_wrong() -> None:
    """For all that the file tells the rows may stay as they are, which costs nothing."""
    oracle = BlackBoxOracle(lambda codes: np.array([0.2, 0.8])[np.asarray(codes)[:, 1]], (2, 2))
    costs = Costs((np.array([[0, 0], [1, 0]]), np.array([[0, 2], [1, 0]])))
    problem = ofm.Problem([[0, 0], [1, 0]], (2, 2), oracle, 2, share="features", costs=costs, people=[2, 2])
    content = written(problem, coverage=0.2)
    assert content["cost_bound"] == content["cost"] == 4
    assert outcome_of(content, "cost bound")[0] is Outcome.UNCONFIRMED


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("k", [1, 2])
def test_a_complete_search_proves_what_weights_do_not(share: str, k: int) -> None:
    problem = five_features(share)
    content = written(problem, explanations=k)
    assert content["status"] == "optimal"
    columns = costed_columns(problem)
    target = content["covered_bound"] + 1
    content["lower_bound"] = content["certificate"]["bound"] = 1
    proof = content["certificate"]["proof"] = searched_coverage(columns, k, target, content, problem)
    exclusion, rows = proof["exclusion"], proof["exclusion"]["columns"]
    assert verify(sealed(content)).ok, verify(sealed(content))
    assert is_true_of_goals(content)
    for bent in (
        {**exclusion, "at_most": HELPABLE - content["covered_bound"]},
        {**exclusion, "columns": rows[1:], "tree": stripped(complete_tree(len(columns) - 1, k))},
        {**exclusion, "tree": stripped(complete_tree(len(columns) - 1, k))},
        {**exclusion, "tree": {"filters": []}},
        {**exclusion, "explanations": k - 1},
    ):
        proof |= {"exclusion": bent, "bound": bent["explanations"] + 1}
        outcome, _ = outcome_of(content, "no more people")
        assert outcome is Outcome.WRONG


@pytest.mark.parametrize(("more", "expected"), [(0, Outcome.CONFIRMED), (1, Outcome.WRONG)])
def test_a_search_for_more_people_than_are_covered_proves_no_bound(more: int, expected: Outcome) -> None:
    problem = five_features()
    content = written(problem, explanations=2)
    columns, target = costed_columns(problem), content["covered"] + more
    content["lower_bound"] = content["certificate"]["bound"] = 2
    content["certificate"]["proof"] = searched_coverage(columns, 1, target, content, problem)
    assert outcome_of(content, "lower bound")[0] is expected


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_a_complete_search_proves_the_least_cost(share: str) -> None:
    problem = five_features(share)
    content = written(problem, explanations=1, options=ofm.Options(least_cost=True))
    assert content["cost"] == content["cost_bound"] > 0
    proof = content["certificate"]["cost"]
    columns = costed_columns(problem)
    proof |= zeros("prices", content, problem)
    exclusion = costed(columns, 1, content["cost"] - 1, complete_tree(len(columns), 1))
    fewer = costed(columns[1:], 1, content["cost"] - 1, complete_tree(len(columns) - 1, 1))
    proof["exclusion"] = exclusion
    assert verify(sealed(content)).ok, verify(sealed(content))
    for bent in (
        fewer,
        {**exclusion, "tree": complete_tree(len(columns) - 2, 1)},
        {**exclusion, "tree": {"filters": [], "short": True}},
        {**exclusion, "tree": {"filters": []}},
        {**exclusion, "at_most": content["cost"] - 2},
        {**exclusion, "explanations": 0, "tree": complete_tree(len(columns), 0)},
        None,
    ):
        proof["exclusion"] = bent
        outcome, _ = outcome_of(content, "cost bound")
        assert outcome is Outcome.WRONG


def test_a_search_for_the_least_cost_lacks_no_column_that_prices_leave_open() -> None:
    """What a column must save to matter follows from the last of the best, not from the first."""
    problem = five_features()
    content = written(problem, explanations=2, options=ofm.Options(least_cost=True))
    proof, every = content["certificate"]["cost"], costed_columns(problem)
    proof |= zeros("prices", content, problem)
    halves = dict(enumerate((4, 1, 8, 8, 0, 1, 1, 1)))
    proof["prices"] = [halves[row] * proof["scale"] // 2 for row in proof["scope"]]
    lists = [every, *([*every[:number], *every[number + 1 :]] for number in range(len(every)))]
    found = []
    for columns in lists:
        tree = complete_tree(len(columns), 2)
        proof["exclusion"] = costed(columns, 2, content["cost"] - 1, tree)
        found.append(outcome_of(content, "cost bound")[0])
    assert found == [Outcome.CONFIRMED, *[Outcome.WRONG] * len(every)]


def test_groups_that_were_dropped_count_as_much_as_the_best_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound, "FACTOR", 1)
    monkeypatch.setattr(bound, "SPARE", 0)
    savings = BestSavings(2, Limits())
    first, later = [{0: 5}, {1: 4}, {2: 3}], [{0: 5, 1: 4}]  # which beats the first two
    for groups in (first, later):
        for group in groups:
            rows, gains = (np.array(list(part)) for part in (group, group.values()))
            savings._pool.append((int(gains.sum()), rows, gains))
        best = savings.best()
    assert best == [9, 3]


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
        problem = ofm.Problem(codes, levels, oracle, 1, share=share, restrictions=(NotTogether(0, 1),))  # type: ignore[arg-type]
        content = written(problem, explanations=2)
        assert content["covered"] > 0
        assert verify(content).ok, verify(content)


@pytest.mark.parametrize(("people", "proved"), [(5, 3), (4, 1)])
def test_excluding_so_many_explanations_proves_one_more_for_as_many_people(people: int, proved: int) -> None:
    """Two explanations do not cover five people: three are needed for five, of four nothing is said."""
    exclusion = Exclusion(explanations=2, at_most=0, columns=(), moves=(), tree=Case(()))
    proof = Weights(scope=(), weights=(), capacity=9, scale=1, bound=3, exclusion=exclusion)
    asked = {"goal": Goal(), "helpable": 5, "wanted": people, "problem": None, "helpable_items": None}
    claims: Any = SimpleNamespace(proof=proof, lower_bound=proved, **asked)
    assert bound.check_people_bound(claims, lambda *_: "") == f"at least {proved} for {people} people"
    claims.lower_bound += 1
    with pytest.raises(CertificateError, match=f"proved is {proved}"):
        bound.check_people_bound(claims, lambda *_: "")
