"""The cost bound where rows share a point: everybody pays a price, less what groups save by their anchors."""

from __future__ import annotations

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.answer import check_fewest_changes
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import check_prices
from oneformany.verify.claims import Claims
from oneformany.verify.kernels import NEVER, Surroundings
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import LARGEST_NUMBER, AnchoredCostProof
from oneformany.verify.search import groups_around

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
    market = _Market(problem, rows, people, prices, changes, proof.scale)
    for anchor, most in enumerate(savings.tolist()):
        if market.is_exceeded(anchor, most):
            raise CertificateError(f"a group in which row {rows[anchor]} pays least saves more than {most}")


class _Market:
    """Rows, their prices, and what moves cost; ``v`` is the largest number of levels."""

    def __init__(
        self,
        problem: Problem,
        rows: IntArray,
        people: IntArray,
        prices: IntArray,
        changes: IntArray,
        scale: int,
    ) -> None:
        self.problem, self.people, self.prices, self.scale = problem, people, prices, scale
        self.codes = problem.codes[rows]
        p, width = len(problem.levels), max(problem.levels)
        problem.limits.need(8 * p * width**3 + 24 * len(rows) * p * width, "what moves cost")
        self.cost = np.full((p, width, width), NEVER, dtype=np.int64)
        for feature, (n, rule) in enumerate(zip(problem.levels, problem.rules, strict=True)):
            table = 1 - np.eye(n, dtype=np.int64) if problem.costs is None else problem.costs[feature]
            self.cost[feature, :n, :n] = table if rule is None else np.where(rule, table, NEVER)
        if int(np.where(self.cost < NEVER, self.cost, 0).max()) * p * scale > LARGEST_NUMBER:
            raise NotConfirmedError("costs are too large to be checked in integers")
        self.meet = (self.cost[:, :, None, :] + self.cost[:, None, :, :]).min(axis=3)
        self.leave = np.where(np.eye(width, dtype=np.bool_), NEVER, self.cost).min(axis=2)
        moves = np.sort(self.leave[np.arange(p), self.codes], axis=1)
        totals = np.cumsum(np.insert(moves, 0, 0, axis=1), axis=1)
        self.least = totals[np.arange(len(rows)), changes]
        ruled = [rule is not None or problem.costs is not None for rule in problem.rules]
        self.ruled = np.repeat(ruled, problem.levels)  # of each level: where moves to it are not all alike
        self.feature = np.repeat(np.arange(p), problem.levels)
        self.level = np.arange(len(self.feature)) - problem.classifier.starts[self.feature]

    def is_exceeded(self, anchor: int, limit: int) -> bool:
        """Tell whether some group with this anchor saves more than the limit."""
        around, own, first = self._around(anchor), self.codes[anchor], int(self.least[anchor])
        last = (int(self.prices[anchor]) - 1) // self.scale
        # What the anchor may pay is parted into a few ranges: the narrower, the quicker.
        step = max(1, -(-(last - first + 1) // MOST_RANGES))
        ranges = ((low, min(last, low + step - 1), self.scale) for low in range(first, last + 1, step))
        return any(any(groups_around(self.problem, around, own, limit + 1, costed)) for costed in ranges)

    def _around(self, anchor: int) -> Surroundings:
        """Describe the surroundings of an anchor to the compiled search."""
        own, features = self.codes[anchor], np.arange(len(self.problem.levels))
        needs, meet = self.codes != own, self.meet[features, self.codes, own]
        near = (needs.sum(axis=1) <= self.problem.max_changes) & (self.least < NEVER)
        near = np.flatnonzero(near & (~needs | (meet < NEVER)).all(axis=1))
        near = np.concatenate([[anchor], near[near != anchor]])
        needs, codes = needs[near], self.codes[near]
        classifier = self.problem.classifier
        shift = classifier.tables - classifier.tables[classifier.starts + own][self.feature]
        # Where nobody has a level everybody pays, which only a better score is worth.
        useful = self.ruled | (shift > 0) | (codes[:, self.feature] == self.level).any(axis=0)
        feature, level, shift = self.feature[useful], self.level[useful], shift[useful]
        pays = self.cost[feature, codes[:, feature], level]
        first = np.searchsorted(feature, np.append(features, len(features)))
        gain = np.maximum.reduceat(np.where(pays[0] < NEVER, shift, 0), first[:-1])
        return Surroundings(
            about=np.stack([self.prices[near], self.people[near], self.least[near], near < anchor], axis=1),
            start=np.cumsum([0, *needs.sum(axis=1)]),
            needed=np.stack([np.nonzero(needs)[1], meet[near][needs]], axis=1),
            conflicts=np.zeros((0, 2), dtype=np.int64),
            listed=np.zeros((0, len(near)), dtype=np.bool_),
            first=first,
            pays=pays,
            shift=shift,
            gain=np.stack([gain, self.leave[features, own]], axis=1),
        )
