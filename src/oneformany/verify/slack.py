"""How much more rows may pay than their cheapest way alone, as a file says it."""

from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np

from oneformany.verify.reading import MOST_LEVELS, BoolArray, IntArray, Json

MOST = 2**30  # of each number
NEVER_TOO_MUCH = 2**62


class Slack(NamedTuple):
    """What rows may pay, and why."""

    known: BoolArray  # (n,) rows that have a way alone
    ends: IntArray  # (n, p) the cells that it leads to
    least: IntArray  # (n,) what it costs
    most: IntArray  # (n,) what a row may pay; NEVER_TOO_MUCH where it has no way

    @classmethod
    def of(cls, given: Json, known: BoolArray, ends: IntArray, least: IntArray, scale: int) -> Self:
        """Work out what rows may pay; decimals are what they say, in units of which so many make one."""
        for name, fewest in (("more", 0), ("times", 1)):
            if not fewest <= given[name].number() <= MOST:
                given[name].fail(f"must be a number from {fewest} to {MOST}")
        more, times = (Fraction(repr(given[name].value)) for name in ("more", "times"))
        different, which = np.unique(least, return_inverse=True)
        bounds = [int(min(NEVER_TOO_MUCH, times * one + more * scale)) for one in different.tolist()]
        most = np.array(bounds, dtype=np.int64)[which.ravel()]
        return cls(known, ends, least, np.where(known, most, NEVER_TOO_MUCH))


def read_ways(given: Json, codes: IntArray, levels: tuple[int, ...]) -> tuple[BoolArray, IntArray]:
    """Read which rows have a way alone, and the cells that it leads to."""
    known, ends = np.ones(len(codes), dtype=np.bool_), codes.copy()
    for row, way in enumerate(given.entries(len(codes))):
        known[row] = way.value is not None
        if not known[row]:
            continue
        features, cells = way.matrix(0, MOST_LEVELS, 2).T
        way.same(features.tolist()).distinct(len(levels) - 1)
        if (cells >= np.array(levels)[features]).any():
            way.fail("leads to a cell that is not there")
        ends[row, features] = cells
    return known, ends
