"""The listing against brute force: sets of features, buckets of rows, and what rows pay at least."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import sealed
from oneformany.exceptions import CertificateError
from oneformany.problem.costs import Costs
from oneformany.problem.own import OwnValues
from oneformany.verify import Outcome, listing, verify
from oneformany.verify.listing import BEYOND_ANY, Buckets, ListedColumns, Listing, check_all_listed
from oneformany.verify.problem import Problem, read_problem
from oneformany.verify.reading import Json
from oracles.test_trees import build
from verify.asked import KINDS, SHARES, question


def asked(rng: np.random.Generator, kind: str, share: str) -> Problem:
    """A question as the verifier reads it, about points that are possibly positive, or that surely are."""
    content = json.loads(ofm.solve(question(rng, kind, share)).to_json())
    problem = read_problem(Json(content["problem"]))
    return replace(problem, classifier=replace(problem.classifier, lenient=bool(rng.random() < 0.7)))


def test_buckets_are_parted_by_what_is_told_of_their_rows() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        told = rng.integers(3, size=(2, 12))
        rows = np.flatnonzero(rng.random(12) < 0.8)
        buckets = Buckets(rows, np.zeros(len(rows), dtype=np.int64))
        if len(rows):
            buckets = buckets.parted(told[0]).parted(told[1])
        same: dict[tuple[int, ...], set[int]] = {}
        for row in rows.tolist():
            same.setdefault(tuple(told[:, row].tolist()), set()).add(row)
        parts = np.split(buckets.rows, buckets.starts[1:]) if len(rows) else []
        assert sorted(sorted(part.tolist()) for part in parts) == sorted(map(sorted, same.values()))


@pytest.mark.parametrize("kind", KINDS)
def test_every_heavy_bucket_of_every_set_is_listed(kind: str) -> None:
    rng = np.random.default_rng(1)
    heavy_ones = 0
    for _ in range(60):
        problem = asked(rng, kind, "point")
        found = Listing(problem, problem.different(np.arange(len(problem.codes))))
        cells, n = problem.codes[found.given], len(found.given)
        score = rng.integers(0, 5, size=n)
        floor = int(rng.integers(0, score.sum() + 2))
        listed = {
            (frozenset(features), tuple(sorted(bucket.tolist())))
            for features, buckets in found._sets(
                Buckets(np.arange(n), np.zeros(n, dtype=np.int64)), score, lambda floor=floor: floor
            )
            if len(buckets.rows)
            for bucket in np.split(buckets.rows, buckets.starts[1:])
        }
        for features in combinations(found._changeable, found._size):
            same: dict[tuple[int, ...], list[int]] = {}
            for row in range(n):
                same.setdefault(tuple(np.delete(cells[row], features).tolist()), []).append(row)
            for rows in same.values():
                if score[rows].sum() >= floor:
                    heavy_ones += 1
                    assert (frozenset(features), tuple(rows)) in listed
    assert heavy_ones > 50


@pytest.mark.parametrize("kind", KINDS)
def test_the_least_cost_of_a_row_is_that_of_its_cheapest_choice(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found way by way where sums decide, and by looking at points otherwise."""
    rng = np.random.default_rng(2)
    told = 0
    for _ in range(200 if kind in {"additive", "tied"} else 80):
        monkeypatch.setattr(listing, "PAIRS", int(rng.choice([4, 2**20])))
        problem = asked(rng, kind, "features")
        rows = problem.different(np.arange(len(problem.codes)))
        found = Listing(problem, rows, costed=True)
        features = tuple(np.flatnonzero(rng.random(len(problem.levels)) < 0.7).tolist())
        least = found.least_costs(features, np.arange(len(rows)))
        for row, cost in zip(rows, least, strict=True):
            paid = [cost_of(problem, int(row), features, goals) for goals in goals_of(problem, features)]
            assert cost == min(paid)
            told += 0 < cost < BEYOND_ANY
    assert told > 30


