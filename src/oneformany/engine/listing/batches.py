"""Who accepts what, asked of a classifier in batches of distinct changed rows."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing.cost.kernels import FORBIDDEN
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.listing.store.answers import Answers
from oneformany.stop import Stop

__all__ = ["PAIRS", "Batches"]

PAIRS = 1 << 17


class Batches:
    """Acceptance of pairs of a row and a choice of targets, for any classifier and any restriction.

    Parameters
    ----------
    ground : Ground
        The problem.
    stop : Stop
        When to end, by :class:`~oneformany.engine.listing.store.answers.OutOfTimeError`.
    """

    def __init__(self, ground: Ground, stop: Stop) -> None:
        self.ground = ground
        self._answers = Answers(ground.problem.oracle, stop)

    @property
    def asked(self) -> int:
        """Points that the classifier was asked about."""
        return self._answers.asked

    def accepted(
        self, features: IntArray, rows: Indices, choices: IntArray, *, moved: bool = False
    ) -> BoolArray:
        """Whether each row joins each choice of target cells, ``(rows, choices)``.

        Parameters
        ----------
        features : array
            The changed features.
        rows : array
            Which rows.
        choices : (m, features) array
            Target cells.
        moved : bool
            Count a row as not accepted where it is in a target's cell already.
        """
        width = max(1, PAIRS // max(1, len(rows)))
        blocks = [choices[begin : begin + width] for begin in range(0, len(choices), width)]
        joins = [self._block(features, rows, block, moved=moved) for block in blocks]
        return np.concatenate(joins, axis=1) if joins else np.zeros((len(rows), 0), dtype=np.bool_)

    def _block(self, features: IntArray, rows: Indices, choices: IntArray, *, moved: bool) -> BoolArray:
        ground = self.ground
        joins = np.ones((len(rows), len(choices)), dtype=np.bool_)
        gained = np.zeros((len(rows), len(choices)), dtype=np.int64)
        for j, feature in enumerate(features):
            got = ground.gain[rows[:, None], ground.offsets[feature] + choices[:, j]]
            joins &= got != FORBIDDEN
            gained += np.where(got == FORBIDDEN, 0, got)
            if moved:
                joins &= ground.cells[rows, feature][:, None] != choices[:, j]
        joins &= gained >= ground.deficit[rows][:, None]
        if ground.decided or not joins.any():
            return joins
        which, choice = np.nonzero(joins)
        before = ground.rows[rows[which]]
        after = before.copy()
        after[:, features] = choices[choice]
        holds = np.ones(len(which), dtype=np.bool_)
        for restriction in ground.problem.restrictions:
            holds &= restriction.holds(before, after)
        if not ground.exact:
            asked = np.flatnonzero(holds)
            holds[asked] = self._answers.positive(self.values(rows[which[asked]], after[asked]))
        joins[which, choice] = holds
        return joins

    def values(self, rows: Indices, after: IntArray) -> IntArray:
        """Values of rows that move to cells.

        Parameters
        ----------
        rows : array
            Which rows.
        after : (rows, p) array
            Their cells afterwards.
        """
        problem = self.ground.problem
        if problem.own is None:
            return after
        return problem.own.follow(self.ground.values[rows], after, np.ones(after.shape, dtype=np.bool_))
