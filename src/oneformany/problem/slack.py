"""How much more a row may be asked for than the cheapest change that would help it alone."""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.plain import Plain
from oneformany.problem.costs import LARGEST_COST
from oneformany.schema.feature import is_finite

NOTHING = -1  # what a row may pay that may follow nothing, as no least cost of it is known
TIMES = " times"
ANYTHING = 2**62  # more than any row could pay


@dataclass(frozen=True)
class Slack(Plain):
    """A row follows an explanation only if that costs it so much more at most than its own cheapest way.

    Both may be given; decimals are what they say, not the binary numbers next to them.

    Attributes
    ----------
    more : float
        So much more, as costs are counted; in changes, where no costs are given.
    times : float
        So many times as much, before that is added.

    Examples
    --------
    >>> Slack(more=1).most(np.array([2, 3])).tolist()
    [3, 4]
    >>> Slack(times=1.5).most(np.array([2, 3])).tolist()
    [3, 4]
    """

    more: float = 0.0
    times: float = 1.0

    def __post_init__(self) -> None:
        for name, least, most in (("more", 0, LARGEST_COST), ("times", 1, LARGEST_COST)):
            value = getattr(self, name)
            if not is_finite(value) or not least <= value <= most:
                raise InputError(f"{name}= of a slack is {value!r}; it must be a number from {least} on")
            object.__setattr__(self, name, float(value))

    @classmethod
    def of(cls, given: object) -> "Slack | None":
        """Take a number as so much more, and a text such as "1.5 times"."""
        if given is None or isinstance(given, Slack):
            return given
        if isinstance(given, str) and given.endswith(TIMES):
            with suppress(ValueError):
                return cls(times=float(given.removesuffix(TIMES)))
        if not is_finite(given):
            raise InputError(
                f"slack is {given!r}; it must be a number, such as 1 for one more, a text such as "
                '"1.5 times", or None'
            )
        return cls(more=given)

    def most(self, least: IntArray, scale: int = 1) -> IntArray:
        """What rows may pay, by what each pays at least alone, in integers of which so many make one."""
        times, more = Fraction(repr(self.times)), Fraction(repr(self.more)) * scale
        different, which = np.unique(least, return_inverse=True)
        bounds = [min(ANYTHING, int(times * one + more)) for one in different.tolist()]
        return np.array(bounds, dtype=np.int64)[which.ravel()]


@dataclass(frozen=True, eq=False)
class Alone:
    """The cheapest way of each distinct row by itself, as far as it is proved.

    Attributes
    ----------
    ends : (d, p) integer array
        The cells that each goes to, of rows with a known way.
    known : (d,) boolean array
        The rows with a way that nothing undercuts.
    beyond : (d,) boolean array
        The rows that nothing helps. Of all others nothing is known.

    Examples
    --------
    >>> alone = Alone(np.array([[1, 0]]), np.array([True]), np.array([False]))
    >>> alone.ends.tolist()
    [[1, 0]]
    """

    ends: IntArray
    known: BoolArray
    beyond: BoolArray