@pytest.mark.parametrize(
    ("score", "floor", "columns", "missing"),
    [
        ([1, 0], 1, [[0]], True),  # who weighs nothing has to be covered as well
        ([1, 0], 1, [[0, 1]], False),
        ([1, 0], 2, [], False),
        ([1, 0], 1, [], True),
        ([0, 0], 0, [], True),
        ([0, 0], 0, [[0, 1]], False),
    ],
)
def test_groups_are_part_of_a_listed_column_with_all_of_their_rows(
    score: list[int], floor: int, columns: list[list[int]], missing: bool
) -> None:
    oracle = ofm.AdditiveOracle([[0, 1], [0, 0]], threshold=1)
    content = json.loads(
        ofm.solve(ofm.Problem([[0, 0], [0, 1]], (2, 2), oracle, 1, share="action")).to_json()
    )
    found = Listing(read_problem(Json(content["problem"])), np.arange(2))
    with pytest.raises(CertificateError, match="rows 0") if missing else nullcontext():
        check_all_listed(found, np.array(score), floor, ListedColumns(columns), "is missing")


Group = dict[int, int]
"""What each row of a group pays."""


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_groups_that_reach_a_floor_are_those_of_brute_force(
    kind: str, share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is part of a listed one that is no dearer, and all that is listed is part of a group there is."""
    rng = np.random.default_rng(6)
    at_floor = 0
    for number in range(40):
        monkeypatch.setattr(listing, "PAIRS", int(rng.choice([4, 2**20])))
        problem = asked(rng, kind, share)
        rows = problem.different(np.arange(len(problem.codes)))
        found, real = Listing(problem, rows, costed=number % 2 > 0), brute_groups(problem, rows)
        prices = rng.integers(0, 4, size=len(rows))
        score = np.maximum(0, prices - found.cheapest_moves()) if number % 2 else prices
        gains = (
            (lambda groups, p=prices: np.maximum(0, p[groups.rows] - groups.costs)) if number % 2 else None
        )

        def counted(group: Group, prices: Any = prices, costed: int = number % 2) -> int:
            return sum(max(0, int(prices[row]) - costed * cost) for row, cost in group.items())

        floor = max(1, counted(real[int(rng.integers(len(real)))]) if real else 1)
        listed = [
            dict(zip(groups.rows[members].tolist(), groups.costs[choice, members].tolist(), strict=True))
            for groups in found.groups(
                score, lambda floor=floor: floor, gains, whole=bool(rng.random() < 0.5)
            )
            for choice, bucket in np.ndindex(len(groups.inside), len(groups.starts))
            if len(members := groups.members(choice, bucket))
        ]
        for group in real:
            counts = {row: cost for row, cost in group.items() if score[row] > 0}
            at_floor += counted(group) == floor
            assert counted(group) < floor or any(is_part(counts, other, number % 2) for other in listed)
        assert all(any(is_part(group, other, 0) for other in real) for group in listed)
    assert at_floor > 5


def is_part(group: Group, other: Group, costed: int) -> bool:
    return all(row in other and other[row] * costed <= cost for row, cost in group.items())


def brute_groups(problem: Problem, rows: Any) -> list[Group]:
    """What the rows of every group pay, for every set of features and every choice of targets."""
    found = []
    for size in range(problem.max_changes + 1):
        for features in combinations(range(len(problem.levels)), size):
            cheapest: Group = {}
            for goals in goals_of(problem, features):
                paid = {index: cost_of(problem, int(row), features, goals) for index, row in enumerate(rows)}
                helped = {index: cost for index, cost in paid.items() if cost < BEYOND_ANY}
                cheapest |= {i: min(cost, cheapest.get(i, BEYOND_ANY)) for i, cost in helped.items()}
                alike: dict[bytes, Group] = {}
                for index, cost in helped.items():
                    kept = np.delete(problem.codes[rows[index]], features).tobytes()
                    alike.setdefault(kept if problem.share == "point" else b"", {})[index] = cost
                found += [] if problem.share == "features" else alike.values()
            found += [cheapest] if problem.share == "features" and cheapest else []
    return found


def goals_of(problem: Problem, features: tuple[int, ...]) -> Any:
    return product(*(range(problem.levels[feature]) for feature in features))


def cost_of(problem: Problem, row: int, features: tuple[int, ...], goals: tuple[int, ...]) -> int:
    """What a row pays for one choice; huge if it may not make it, or is not positive then."""
    before = problem.codes[[row]]
    after = before.copy()
    after[0, list(features)] = goals
    may = all(problem.may(feature, before[:, feature])[0, after[0, feature]] for feature in features)
    if not may or not all(holds(before, after, after, before)[0] for _, holds in problem.restrictions):
        return BEYOND_ANY
    accepted = problem.classifier.accepts(problem.followed(np.array([row]), after))
    prices = (problem.price(f, before[:, f], after[:, f])[0] for f in range(len(problem.levels)))
    return int(sum(prices)) if accepted[0] else BEYOND_ANY


def test_features_that_are_all_free_are_settled_without_looking_at_all_choices() -> None:
    """Four levels to the power of sixteen choices, and five levels of own cost in each feature."""
    rng = np.random.default_rng(3)
    tables = [[0, *rng.integers(1, 9, size=3).tolist()] for _ in range(16)]
    costs = Costs([rng.integers(1, 50, size=(4, 4)) * (1 - np.eye(4, dtype=int)) for _ in tables])
    oracle = ofm.AdditiveOracle(tables, threshold=40)
    rows = rng.integers(0, 2, size=(12, 16))
    problem = ofm.Problem(rows, (4,) * 16, oracle, 16, share="features", costs=costs)
    result = ofm.solve(problem, options=ofm.Options(least_cost=True))
    assert result.cost == result.cost_bound
    assert verify(result, time_limit=10).ok
    forged = json.loads(result.to_json())
    (explanation,) = forged["explanations"]
    explanation["ends"][0] = [1, 2] * 8  # which is dear
    explanation["changed"] = list(range(16))
    ends = zip(explanation["members"], explanation["ends"], strict=True)
    paid = [
        forged["problem"]["costs"]["tables"][feature][old][new]
        for row, end in ends
        for feature, (old, new) in enumerate(zip(forged["problem"]["codes"][row], end, strict=True))
    ]
    forged["cost"] = forged["cost_bound"] = forged["certificate"]["cost"]["bound"] = sum(paid)
    assert "the prices prove" in str(verify(sealed(forged), time_limit=10))


@pytest.mark.parametrize("dearer", [0, 1])
def test_least_costs_of_trees_of_which_all_features_are_free_are_checked(dearer: int) -> None:
    """Four levels to the power of sixteen choices. Three features have to be high, of which each has a tree.

    An answer in which a row takes the fourth cheapest feature instead of the third does not cost the least.
    """
    rng = np.random.default_rng(5)
    rows = np.unique(rng.integers(0, 2, size=(6, 16)), axis=0)
    moves = 1 + rng.permutation(16)
    cheapest = np.argsort(moves)[:4]
    costs = Costs([cost * (1 - np.eye(4, dtype=int)) for cost in moves])
    oracle = build([4] * 16, [(feature, (0, 1), 0.0, 1.0) for feature in range(16)], threshold=3)
    problem = ofm.Problem(rows, (4,) * 16, oracle, 16, share="features", costs=costs)
    content = json.loads(ofm.solve(problem, options=ofm.Options(least_cost=False)).to_json())
    ends = rows.copy()
    ends[:, cheapest[:3]] = 2
    ends[0, cheapest[2 : 3 + dearer]] = [rows[0, cheapest[2]], 2] if dearer else 2
    content["explanations"][0] |= {"ends": ends.tolist(), "changed": cheapest.tolist()}
    prices = moves @ (rows != ends).T
    cost = {"cost": int(prices.sum()), "cost_bound": int(prices.sum())}
    proof = {
        "kind": "cost",
        "scope": list(range(len(rows))),
        "prices": prices.tolist(),
        "scale": 1,
        "explanations": 1,
    }
    proof |= {"needed": len(rows), "bound": cost["cost"], "exclusion": None, "anchors": None}
    content["certificate"]["cost"] = proof
    report = verify(sealed(content | cost), time_limit=20)
    assert report.outcome is (Outcome.WRONG if dearer else Outcome.CONFIRMED)
    assert ("the prices prove" in str(report)) == bool(dearer)


def test_rows_that_have_little_in_common_are_not_looked_at_with_every_set_of_features() -> None:
    """Of thirty features any six may change; no two rows agree in twenty-four."""
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 8, size=(30, 30))
    oracle = ofm.AdditiveOracle([[0] * 8 + [1]] * 30, threshold=1)
    own = OwnValues(rows, (np.arange(9),) * 30, (np.arange(9),) * 30)
    problem = ofm.Problem(rows, (9,) * 30, oracle, 6, own=own)
    result = ofm.solve(problem, options=ofm.Options(least_cost=False))
    assert (result.count, result.lower_bound) == (30, 30)
    assert verify(result, time_limit=10).ok
