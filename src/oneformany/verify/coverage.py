"""Goals: how many people so many explanations cover at most, and how many explanations a share needs."""

from __future__ import annotations

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import IntArray
from oneformany.verify.cases import TREE_SCALE, Choice, Pairs, check_exclusion
from oneformany.verify.claims import Claims
from oneformany.verify.cover import incidence
from oneformany.verify.items import HelpableRows
from oneformany.verify.listed import ListedColumns, check_all_listed
from oneformany.verify.listing import Listing
from oneformany.verify.proofs import CoverageProof, Exclusion


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
    rows = HelpableRows.of(claims)
    if proof.people != claims.helpable:
        raise CertificateError(f"the proof is about {proof.people} people instead of {claims.helpable}")
    weights = rows.spread(proof.weights, "the coverage proof")
    for row, weight, people in zip(rows.given, weights.tolist(), rows.people.tolist(), strict=True):
        if weight > proof.scale * people:
            raise CertificateError(f"row {row} weighs more than its people count")
    listing = Listing(claims.problem, rows.given)
    too_heavy = f"weighs more than {proof.capacity}"
    check_all_listed(listing, weights, proof.capacity + 1, ListedColumns(), too_heavy)
    exclusion = proof.exclusion
    if exclusion is not None:
        columns = [rows.indices(column.rows, "a listed column") for column in exclusion.columns]
        rest = proof.scale * int(rows.people.sum()) - sum(proof.weights)
        excess = exclusion.explanations * proof.capacity + rest
        floor = proof.capacity - (excess - exclusion.target * proof.scale)
        missing = "weighs enough to matter, but no listed column contains it"
        check_all_listed(listing, weights, floor, ListedColumns(columns), missing)
        _check_tree(exclusion, columns, rows, claims)


def _check_tree(exclusion: Exclusion, columns: list[list[int]], rows: HelpableRows, claims: Claims) -> None:
    """Check a given proof that so many of the columns do not cover the target.

    Rows that are not covered weigh at most as much as they count. More columns add at most what they weigh,
    and what the weights leave.
    """
    matrix = incidence(columns, len(rows.given))
    # Nobody else can be covered by these columns.
    able = np.asarray(matrix.sum(axis=0)).ravel() > 0

    def covered_and_left(node: Choice) -> tuple[int, IntArray]:
        covered = np.asarray(matrix[list(node.chosen)].sum(axis=0)).ravel() > 0
        return int(rows.people[covered].sum()), np.where(able & ~covered, rows.people, 0)

    def gains(node: Choice, pairs: Pairs) -> tuple[IntArray, int]:
        have, left = covered_and_left(node)
        weight = np.minimum(rows.known(pairs), TREE_SCALE * left)
        rest = TREE_SCALE * int(left.sum()) - int(weight.sum())
        return matrix @ weight, TREE_SCALE * (exclusion.target - have) - rest

    def is_closed(node: Choice) -> bool:
        have, _ = covered_and_left(node)
        if have >= exclusion.target:
            raise CertificateError(
                f"listed columns {node.chosen} cover {have} people, which is to be excluded"
            )
        return not (node.left and node.usable.any())

    check_exclusion(exclusion, gains, is_closed, "cover more", claims.problem.limits)
