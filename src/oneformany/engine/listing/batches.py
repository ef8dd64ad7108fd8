"""Who accepts what, asked of a classifier in batches of distinct changed rows, and never twice."""

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.ground import Ground, Indices, word_factors
from oneformany.engine.listing.kernels import NO_MOVE
from oneformany.oracles.protocol import NEAR, JudgesMoves, Oracle
from oneformany.stop import Stop

PAIRS_ASKED = 1 << 13  # few, so that slow classifiers have answered about some choices when time is up
JUDGED_PAIRS = 1 << 20  # of rows and choices, where moves are judged without points: 30 MB of answers
POINTS_ASKED = 1 << 14  # that a classifier is shown together, where it is quick
# Before it is known how long an answer takes: as few as a slow function answers in a moment
FIRST_BATCH = 64
FIRST_POINTS = 1 << 10  # for which memory is taken; it doubles when it is full
MOST_POINTS = 1 << 23  # that are remembered, however much memory there is: their numbers stay within 32 bits
POINTS = 0.1  # of the memory left, for points and their answers; what is forgotten is asked again


class OutOfTimeError(Exception):
    """Time was up while a classifier was asked."""


class Answers:
    """Answers by point, as many as fit; ends by :class:`OutOfTimeError`."""

    def __init__(self, oracle: Oracle, stop: Stop) -> None:
        self.asked, self._seconds, self._oracle, self.stop = 0, 0.0, oracle, stop
        self._factors = word_factors(oracle.levels)
        bytes_each = 2 * (8 * self._factors.shape[1] + 1 + 16)  # twice, while there is more room to be made
        self._most = int(min(MOST_POINTS, POINTS * stop.memory.left / bytes_each))
        self._count = 0
        self._words, self._known = self._factors[:0], np.zeros(0, dtype=np.bool_)
        self._make_room(FIRST_POINTS)

    def positive(self, points: IntArray) -> BoolArray:
        """Whether each point, in the codes that the classifier reads, is positive."""
        if self._count + len(points) > len(self._known):
            self._make_room(len(points))
        numbers, before = np.empty(len(points), dtype=np.int32), self._count
        self._count = kernels.number(points @ self._factors, self._words, self._slots, before, numbers)
        fresh = np.empty(self._count - before, dtype=np.int64)
        new = np.flatnonzero(numbers >= before)
        fresh[numbers[new] - before] = new
        while len(fresh):
            if self.stop.expired():
                self._count = 0  # points that were not asked about would count as negative
                self._make_room(FIRST_POINTS)
                raise OutOfTimeError
            begin, size = self.stop.elapsed(), self._batch()
            answers = self._oracle.positive(points[fresh[:size]])
            self._known[numbers[fresh[:size]]] = answers
            self.asked += len(answers)
            self._seconds += self.stop.elapsed() - begin
            fresh = fresh[size:]
        return np.asarray(self._known[numbers])

    def _batch(self) -> int:
        """As many points as are answered in the time that is left, by what the points so far took."""
        if not self.asked:
            return FIRST_BATCH
        most = self.stop.remaining() * self.asked / max(self._seconds, 1e-9)
        return int(min(POINTS_ASKED, max(FIRST_BATCH, most)))

    def _make_room(self, points: int) -> None:
        """Have room for so many more points; begin with nothing where all would be too many."""
        count = self._count = 0 if self._count + points > self._most else self._count
        size, words, known = max(count + points, 2 * count), self._words[:count], self._known[:count]
        self._words, self._known = np.empty((size, words.shape[1]), dtype=np.int64), np.empty(size, np.bool_)
        self._known[:count] = known
        self._slots = np.full(1 << (2 * size).bit_length(), -1, dtype=np.int32)
        kernels.number(words, self._words, self._slots, 0, np.empty(count, dtype=np.int32))


