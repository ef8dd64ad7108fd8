"""People of whom a result holds nothing but their number: their rows stay where they are."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.plain import Plain, integers


@dataclass(frozen=True)
class Others(Plain):
    """How many refused people there are beside the rows of a result, and what is known of them.

    Whoever is neither covered nor beyond help nor undecided is left out: it can be helped, but not within the
    goal.

    Attributes
    ----------
    people : int
        How many there are.
    by : tuple of int
        How many of them each explanation covers, as :meth:`oneformany.Result.assign` gives them out.
    unreachable : int
        How many are proved to be beyond help.
    undecided : int
        How many are not covered, and it is not known whether they can be helped.

    Examples
    --------
    >>> Others(people=10, by=(6, 2), unreachable=1, undecided=0).left_out
    1
    """

    people: int
    by: tuple[int, ...]
    unreachable: int
    undecided: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", integers(self.by))
        if min(self.people, *self.by, self.unreachable, self.undecided, self.left_out) < 0:
            raise ValueError("the numbers of other people do not add up")

    @property
    def covered(self) -> int:
        """How many have an explanation."""
        return sum(self.by)

    @property
    def left_out(self) -> int:
        """How many can be helped, but have no explanation."""
        return self.people - self.covered - self.unreachable - self.undecided
