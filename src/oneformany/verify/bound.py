"""Bounds on explanations and on people: walk through the proof and recompute everything it claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import TREE_SCALE, Cases, Choice, incidence
from oneformany.verify.claims import Claims
from oneformany.verify.items import Items
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listed import ListedColumns, check_all_listed, named
from oneformany.verify.listing import Listing
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import Branch, CoverageProof, Dual, Enumeration, Filter, Proof, SolverBound
from oneformany.verify.search import GroupSearch

# A search looks at the surroundings of each row, a listing at all rows once per set of features, and at each
# set at least as long as at so many rows.
OVERHEAD = 2000
WORTH = 4
BATCH = 2**22


def check_bound(claims: Claims) -> str:
    """Confirm that no fewer explanations than the proof says cover all covered rows.

    Rows of which nothing is known are not among them: a bound for fewer rows holds for more.
    """
    covered = np.flatnonzero(np.array(claims.assignment) >= 0)
    items = Items.single(claims.problem.different(covered).tolist())
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
        _check_weights(proof, problem, items, steps)


def _check_weights(proof: Dual, problem: Problem, items: Items, steps: Counter[str]) -> None:
    """Confirm what the weights prove and, where more is claimed, that the listed columns do not suffice."""
    wrong = "the proof gives weight to row {row}, which is not an item of its own"
    weights = items.spread(proof.weights, wrong)
    total = int(weights.sum())
    needed = -(-total // proof.capacity)
    if isinstance(proof, Enumeration):
        if proof.bound != proof.target + 1:
            raise CertificateError(f"excluding {proof.target} explanations does not prove {proof.bound}")
    elif proof.bound != needed:
        raise CertificateError(f"the weights prove {needed}, not {proof.bound}")
    _check_groups(problem, items, weights, proof.capacity + 1, [], f"weighs more than {proof.capacity}")
    if not isinstance(proof, Enumeration) or needed > proof.target:
        steps["weights that no group exceeds"] += 1
        return
    listed = [items.indices(column) for column in proof.columns]
    floor = total - (proof.target - 1) * proof.capacity
    missing = "weighs enough for a smaller cover, but no listed column contains it"
    _check_groups(problem, items, weights, floor, listed, missing)
    CoverCases(listed, items, problem.limits).check(proof.cover, proof.target)
    steps["listed columns that do not suffice"] += 1


class CoverCases(Cases):
    """So many of the listed columns do not cover all items."""

    question = "suffice"

    def gains(self, node: Choice, numbers: Filter) -> tuple[IntArray, int]:
        """Tell what the usable columns carry of the weights of sets, and what a cover carries at least.

        Sets with an item that is not needed are ignored. A column carries the weight of a set once for every
        two of its items, rounded up. The columns of a cover share out all items of the set, so together they
        carry it at least half as often as it has items, rounded up. All in exact integers.
        """
        covered = self.covered(node)
        known = ([self.items.index_of.get(row) for row in rows] for rows, _ in numbers)
        sets = [
            (chosen, weight)
            for chosen, (_, weight) in zip(known, numbers, strict=True)
            if not any(item is None or covered[item] for item in chosen)
        ]
        matrix = self.matrix[node.usable]
        loads = np.zeros(len(node.usable), dtype=np.int64)
        step = max(1, BATCH // max(1, matrix.shape[0]))
        for first in range(0, len(sets), step):
            self.limits.check()
            chosen, weights = zip(*sets[first : first + step], strict=True)
            carried = matrix @ incidence(chosen, len(covered)).T
            carried.data = (carried.data + 1) // 2
            loads[node.usable] += carried @ np.array(weights, dtype=np.int64)
        return loads, sum((len(chosen) + 1) // 2 * weight for chosen, weight in sets)

    def is_closed(self, node: Choice) -> bool:
        """Refuse a split that is not by a needed row, or that forgets a column with the row; never closed."""
        row, item = node.case.row, self.items.index_of.get(-1 if node.case.row is None else node.case.row)
        if item is None or self.covered(node)[item]:
            raise CertificateError(f"the proof leaves open whether the listed columns {self.question}")
        covers = np.flatnonzero(node.usable)[self.matrix[node.usable][:, [item]].nonzero()[0]]
        if left_out := set(covers.tolist()) - set(node.case.columns):
            raise CertificateError(f"the proof forgets that column {min(left_out)} covers row {row}")
        return False


def _listing(problem: Problem, items: Items) -> Listing | None:
    """List all groups where that is quicker than a search, or where a search cannot tell."""
    if items.apart or any(len(rows) > 1 for rows in items.members):
        if not problem.plain:
            raise NotConfirmedError(
                "this release checks proofs by branching only where rows share a point of cells"
            )
        return None
    n, sets = len(items.members), comb(len(problem.levels), problem.max_changes)
    if problem.plain and WORTH * sets * (n + OVERHEAD) > n**2:
        return None
    return Listing(problem, np.array(items.first))


def _check_groups(
    problem: Problem, items: Items, weights: IntArray, floor: int, listed: list[list[int]], what: str
) -> None:
    """Confirm that every group that weighs as much as the floor is part of a listed one."""
    columns = ListedColumns(listed)
    if (listing := _listing(problem, items)) is not None:
        check_all_listed(listing, weights, floor, columns, what)
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
        self._shown = False

    def check_covered_bound(self) -> str:
        """No answer within the goal covers more people than the file says."""
        claims, proof, k = self._claims, self._claims.coverage, self._claims.goal.explanations
        most, told = claims.helpable, claims.covered_bound
        if told is None:
            raise CertificateError("covered_bound is missing")
        if proof is not None and k is not None and told < most:
            rest = self._shown_rest(proof)
            most = min(most, (k * proof.capacity + rest) // proof.scale)
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
            rest = self._shown_rest(proof)
            fewest = max(fewest, -(-(proof.scale * people - rest) // proof.capacity))
            if proof.exclusion is not None and proof.exclusion.target <= people:
                fewest = max(fewest, proof.exclusion.explanations + 1)
        if claims.lower_bound > fewest:
            raise CertificateError(f"lower_bound is {claims.lower_bound}, proved is {fewest}")
        return f"at least {claims.lower_bound} for {people} people"

    def _shown_rest(self, proof: CoverageProof) -> int:
        """Confirm that the proof holds, if it was not yet; return what people count beyond the weights."""
        if not self._shown:
            _check_proof(self._claims, proof)
            self._shown = True
        return proof.scale * proof.people - sum(proof.weights)


def _check_proof(claims: Claims, proof: CoverageProof) -> None:
    """Confirm that the weights are what they should be, no group exceeds the capacity, and the search."""
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
    exclusion = proof.exclusion
    if exclusion is not None:
        columns = [items.indices(column.rows) for column in exclusion.columns]
        rest = proof.scale * int(people.sum()) - sum(proof.weights)
        excess = exclusion.explanations * proof.capacity + rest
        floor = proof.capacity - (excess - exclusion.target * proof.scale)
        missing = "weighs enough to matter, but no listed column contains it"
        check_all_listed(listing, weights, floor, ListedColumns(columns), missing)
        cases = _CoverageCases(columns, items, problem.limits, people, exclusion.target)
        cases.check(exclusion.tree, exclusion.explanations)


@dataclass(frozen=True, eq=False)
class _CoverageCases(Cases):
    """So many of the listed columns do not cover the target.

    Rows that are not covered weigh at most as much as they count. More columns add at most what they weigh,
    and what the weights leave.
    """

    question = "cover more"
    people: IntArray  # (m,) of each item
    target: int

    def gains(self, node: Choice, numbers: Filter) -> tuple[IntArray, int]:
        """Tell what columns weigh, and what the weights leave to be reached."""
        covered = self.covered(node)
        left = np.where(self.able & ~covered, self.people, 0)
        weight = np.minimum(self.known(numbers), TREE_SCALE * left)
        rest = TREE_SCALE * int(left.sum()) - int(weight.sum())
        missing = self.target - int(self.people[covered].sum())
        return self.matrix @ weight, TREE_SCALE * missing - rest

    def is_closed(self, node: Choice) -> bool:
        """Tell whether nothing is left to choose."""
        have = int(self.people[self.covered(node)].sum())
        if have >= self.target:
            raise CertificateError(
                f"listed columns {node.chosen} cover {have} people, which is to be excluded"
            )
        return not (node.left and node.usable.any())
