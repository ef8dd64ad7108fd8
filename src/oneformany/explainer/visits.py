"""What is done with rows where they are: who is refused, whom a cover helps, and who can be helped otherwise.

All of this may run in workers: what is sent there, and what comes back, is small.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import IntArray, usual_arithmetic
from oneformany.exceptions import InputError
from oneformany.explainer.posing import pose
from oneformany.explainer.settings import settled
from oneformany.explainer.streams import typed
from oneformany.memory import Memory
from oneformany.problem import Problem
from oneformany.result.following import ACCEPTED, EXPLAINED, OUTCOMES, Placed, put_under
from oneformany.result.result import Result
from oneformany.schema.frames import Table
from oneformany.schema.schema import Schema
from oneformany.stop import Stop

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

# Rows for which it is decided together whether anything helps them: reading the model for them takes up to a
# second, and deciding 3 ms each.
DECIDED_AT_ONCE = 2_000
KEPT = ("levels", "max_changes", "allowed", "restrictions", "share", "model")


@dataclass(frozen=True, eq=False)
class RowReader:
    """How rows of a source become those that a model reads: columns, types, and values that do not matter."""

    asked: OneForMany  # with reference data
    columns: list[str]
    like: pd.DataFrame  # of the reference data, without rows: its categories
    unread: dict[str, Any]  # one value stands for all on which nothing depends

    def prepared(self, batch: pd.DataFrame) -> pd.DataFrame:
        """The columns that the model reads, of some rows."""
        batch = batch.set_axis([str(label) for label in batch.columns], axis=1)
        if missing := [column for column in self.columns if column not in batch.columns]:
            raise InputError(f"the rows lack the column {missing[0]!r}, which the model reads; add it")
        return self.read(batch[self.columns])

    def read(self, rows: pd.DataFrame) -> pd.DataFrame:
        """These columns in the types of the reference data."""
        return typed(rows, self.like).assign(**self.unread)


def bare(result: Result) -> Result:
    """The same explanations for other rows, without those that were explained but for where these went."""
    problem: dict[str, Any] = {name: result.problem[name] for name in KEPT if name in result.problem}
    problem["own"] = None if result.problem.get("own") is None else {}
    alone = []
    for one in result.explanations:
        ends = None if one.ends is None else tuple(end for end, _ in Counter(one.ends).most_common())
        alone.append(replace(one, members=tuple(range(len(ends or ()))), ends=ends))
    return Result("feasible", result.count, 0, tuple(alone), (), (), problem, schema=result.schema)


def no_explanation(schema: Schema) -> Result:
    """A cover that helps nobody."""
    return Result("feasible", 0, 0, (), (), (), {"own": {}, "levels": schema.levels}, schema=schema)


def placed_quietly(cover: Result, rows: pd.DataFrame, asked: OneForMany) -> Placed:
    """Put rows under explanations, without a word about values that nobody has met: they are sent back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return put_under(cover, Table.of(rows), asked)


@dataclass(frozen=True, eq=False)
class Fates:
    """Rows that are not helped, by their indices: those that can be, those that cannot, all others."""

    helpable: IntArray
    unreachable: IntArray
    open: IntArray

    def __add__(self, other: Self) -> Self:
        both = ((getattr(one, name) for one in (self, other)) for name in ("helpable", "unreachable", "open"))
        return type(self)(*map(np.concatenate, map(list, both)))


@dataclass(frozen=True, eq=False)
class Visited:
    """What was found in a part, or in some."""

    rows: int  # that were looked at
    by: IntArray  # whom each explanation helps, of those who are refused
    unreachable: int  # who are proved to be beyond help
    helpable: int  # who can be helped, but not by the cover
    open: int  # of whom nothing is known but that the cover does not help
    sent: pd.DataFrame  # a few of the last two kinds
    positions: IntArray  # where in their part these stand
    complete: bool = True  # whether every row of the part was looked at

    @property
    def refused(self) -> int:
        """How many the model turns down."""
        return int(self.by.sum()) + self.unreachable + self.helpable + self.open

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.rows + other.rows,
            self.by + other.by,
            self.unreachable + other.unreachable,
            self.helpable + other.helpable,
            self.open + other.open,
            pd.concat([self.sent, other.sent]) if len(self.sent) else other.sent,
            np.concatenate([self.positions, other.positions]),
            self.complete and other.complete,
        )


def nothing_seen(explanations: int) -> Visited:
    """What is known before a row is looked at."""
    nobody = np.zeros(0, dtype=np.int64)
    return Visited(0, np.zeros(explanations, dtype=np.int64), 0, 0, 0, pd.DataFrame(), nobody)


