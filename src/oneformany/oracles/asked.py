"""All actions of a row under a classifier that can only be asked: about every point, in batches."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.oracles.actions import FORBIDDEN, MOVES, NOWHERE, Actions
from oneformany.oracles.protocol import NEGATIVE

POINTS_AT_ONCE = 1 << 16  # some 10 MB


class AskingJudge:
    """Judges all actions of rows point by point; see :class:`~oneformany.oracles.actions.ActionJudge`."""

    def __init__(self, actions: Actions, judge: Callable[[IntArray], NDArray[np.int8]]) -> None:
        self.actions, self._judge = actions, judge

    def judge(self, values: IntArray, may: NDArray[np.int8]) -> NDArray[np.int8]:
        """Judge every action of every row."""
        judged = np.full((len(values), len(self.actions)), NEGATIVE, dtype=np.int8)
        for row, does, line in zip(values, may, judged, strict=True):
            for first in range(0, len(line), POINTS_AT_ONCE):
                self._judge_some(row, does, first, line[first : first + POINTS_AT_ONCE])
        return judged

    def _judge_some(self, row: IntArray, does: NDArray[np.int8], first: int, line: NDArray[np.int8]) -> None:
        """Judge a row after the actions from one on."""
        slots = self.actions.slots(np.arange(first, first + len(line)))
        there = slots != NOWHERE
        does_there = np.where(there, np.append(does, MOVES)[slots], MOVES)
        may_go = np.flatnonzero((does_there != FORBIDDEN).all(axis=1))
        if not len(may_go):
            return
        points = np.tile(row, (len(may_go), 1))
        which, at = np.nonzero(there[may_go] & (does_there[may_go] == MOVES))
        taken = slots[may_go][which, at]
        points[which, self.actions.owner[taken]] = self.actions.goals[taken]
        line[may_go] = self._judge(points)
