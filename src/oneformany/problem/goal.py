"""What is wanted of an answer: cover everybody, do the most with a few, or reach a share."""

import math
from dataclasses import dataclass
from numbers import Real

from oneformany.exceptions import Argument, InputError
from oneformany.schema.feature import is_integer

MOST_PEOPLE = 2**40  # are asked about: what a result file carries


@dataclass(frozen=True)
class Goal:
    """How many explanations may be used, or how many rows must be covered.

    Attributes
    ----------
    explanations : int or None
        At most so many; then as many rows as possible are covered. ``None``: as many as are needed.
    coverage : float or None
        Share of the given rows that must be covered, by the fewest explanations, then at the least cost: rows
        beyond that share whom the explanations would cost something are left out. Beside ``explanations``,
        which come first: 1.0 asks for the least cost of covering everybody with so many. ``None``: every row
        that can be helped.

    Examples
    --------
    >>> Goal(explanations=10).limited
    True
    >>> Goal(coverage=0.9).needed(rows=15)
    14
    """

    explanations: int | None = None
    coverage: float | None = None

    def __post_init__(self) -> None:
        k = self.explanations
        if k is not None and not is_integer(k, 1):
            raise InputError(
                Argument("explanations", bare=True), f" is {k!r}; it must be an integer of at least 1"
            )
        if k is not None and k > MOST_PEOPLE:
            raise InputError(
                Argument("explanations", bare=True),
                f" is {k}; more than {MOST_PEOPLE:,} rows are never asked about",
            )
        q = self.coverage
        if q is not None and (isinstance(q, bool) or not isinstance(q, Real) or not 0 < q <= 1):
            raise InputError(Argument("coverage", bare=True), f" is {q!r}; it must be above 0 and at most 1")
        object.__setattr__(self, "explanations", None if k is None else int(k))
        object.__setattr__(self, "coverage", None if q is None else float(q))

    @property
    def limited(self) -> bool:
        """Whether some rows may be left out although they can be helped."""
        return self.explanations is not None or self.coverage is not None

    def needed(self, rows: int) -> int:
        """Rows that must be covered, of so many that were given: at least one, however small the share."""
        share = 1.0 if self.coverage is None else self.coverage
        # The share is what the user wrote, 0.9 say, not the binary number next to it.
        return min(rows, max(1, math.ceil(round(share * rows, 9))))
