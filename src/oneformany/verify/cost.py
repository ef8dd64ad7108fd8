"""The cost bound: what people pay at given prices, less what the best groups save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.answer import check_fewest_changes
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import TREE_SCALE, Cases, Choice, check_prices
from oneformany.verify.claims import Claims
from oneformany.verify.kernels import NEVER, Surroundings
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listed import BestSavings, ListedColumns, check_all_listed, unproved
from oneformany.verify.listing import Groups, Listing
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import LARGEST_NUMBER, AnchoredCostProof, Column, CostProof, Filter
from oneformany.verify.search import groups_around

MOST_RANGES = 32


def check_cost_bound(claims: Claims) -> str:
    """Confirm that no answer with as few explanations and as many people costs less than the bound.

    Whoever covers a person serves it, where it is cheapest for the person. With a price per person, k
    explanations that cover R people cost at least what the R cheapest people pay, less what the k best groups
    save against the prices: for each of their rows, what the price exceeds the cost.
    """
    proof = claims.cost_proof
    if proof is None or claims.cost_bound is None or claims.cost is None:
        raise CertificateError("there is no proof of the cost bound")
    if claims.cost_bound != proof.bound:
        raise CertificateError(f"cost_bound is {claims.cost_bound}, the proof says {proof.bound}")
    if proof.bound > claims.cost:
        raise CertificateError(f"cost_bound {proof.bound} exceeds the cost {claims.cost}")
    _check_question(claims, proof)
    if proof.bound == 0:
        return "no cost is below 0"
    if isinstance(proof, AnchoredCostProof):
        check_anchored(claims, proof)
    else:
        _check_proved(claims, proof)
    by = "1 explanation" if proof.explanations == 1 else f"{proof.explanations} explanations"
    return f"at least {proof.bound} for {proof.needed} people by {by}"


def _check_question(claims: Claims, proof: CostProof) -> None:
    """The proof is about all answers that cover as many people as this one, or as the share asks for."""
    goal, count, people = claims.goal, claims.count, claims.covered
    if goal.explanations is not None:
        count = goal.explanations
    elif goal.coverage is not None:
        people = min(people, goal.needed(int(claims.problem.people.sum())))
    if proof.explanations < count or proof.needed > people:
        raise CertificateError(
            f"the proof of the cost is about {proof.explanations} explanations for {proof.needed} people, "
            f"not {count} for {people}"
        )


def _check_proved(claims: Claims, proof: CostProof) -> None:
    problem, items = claims.problem, claims.helpable_items
    people = problem.people_like(items.first)
    prices = np.array([proof.prices[row] for row in items.first], dtype=np.int64)
    check_prices(prices, people)
    check_prices(proof.prices, np.ones(len(proof.prices), dtype=np.int64))
    listing = Listing(problem, np.array(items.first))
    priced = _Priced(listing, people, prices, proof)
    least = max(0, -(-priced.bound // proof.scale))
    exclusion = proof.exclusion
    if least >= proof.bound:
        return
    if exclusion is None or exclusion.target + 1 < proof.bound:
        raise unproved(listing, f"cost_bound is {proof.bound}, the prices prove {least}")
    if exclusion.explanations < proof.explanations:
        raise CertificateError("the search of the cost proof is about fewer explanations than the proof")
    columns = [items.indices(column.rows) for column in exclusion.columns]
    costs = [_paid(listing, *pair) for pair in zip(exclusion.columns, columns, strict=True)]
    priced.check_all_listed(exclusion.target, ListedColumns(columns, costs))
    cases = CostCases(columns, items, problem.limits, costs, people, exclusion.target, proof.needed)
    try:
        cases.check(exclusion.tree, exclusion.explanations)
    except CertificateError as error:
        # Where rows share features only, what each pays depends on where it possibly ends.
        raise unproved(listing, str(error)) if listing.share == "features" else error from error


def _paid(listing: Listing, column: Column, items: list[int]) -> IntArray:
    """Tell what the rows of a listed column pay; less than they would have to does no harm."""
    rows = np.array(items, dtype=np.int64)
    if not items:
        return rows
    if listing.share == "features":
        return listing.least_costs(column.changed, rows)
    targets = np.array([[column.targets[feature] for feature in column.changed]], dtype=np.int64)
    levels = np.array([listing.problem.levels[feature] for feature in column.changed])
    if (targets < 0).any() or (targets >= levels).any():
        raise CertificateError("a listed column sends rows to a cell that is not there")
    return listing.moves.costs(column.changed, targets, rows).ravel()


def paid_by_cheapest(prices: IntArray, people: IntArray, needed: int) -> int:
    """Tell what so many people pay at least: the cheapest, at a price per person of each row."""
    order = np.argsort(prices, kind="stable")
    before = np.cumsum(people[order]) - people[order]
    taken = np.clip(min(needed, LARGEST_NUMBER) - before, 0, people[order])
    return int((taken * prices[order]).sum())


class _Priced:
    """What groups save against the prices, and what follows for every answer."""

    def __init__(self, listing: Listing, people: IntArray, prices: IntArray, proof: CostProof) -> None:
        self._listing, self._people, self._prices, self._scale = listing, people, prices, proof.scale
        self._most = people * np.maximum(0, prices - self._scaled(listing.cheapest_moves()))
        # Groups beyond one for each row serve nobody else.
        best = BestSavings(min(proof.explanations, len(people)), len(people), listing.limits)
        for groups in listing.groups(self._most, lambda: best.floor + 1, whole=False, costed=True):
            best.add(groups, self._gains(groups))
        self._best = best.best()
        self.bound = paid_by_cheapest(prices, people, proof.needed) - sum(self._best)

    def check_all_listed(self, target: int, columns: ListedColumns) -> None:
        """Confirm that every group that an answer within the target could use is part of a listed column.

        An answer with a group that saves less than the last of the best costs more by the difference.
        """
        last = self._best[-1] if self._best else 0
        floor = last - (target * self._scale - self.bound)
        what = "could be used for less, but no listed column contains it at no more cost"
        check_all_listed(self._listing, self._most, floor, columns, what, self._gains)

    def _gains(self, groups: Groups) -> IntArray:
        if groups.costs is None:
            raise AssertionError("costs were asked for")
        gains = self._prices[groups.rows] - self._scaled(groups.costs)
        return np.asarray(self._people[groups.rows] * np.maximum(0, gains))

    def _scaled(self, costs: IntArray) -> IntArray:
        return np.minimum(costs, LARGEST_NUMBER // self._scale) * self._scale


@dataclass(frozen=True, eq=False)
class CostCases(Cases):
    """So many of the listed columns serve the needed people only above the target.

    With prices per person, whoever serves the needed people pays at least the prices of the cheapest of them,
    less what the chosen columns save against the prices, less the most that as many usable ones save as are
    left to choose. Where nothing is left to choose, costs are added up.
    """

    question = "cost less"
    costs: Sequence[IntArray]  # what the items of each column pay
    people: IntArray  # (m,) of each item
    target: int
    needed: int

    @cached_property
    def paid(self) -> IntArray:
        """What is paid, for all entries of the matrix, one after the other."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.costs])

    @cached_property
    def column(self) -> IntArray:
        """The columns of these entries."""
        return np.repeat(np.arange(len(self.columns)), [len(column) for column in self.columns])

    def gains(self, node: Choice, numbers: Filter) -> tuple[IntArray, int]:
        """Tell what columns save at these prices, and what must be saved beside what the chosen ones do."""
        prices, rows = self.known(numbers), self.matrix.indices
        check_prices(prices, self.people)
        dear = TREE_SCALE * np.minimum(self.paid, LARGEST_NUMBER // TREE_SCALE)
        savings = np.zeros(len(self.columns), dtype=np.int64)
        np.add.at(savings, self.column, self.people[rows] * np.maximum(0, prices[rows] - dear))
        least = paid_by_cheapest(prices[self.able], self.people[self.able], self.needed)
        return savings, least - sum(savings[list(node.chosen)].tolist()) - self.target * TREE_SCALE

    def is_closed(self, node: Choice) -> bool:
        """Check what is said of the columns of a case that is not split, if anything is."""
        if node.case.short:
            mine = node.usable[self.column] | np.isin(self.column, node.chosen)
            if int(self.people[np.unique(self.matrix.indices[mine])].sum()) >= self.needed:
                raise CertificateError("columns that are said to serve too few people serve enough")
        elif node.case.evaluated:
            if node.left and node.usable.any():
                raise CertificateError("the proof stops where another column could be chosen")
            self._check_dear(node.chosen)
        return node.case.short or node.case.evaluated

    def _check_dear(self, chosen: tuple[int, ...]) -> None:
        """Add up what the chosen columns cost the needed people, each served where it is cheapest."""
        mine = np.isin(self.column, chosen)
        least = np.full(len(self.people), LARGEST_NUMBER, dtype=np.int64)
        np.minimum.at(least, self.matrix.indices[mine], self.paid[mine])
        served = np.flatnonzero(least < LARGEST_NUMBER)
        costs, people = least[served], self.people[served]
        if int(people.sum()) < self.needed or paid_by_cheapest(costs, people, self.needed) > self.target:
            return
        check_prices(costs, people)
        if self._paid_by_whole_rows(costs, people) <= self.target:
            raise CertificateError(f"listed columns {chosen} cost no more than {self.target}")

    def _paid_by_whole_rows(self, costs: IntArray, people: IntArray) -> int:
        """Tell the least that is paid where a row is left out with all of its people or not at all."""
        spare = int(people.sum()) - self.needed
        self.limits.need(16 * (spare + 1), "leaving out rows of several people")
        saved = np.zeros(spare + 1, dtype=np.int64)
        for cost, size in zip(costs.tolist(), people.tolist(), strict=True):
            self.limits.check()
            if size <= spare:
                saved[size:] = np.maximum(saved[size:], saved[: spare + 1 - size] + size * cost)
        return int((costs * people).sum()) - int(saved[-1])


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
    wrong = "the cost proof names row {row}, which is a repeat or unreachable"
    given = (proof.prices, proof.savings, proof.changes)
    prices, savings, changes = (items.spread(numbers, wrong) for numbers in given)
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
