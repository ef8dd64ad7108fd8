"""Good covers of many rows: rounding a relaxation step by step, then exact repairs of small parts."""

from collections.abc import Callable

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.greedy import greedy, without_superfluous
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.program import best_columns
from oneformany.stop import Stop

STEPS_PER_DIVE = 50  # between two roundings: enough to see which columns a choice leaves without use
# Of the rows, at seven rows a column, is settled by a rounding: fewer take longer, more are worse
SHARE_PER_DIVE = 0.05
FIRST_FREED = 60  # columns that the first repair gives up; later ones as many as can be settled in time
FEWEST_FREED = 20  # with fewer, a program finds what swaps find
MOST_FREED = 400  # with more, no program ends within its seconds
SECONDS_PER_REPAIR = 2.0  # for one program: many small ones win more than one that is long
REPAIR_ENTRIES = 50_000  # of a program; with more, HiGHS takes far longer than it is given


def dive(relaxation: FirstOrder, core: IntArray, stop: Stop) -> IntArray:
    """Round the relaxation: take its surest columns, go on with the rows that are left, and so on.

    It ends when no more people are left uncovered than can be spared; the columns of the core together cover
    so many. When time is up, it goes on greedily.
    """
    incidence, people = relaxation.incidence, relaxation.worth.astype(np.int64)
    needed = incidence.reachable.copy()
    chosen: list[int] = []
    columns, values, duals = core, relaxation.values[core], relaxation.duals.copy()
    spare = relaxation.spare - int(people[~needed].sum())
    while people[needed].sum() > spare:
        part, kept = incidence.part(columns, needed)
        if stop.expired():
            chosen += columns[greedy(part, people[kept])].tolist()
            break
        if chosen:
            below = FirstOrder(part, people[kept], spare=spare)
            below.values, below.duals = values, duals[kept]
            below.advance(STEPS_PER_DIVE, stop)
            values, duals[kept] = below.values, below.duals
        covered = np.zeros(part.n_rows, dtype=np.bool_)
        size = max(1, int(SHARE_PER_DIVE * part.n_rows / 7), int((values > 0.98).sum()))
        for index, column in enumerate(np.argsort(-values, kind="stable")[:size].tolist()):
            group = part.group(column)
            sure = values[column] > 0.5 or (index <= size // 4 and values[column] > 0.0)
            if sure and len(group) and 4 * int((~covered[group]).sum()) >= 3 * len(group):
                covered[group] = True
                chosen.append(int(columns[column]))
        if not covered.any():
            column = int(np.argmax(part.loads(people[kept])))
            covered[part.group(column)] = True
            chosen.append(int(columns[column]))
        needed[kept[covered]] = False
        columns, values = columns[part.sizes > 0], values[part.sizes > 0]
    return without_superfluous(incidence, np.array(chosen, dtype=np.int64))


class Repair:
    """Free the columns in use near some row, replace them by an exact program, and repeat.

    As few columns as possible cover what they alone covered; where rows count ``people``, as many columns
    cover as many people as possible. A repair may choose from the columns of the core, besides those in use.
    It is *complete* once a program over everything was solved, so that no further repair can help.
    """

    def __init__(
        self,
        incidence: Incidence,
        core: IntArray,
        chosen: IntArray,
        seed: int,
        people: IntArray | None = None,
    ) -> None:
        self.core = np.union1d(core, chosen)
        self.part, _ = incidence.part(self.core, np.ones(incidence.n_rows, dtype=np.bool_))
        self.inside = np.isin(self.core, chosen)
        self.people = people
        self._each = np.ones(incidence.n_rows, dtype=np.int64) if people is None else people
        self.repairs, self.freed, self.complete = 0, FIRST_FREED, False
        self._random = np.random.default_rng(seed)

    @property
    def chosen(self) -> IntArray:
        """The columns now."""
        return self.core[self.inside]

    @property
    def covered(self) -> int:
        """The people, or the rows, that they cover."""
        return int(self._each[self.part.covered_by(np.flatnonzero(self.inside))].sum())

    def meets(self, goal: int) -> bool:
        """Whether so many people are covered, or everybody by no more than so many columns."""
        return int(self.inside.sum()) <= goal if self.people is None else self.covered >= goal

    def run(
        self, goal: int, stop: Stop, most_failures: int, improved: Callable[[], None] = lambda: None
    ) -> None:
        """Repair until the goal is met, time is up, or so many repairs in a row did not help."""
        failures = 0
        while not (self.meets(goal) or failures >= most_failures or self.complete or stop.expired()):
            self.repairs += 1
            failures += 1
            if self._once(stop):
                failures = 0
                improved()

    def drop(self) -> None:
        """Do without the column whose loss leaves the fewest people uncovered."""
        used = np.flatnonzero(self.inside)
        part, kept = self.part.part(used, self.part.reachable)
        losses = part.loads(np.where(np.diff(part.row_starts) == 1, self._each[kept], 0))
        self.inside[used[losses.argmin()]] = False
        self.complete = False

    def _once(self, stop: Stop) -> bool:
        """Free some columns, and say whether others do better."""
        part, reachable = self.part, self.part.reachable
        freed = part.near(int(self._random.choice(np.flatnonzero(reachable))), self.inside, self.freed)
        kept = self.inside.copy()
        kept[freed] = False
        bare = reachable & ~part.covered_by(np.flatnonzero(kept))
        alone = bare & part.covered_by(freed)
        if not alone.any():  # nobody misses these columns, nor is anybody seen who would need them
            if self.people is None:
                self.inside = kept
            return self.people is None
        # Where all are free, what lies apart counts as well.
        columns = part.columns_of(np.flatnonzero(alone)) if kept.any() else np.arange(part.n_columns)
        small, rows = part.part(columns, bare & part.covered_by(columns))
        people = None if self.people is None else self.people[rows]
        if people is not None and len(small.rows) > REPAIR_ENTRIES:
            self.freed = max(1, self.freed // 2)
            return False
        seconds = min(SECONDS_PER_REPAIR, stop.remaining())
        found = best_columns(small, seconds, np.flatnonzero(np.isin(columns, freed)), people, len(freed))
        if found.proved:  # free more columns after that, fewer after a program that was too large
            self.complete = len(freed) == int(self.inside.sum())
            self.freed = min(MOST_FREED, self.freed + self.freed // 10 + 1)
        else:
            self.freed = max(FEWEST_FREED, self.freed * 4 // 5)
        if found.chosen is None or len(found.chosen) > len(freed):
            return False
        reached = small.covered_by(found.chosen)
        if people is None:
            gain = len(freed) - len(found.chosen) if reached.all() else -1
        else:
            gain = int(people[reached].sum()) - int(people[alone[rows]].sum())
        if gain >= 0:
            kept[columns[found.chosen]] = True
            self.inside = kept
        return gain > 0
