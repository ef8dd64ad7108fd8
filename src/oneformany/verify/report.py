"""What a verification found, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.exceptions import CertificateError

__all__ = ["Check", "Report"]


@dataclass(frozen=True)
class Check:
    """One claim of the file, examined.

    Attributes
    ----------
    name : str
        The claim.
    ok : bool
        Whether it was confirmed.
    detail : str
        How it was confirmed, or what is wrong.
    """

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class Report:
    """All claims of one result file, examined.

    Attributes
    ----------
    checks : tuple of Check
        One entry per claim.
    caveats : tuple of str
        What could not be examined because the file does not hold it; empty for additive classifiers.
    """

    checks: tuple[Check, ...]
    caveats: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every examined claim was confirmed."""
        return all(check.ok for check in self.checks)

    def raise_if_rejected(self) -> None:
        """Turn a rejection into an error that lists what is wrong.

        Raises
        ------
        CertificateError
            At least one claim was not confirmed.
        """
        wrong = [f"{check.name}: {check.detail}" for check in self.checks if not check.ok]
        if wrong:
            raise CertificateError("the result is not verified; " + "; ".join(wrong))
