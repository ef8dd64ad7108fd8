"""The lower bound: walk through the proof and recompute everything it claims."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims
from oneformany.verify.cover import Covering, check_refutation
from oneformany.verify.items import Items
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listed import ListedColumns, check_all_listed, named
from oneformany.verify.listing import Listing
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import Branch, Dual, Enumeration, Proof, SolverBound
from oneformany.verify.search import GroupSearch

# A search looks at the surroundings of each row, a listing at all rows once per set of features, and at each
# set at least as long as at so many rows.
OVERHEAD = 2000
WORTH = 4


def check_bound(claims: Claims) -> str:
    """Confirm that no fewer explanations than the proof says cover all covered rows.

    Rows of which nothing is known are not among them: a bound for fewer rows holds for more.
    """
    items = Items.single(_distinct_rows(claims))
    if not items.members:
        if claims.proof.bound:
            raise CertificateError("no row is covered, so there is nothing to prove")
        return "no row is covered"
    steps: Counter[str] = Counter()
    _check(claims.proof, claims.problem, items, steps)
    done = ", ".join(f"{number} x {step}" if number > 1 else step for step, number in steps.items())
    return f"at least {claims.proof.bound}: {done}"


def _distinct_rows(claims: Claims) -> list[int]:
    """First occurrences of the distinct rows that are covered."""
    covered = np.flatnonzero(np.array(claims.assignment) >= 0)
    _, first = np.unique(claims.problem.distinct.of[covered], return_index=True)
    return [int(row) for row in np.sort(covered[first])]


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
    weights = _item_weights(proof, items)
    needed = -(-sum(weights) // proof.capacity)
    if isinstance(proof, Enumeration):
        if proof.bound != proof.target + 1:
            raise CertificateError(f"excluding {proof.target} explanations does not prove {proof.bound}")
    elif proof.bound != needed:
        raise CertificateError(f"the weights prove {needed}, not {proof.bound}")
    _check_groups(problem, items, weights, proof.capacity + 1, [], f"weighs more than {proof.capacity}")
    if not isinstance(proof, Enumeration) or needed > proof.target:
        steps["weights that no group exceeds"] += 1
        return
    listed = _listed(proof, items)
    floor = sum(weights) - (proof.target - 1) * proof.capacity
    missing = "weighs enough for a smaller cover, but no listed column contains it"
    _check_groups(problem, items, weights, floor, listed, missing)
    covering = Covering.of(listed, len(items.members), proof.target, problem.limits)
    check_refutation(covering, proof.cover, {row: item for item, row in enumerate(items.first)})
    steps["listed columns that do not suffice"] += 1


def _listed(proof: Enumeration, items: Items) -> list[list[int]]:
    """Write listed columns as indices of items, each of which its smallest row stands for."""
    known = {row for rows in items.members for row in rows}
    index_of = {row: index for index, row in enumerate(items.first)}
    for group in proof.columns:
        if unknown := set(group) - known:
            raise CertificateError(
                f"a listed column names row {min(unknown)}, which is a repeat or not covered"
            )
    return [sorted({index_of[row] for row in group if row in index_of}) for group in proof.columns]


def _item_weights(proof: Dual, items: Items) -> list[int]:
    first = set(items.first)
    for row, weight in enumerate(proof.weights):
        if weight and row not in first:
            raise CertificateError(f"the proof gives weight to row {row}, which is not an item of its own")
    return [proof.weights[row] for row in items.first]


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
    return Listing(problem, np.array(items.first, dtype=np.int64))


def _check_groups(
    problem: Problem, items: Items, weights: list[int], floor: int, listed: list[list[int]], what: str
) -> None:
    """Confirm that every group that weighs as much as the floor is part of a listed one."""
    columns = ListedColumns(listed)
    if (listing := _listing(problem, items)) is not None:
        check_all_listed(listing, np.array(weights, dtype=np.int64), floor, columns, what)
        return
    search = GroupSearch(problem, items)
    for group in search.unlisted(weights, floor, columns):
        found = f"{named([row for item in group for row in items.members[item]])} {what}"
        if not search.doubt:
            raise CertificateError(found)
        raise NotConfirmedError(f"{found} if it can be explained; {search.doubt}")
