"""Numbers that people like to read: the roundest one within an interval."""

from __future__ import annotations

from math import floor, log10

STEPS = (5, 2, 1)
DIGITS = 15


def roundest(low: float, high: float, near: float | None = None) -> float:
    """Find the multiple of the largest step (1, 2 or 5 times a power of ten) in ``[low, high]``.

    Of several multiples it is the nearest to ``near``, by default to the middle.
    """
    if low >= high:
        return low
    if low <= 0 <= high:
        return 0.0
    middle = (low + high) / 2 if near is None else near
    top = floor(log10(max(abs(low), abs(high)))) + 1
    for power in range(top, top - DIGITS, -1):
        for step in STEPS:
            count = round(middle / (step * 10.0**power))
            tried = (float(f"{multiple * step}e{power}") for multiple in (count, count - 1, count + 1))
            inside = [number for number in tried if low <= number <= high]
            if inside:
                return min(inside, key=lambda number: abs(number - middle))
    return low


def roundness(number: float) -> int:
    """Count the digits needed to write a finite number, trailing zeros aside: fewer is rounder."""
    digits = f"{abs(number):.{DIGITS - 1}e}".split("e")[0].replace(".", "").rstrip("0")
    return len(digits)