class Batches:
    """Who accepts which choice of targets, whatever classifier and restrictions; may end as answers do."""

    def __init__(self, ground: Ground, stop: Stop) -> None:
        self.ground, self.stop, self._judged = ground, stop, 0
        self._answers = Answers(ground.problem.oracle, stop)
        self._judge = ground.problem.oracle if isinstance(ground.problem.oracle, JudgesMoves) else None

    @property
    def pairs(self) -> int:
        """How many pairs of a row and a choice are handled at a time."""
        return PAIRS_ASKED if self._judge is None else JUDGED_PAIRS

    @property
    def asked(self) -> int:
        """Points that the classifier was asked about."""
        return self._answers.asked + self._judged

    def accepted(
        self, features: IntArray, rows: Indices, choices: IntArray, *, moved: bool = False
    ) -> BoolArray:
        """Whether each row joins each choice of target cells of some features, ``(rows, choices)``.

        With ``moved`` a row that is in the cell of one of the targets already does not count as accepted.
        """
        width = max(1, self.pairs // max(1, len(rows)))
        blocks = [choices[begin : begin + width] for begin in range(0, len(choices), width)]
        joins = [self._block(features, rows, block, moved=moved) for block in blocks]
        return np.concatenate(joins, axis=1) if joins else np.zeros((len(rows), 0), dtype=np.bool_)

    def _block(self, features: IntArray, rows: Indices, choices: IntArray, *, moved: bool) -> BoolArray:
        ground = self.ground
        if self._judge is not None and not ground.exact:
            return self._judged_block(self._judge, features, rows, choices, moved=moved)
        joins = np.ones((len(rows), len(choices)), dtype=np.bool_)
        gained = np.zeros((len(rows), len(choices)), dtype=np.int64)
        for j, feature in enumerate(features):
            got = ground.gain(feature, rows, choices[:, j])
            joins &= got != NO_MOVE
            gained += np.where(got == NO_MOVE, 0, got)
            if moved:
                joins &= ground.rows[rows, feature][:, None] != choices[:, j]
        joins &= gained >= ground.deficit[rows][:, None]
        if not ground.decided and joins.any():
            self._settle(features, rows, choices, joins, np.full(joins.shape, not ground.exact))
        return joins

    def _judged_block(
        self, judge: JudgesMoves, features: IntArray, rows: Indices, choices: IntArray, *, moved: bool
    ) -> BoolArray:
        """Let an oracle that is quick at it judge all pairs; ask it about what is near."""
        if self.stop.expired():
            raise OutOfTimeError
        ground, own = self.ground, self.ground.problem.own
        goals = np.full((len(rows), len(features), ground.problem.width), -1, dtype=np.int32)
        for j, feature in enumerate(features):
            may = ground.gain(feature, rows) != NO_MOVE
            targets = np.arange(may.shape[1]) if own is None else own.targets[feature]
            goals[:, j, : may.shape[1]] = np.where(may, targets, -1)
            stays = -1 if moved else ground.values[rows, feature]
            goals[np.arange(len(rows)), j, ground.rows[rows, feature]] = stays
        judged = judge.judge_moves(ground.values[rows], features, goals, choices)
        self._judged += judged.size
        joins = np.asarray(judged != 0)
        if ground.problem.restricted or (judged == NEAR).any():
            self._settle(features, rows, choices, joins, judged == NEAR)
        return joins

    def _settle(
        self, features: IntArray, rows: Indices, choices: IntArray, joins: BoolArray, asked: BoolArray
    ) -> None:
        """Take out pairs that a restriction forbids or, where it has to be asked, the classifier refuses."""
        which, choice = np.nonzero(joins)
        after = self.ground.rows[rows[which]]
        after[:, features] = choices[choice]
        holds = self.ground.problem.permits(self.ground.which[rows[which]], after)
        open_ = np.flatnonzero(holds & asked[which, choice])
        holds[open_] = self._answers.positive(self.ground.values_at(rows[which[open_]], after[open_]))
        joins[which, choice] = holds
