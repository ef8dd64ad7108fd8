"""All actions that a problem offers to its rows, numbered, and what a row does at each of their targets."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.kernels import NO_MOVE
from oneformany.engine.listing.listing import useful_targets
from oneformany.engine.table.table import NO_CELL
from oneformany.oracles.actions import FORBIDDEN, MOVES, NOWHERE, STAYS, Actions


@dataclass(frozen=True, eq=False)
class Offered:
    """The actions of a problem: each sends some features to target cells, one slot for each of them."""

    ground: Ground
    actions: Actions
    cells: IntArray  # of each slot: the cell that rows are sent to

    @classmethod
    def of(cls, ground: Ground, *, costed: bool = False) -> Self:
        """Number all actions; ``costed``: also those that only are cheaper for some row."""
        own, useful = ground.problem.own, useful_targets(ground, costed)
        cells = [
            np.flatnonzero(useful[first:last])
            for first, last in zip(ground.offsets, ground.offsets[1:], strict=False)
        ]
        goals = cells if own is None else [own.targets[f][some] for f, some in enumerate(cells)]
        return cls(ground, Actions.of(goals, ground.size), np.concatenate(cells))

    def does(self, rows: IntArray) -> NDArray[np.int8]:
        """What each of some rows does at each slot, ``(rows, slots)``."""
        does = np.full((len(rows), len(self.cells)), MOVES, dtype=np.int8)
        for feature in np.unique(self.actions.owner).tolist():
            slots = np.flatnonzero(self.actions.owner == feature)
            cells = self.cells[slots]
            does[:, slots] = np.where(self.ground.gain(feature, rows, cells) == NO_MOVE, FORBIDDEN, MOVES)
            stays = self.ground.rows[rows, feature][:, None] == cells
            does[:, slots] = np.where(stays, STAYS, does[:, slots])
        return does

    @cached_property
    def _slots(self) -> IntArray:
        """The slots of all actions."""
        return self.actions.slots(np.arange(len(self.actions)))

    def price(self, row: int) -> IntArray:
        """What each action costs a row, which stays where it is in a cell already."""
        ground, owner = self.ground, self.actions.owner
        paid = ground.price[ground.begin[row, owner] + self.cells]
        each = np.where(ground.rows[row, owner] == self.cells, 0, paid)
        with_nowhere = np.append(each, 0)  # the last: behind the last slot of an action there is NOWHERE
        return np.asarray(with_nowhere[self._slots].sum(axis=1))

    @property
    def n_columns(self) -> int:
        """How many columns the actions are: each is one, where rows share it."""
        return len(self.actions)

    def told(self, judged: NDArray[np.int8]) -> NDArray[np.int8]:
        """What is said of each column, by what is said of each action."""
        return judged

    def changes(self, numbers: IntArray) -> tuple[BoolArray, NDArray[np.int32]]:
        """The features that some columns may change, and their target cells, ``(columns, p)`` both."""
        return self.moves(numbers)

    def moves(self, numbers: IntArray) -> tuple[BoolArray, NDArray[np.int32]]:
        """The features that some actions may change, and their target cells, ``(actions, p)`` both."""
        slots = self.actions.slots(numbers)
        which, at = np.nonzero(slots != NOWHERE)
        taken = slots[which, at]
        changed = np.zeros((len(numbers), len(self.ground.problem.levels)), dtype=np.bool_)
        targets = np.full(changed.shape, NO_CELL, dtype=np.int32)
        changed[which, self.actions.owner[taken]] = True
        targets[which, self.actions.owner[taken]] = self.cells[taken]
        return changed, targets
