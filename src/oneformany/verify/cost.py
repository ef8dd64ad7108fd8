"""The cost bound: what the cheapest people pay at given prices, less what the best groups save."""

from __future__ import annotations

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.anchored import check_anchored
from oneformany.verify.arrays import IntArray
from oneformany.verify.claims import Claims
from oneformany.verify.cost_tree import check_cost_tree, check_prices, paid_by_cheapest
from oneformany.verify.items import HelpableRows
from oneformany.verify.listed import ListedColumns, check_all_listed, unproved
from oneformany.verify.listing import Groups, Listing
from oneformany.verify.proofs import LARGEST_NUMBER, AnchoredCostProof, Column, CostProof
from oneformany.verify.savings import BestSavings


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
    problem, rows = claims.problem, HelpableRows.of(claims)
    prices = [proof.prices[row] for row in rows.given.tolist()]
    check_prices(prices, rows.people)
    check_prices(proof.prices, np.ones(len(proof.prices), dtype=np.int64))
    listing = Listing(problem, rows.given)
    priced = _Priced(listing, rows.people, np.array(prices, dtype=np.int64), proof)
    least = max(0, -(-priced.bound // proof.scale))
    exclusion = proof.exclusion
    if least >= proof.bound:
        return
    if exclusion is None or exclusion.target + 1 < proof.bound:
        raise unproved(listing, f"cost_bound is {proof.bound}, the prices prove {least}")
    if exclusion.explanations < proof.explanations:
        raise CertificateError("the search of the cost proof is about fewer explanations than the proof")
    columns = [rows.indices(column.rows, "a listed column") for column in exclusion.columns]
    costs = [
        _paid(listing, column, np.array(indices, dtype=np.int64))
        for column, indices in zip(exclusion.columns, columns, strict=True)
    ]
    priced.check_all_listed(exclusion.target, ListedColumns(columns, costs))
    try:
        check_cost_tree(exclusion, columns, costs, rows, proof.needed, problem.limits)
    except CertificateError as error:
        # Where rows share features only, what each pays depends on where it possibly ends.
        raise unproved(listing, str(error)) if listing.share == "features" else error from error


def _paid(listing: Listing, column: Column, rows: IntArray) -> list[int]:
    """Tell what the rows of a listed column pay; less than they would have to does no harm."""
    if not len(rows):
        return []
    if listing.share == "features":
        return [int(cost) for cost in listing.least_costs(column.changed, rows)]
    targets = np.array([[column.targets[feature] for feature in column.changed]], dtype=np.int64)
    levels = np.array([listing.problem.levels[feature] for feature in column.changed])
    if (targets < 0).any() or (targets >= levels).any():
        raise CertificateError("a listed column sends rows to a cell that is not there")
    return [int(cost) for cost in listing.moves.costs(column.changed, targets, rows)[0]]


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
