"""The first objective: the fewest columns for everybody or for a share, or the most people with a few.

The loop is the same for every source and goal. A master (``masters/``) finds the best of the columns that are
known and proves what it can about all. The source then asks the classifier about what a better answer would
use, and as long as that brings something new, the master goes on from where it stands. Where a gap remains
and the source can tell two cases apart, such as that two rows share a column or do not, each case is a
source of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.context import Context
from oneformany.engine.sources.protocol import ColumnSource
from oneformany.engine.standing import Cases, Standing, nothing_known
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.result.explanation import Explanation


@dataclass(eq=False)
class _Part:
    """A case: what is known about it, and the two cases that it falls into, if it was split."""

    bound: int = 0
    standing: Standing | None = None
    pair: tuple[int, int] = (0, 0)
    halves: tuple["_Part", ...] = ()

    def learn(self, standing: Standing) -> None:
        """Keep what is known; whatever was proved before about a case that holds this one holds here."""
        self.standing, self.bound = standing, max(self.bound, standing.bound)

    def split(self, pair: tuple[int, int]) -> tuple["_Part", ...]:
        """Fall into two cases."""
        self.pair, self.halves = pair, (_Part(self.bound), _Part(self.bound))
        return self.halves

    def full(self) -> Standing | None:
        """What is known here, unless the halves prove more."""
        both = [standing for half in self.halves if (standing := half.full()) is not None]
        if self.standing is None or len(both) < 2:
            return self.standing
        cases = Cases(self.pair, *both)
        return self.standing.by_cases(cases) if cases.bound > self.standing.bound else self.standing


def choose(source: ColumnSource, run: Context, start: Sequence[Explanation] = ()) -> Standing:
    """Choose columns of a source for the goal of a run, from an answer that is known."""
    known, root = columns_holding(source.table, run.problem, start), _Part()
    best, waiting, closed = nothing_known(source.table), [(root, source)], list[int]()
    while waiting and not (root.standing and run.stop.expired()):
        part, case = min(waiting, key=lambda one: one[0].bound)
        waiting.remove((part, case))
        best = settled(case, run, known)
        part.learn(best)
        halves = None if part.bound >= len(best.chosen) else case.split(run)
        if halves is None:
            closed.append(part.bound)
            continue
        waiting.extend(zip(part.split(halves.pair), halves.sources, strict=True))
        bound = min([*closed, *(part.bound for part, _ in waiting)])
        run.report("branch", len(best.table), float(part.bound), (len(best.chosen), bound))
    return best.proved_by(root.full() or best)


def settled(source: ColumnSource, run: Context, known: IntArray) -> Standing:
    """Choose again and again, as long as asking the classifier changes what there is to choose from."""
    begun, standing = run.stop.elapsed(), nothing_known(source.table)
    hasty = source.usable < len(source.table)
    while len(source.table):
        standing = source.better(run, standing, known, hasty=hasty)
        asked = source.settle(standing, run) if len(standing.open) else None
        if asked is None and not hasty:
            # What is open now are rows. As much time as choosing took is kept for choosing again.
            seconds = max(0.0, run.stop.remaining() - (run.stop.elapsed() - begun))
            asked = source.settle(standing.closed, replace(run, stop=run.stop.part(seconds)))
        if asked is not None:
            known, hasty = asked, source.usable < len(source.table)
        elif hasty:
            known, hasty = standing.chosen, False
        else:
            break
    return standing


def columns_holding(table: ColumnTable, problem: Problem, explanations: Sequence[Explanation]) -> IntArray:
    """For each of some explanations a column that holds all of its rows, if there is one; none twice."""
    found = []
    for explanation in explanations:
        rows = np.unique(problem.row_of[list(explanation.members)])
        held = table.incidence.loads(np.isin(np.arange(table.n_rows), rows).astype(np.int64))
        if held.max(initial=0) == len(rows):
            found.append(int(held.argmax()))
    return np.unique(np.array(found, dtype=np.int64))