@dataclass(frozen=True, eq=False)
class Visit:
    """What to do with the rows of a part.

    Attributes
    ----------
    reader : RowReader
        How they are read.
    cover : Result
        Explanations that may help them; each row is asked about until the first that does.
    pool : Result
        Further explanations: whom one of them helps can be helped.
    known : dict of int to array
        Of each part the positions of rows that are counted elsewhere.
    send : int
        So many of those whom nothing helps are sent back; then the rest of the part is not looked at.
    decide : bool
        Find out whether any action helps those whom nothing helps; only who can be helped is sent back.
    batches : int or None
        Look at so many batches only.
    seconds : float or None
        So long for each part, after its first batch.
    """

    reader: RowReader
    cover: Result
    pool: Result
    known: Mapping[int, IntArray]
    send: int = 0
    decide: bool = True
    batches: int | None = None
    seconds: float | None = None

    @usual_arithmetic()
    def __call__(self, part: int, batches: Iterator[pd.DataFrame]) -> Visited:
        """Look at a part."""
        stop, seen = Stop(self.seconds), nothing_seen(self.cover.count)
        for number, batch in enumerate(batches):
            enough = 0 < self.send <= len(seen.sent)
            if number and (stop.expired() or enough or number == self.batches):
                return replace(seen, complete=False)
            if len(batch):
                seen += self._seen(part, self.reader.prepared(batch), seen.rows, stop)
        return seen

    def _seen(self, part: int, rows: pd.DataFrame, before: int, stop: Stop) -> Visited:
        """Look at some rows of a part, behind so many others."""
        placed, positions = placed_quietly(self.cover, rows, self.reader.asked), before + np.arange(len(rows))
        new = ~np.isin(positions, self.known.get(part, ()))
        outcomes = np.array(placed.outcomes)
        helped = new & (outcomes == OUTCOMES[EXPLAINED])
        missed = np.flatnonzero(new & ~helped & (outcomes != OUTCOMES[ACCEPTED]))
        random = np.random.default_rng((part, before))
        fates = self._fates(rows, random.permutation(missed), stop)
        some = fates.helpable if self.decide else fates.open
        some = np.sort(some[: self.send])
        return Visited(
            rows=len(rows),
            by=np.bincount(placed.numbers[helped], minlength=self.cover.count),
            unreachable=len(fates.unreachable),
            helpable=len(fates.helpable),
            open=len(fates.open),
            sent=rows.iloc[some],
            positions=positions[some],
        )

    def _fates(self, rows: pd.DataFrame, missed: IntArray, stop: Stop) -> Fates:
        """Find out who of those whom the cover does not help can be helped, as far as that is wanted."""
        fates = Fates(missed[:0], missed[:0], missed)
        if not (self.decide and len(missed)):
            return fates
        if self.pool.count and not self.send:
            helped = placed_quietly(self.pool, rows.iloc[missed], self.reader.asked).numbers >= 0
            fates = Fates(missed[helped], missed[:0], missed[~helped])
        while len(fates.open) and not stop.expired() and not 0 < self.send <= len(fates.helpable):
            some, rest = np.split(fates.open, [DECIDED_AT_ONCE])
            wanted = self.send - len(fates.helpable) if self.send else len(some)
            decided = fates_of(self.reader.asked, rows.iloc[some], wanted, stop)
            found = Fates(some[decided.helpable], some[decided.unreachable], some[decided.open])
            fates = Fates(fates.helpable, fates.unreachable, rest) + found
            if len(found.open):
                break
        return fates


def fates_of(asked: OneForMany, rows: pd.DataFrame, most: int, stop: Stop) -> Fates:
    """Decide who of some refused rows can be helped, until so many can; half of them the hardest."""
    posed = pose(asked, Table.of(rows), stop)
    problem = posed.problem(asked.max_changes, asked.share)
    refused = posed.refused
    order = np.argsort(problem.oracle.score(problem.values), kind="stable")
    order = np.concatenate([order[: most // 2], np.sort(order[most // 2 :])])
    reachable, unreachable = decided(problem, order, most, stop)
    of = problem.row_of
    known = reachable[of] | unreachable[of]
    return Fates(
        refused[reachable[of]],
        refused[unreachable[of]],
        np.union1d(refused[~known], np.flatnonzero(posed.positive)),
    )


def decided(
    problem: Problem, order: IntArray, most: int, stop: Stop
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], np.ndarray[Any, np.dtype[np.bool_]]]:
    """Which distinct rows can be helped and which cannot, in an order, until so many can."""
    from oneformany.engine.few.listed_rows import ListedRows  # compiled parts, loaded when they are needed
    from oneformany.engine.few.offered import Offered
    from oneformany.engine.listing.ground import Ground
    from oneformany.engine.listing.single_rows import reach_rows
    from oneformany.oracles.actions import JudgesActions

    ground = Ground.of(problem)
    if isinstance(problem.oracle, JudgesActions) and Memory().fits(Offered.of(ground).actions.count):
        listed, found = ListedRows.of(ground, stop), 0
        for row in order.tolist():
            if found >= most or stop.expired():
                break
            listed.decide([row])
            found += bool(listed.reachable[row])
        return listed.reachable, listed.unreachable
    some = np.zeros(len(problem.rows), dtype=np.bool_)
    some[order[: 2 * most]] = True
    reached = reach_rows(ground, stop, some)
    return reached.reachable & some, reached.unreachable


def sample_of(result: Result, asked: OneForMany, frame: AnyFrame) -> dict[str, int]:
    """What becomes of some rows of the source under the explanations of a result: how many of each fate."""
    asked = settled(asked) if hasattr(asked, "max_changes") else asked
    if getattr(asked, "reference", None) is None:
        raise InputError(
            "of some people the result holds only their number; to look at a sample of their rows, pass the "
            "explainer as model=, with reference= data"
        )
    table, like = Table.of(frame), Table.of(asked.reference, "the reference data").frame.iloc[:0]
    cover = bare(result)
    names = list(cover.schema.names) if cover.schema is not None else []
    visit = Visit(RowReader(asked, names, like, {}), cover, cover, {})
    seen = visit(0, iter([table.frame]))
    undecided = seen.open if result.goal.limited else seen.open + seen.helpable
    left_out = seen.helpable if result.goal.limited else 0
    told = {"people": seen.refused, "covered": int(seen.by.sum()), "unreachable": seen.unreachable}
    return {**told, "undecided": undecided, "left_out": left_out}
