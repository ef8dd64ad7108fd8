"""Good covers of many rows: rounding a relaxation step by step, then exact repairs of small parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.duals_kernels import integer_loads
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.integer_program import program
from oneformany.engine.cover.primal_kernels import greedy, neighbourhood, without_superfluous
from oneformany.stop import Stop

STEPS_PER_DIVE = 50
SHARE_PER_DIVE = 0.05
SHARE_WITH_PEOPLE = 0.2  # rougher, in less than half the time
FIRST_FREED = 60
FEWEST_FREED = 20
MOST_FREED = 400
SECONDS_PER_REPAIR = 2.0
MOST_ENTRIES = 50_000  # of a program; with more, HiGHS takes far longer than it is given


def greedy_columns(incidence: Incidence) -> IntArray:
    """Cover every row that can be covered, largest gain first; drop what turns out to be superfluous."""
    return without_superfluous(incidence, greedy(incidence, np.ones(incidence.n_rows)))


def dive(
    incidence: Incidence,
    core: IntArray,
    relaxation: FirstOrder,
    stop: Stop,
    people: IntArray | None = None,
    enough: int | None = None,
) -> IntArray | None:
    """Round the relaxation: take its surest columns, go on with the rows that are left, and so on.

    The columns of the core together cover whatever can be covered, or at least ``enough`` of the ``people``
    that the rows count; then the dive ends there. When time was up, it returns ``None``, or, with ``enough``,
    goes on greedily.
    """
    needed = incidence.reachable.copy()
    people = np.ones(incidence.n_rows, dtype=np.int64) if people is None else people
    lacking = int(people[needed].sum()) if enough is None else enough
    part_taken = SHARE_PER_DIVE if enough is None else SHARE_WITH_PEOPLE
    chosen: list[int] = []
    values = relaxation.values[core]
    duals, price, balance = relaxation.duals.copy(), relaxation.price, relaxation.balance
    columns = core
    while lacking > 0:
        if stop.expired() and enough is None:
            return None
        part, kept = incidence.part(columns, needed)
        if stop.expired():
            chosen += columns[greedy(part, people[kept].astype(np.float64))].tolist()
            break
        if chosen:
            left = None if relaxation.budget < 0 else max(1, int(relaxation.budget) - len(chosen))
            below = FirstOrder(part, relaxation.upper[kept], left)
            below.price, below.balance = price, balance
            below.values, below.duals = values, duals[kept]
            below.advance(STEPS_PER_DIVE, stop)
            values, price, balance = below.values, below.price, below.balance
            duals[kept] = below.duals
        covered = np.zeros(part.n_rows, dtype=np.bool_)
        size = max(1, int(part_taken * part.n_rows / 7), int((values > 0.98).sum()))
        for index, column in enumerate(np.argsort(-values, kind="stable")[:size].tolist()):
            group = part.group(column)
            sure = values[column] > 0.5 or (index <= size // 4 and values[column] > 0.0)
            if sure and len(group) and 4 * int((~covered[group]).sum()) >= 3 * len(group):
                covered[group] = True
                chosen.append(int(columns[column]))
        if not covered.any():
            column = int(np.argmax(integer_loads(part, people[kept])))
            covered[part.group(column)] = True
            chosen.append(int(columns[column]))
        lacking -= int(people[kept[covered]].sum())
        needed[kept[covered]] = False
        alive = np.diff(part.starts) > 0
        columns, values = columns[alive], values[alive]
    return without_superfluous(incidence, np.array(chosen, dtype=np.int64))


class Repair:
    """Free the columns in use near some row, cover what they alone covered by an exact program, and repeat.

    A repair may choose from the columns of the core, besides those in use. It is *complete* once a program
    over everything was solved, so that no further repair can help.
    """

    def __init__(self, incidence: Incidence, core: IntArray, chosen: IntArray, seed: int) -> None:
        self.incidence = incidence
        self.core = np.union1d(core, chosen)
        self.part, _ = incidence.part(self.core, np.ones(incidence.n_rows, dtype=np.bool_))
        self.inside = np.isin(self.core, chosen)
        self.repairs = 0
        self.freed = FIRST_FREED
        self.complete = False
        self._random = np.random.default_rng(seed)
        self._rows = np.flatnonzero(self.part.reachable)

    @property
    def chosen(self) -> IntArray:
        """The cover now."""
        return self.core[self.inside]

    def run(
        self, goal: int, stop: Stop, most_failures: int, improved: Callable[[], None] = lambda: None
    ) -> None:
        """Repair until the goal is met, time is up, or nothing has helped for long."""
        failures = 0
        while not self.meets(goal) and failures < most_failures:
            if self.complete or stop.expired():
                break
            self.repairs += 1
            failures += 1
            if self._once(stop):
                failures = 0
                improved()

    def meets(self, goal: int) -> bool:
        """Whether there are no more than so many columns."""
        return int(self.inside.sum()) <= goal

    def _once(self, stop: Stop) -> bool:
        freed, kept = self._free()
        needed = self.part.reachable & ~self.part.covered_by(np.flatnonzero(kept))
        if not needed.any():
            self.inside = kept
            return True
        columns = self.part.columns_of(np.flatnonzero(needed))
        small, _ = self.part.part(columns, needed)
        found = program(small, self._seconds(stop), np.flatnonzero(np.isin(columns, freed)))
        self._learn(freed, proved=found.proved)
        if found.chosen is None or not small.covered_by(found.chosen).all():
            return False
        kept[columns[found.chosen]] = True
        better = int(kept.sum()) < int(self.inside.sum())
        if int(kept.sum()) <= int(self.inside.sum()):
            self.inside = kept
        return better

    def _free(self) -> tuple[IntArray, BoolArray]:
        """Columns in use near some row, and which ones are in use without them."""
        row = int(self._random.choice(self._rows))
        freed = neighbourhood(self.part, self.inside, row, min(self.freed, int(self.inside.sum())))
        kept = self.inside.copy()
        kept[freed] = False
        return freed, kept

    def _seconds(self, stop: Stop) -> float:
        return min(SECONDS_PER_REPAIR, stop.remaining())

    def _learn(self, freed: IntArray, *, proved: bool) -> None:
        """Free more columns after a program that was solved, fewer after one that was too large."""
        if proved:
            self.complete = len(freed) == int(self.inside.sum())
            self.freed = min(MOST_FREED, self.freed + self.freed // 10 + 1)
        else:
            self.freed = max(FEWEST_FREED, self.freed * 4 // 5)


class PeopleRepair(Repair):
    """Free columns in the same way, and let as many others cover as many people as possible."""

    def __init__(
        self, incidence: Incidence, core: IntArray, chosen: IntArray, seed: int, people: IntArray
    ) -> None:
        super().__init__(incidence, core, chosen, seed)
        self.people = people
        self.covered = int(people[self.part.covered_by(np.flatnonzero(self.inside))].sum())

    def meets(self, goal: int) -> bool:
        """Whether so many people are covered."""
        return self.covered >= goal

    def drop(self) -> None:
        """Do without the column whose loss leaves the fewest people uncovered."""
        used = np.flatnonzero(self.inside)
        part, _ = self.part.part(used, self.part.reachable)
        people = self.people[self.part.reachable]
        losses = integer_loads(part, np.where(np.diff(part.row_starts) == 1, people, 0))
        self.inside[used[losses.argmin()]] = False
        self.covered -= int(losses.min())
        self.complete = False

    def _once(self, stop: Stop) -> bool:
        freed, kept = self._free()
        bare = self.part.reachable & ~self.part.covered_by(np.flatnonzero(kept))
        alone = bare & self.part.covered_by(freed)
        if not alone.any():  # nobody misses these columns, nor is anybody seen who would need them
            return False
        columns = self.part.columns_of(np.flatnonzero(alone))
        if not kept.any():  # all are free: what lies apart counts as well
            columns = np.arange(self.part.n_columns)
        small, rows = self.part.part(columns, bare & self.part.covered_by(columns))
        if len(small.rows) > MOST_ENTRIES:
            self.freed = max(1, self.freed // 2)
            return False
        start = np.flatnonzero(np.isin(columns, freed))
        found = program(small, self._seconds(stop), start, self.people[rows], len(freed))
        self._learn(freed, proved=found.proved)
        if found.chosen is None or len(found.chosen) > len(freed):
            return False
        gain = int(self.people[rows][small.covered_by(found.chosen)].sum()) - int(self.people[alone].sum())
        if gain < 0:
            return False
        kept[columns[found.chosen]] = True
        self.inside = kept
        self.covered += gain
        return gain > 0
