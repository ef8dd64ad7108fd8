"""The decimal grid that scores are rounded to once, so that sums of them are exact integers."""

from __future__ import annotations

from oneformany.exceptions import InputError

FINEST_DIGITS = 12


def finest_digits(largest: float, largest_sum: int, entries: str) -> int:
    """Decimal digits with which sums of scores up to ``largest`` stay below ``largest_sum`` units."""
    for digits in range(FINEST_DIGITS, -1, -1):
        if (largest + 1) * 10**digits < largest_sum:
            return digits
    raise InputError(f"scores of size {largest:g} are too large: divide {entries} and threshold")
