"""Good covers of many rows: rounding a relaxation step by step, then exact repairs of small parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.integer_program import program
from oneformany.engine.cover.primal_kernels import greedy, neighbourhood, without_superfluous
from oneformany.stop import Stop

__all__ = ["Repair", "dive", "greedy_columns"]

STEPS_PER_DIVE = 50
SHARE_PER_DIVE = 0.05
FIRST_FREED = 60
FEWEST_FREED = 20
MOST_FREED = 400
SECONDS_PER_REPAIR = 2.0


def greedy_columns(incidence: Incidence) -> IntArray:
    """Cover every row that can be covered, largest gain first; drop what turns out to be superfluous."""
    return without_superfluous(incidence, greedy(incidence, np.ones(incidence.n_rows)))


def dive(incidence: Incidence, core: IntArray, relaxation: FirstOrder, stop: Stop) -> IntArray | None:
    """Round the relaxation: take its surest columns, go on with the rows that are left, and so on.

    The columns of the core together cover whatever can be covered. Returns ``None`` when time was up.
    """
    needed = incidence.reachable.copy()
    chosen: list[int] = []
    values = relaxation.values[core]
    duals = relaxation.duals.copy()
    columns = core
    while needed.any():
        if stop.expired():
            return None
        part, kept = incidence.part(columns, needed)
        if chosen:
            below = FirstOrder(part)
            below.values, below.duals = values, duals[kept]
            below.advance(STEPS_PER_DIVE, stop)
            values = below.values
            duals[kept] = below.duals
        covered = np.zeros(part.n_rows, dtype=np.bool_)
        size = max(1, int(SHARE_PER_DIVE * part.n_rows / 7), int((values > 0.98).sum()))
        for index, column in enumerate(np.argsort(-values, kind="stable")[:size].tolist()):
            group = part.group(column)
            sure = values[column] > 0.5 or index <= size // 4
            if sure and len(group) and 4 * int((~covered[group]).sum()) >= 3 * len(group):
                covered[group] = True
                chosen.append(int(columns[column]))
        if not covered.any():
            column = int(np.argmax(np.diff(part.starts)))
            covered[part.group(column)] = True
            chosen.append(int(columns[column]))
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

    def run(self, bound: int, stop: Stop, most_failures: int, improved: Callable[[], None]) -> None:
        """Repair until the bound is met, time is up, or nothing has helped for long."""
        failures = 0
        while int(self.inside.sum()) > bound and failures < most_failures:
            if self.complete or stop.expired():
                break
            self.repairs += 1
            failures += 1
            if self._once(stop):
                failures = 0
                improved()

    def _once(self, stop: Stop) -> bool:
        row = int(self._random.choice(self._rows))
        size = min(self.freed, int(self.inside.sum()))
        freed = neighbourhood(self.part, self.inside, row, size)
        kept = self.inside.copy()
        kept[freed] = False
        needed = self.part.reachable & ~self.part.covered_by(np.flatnonzero(kept))
        if not needed.any():
            self.inside = kept
            return True
        columns = self.part.columns_of(np.flatnonzero(needed))
        small, _ = self.part.part(columns, needed)
        seconds = min(SECONDS_PER_REPAIR, stop.remaining())
        found = program(small, seconds, np.flatnonzero(np.isin(columns, freed)))
        if found.proved:
            self.complete = len(freed) == int(self.inside.sum())
            self.freed = min(MOST_FREED, self.freed + self.freed // 10 + 1)
        else:
            self.freed = max(FEWEST_FREED, self.freed * 4 // 5)
        if found.chosen is None or not small.covered_by(found.chosen).all():
            return False
        kept[columns[found.chosen]] = True
        better = int(kept.sum()) < int(self.inside.sum())
        if int(kept.sum()) <= int(self.inside.sum()):
            self.inside = kept
        return better
