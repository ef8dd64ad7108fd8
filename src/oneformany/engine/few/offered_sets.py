"""Sets of features that rows may share: a row joins if some action on these features helps it."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.few.offered import Offered
from oneformany.engine.few.set_kernels import best_of_sets, cheapest_of_sets
from oneformany.engine.table.table import NO_CELL
from oneformany.oracles.actions import NOWHERE


@dataclass(frozen=True, eq=False)
class OfferedSets(Offered):
    """The actions of a problem, and as columns all sets of as many features as may change."""

    @cached_property
    def features(self) -> IntArray:
        """The features of each set, ``(sets, size)``: smaller sets add nothing, since rows may stay."""
        some = np.unique(self.actions.owner).tolist()
        sets = list(combinations(some, min(self.actions.most, len(some))))
        return np.array(sets, dtype=np.int64).reshape(len(sets), -1)

    @property
    def n_columns(self) -> int:
        """How many sets there are."""
        return len(self.features)

    @cached_property
    def _smaller(self) -> list[tuple[int, ...]]:
        """All sets of features that an action may change."""
        some = np.unique(self.actions.owner).tolist()
        return [one for size in range(self.actions.most + 1) for one in combinations(some, size)]

    @cached_property
    def _set_of(self) -> NDArray[np.int32]:
        """The smaller set of each action: the features of its slots."""
        number = {features: index for index, features in enumerate(self._smaller)}
        slots = self.actions.slots(np.arange(len(self.actions)))
        owner = np.where(slots == NOWHERE, NOWHERE, self.actions.owner[slots])
        different, which = np.unique(owner, axis=0, return_inverse=True)
        names = [tuple(f for f in features if f != NOWHERE) for features in different.tolist()]
        return np.array([number[name] for name in names], dtype=np.int32)[which.ravel()]

    @cached_property
    def _parts(self) -> IntArray:
        """The smaller sets that are part of each set, ``(sets, parts)``."""
        number = {features: index for index, features in enumerate(self._smaller)}
        parts = [
            [number[one] for size in range(len(features) + 1) for one in combinations(features, size)]
            for features in self.features.tolist()
        ]
        return np.array(parts, dtype=np.int64)

    def told(self, judged: NDArray[np.int8]) -> NDArray[np.int8]:
        """The best that is said of an action on the features of each set."""
        best = np.zeros(len(self._smaller), dtype=np.int8)
        best_of_sets(judged, self._set_of, best)
        told = np.zeros(self.n_columns, dtype=np.int8)
        best_of_sets(best[self._parts].ravel(), self._every_part, told)
        return told

    @cached_property
    def _every_part(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.n_columns, dtype=np.int32), self._parts.shape[1])

    def cheapest(self, judged: NDArray[np.int8], slot_costs: IntArray) -> IntArray:
        """The least that a row pays on the features of each set, of what is not refused; huge without any."""
        least = np.full(len(self._smaller), np.iinfo(np.int64).max)
        order = self.actions.after, self.actions.begins
        cheapest_of_sets(judged, self._set_of, slot_costs, order, least)
        return np.asarray(least[self._parts].min(axis=1))

    def changes(self, numbers: IntArray) -> tuple[BoolArray, NDArray[np.int32]]:
        """The features of some sets; where each row goes there is its own affair."""
        changed = np.zeros((len(numbers), len(self.ground.problem.levels)), dtype=np.bool_)
        np.put_along_axis(changed, self.features[numbers], np.bool_(1), axis=1)
        return changed, np.full(changed.shape, NO_CELL, dtype=np.int32)
