"""The most people that a few columns help while groups are helped alike, and the fewest columns for a share.

Groups are helped alike if the shares of their people that are helped differ by at most ``within``. Whoever is
in a chosen column may be left out for that. So of the columns only one thing counts: how many people of each
group they hold. No share exceeds the least one by more than ``within``: whoever is too many is left out,
which may make another share the least one, until nobody is too many. More people in any group never make
fewer people helped. So that bounds a whole part of the search: at the numbers
that a part has at most, which are those of the columns that are chosen there, and for each group the largest
gains of the columns that may still be chosen. All of it is counted in integers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.choose import choose
from oneformany.engine.context import Context
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.solve import Answering, told
from oneformany.engine.sources.opening import open_source
from oneformany.engine.standing import CostStanding, Standing
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.table import ColumnTable
from oneformany.exceptions import InputError
from oneformany.result.facts import Asker
from oneformany.result.result import Result
from oneformany.schedule import SCHEDULE
from oneformany.stop import Stop

SWEEPS = 20  # of exchanges of one column for another: more never helped where it was looked at
CHEAPER = 1e-3  # of a person: what it counts that somebody pays much, so that the dearest are left out
LEAVING_OUT = 10.0  # seconds for whom to leave out: rows that stand for many people make that a knapsack
LOOKED_AT = 200  # columns that an exchange tries: those that hold most people of some group

Noting = Callable[[Result, IntArray, int], Asker]
"""Makes whoever asks, of what is known before the result is."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of people who are to be helped alike.

    Attributes
    ----------
    counts : array of int
        ``(distinct rows, groups)``: people of each group.
    within : Fraction
        By how much the shares of people helped may differ.
    """

    counts: IntArray
    within: Fraction

    @cached_property
    def people(self) -> IntArray:
        """How many people each group has."""
        return np.asarray(self.counts.sum(axis=0))

    def most(self, held: IntArray) -> IntArray:
        """How many people of each group are helped at most, of so many that columns hold."""
        part, whole = self.within.numerator, self.within.denominator
        helped, sizes = held.tolist(), self.people.tolist()
        while True:
            least = min(range(len(sizes)), key=lambda group: Fraction(helped[group], sizes[group]))
            above, below = helped[least] * whole + part * sizes[least], sizes[least] * whole
            fewer = [min(n, above * of // below) for n, of in zip(helped, sizes, strict=True)]
            if fewer == helped:
                return np.array(helped, dtype=np.int64)
            helped = fewer


@dataclass(frozen=True, eq=False)
class FairAnswer:
    """Columns that were chosen, whom they help, and what is proved.

    Attributes
    ----------
    chosen : array of int
        The columns.
    helped : array of int
        People of each group who are helped.
    bound : int
        No so many columns help more people while groups are helped alike.
    """

    chosen: IntArray
    helped: IntArray
    bound: int


@dataclass(frozen=True, eq=False)
class FairResult:
    """The answer, and what it would be without the condition.

    Attributes
    ----------
    result, free : Result
        With it, and without.
    helped : array of int
        People of each group who are helped.
    bound : int
        Proved: the most people that so many explanations help alike; or, for a share of the people, the
        fewest explanations.
    """

    result: Result
    free: Result
    helped: IntArray
    bound: int


def solve_fair(run: Context, groups: Groups, asker: Noting | None = None) -> FairResult:
    """Choose for the goal of a run, of explanations or of a share, while groups are helped alike.

    Whoever asks is made when it is known what the answer without the condition is, whom this one helps, and
    what is proved.
    """
    whole = run.stop
    first_run = replace(run, stop=SCHEDULE.free.of(whole))
    source = open_source(first_run)
    first = choose(source, first_run)
    free = told(source, run, first)
    if not source.table.complete:  # whom the others hold, nobody asked
        first = replace(first, table=first.columns, chosen=np.arange(len(first.chosen)))
    table = first.table
    search = FairSearch(table.incidence, groups, run.stop)
    search.complete = source.table.complete and bool((source.reachable | source.unreachable).all())
    if run.goal.explanations is not None:
        found = search.best(run.goal.explanations, first.chosen)
        # What is proved without the condition holds all the more with it
        bound = min(found.bound, free.people if free.covered_bound is None else free.covered_bound)
    else:
        found, bound = _for_a_share(search, first, run.goal.needed(int(groups.people.sum())))
    chosen, owner = _assigned(table, found, groups)
    helped = np.asarray(groups.counts[owner >= 0].sum(axis=0))
    standing = replace(first, chosen=chosen, covered=int(helped.sum()))
    cheap = CostStanding(table, chosen, owner, 0, None)
    plain = replace(run, options=replace(run.options, least_cost=False))  # nobody looks for the least cost
    met = bound == (int(helped.sum()) if run.goal.explanations is not None else len(chosen))
    asking = None if asker is None else Answering(plain, asker(free, helped, bound))
    result = told(source, plain, standing, cheap, asking, proved=met)
    return FairResult(result, free, helped, bound)


def _for_a_share(search: "FairSearch", first: Standing, needed: int) -> tuple[FairAnswer, int]:
    """The fewest columns that help so many people, and how few are proved to be too few."""
    everything = search.groups.most(search.held(np.arange(search.incidence.n_columns)))
    if everything.sum() < needed:
        raise InputError(
            f"coverage asks for {needed:,} people, but where groups are to be helped alike at most "
            f"{int(everything.sum()):,} can be; lower coverage= or raise within="
        )
    proved, number = first.bound, max(1, first.bound)
    while True:
        found = search.best(number, first.chosen, target=needed)
        if found.bound < needed and proved == number:
            proved = number + 1
        if found.helped.sum() >= needed:
            return found, min(proved, len(found.chosen))
        number += 1


class FairSearch:
    """A search over all columns of a table, depth first, that ends early with what is proved by then."""

    def __init__(self, incidence: Incidence, groups: Groups, stop: Stop) -> None:
        self.incidence, self.groups, self.stop = incidence, groups, stop
        self.complete = True  # whether the table has all columns, so that a search over it proves anything
        self._best: IntArray = np.zeros(0, dtype=np.int64)
        self._value, self._target, self._open = 0, 0, 0

    def held(self, columns: IntArray) -> IntArray:
        """People of each group that some columns hold."""
        return np.asarray(self.groups.counts[self.incidence.covered_by(columns)].sum(axis=0))

    def value(self, columns: IntArray) -> int:
        """People that some columns help while groups are helped alike."""
        return int(self.groups.most(self.held(columns)).sum())

    def best(self, number: int, start: IntArray, target: int | None = None) -> FairAnswer:
        """The best so many columns; with a ``target`` it is enough to help so many people."""
        self._best, self._open = start[:number], 0
        self._value = self.value(self._best)
        self._target = int(self.groups.people.sum()) if target is None else target
        self._exchange(number)
        everybody = np.zeros(self.incidence.n_rows, dtype=np.bool_)
        self._search(np.zeros(0, dtype=np.int64), everybody, np.arange(self.incidence.n_columns), number)
        bound = max(self._value, self._open) if self.complete else int(self.groups.people.sum())
        return FairAnswer(self._best, self.groups.most(self.held(self._best)), bound)

    def _offer(self, columns: IntArray) -> bool:
        value = self.value(columns)
        if value <= self._value:
            return False
        self._best, self._value = columns, value
        return True

    def _exchange(self, number: int) -> None:
        """Add columns, and exchange one for another, while that helps more people."""
        counts = self._gains(np.zeros(self.incidence.n_rows, dtype=np.bool_))
        looked_at = np.unique(np.argsort(-counts, axis=0, kind="stable")[:LOOKED_AT])
        for _ in range(SWEEPS):
            before = self._value
            for index in range(number):
                others = np.delete(self._best, index) if index < len(self._best) else self._best
                for column in looked_at.tolist():
                    if self.stop.expired():
                        return
                    self._offer(np.append(others, column))
                if index >= len(self._best):
                    break
            if self._value == before:
                return

    def _gains(self, covered: BoolArray) -> IntArray:
        """How many people of each group each column adds, ``(columns, groups)``."""
        left = np.where(covered[:, None], 0, self.groups.counts)
        return np.stack([self.incidence.loads(left[:, group]) for group in range(left.shape[1])], axis=1)

    def _search(self, chosen: IntArray, covered: BoolArray, others: IntArray, left: int) -> None:
        """Look at all answers with these columns and up to so many of the others."""
        held = np.asarray(self.groups.counts[covered].sum(axis=0))
        if int(self.groups.most(held).sum()) > self._value:
            self._best, self._value = chosen, int(self.groups.most(held).sum())
        if not left or not len(others) or self._value >= self._target:
            return
        gains = self._gains(covered)[others]
        order = np.argsort(-gains.sum(axis=1), kind="stable")
        others, gains = others[order], gains[order]
        for index, column in enumerate(others.tolist()):
            bound = int(self.groups.most(held + _largest(gains[index:], left)).sum())
            if bound <= self._value:
                return  # the columns from here on add no more
            if self.stop.expired():
                self._open = max(self._open, bound)
                return
            within = held + gains[index] + _largest(gains[index + 1 :], left - 1)
            if int(self.groups.most(within).sum()) > self._value:
                inside = covered.copy()
                inside[self.incidence.group(column)] = True
                self._search(np.append(chosen, column), inside, others[index + 1 :], left - 1)


def _largest(gains: IntArray, number: int) -> IntArray:
    """The largest gains of so many columns, group by group."""
    if not number or not len(gains):
        return np.zeros(gains.shape[1], dtype=np.int64)
    kept = min(number, len(gains))
    return np.asarray(np.partition(gains, len(gains) - kept, axis=0)[len(gains) - kept :].sum(axis=0))


def _assigned(table: ColumnTable, found: FairAnswer, groups: Groups) -> tuple[IntArray, IntArray]:
    """Give each row the chosen column where it pays least; leave out whom groups alike have no room for.

    Rows are left out whole: people who are the same to the model are helped, or left out, together.
    """
    owner, paid = cheapest(table, found.chosen, table.n_rows)
    held = np.flatnonzero(owner >= 0)
    if (groups.counts[held].sum(axis=0) != found.helped).any():
        owner[held[~_whole_rows(groups, held, paid[held])]] = -1
    used = np.unique(owner[owner >= 0])
    number = np.full(len(found.chosen) + 1, -1)
    number[used] = np.arange(len(used))
    return found.chosen[used], number[owner]


def _whole_rows(groups: Groups, rows: IntArray, paid: IntArray) -> BoolArray:
    """Which of some rows are helped so that groups are helped alike and most people are; not the dearest.

    An integer program chooses them; its answer is counted again, and where it fails nobody is helped.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    counts = groups.counts[rows]
    worth = counts.sum(axis=1) - CHEAPER * paid / max(1, int(paid.max(initial=0)))
    shares = np.hstack([counts.T / groups.people[:, None], -np.ones((len(groups.people), 1))])
    found = milp(
        np.append(-worth, 0.0),
        constraints=LinearConstraint(shares, 0.0, float(groups.within)),
        integrality=np.append(np.ones(len(rows)), 0),
        bounds=Bounds(0.0, 1.0),
        options={"time_limit": LEAVING_OUT},
    )
    kept = np.zeros(len(rows), dtype=np.bool_) if found.x is None else np.asarray(found.x[:-1] > 0.5)
    for group in np.argsort(-counts.max(axis=0)).tolist():  # by rounding somebody may be too many
        for row in np.flatnonzero(kept & (counts[:, group] > 0)).tolist():
            held = np.asarray(counts[kept].sum(axis=0))
            if groups.most(held)[group] >= held[group]:
                break
            kept[row] = False
    held = np.asarray(counts[kept].sum(axis=0))
    return kept if (groups.most(held) == held).all() else np.zeros(len(rows), dtype=np.bool_)
