"""Actions: sets of moves of different features, numbered, so that what a row accepts is a line of bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray

FORBIDDEN, MOVES, STAYS = range(3)
"""What a row does at a slot: it may not go there, it takes the slot's value, it is in that cell already."""

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class Actions:
    """All sets of at most ``most`` slots of different features, in a fixed order.

    A slot is a value that rows can be sent to. Sets of fewer slots come first, then by their first slot,
    their second and so on: sets that begin alike stand together.

    Attributes
    ----------
    owner : (slots,) integer array
        The feature of each slot, rising.
    goals : (slots,) integer array
        The value that a row takes there, as a code that the oracle reads.
    most : int
        So many slots at most.

    Examples
    --------
    >>> actions = Actions.of([[1], [0, 2]], 2)
    >>> len(actions), actions.slots(np.arange(len(actions))).tolist()
    (6, [[-1, -1], [0, -1], [1, -1], [2, -1], [0, 1], [0, 2]])
    """

    owner: IntArray
    goals: IntArray
    most: int

    @classmethod
    def of(cls, goals: Sequence[Sequence[int] | IntArray], most: int) -> Self:
        """Number the actions that send each feature to one of its goals, and at most so many features."""
        counts = [len(some) for some in goals]
        owner = np.repeat(np.arange(len(counts)), counts)
        return cls(owner, np.concatenate([np.zeros(0), *goals]).astype(np.int64), min(most, len(counts)))

    @cached_property
    def after(self) -> IntArray:
        """For each slot the first one of a later feature."""
        return np.searchsorted(self.owner, self.owner, side="right").astype(np.int64)

    @cached_property
    def ways(self) -> IntArray:
        """``ways[t, s]``: how many sets of ``t`` slots there are from slot ``s`` on."""
        ways = np.zeros((self.most + 1, len(self.owner) + 1), dtype=np.int64)
        ways[0] = 1
        for size in range(1, self.most + 1):
            each = ways[size - 1, self.after]
            ways[size, :-1] = np.cumsum(each[::-1])[::-1]
        return ways

    @cached_property
    def begins(self) -> IntArray:
        """Where the actions of no slot begin, of one, of two, and where the last end."""
        return np.append(0, np.cumsum(self.ways[:, 0]))

    @property
    def count(self) -> float:
        """How many there are, before anything is made of them."""
        product = np.ones(1)
        for size in np.bincount(self.owner).tolist():
            product = np.convolve(product, [1.0, float(size)])
        return float(product[: self.most + 1].sum())

    def __len__(self) -> int:
        return int(self.begins[-1])

    def slots(self, numbers: IntArray) -> IntArray:
        """The slots of some actions, ``(actions, most)``; ``NOWHERE`` behind the last."""
        numbers = np.asarray(numbers, dtype=np.int64)
        size = np.searchsorted(self.begins, numbers, side="right") - 1
        found = np.full((len(numbers), self.most), NOWHERE, dtype=np.int64)
        rank, start = numbers - self.begins[size], np.zeros(len(numbers), dtype=np.int64)
        for turn in range(self.most):
            for left in range(1, self.most + 1 - turn):
                some = np.flatnonzero(size - turn == left)
                # Sets from a slot on are fewer the later it is: the last one with enough behind it
                behind = self.ways[left, start[some]] - rank[some]
                slot = len(self.owner) - np.searchsorted(self.ways[left, ::-1], behind, side="left")
                found[some, turn] = slot
                rank[some] -= self.ways[left, start[some]] - self.ways[left, slot]
                start[some] = self.after[slot]
        return found

    def number(self, slots: Sequence[int]) -> int:
        """The number of an action with these slots, which rise."""
        size, start = len(slots), 0
        number = int(self.begins[size])
        for taken, slot in enumerate(slots):
            number += int(self.ways[size - taken, start] - self.ways[size - taken, slot])
            start = int(self.after[slot])
        return number


class ActionJudge(Protocol):
    """Says of rows which of all actions they accept."""

    def judge(self, values: IntArray, may: NDArray[np.int8]) -> NDArray[np.int8]:
        """``NEGATIVE``, ``POSITIVE`` or ``NEAR`` for each of ``(m, p)`` rows and each action.

        ``may`` ``(m, slots)`` says what each row does at each slot; whoever may not go to one of an action's
        slots does not accept it.
        """
        ...


@runtime_checkable
class JudgesActions(Protocol):
    """An oracle that judges all actions of a row together, much quicker than one by one."""

    def action_judge(self, actions: Actions) -> ActionJudge:
        """Get ready for these actions."""
        ...
