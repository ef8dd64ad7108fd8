"""The cost bound where rows share a point: everybody pays a price, less what groups save by their anchors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.anchored_kernels import EXCEEDED, NEVER, PAUSED, Market, Waiting, exceeds
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import check_prices
from oneformany.verify.claims import Claims
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import LARGEST_NUMBER, AnchoredCostProof
from oneformany.verify.unreachable import check_fewest_changes

WORK_BETWEEN_CHECKS = 10**8
MOST_RANGES = 32


def check_anchored(claims: Claims, proof: AnchoredCostProof) -> None:
    """Confirm that covering everybody costs at least the bound.

    The anchor of a group is the row of it that pays least, of equal ones the first. No two groups of an
    answer have the same anchor. So k explanations cost at least all prices, less what the k anchors save
    whose groups save most. A row pays for every feature in which it differs from the point of its group, and
    at least as much as its nearest change: so many changes, each where it is cheapest.
    """
    problem, items = claims.problem, claims.helpable_items
    people = problem.people_like(items.first)
    if not problem.plain:
        raise NotConfirmedError("this release checks anchored costs only where rows share a point of cells")
    if proof.needed < int(people.sum()):
        raise CertificateError("the proof of the cost is about fewer people than there are")
    given = (proof.prices, proof.savings, proof.changes)
    prices, savings, changes = (items.spread(numbers, "the cost proof names") for numbers in given)
    check_prices(prices, people)
    best = sorted(savings.tolist(), reverse=True)[: proof.explanations]
    least = max(0, -(-(int(prices @ people) - sum(best)) // proof.scale))
    if least < proof.bound:
        raise CertificateError(f"cost_bound is {proof.bound}, the prices and savings prove {least}")
    rows = np.array(items.first)
    check_fewest_changes(problem, rows, changes)
    _check_savings(
        _market(problem, rows, people, prices, changes, proof.scale), rows, savings, problem.limits
    )


def _check_savings(market: Market, rows: IntArray, savings: IntArray, limits: Limits) -> None:
    """Confirm that no group saves more than is said of its anchor."""
    n, p = market.codes.shape
    width = market.cost.shape[1]
    limits.need(8 * (p * (width + 1) + 2) * (n + p + 1), "the search for groups that save")
    steps = max(1, WORK_BETWEEN_CHECKS // (n * p * width))
    for anchor in range(n):
        top, limit = (int(market.price[anchor]) - 1) // market.scale, int(savings[anchor])
        for low, high in _ranges(int(market.least[anchor]), top):
            waiting = Waiting.of(n, p, width, market.max_changes)
            code, node = PAUSED, 0
            while code == PAUSED:
                limits.check()
                code, node = exceeds(market, waiting, anchor, low, high, limit, node, steps)
            if code == EXCEEDED:
                raise CertificateError(
                    f"a group in which row {rows[anchor]} pays least saves more than {limit}"
                )


def _ranges(least: int, most: int) -> Iterator[tuple[int, int]]:
    """Part what an anchor may pay into a few ranges: the narrower, the quicker."""
    step = max(1, -(-(most - least + 1) // MOST_RANGES))
    for low in range(least, most + 1, step):
        yield low, min(most, low + step - 1)


def _market(
    problem: Problem, rows: IntArray, people: IntArray, prices: IntArray, changes: IntArray, scale: int
) -> Market:
    codes = np.ascontiguousarray(problem.codes[rows])
    p, width = len(problem.levels), max(problem.levels)
    problem.limits.need(8 * p * width**3, "what moves cost")
    cost = np.full((p, width, width), NEVER, dtype=np.int64)
    for feature, (n, rule) in enumerate(zip(problem.levels, problem.rules, strict=True)):
        table = 1 - np.eye(n, dtype=np.int64) if problem.costs is None else problem.costs[feature]
        cost[feature, :n, :n] = table if rule is None else np.where(rule, table, NEVER)
    if int(np.where(cost < NEVER, cost, 0).max()) * p * scale > LARGEST_NUMBER:
        raise NotConfirmedError("costs are too large to be checked in integers")
    leave = np.where(np.eye(width, dtype=np.bool_), NEVER, cost).min(axis=2)
    moves = np.sort(leave[np.arange(p), codes], axis=1)
    totals = np.concatenate([np.zeros((len(codes), 1), dtype=np.int64), np.cumsum(moves, axis=1)], axis=1)
    score = np.full((p, width), -(2**62), dtype=np.int64)
    score[np.arange(width) < np.array(problem.levels)[:, None]] = problem.classifier.tables
    return Market(
        codes=codes,
        people=people,
        least=np.minimum(totals[np.arange(len(codes)), changes], NEVER),
        width=np.array(problem.levels, dtype=np.int64),
        cost=cost,
        meet=np.minimum((cost[:, :, None, :] + cost[:, None, :, :]).min(axis=3), NEVER),
        leave=leave,
        score=score,
        raised=np.where(cost < NEVER, score[:, None, :], score[:, :, None]).max(axis=2),
        lacks=problem.classifier.lacking(codes),
        anywhere=np.array([rule is not None or problem.costs is not None for rule in problem.rules]),
        price=prices,
        max_changes=problem.max_changes,
        scale=scale,
    )
