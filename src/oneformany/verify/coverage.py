"""Goals: how many people so many explanations cover at most, and how many explanations a share needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims
from oneformany.verify.coverage_tree import check_coverage_tree
from oneformany.verify.heavy import ListedColumns, check_all_listed, check_capacity
from oneformany.verify.listing import Listing
from oneformany.verify.proofs import CoverageProof

__all__ = ["CoverageCheck", "HelpableRows"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HelpableRows:
    """Different rows that are not called unreachable.

    Attributes
    ----------
    given : (m,) integer array
        The first given row of each.
    people : (m,) integer array
        How many people each stands for.
    index_of : dict
        From given row to index.
    """

    given: IntArray
    people: IntArray
    index_of: dict[int, int]

    @classmethod
    def of(cls, claims: Claims) -> HelpableRows:
        """Take together what the classifier cannot tell apart; rows equal to an unreachable one are none."""
        problem, distinct = claims.problem, claims.problem.distinct
        beyond = np.zeros(len(problem.codes), dtype=np.bool_)
        beyond[list(claims.unreachable)] = True
        kinds = np.ones(len(distinct.first), dtype=np.bool_)
        kinds[distinct.of[beyond]] = False
        people = np.zeros(len(distinct.first), dtype=np.int64)
        np.add.at(people, distinct.of, problem.people)
        given = distinct.first[kinds]
        return cls(given, people[kinds], {row: index for index, row in enumerate(given.tolist())})

    def indices(self, rows: tuple[int, ...], what: str) -> list[int]:
        """Find rows; only the first of equal rows stands for them, and unreachable ones are not there."""
        for row in rows:
            if row not in self.index_of:
                raise CertificateError(f"{what} names row {row}, which is a repeat or unreachable")
        return [self.index_of[row] for row in rows]

    def spread(self, numbers: tuple[int, ...], what: str) -> IntArray:
        """Take one number per given row as numbers of these; all others have to be 0."""
        rows = tuple(row for row, number in enumerate(numbers) if number)
        found = np.zeros(len(self.given), dtype=np.int64)
        found[self.indices(rows, what)] = [numbers[row] for row in rows]
        return found


class CoverageCheck:
    """What the weights and the search of a coverage proof show, found once and used for two claims.

    Parameters
    ----------
    claims : Claims
        What the file says.
    """

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
            self._show(proof)
            rest = proof.scale * proof.people - sum(proof.weights)
            most = min(most, (k * proof.capacity + rest) // proof.scale)
            if proof.exclusion is not None and proof.exclusion.explanations >= k:
                most = min(most, proof.exclusion.target - 1)
        if told < most:
            raise CertificateError(f"covered_bound is {told}, proved is {most}")
        return f"at most {told} people"

    def check_lower_bound(self) -> str:
        """No fewer explanations cover as many people as the answer, or as the goal asks for."""
        claims, proof = self._claims, self._claims.coverage
        people = claims.covered
        if claims.goal.explanations is None:
            people = min(claims.helpable, claims.goal.needed(int(claims.problem.people.sum())))
        fewest = min(people, 1)
        if proof is not None and claims.lower_bound > fewest:
            self._show(proof)
            rest = proof.scale * proof.people - sum(proof.weights)
            fewest = max(fewest, -(-(proof.scale * people - rest) // proof.capacity))
            if proof.exclusion is not None and proof.exclusion.target <= people:
                fewest = max(fewest, proof.exclusion.explanations + 1)
        if claims.lower_bound > fewest:
            raise CertificateError(f"lower_bound is {claims.lower_bound}, proved is {fewest}")
        return f"at least {claims.lower_bound} for {people} people"

    def _show(self, proof: CoverageProof) -> None:
        """Confirm that the weights are what they should be, no group exceeds the capacity, and the search."""
        if self._shown:
            return
        claims, rows = self._claims, HelpableRows.of(self._claims)
        if proof.people != claims.helpable:
            raise CertificateError(f"the proof is about {proof.people} people instead of {claims.helpable}")
        weights = rows.spread(proof.weights, "the coverage proof")
        for index in np.flatnonzero(weights > 0).tolist():
            if int(weights[index]) > proof.scale * int(rows.people[index]):
                raise CertificateError(f"row {rows.given[index]} weighs more than its people count")
        listing = Listing(claims.problem, rows.given)
        check_capacity(listing, weights, proof.capacity)
        exclusion = proof.exclusion
        if exclusion is not None:
            columns = [rows.indices(column.rows, "a listed column") for column in exclusion.columns]
            rest = proof.scale * int(rows.people.sum()) - sum(proof.weights)
            excess = exclusion.explanations * proof.capacity + rest
            floor = proof.capacity - (excess - exclusion.target * proof.scale)
            check_all_listed(listing, weights, floor, ListedColumns(columns))
            check_coverage_tree(exclusion, columns, rows.people, rows.index_of, claims.problem.limits)
        self._shown = True
