"""A few rows whose columns are all listed: they carry the proof, and what helps them is tried on everybody.

It serves advice for many where the actions of one row are quickly listed, but those of all rows are too many.
"""

from dataclasses import replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import Proofs
from oneformany.engine.context import Context
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.cover.incidence import joined
from oneformany.engine.few.cheaper import cheapened, prices, without_dearest
from oneformany.engine.few.least_cost import at_least_cost
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.few.offered import Offered
from oneformany.engine.few.offered_sets import OfferedSets
from oneformany.engine.few.rounds import FIRST_LISTED, SAMPLED, Attempt, Rounds
from oneformany.engine.listing.ground import Ground
from oneformany.engine.sources.groups import groups_of
from oneformany.engine.sources.protocol import Shortfall
from oneformany.engine.standing import CostStanding, Standing, nothing_known
from oneformany.engine.table.table import ColumnTable, table_of
from oneformany.oracles.actions import JudgesActions
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.result.build import Group
from oneformany.schedule import SCHEDULE

# Bytes of an action while rows are listed: bits of some 200 rows, a number of each, and a line of answers.
BYTES_PER_ACTION = 40
# So many changes at most: sums are added up prefix by prefix, in Python. With 18 changes of an additive score
# the 262,000 actions of a row took 0.2 s, and 60 rows had no answer in a minute; wide columns do at once.
MOST_CHANGES = 5


# Of a black box: rows whose actions are all asked about, those that are counted and twice those listed at
# first; and rows that show how long an answer takes.
ASKED_ROWS = SAMPLED + 2 * FIRST_LISTED
FIRST_ASKED = 64  # rows: as many as a batch begins with


def serves(run: Context) -> bool:
    """Whether a few rows can be listed: the oracle judges all actions of a row, which fit into memory."""
    problem, options = run.problem, run.options
    judges = isinstance(problem.oracle, JudgesActions)
    if not (options.few_rows and problem.share != "point" and judges) or problem.max_changes > MOST_CHANGES:
        return False
    count = offered_by(run).actions.count
    return run.stop.memory.fits(count * BYTES_PER_ACTION) and _askable(run, count, ASKED_ROWS)


def offered_by(run: Context) -> Offered:
    """What rows can share: actions, or features only; with those that only are cheaper, where cost counts."""
    kind = OfferedSets if run.problem.share == "features" else Offered
    return kind.of(Ground.of(run.problem), costed=run.cheaply)


def _askable(run: Context, actions: float, rows: int) -> bool:
    """Whether a black box can be asked about all actions of so many rows."""
    problem = run.problem
    if not isinstance(problem.oracle, BlackBoxOracle):
        return True
    points = len(problem.rows) + actions * rows
    if points > Ground.of(problem).calls_left:
        return False
    problem.oracle.score(problem.values[:FIRST_ASKED])  # so that it is known how long an answer takes
    each = problem.oracle.seconds / max(1, problem.oracle.asked)
    return points * each <= SCHEDULE.asking.part * run.stop.remaining()


