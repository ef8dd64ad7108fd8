"""Bounds on explanations and on people: walk through the proof and recompute everything it claims."""

from collections import Counter
from functools import cached_property
from math import comb

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.cases import CoverageCases, CoverCases
from oneformany.verify.claims import Claims
from oneformany.verify.items import Items
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listed import ListedColumns, check_all_listed, named
from oneformany.verify.listing import Listing
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import Branch, Dual, Proof, SolverBound
from oneformany.verify.reading import IntArray
from oneformany.verify.search import GroupSearch

# A search looks at the surroundings of each row, a listing at all rows once per set of features, and at each
# set at least as long as at so many rows.
OVERHEAD = 2000
WORTH = 4


def check_bound(claims: Claims) -> str:
    """Confirm that no fewer explanations than the proof says cover all covered rows.

    Rows of which nothing is known are not among them: a bound for fewer rows holds for more.
    """
    items = Items.single(claims.problem.different(claims.covered_rows).tolist())
    if not items.members:
        if claims.proof.bound:
            raise CertificateError("no row is covered, so there is nothing to prove")
        return "no row is covered"
    steps: Counter[str] = Counter()
    _check(claims.proof, claims.problem, items, steps)
    done = ", ".join(f"{number} x {step}" if number > 1 else step for step, number in steps.items())
    return f"at least {claims.proof.bound}: {done}"


def _check(proof: Proof, problem: Problem, items: Items, steps: Counter[str]) -> None:
    problem.limits.check()
    if isinstance(proof, Branch):
        if proof.bound != min(proof.together.bound, proof.apart.bound):
            raise CertificateError(f"a branch claims {proof.bound}, its two cases prove less or more")
        steps["branching"] += 1
        _check(proof.together, problem, items.merged(*proof.pair), steps)
        _check(proof.apart, problem, items.separated(*proof.pair), steps)
    elif isinstance(proof, SolverBound):
        raise NotConfirmedError(
            f"that at least {proof.bound} are needed is the word of the solver "
            f"{proof.name}, which leaves no proof; method='exact' does"
        )
    else:
        steps[_check_weights(proof, problem, items)] += 1


def _check_weights(proof: Dual, problem: Problem, items: Items) -> str:
    """Confirm what the weights prove and, where more is claimed, that the listed columns do not suffice."""
    wrong = "the proof gives weight to row {row}, which is not an item of its own"
    weights, exclusion = items.spread(proof.weights, wrong), proof.exclusion
    total = int(weights.sum())
    needed = -(-total // proof.capacity)
    if exclusion is not None and proof.bound != exclusion.target + 1:
        raise CertificateError(f"excluding {exclusion.target} explanations does not prove {proof.bound}")
    if exclusion is None and proof.bound != needed:
        raise CertificateError(f"the weights prove {needed}, not {proof.bound}")
    _check_groups(problem, items, weights, proof.capacity + 1, [], f"weighs more than {proof.capacity}")
    if exclusion is None or needed > exclusion.target:
        return "weights that no group exceeds"
    listed = [items.indices(rows) for rows, _, _ in exclusion.columns]
    floor = total - (exclusion.target - 1) * proof.capacity
    missing = "weighs enough for a smaller cover, but no listed column contains it"
    _check_groups(problem, items, weights, floor, listed, missing)
    CoverCases(listed, items, problem.limits).check(exclusion.tree, exclusion.target)
    return "listed columns that do not suffice"


def _check_groups(
    problem: Problem, items: Items, weights: IntArray, floor: int, listed: list[list[int]], what: str
) -> None:
    """Confirm that every group that weighs as much as the floor is part of a listed one.

    By a listing where that is quicker than a search, or where a search cannot tell.
    """
    columns, n = ListedColumns(listed), len(items.members)
    decided = bool(items.apart) or any(len(rows) > 1 for rows in items.members)
    if decided and not problem.plain:
        raise NotConfirmedError(
            "this release checks proofs by branching only where rows share a point of cells"
        )
    sets = comb(len(problem.levels), problem.max_changes)
    if not problem.plain or not (decided or WORTH * sets * (n + OVERHEAD) > n**2):
        check_all_listed(Listing(problem, np.array(items.first)), weights, floor, columns, what)
        return
    search = GroupSearch(problem, items)
    for group in search.unlisted(weights, floor, columns):
        found = f"{named([row for item in group for row in items.members[item]])} {what}"
        if not search.doubt:
            raise CertificateError(found)
        raise NotConfirmedError(f"{found} if it can be explained; {search.doubt}")


class CoverageCheck:
    """What the weights and the search of a coverage proof show, found once and used for two claims."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims

    def check_covered_bound(self) -> str:
        """No answer within the goal covers more people than the file says."""
        claims, proof, k = self._claims, self._claims.coverage, self._claims.goal.explanations
        most, told = claims.helpable, claims.covered_bound
        if proof is not None and k is not None and told < most:
            most = min(most, (k * proof.capacity + self._rest) // proof.scale)
            if proof.exclusion is not None and proof.exclusion.explanations >= k:
                most = min(most, proof.exclusion.target - 1)
        if told < most:
            raise CertificateError(f"covered_bound is {told}, proved is {most}")
        return f"at most {told} people"

    def check_lower_bound(self) -> str:
        """No fewer explanations cover as many people as the answer, or as the goal asks for."""
        claims, proof = self._claims, self._claims.coverage
        people = claims.covered if claims.goal.explanations is not None else claims.wanted
        fewest = min(people, 1)
        if proof is not None and claims.lower_bound > fewest:
            fewest = max(fewest, -(-(proof.scale * people - self._rest) // proof.capacity))
            if proof.exclusion is not None and proof.exclusion.target <= people:
                fewest = max(fewest, proof.exclusion.explanations + 1)
        if claims.lower_bound > fewest:
            raise CertificateError(f"lower_bound is {claims.lower_bound}, proved is {fewest}")
        return f"at least {claims.lower_bound} for {people} people"

    @cached_property
    def _rest(self) -> int:
        """What people count beyond the weights, once everything that the proof says is confirmed."""
        claims, proof = self._claims, self._claims.coverage
        if proof is None:
            raise AssertionError("there is a proof where it is asked for")
        problem, items = claims.problem, claims.helpable_items
        people = problem.people_like(items.first)
        if proof.people != claims.helpable:
            raise CertificateError(f"the proof is about {proof.people} people instead of {claims.helpable}")
        wrong = "the coverage proof names row {row}, which is a repeat or unreachable"
        weights = items.spread(proof.weights, wrong)
        for row, weight, count in zip(items.first, weights.tolist(), people.tolist(), strict=True):
            if weight > proof.scale * count:
                raise CertificateError(f"row {row} weighs more than its people count")
        listing = Listing(problem, np.array(items.first))
        too_heavy = f"weighs more than {proof.capacity}"
        check_all_listed(listing, weights, proof.capacity + 1, ListedColumns(), too_heavy)
        rest, exclusion = proof.scale * int(people.sum()) - sum(proof.weights), proof.exclusion
        if exclusion is not None:
            columns = [items.indices(rows) for rows, _, _ in exclusion.columns]
            excess = exclusion.explanations * proof.capacity + rest
            floor = proof.capacity - (excess - exclusion.target * proof.scale)
            missing = "weighs enough to matter, but no listed column contains it"
            check_all_listed(listing, weights, floor, ListedColumns(columns), missing)
            cases = CoverageCases(columns, items, problem.limits, people, exclusion.target)
            cases.check(exclusion.tree, exclusion.explanations)
        return proof.scale * proof.people - sum(proof.weights)
