"""Exact search for groups: those that weigh at least so much and are no part of a listed one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.claims import Statement
from oneformany.verify.items import Items
from oneformany.verify.kernels import BUDGET, CHANGED, KEPT, UNRULED, begin, find_group
from oneformany.verify.points import Places, has_positive_point

__all__ = ["LARGEST_TOTAL", "GroupSearch"]

LARGEST_TOTAL = 2**60
FINEST_SHARE = 2**20

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class GroupSearch:
    """All groups that respect the decisions of a proof.

    Parameters
    ----------
    statement : Statement
        What was asked.
    items : Items
        The reachable distinct rows under the decisions taken so far.

    Attributes
    ----------
    undecided : bool
        Whether a group was found of which the classifier could not tell that it exists.
    """

    def __init__(self, statement: Statement, items: Items) -> None:
        self._statement = statement
        self._members = items.members
        self.undecided = False
        rows = statement.codes[[row for rows in items.members for row in rows]]
        edges = np.cumsum([0, *(len(rows) for rows in items.members)])[:-1]
        self._codes = statement.codes[list(items.first)]
        self._spread = np.minimum.reduceat(rows, edges) != np.maximum.reduceat(rows, edges)
        self._apart = np.array(sorted(items.apart), dtype=np.int64).reshape(-1, 2)
        self._ruled = [feature for feature, rule in enumerate(statement.rules) if rule is not None]
        self._may = np.zeros((len(edges), len(self._ruled), max(statement.levels)), dtype=np.bool_)
        for place, feature in enumerate(self._ruled):
            moves = np.asarray(statement.rules[feature])[rows[:, feature]]
            self._may[:, place, : moves.shape[1]] = np.logical_and.reduceat(moves, edges)

    def unlisted(
        self, weights: Sequence[int], floor: int, listed: Sequence[Sequence[int]] = ()
    ) -> Iterator[tuple[int, ...]]:
        """Find groups that weigh at least ``floor`` and are no part of a listed one.

        Each item is the anchor once: the search sees every group that contains it, and later ones do
        without it. Items with the lightest surroundings come first, which keeps the searches small.

        Parameters
        ----------
        weights : sequence of int
            Weight of each item, not negative, together at most ``LARGEST_TOTAL``.
        floor : int
            Smallest weight of interest.
        listed : sequence of sequences of int
            Groups, as places of items.

        Yields
        ------
        tuple of int
            Places of the items of such a group, at most one per anchor; none at all if and only if no
            such group exists.
        """
        total = sum(weights)
        if floor > total:
            return
        scale = max(1, min(FINEST_SHARE, LARGEST_TOTAL // (total + 1)))
        weight = np.array(weights, dtype=np.int64) * scale
        target = max(floor, 0) * scale
        present = weight > 0 if floor > 0 and not listed else np.ones(len(weight), dtype=np.bool_)
        known = _Listed(listed, len(weight))
        surroundings = np.array([weight[self._near(place, present)[0]].sum() for place in range(len(weight))])
        waiting = present & (weight > 0) if floor > 0 else present.copy()
        while waiting.any():
            anchor = int(np.argmin(np.where(waiting, surroundings, np.iinfo(np.int64).max)))
            near, needs = self._near(anchor, present)
            if anchor in near[:1] and surroundings[anchor] >= target:
                group = self._group_around(near, needs, weight[near], target, known.around(near))
                if len(group):
                    yield tuple(sorted(near[group].tolist()))
            surroundings[near] -= weight[anchor]
            waiting[anchor] = present[anchor] = False

    def _near(self, anchor: int, present: BoolArray) -> tuple[IntArray, BoolArray]:
        """Items that may share a group with the anchor, itself first, and the features each needs."""
        others = present.copy()
        others[anchor] = False
        others[self._apart[(self._apart == anchor).any(axis=1)]] = False
        places = np.concatenate([[anchor], np.flatnonzero(others)])
        needs = (self._codes[places] != self._codes[anchor]) | self._spread[places] | self._spread[anchor]
        meets = (self._may[places] & self._may[anchor]).any(axis=2)
        near = (needs.sum(axis=1) <= self._statement.max_changes) & (meets | ~needs[:, self._ruled]).all(
            axis=1
        )
        return places[near], needs[near]

    def _group_around(
        self, near: IntArray, needs: BoolArray, weight: IntArray, target: int, listed: BoolArray
    ) -> IntArray:
        """Describe the surroundings of an anchor to the compiled search, and run it."""
        classifier, anchor = self._statement.classifier, int(near[0])
        place_of = np.full(len(self._codes), -1)
        place_of[near] = np.arange(len(near))
        conflicts = place_of[self._apart]
        rule = np.full(needs.shape[1], UNRULED)
        rule[self._ruled] = np.arange(len(self._ruled))
        shift = classifier.tables - classifier.tables[np.arange(len(rule)), self._codes[anchor]][:, None]
        choices = np.arange(shift.shape[1]) < np.array(self._statement.levels)[:, None]
        choices[self._ruled] = self._may[anchor]
        surroundings = (
            weight,
            np.cumsum([0, *needs.sum(axis=1)]),
            np.nonzero(needs)[1],
            conflicts[(conflicts >= 0).all(axis=1)],
            listed,
            rule,
            self._may[near],
            shift,
            np.where(choices, shift, 0).max(axis=1),
        )
        lacking = int(classifier.lacking(self._codes[[anchor]])[0])
        # One memory layout, so that the search is compiled once.
        arrays = tuple(np.ascontiguousarray(array) for array in surroundings)
        shape = (len(rule), shift.shape[1] if self._ruled else 1)
        stack = begin(len(near), shape, len(surroundings[3]), self._statement.max_changes, lacking)
        top = 0
        while True:
            size, top = find_group(*arrays, target, stack, top)
            group = stack.group[:size]
            if not size or not self._is_impossible(near[group], stack.state, stack.nodes[top + 1, BUDGET]):
                return group

    def _is_impossible(self, group: IntArray, state: IntArray, budget: int) -> bool:
        """Whether no positive point serves the group with what was decided.

        The group is all that such a point could serve, so nothing else is lost.
        """
        if self._statement.classifier.positive is None:
            return False
        rows = self._statement.codes[[row for item in group for row in self._members[item]]]
        places = Places(self._statement, rows, state == CHANGED, state == KEPT, int(budget))
        answer = has_positive_point(self._statement, places)
        self.undecided |= answer is None
        return answer is False


class _Listed:
    """Listed groups, found by item."""

    def __init__(self, groups: Sequence[Sequence[int]], size: int) -> None:
        self._groups = [np.array(group, dtype=np.int64) for group in groups]
        self._of: list[list[int]] = [[] for _ in range(size)]
        for number, group in enumerate(groups):
            for item in group:
                self._of[item].append(number)

    def around(self, near: IntArray) -> BoolArray:
        """Tell which of the items each group with the first of them contains."""
        numbers = self._of[near[0]]
        inside = np.zeros((len(numbers), len(self._of)), dtype=np.bool_)
        for row, number in enumerate(numbers):
            inside[row, self._groups[number]] = True
        return inside[:, near]
