"""Goals: how many people so many explanations cover at most, and how many explanations a share needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import TREE_SCALE, Cases, Choice
from oneformany.verify.claims import Claims
from oneformany.verify.listed import ListedColumns, check_all_listed
from oneformany.verify.listing import Listing
from oneformany.verify.proofs import CoverageProof, Filter


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
    weights = items.spread(proof.weights, "the coverage proof gives weight to")
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
