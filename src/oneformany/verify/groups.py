"""Whether groups of people are helped alike, as a file says: the shares of them that have an explanation."""

from typing import NamedTuple

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import IntArray, Json, NotConfirmedError

MOST_GROUPS = 1000
LARGEST = 2**40


class Alike(NamedTuple):
    """Groups that were to be helped alike."""

    groups: IntArray  # (n,) the group of each given row
    people: IntArray  # of each group
    helped: IntArray  # of these, who have an explanation
    part: int  # shares may differ by part / whole
    whole: int
    bound: int  # no more people are helped so; or no fewer explanations help so many

    def check(self, people: IntArray, covered: IntArray) -> str:
        """Confirm the numbers of people, and that no two shares differ by more."""
        count = len(self.people)
        for told, counted, what in (
            (self.people, np.bincount(self.groups, people, count), "people"),
            (self.helped, np.bincount(self.groups[covered], people[covered], count), "people who are helped"),
        ):
            for group in np.flatnonzero(told != counted)[:1].tolist():
                raise CertificateError(f"group {group} has {counted[group]:.0f} {what}, not {told[group]}")
        helped, sizes = self.helped.tolist(), self.people.tolist()
        for one in range(count):
            for other in range(count):
                apart = helped[one] * sizes[other] - helped[other] * sizes[one]
                if apart * self.whole > self.part * sizes[one] * sizes[other]:
                    raise CertificateError(
                        f"groups {one} and {other} differ by more than {self.part}/{self.whole}"
                    )
        return f"{count} groups, at most {self.part}/{self.whole} apart"

    def check_bound(self, proved: int, *, fewest: bool) -> str:
        """Confirm what is said of all answers, where it follows from what holds without groups."""
        if self.bound <= proved if fewest else self.bound >= proved:
            return "it follows from what holds without groups"
        raise NotConfirmedError(
            "this release checks this only where it follows from what holds without groups"
        )


def read_alike(given: Json, rows: int) -> Alike | None:
    """Read the groups of a problem, if it has any."""
    if not given.has("between"):
        return None
    told = given["between"]
    names = told["names"].entries()
    count = sum(1 for name in names if name.text() or True)
    if not 2 <= count <= MOST_GROUPS:
        raise CertificateError(f"{told.path}.names has {count} groups, not 2 to {MOST_GROUPS}")
    told["by"].text()
    part, whole = told["within"].integers(0, LARGEST, 2)
    for name in ("count", "lower_bound", "covered", "covered_bound"):
        told["without"][name].integer(0, LARGEST)
    return Alike(
        groups=told["groups"].array(0, count - 1, rows),
        people=told["people"].array(1, LARGEST, count),
        helped=told["helped"].array(0, LARGEST, count),
        part=part,
        whole=max(1, whole),
        bound=told["bound"].integer(0, LARGEST),
    )
