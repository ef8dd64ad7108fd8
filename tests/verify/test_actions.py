"""All actions of a few rows are what asking about every point says, and their groups those of a listing."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oneformany as ofm
from judgement import EXCESSES, random_network, random_trees
from oneformany.exceptions import CertificateError
from oneformany.verify import actions, bound, verify
from oneformany.verify.actions import Actions
from oneformany.verify.claims import read_claims
from oneformany.verify.classifiers import read_classifier, read_network
from oneformany.verify.listing import Listing
from oneformany.verify.problem import Problem
from oneformany.verify.reading import Json, Limits, NotConfirmedError
from verify.asked import KINDS, five_features, question


def asked(rng: np.random.Generator, number: int) -> Problem:
    """A question as the verifier reads it, for all that is possibly, or only what is surely positive."""
    problem = question(rng, KINDS[number % 4], ("action", "features")[number // 4 % 2])
    content = json.loads(ofm.solve(problem, options=ofm.Options(least_cost=False)).to_json())
    read = read_claims(content, Limits()).problem
    return replace(read, classifier=replace(read.classifier, lenient=number % 3 > 0))


def largest(groups: set[frozenset[int]]) -> set[frozenset[int]]:
    return {group for group in groups if not any(group < other for other in groups)}


def test_a_row_follows_an_action_where_the_point_says_so() -> None:
    rng = np.random.default_rng(0)
    followed = 0
    for number in range(48):
        problem = asked(rng, number)
        every = Actions(problem, problem.different(np.arange(len(problem.codes))))
        cells, changed = every.cells_of(np.arange(every.total))
        assert len(
            {(*told, *which) for told, which in zip(cells.tolist(), changed.tolist(), strict=True)}
        ) == len(cells)
        assert changed.sum(axis=1).max() <= problem.max_changes
        for index in range(len(every.given)):
            may = np.ones(every.total, dtype=np.bool_)
            for feature in range(cells.shape[1]):
                may &= ~changed[:, feature] | every.may(feature)[cells[:, feature], index]
            ends = np.where(changed, cells, every.cells[index])
            held = every.held(ends, np.full(every.total, index)) & may
            assert np.array_equal(every.followed_by(index), held)
            followed += int(held.sum())
    assert followed > 200


def test_savings_are_those_of_actions_that_a_row_follows() -> None:
    rng = np.random.default_rng(5)
    saved = 0
    for number in range(24):
        problem = asked(rng, number)
        rows = problem.different(np.arange(len(problem.codes)))
        every, prices = Actions(problem, rows), rng.integers(0, 12, size=len(rows))
        people = rng.integers(1, 4, size=len(rows))
        cells, changed = every.cells_of(np.arange(every.total))
        gains = np.zeros((len(rows), every.total), dtype=np.int64)
        for index in range(len(rows)):
            before = np.repeat(every.cells[index][None], every.total, axis=0)
            costs = 2 * problem.paid(before, np.where(changed, cells, before))
            gains[index] = np.where(every.followed_by(index), np.maximum(0, prices[index] - costs), 0)
        if problem.share == "features":
            inside = [~(changed & ~changed[start]).any(axis=1) for start in every.start[:-1]]
            gains = np.array([gains[:, actions].max(axis=1) for actions in inside]).T
        assert every.savings(prices, people, 2).tolist() == (people @ gains).tolist()
        saved += int((people @ gains).sum())
    assert saved > 1000


def test_groups_are_those_of_a_listing() -> None:
    rng = np.random.default_rng(1)
    compared = 0
    for number in range(64):
        problem = asked(rng, number)
        rows = problem.different(np.arange(len(problem.codes)))
        weights = rng.integers(0, 4, size=len(rows))
        for floor in (1, int(weights.sum()) // 2 + 1):
            found = {frozenset(group.tolist()) for group in Actions(problem, rows).groups(weights, floor)}
            listed = set()
            for groups in Listing(problem, rows).groups(weights, lambda floor=floor: floor):
                heavy = np.argwhere(groups.sums(weights[groups.rows]) >= floor).tolist()
                listed |= {frozenset(groups.rows[groups.members(*one)].tolist()) for one in heavy}
            assert largest(found) == largest(listed)
            compared += len(found)
    assert compared > 100


@pytest.mark.parametrize("changes", [1, 2, 3, 4])
def test_leaves_multiplied_out_are_the_score_of_every_point(changes: int) -> None:
    """Deep trees in which a feature may stand on one way several times."""
    rng = np.random.default_rng(changes)
    for _ in range(10):
        levels = tuple(rng.integers(2, 5, size=5).tolist())
        oracle = deep_trees(rng, levels)
        every = Actions(problem_of(oracle, levels, changes), np.arange(4))
        sums = every._sums(every.problem.classifier, 0)
        assert sums is not None
        for index in range(4):
            told = every.followed_by(index)
            exact = [
                EXCESSES["trees"](oracle, point) >= 0
                for point in every.ends(index, np.arange(every.total)).tolist()
            ]
            assert told.tolist() == exact


def deep_trees(rng: np.random.Generator, levels: tuple[int, ...]) -> dict[str, object]:
    """Three trees of seven splits, one below the other, as often of one feature as it comes."""
    told = random_trees(rng, levels, trees=0)
    for _ in range(3):
        told["roots"].append(len(told["feature"]))
        for depth in range(8):
            last, first = depth == 7, len(told["feature"])
            feature = -1 if last else int(rng.integers(len(levels)))
            told["feature"] += [feature] if last else [feature, -1]
            told["left"] += [[]] if last else [np.flatnonzero(rng.random(levels[feature]) < 0.6).tolist(), []]
            told["children"] += [[-1, -1]] if last else [[first + 2, first + 1], [-1, -1]]
            told["units"] += [int(unit) for unit in rng.integers(-4, 5, size=1 if last else 2)]
    return told


def problem_of(oracle: dict[str, object], levels: tuple[int, ...], changes: int) -> Problem:
    rng = np.random.default_rng(0)
    codes = rng.integers(levels, size=(4, len(levels)))
    read = ofm.solve(
        ofm.Problem(codes, levels, ofm.AdditiveOracle([[0] * n for n in levels], threshold=1), changes)
    )
    asked_of = read_claims(json.loads(read.to_json()), Limits()).problem
    return replace(asked_of, share="action", classifier=read_classifier(Json(oracle), levels))


def test_the_error_of_a_network_after_moves_is_bounded() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        levels = tuple(rng.integers(2, 5, size=4).tolist())
        oracle = random_network(rng, levels)
        for table in oracle["tables"]:
            for line in table:
                line[:] = [float(number * rng.choice([1e-9, 0.1, 1e7])) for number in line]
        network = read_network(Json(oracle), levels)
        every = Actions(problem_of(oracle, levels, 3), np.arange(4))
        for index in range(4):
            own, after = every._values(index)
            there = [after[feature, :count] for feature, count in enumerate(every.counts.tolist())]
            chosen = rng.permutation(every.total)[:25]
            scores, error = network.scores_after(own, there, every._moves(chosen), every.size)
            for score, point in zip(scores, every.ends(index, chosen).tolist(), strict=True):
                exact = EXCESSES["network"](oracle, point) + Fraction(network.threshold)
                assert abs(Fraction(score) - exact) <= Fraction(error)


def test_only_rows_of_the_scope_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads(ofm.solve(five_features(), options=ofm.Options(least_cost=False)).to_json())
    scope, seen = content["certificate"]["proof"]["scope"], []
    every = Actions.followed_by
    monkeypatch.setattr(
        Actions, "followed_by", lambda self, index: seen.append(int(self.given[index])) or every(self, index)
    )
    assert verify(content).ok
    beyond = [entry["row"] for entry in content["unreachable"]]
    assert set(seen) <= {*scope, *beyond}
    assert set(scope) <= set(seen)
    assert len(scope) < len(content["assignment"])


def test_what_is_too_much_is_listed_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in (("MOST_ACTIONS", 1), ("FEW", 0)):
        for module in (actions, bound):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, few)
        content = json.loads(ofm.solve(five_features(), explanations=1).to_json())
        assert verify(content).ok
        content["certificate"]["proof"]["capacity"] -= 1
        claims = read_claims(content, Limits())
        with pytest.raises(CertificateError, match="weighs more than"):
            bound._check_groups(
                claims.problem,
                claims.helpable_items,
                np.ones(len(claims.helpable_items.members), dtype=np.int64),
                1,
                [],
                "weighs more than 0",
            )


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"memory_limit": 1e-10}])
def test_no_time_and_no_memory_leave_it_open(limits: dict[str, float]) -> None:
    problem = replace(asked(np.random.default_rng(2), 1), limits=Limits())
    every = Actions(problem, np.arange(len(problem.codes)))
    every.problem = replace(problem, limits=Limits(**limits))
    with pytest.raises(NotConfirmedError, match="too large to check"):
        list(every.groups(np.ones(len(every.given), dtype=np.int64), 1))


def test_leaves_that_add_too_many_numbers_are_asked_about_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    from oneformany.verify import trees

    problem = asked(np.random.default_rng(4), 1)
    every = Actions(problem, np.arange(len(problem.codes)))
    before = [every.followed_by(index) for index in range(len(every.given))]
    monkeypatch.setattr(trees, "MOST_SUMS", 1)
    assert every._sums(problem.classifier, 0) is None
    assert all(np.array_equal(told, every.followed_by(index)) for index, told in enumerate(before))
