"""What a verification found, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from oneformany.exceptions import CertificateError


class Outcome(StrEnum):
    """What became of a claim, or of all claims of a file together."""

    CONFIRMED = "confirmed"
    WRONG = "wrong"
    UNCONFIRMED = "cannot be confirmed"


@dataclass(frozen=True)
class Check:
    """One claim of the file, examined.

    Attributes
    ----------
    name : str
        The claim.
    outcome : Outcome
        Confirmed, wrong, or neither.
    detail : str
        How it was confirmed, what is wrong, or why it stays open.
    """

    name: str
    outcome: Outcome
    detail: str

    @property
    def ok(self) -> bool:
        """Whether the claim was confirmed."""
        return self.outcome is Outcome.CONFIRMED


@dataclass(frozen=True)
class Report:
    """All claims of one result file, examined.

    Attributes
    ----------
    checks : tuple of Check
        One entry per claim.
    """

    checks: tuple[Check, ...]

    @property
    def outcome(self) -> Outcome:
        """Wrong if one claim is, confirmed if all are."""
        found = {check.outcome for check in self.checks}
        return next((o for o in (Outcome.WRONG, Outcome.UNCONFIRMED) if o in found), Outcome.CONFIRMED)

    @property
    def ok(self) -> bool:
        """Whether every claim was confirmed."""
        return self.outcome is Outcome.CONFIRMED

    def raise_if_rejected(self) -> None:
        """Turn everything but a confirmation into an error that lists the reasons.

        Raises
        ------
        CertificateError
            At least one claim is wrong or cannot be confirmed.
        """
        open_claims = [f"{check.name}: {check.detail}" for check in self.checks if not check.ok]
        if open_claims:
            raise CertificateError(f"the result is {self._word}; " + "; ".join(open_claims))

    @property
    def _word(self) -> str:
        return "wrong" if self.outcome is Outcome.WRONG else "not confirmed"