class Sampled:
    """Actions that were tried on everybody; all columns of the rows that are ``listed``."""

    def __init__(self, run: Context, shortfall: Shortfall) -> None:
        self.problem, self.shortfall = run.problem, shortfall
        self.listed = ListedRows.of(Ground.of(run.problem), run.stop, offered_by(run))
        self._rounds = Rounds(self.listed, run)
        self._rounds.begin()
        self._count(run)
        self._attempt = Attempt(np.setdiff1d(self.listed.by, NO_ACTION), self.listed.by)

    def _count(self, run: Context) -> None:
        counts = "rows listed", "rounds of few rows", "questions in batches"
        numbers = len(self.listed), self._rounds.number, self.listed.batches.asked
        run.statistics.counters.update(zip(counts, numbers, strict=True))

    @property
    def table(self) -> ColumnTable:
        """The actions of the best attempt, with the rows that follow each."""
        actions, by = self._attempt.actions, self._attempt.by
        starts, rows = joined([np.flatnonzero(by == action) for action in actions.tolist()])
        changed, targets = self.listed.offered.changes(actions)
        paid = prices(self.listed, by)[rows]
        return ColumnTable(starts, rows.astype(np.int32), paid, changed, targets, len(by), complete=False)

    @property
    def usable(self) -> int:
        """All of these may be chosen."""
        return len(self._attempt.actions)

    @property
    def reachable(self) -> BoolArray:
        """The rows that some action is known to help."""
        return self.listed.reachable

    @property
    def unreachable(self) -> BoolArray:
        """The listed rows that no action helps."""
        return self.listed.unreachable

    @property
    def known(self) -> RowWeights | None:
        """Nothing is proved before the first round."""
        return None

    def price(self, weights: IntArray) -> int | None:
        """The greatest load, where only listed rows weigh anything."""
        inside = self._inside(weights)
        return None if inside is None else int(inside.incidence.loads(weights).max(initial=0))

    def heavy(self, weights: IntArray, floor: int) -> ColumnTable | None:
        """The columns of at least this load, as far as they hold listed rows."""
        inside = self._inside(weights)
        if inside is None:
            return None
        return inside.take(np.flatnonzero(inside.incidence.loads(weights) >= floor))

    def _inside(self, weights: IntArray) -> ColumnTable | None:
        """All columns over the listed rows; ``None`` where others weigh something, or time was too short."""
        if np.setdiff1d(np.flatnonzero(weights), self.listed.rows).size:
            return None
        if not len(self.listed):
            return table_of(self.problem, [])
        found = self.listed.columns()
        return found and _over_all_rows(found[0], np.sort(self.listed.rows), len(weights))

    def savings(self, _prices: IntArray) -> None:
        """Unknown: rows that are not listed may save more with other actions."""

    def settle(self, _standing: Standing, _run: Context) -> None:
        """Rounds ask about rows themselves."""

    def split(self, _run: Context) -> None:
        """A search over the columns of the listed rows tells its cases apart itself."""

    def better(self, run: Context, _before: Standing, _known: IntArray, /, **_: bool) -> Standing:
        """Answer for the listed rows, try that on everybody, list some whom it missed, and so on."""
        rounds = self._rounds
        rounds.run()
        self._attempt = _completed(rounds)
        self._count(run)
        table, proved = self.table, rounds.proved
        standing = replace(nothing_known(table), chosen=np.arange(len(table)))
        standing = replace(standing, covered=rounds.helped(self._attempt), bound=min(1, len(table)))
        if run.goal.explanations is not None:
            standing = replace(standing, bound=rounds.possible)
        if proved is None:
            return standing
        answer, rows = proved.answer, proved.rows
        bound = answer.bound if run.goal.explanations is None else rounds.most(proved)
        known = replace(standing, bound=bound, scope=rows)
        if answer.weights is not None and answer.weights.total:
            weights = np.zeros(table.n_rows, dtype=np.int64)
            weights[rows] = answer.weights.weights
            known = replace(known, weights=replace(answer.weights, weights=weights))
        if answer.exclusion is not None:
            columns = _over_all_rows(answer.exclusion.columns, rows, table.n_rows)
            exclusion = replace(answer.exclusion, columns=columns, rows=rows[answer.exclusion.rows])
            known = replace(known, exclusion=exclusion)
        if not run.goal.limited or run.goal.explanations is not None:
            return known
        # What is proved about the people of a number of actions says how many a share of them takes.
        proof = Proofs(self.problem, self.unreachable).people(known)
        return replace(known, bound=0 if proof is None else proof.fewest(rounds.possible - rounds.needed))

    def cheaper(self, run: Context, first: Standing) -> CostStanding | None:
        """Look for cheaper actions for as many people, with prices that bound what any cost."""
        goal, proof = run.goal, None
        needed = int(self.problem.multiplicity[self._attempt.helped].sum())
        if goal.coverage is not None and goal.explanations is None:
            needed = min(needed, self._rounds.needed)
        most = len(first.chosen) if goal.explanations is None else goal.explanations
        with run.statistics.timed("least cost"):
            attempt = cheapened(self.listed, self._attempt)
            if goal.coverage is not None and goal.explanations is None:
                attempt = without_dearest(self.listed, attempt, needed)
            rounds = None
            if _askable(run, len(self.listed.offered.actions), len(self.problem.rows)):
                rounds = at_least_cost(self.listed, attempt, (most, needed), run)
        if rounds is not None:
            attempt = rounds.attempt
            # Of rows about which nobody knows what they pay alone, others may pay less than it seems
            proof = None if self.problem.unasked.any() else rounds.proof()
        self._attempt = attempt
        owner = np.full(len(attempt.by), -1)
        for index, action in enumerate(attempt.actions.tolist()):
            owner[attempt.by == action] = index
        cost = int(prices(self.listed, attempt.by) @ self.problem.multiplicity)
        return CostStanding(self.table, np.arange(self.usable), owner, cost, proof)

    def groups(self, table: ColumnTable, chosen: IntArray, owner: IntArray) -> list[Group]:
        """Where the actions say."""
        return groups_of(self.problem, table, chosen, owner)


def _completed(rounds: Rounds) -> Attempt:
    """The best attempt, with what else helps people who are to be helped, as far as that is known."""
    listed = rounds.listed
    attempt = rounds.best or Attempt(np.zeros(0, dtype=np.int64), np.full_like(listed.by, NO_ACTION))
    if rounds.goal.explanations is not None or (rounds.goal.limited and rounds.enough):
        return attempt
    by = np.where(attempt.helped, attempt.by, listed.by)
    return Attempt(np.union1d(attempt.actions, by[listed.reachable]), by)


def _over_all_rows(table: ColumnTable, rows: IntArray, n_rows: int) -> ColumnTable:
    """Columns over some rows, as columns over all: index i is the distinct row ``rows[i]``."""
    return replace(table, rows=rows[table.rows].astype(np.int32), n_rows=n_rows)
