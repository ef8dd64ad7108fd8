"""Exact search for groups: those that weigh at least so much and are not part of a listed one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.items import Items
from oneformany.verify.kernels import (
    BUDGET,
    CHANGED,
    KEPT,
    NEVER,
    PAUSED,
    Costed,
    Surroundings,
    begin,
    find_group,
)
from oneformany.verify.listed import ListedColumns
from oneformany.verify.moves import SURELY, Neighbourhood, doubt_of_point
from oneformany.verify.problem import Problem

LARGEST_TOTAL = 2**60
FINEST_SHARE = 2**20
WORK_BETWEEN_CHECKS = 10**8


def groups_around(
    problem: Problem, around: Surroundings, anchor: IntArray, floor: int, costed: Costed = None
) -> Iterator[tuple[IntArray, IntArray, int]]:
    """Search for groups around an anchor, each with what was decided about it and the changes left to it."""
    # One memory layout, so that the search is compiled once.
    around = Surroundings._make(map(np.ascontiguousarray, around))
    moves = np.diff(around.first)[np.unique(around.needed[:, 0])]
    room = int(moves.sum()) + len(moves) + len(around.conflicts) + 2
    size, features = len(around.about), len(around.gain)
    problem.limits.need(8 * room * (2 * size + features + 5), "the search for groups around a row")
    lacking = int(problem.classifier.lacking(anchor[None])[0])
    stack = begin(size, features, room, problem.max_changes, lacking)
    steps = max(1, WORK_BETWEEN_CHECKS // (around.needed.size + around.listed.size + size + 1))
    found, top = PAUSED, 0
    while found:
        problem.limits.check()
        found, top = find_group(around, floor, costed, stack, top, steps)
        if found > 0:
            yield stack.group[:found, 0], stack.state, int(stack.nodes[top + 1, BUDGET])


class GroupSearch:
    """All groups that respect the decisions of a proof on the covered distinct rows.

    ``doubt`` is why it is not known whether the group found last exists; empty if it surely does.
    """

    def __init__(self, problem: Problem, items: Items) -> None:
        self._problem = problem
        self._members = items.members
        self.doubt = SURELY
        rows = problem.codes[[row for rows in items.members for row in rows]]
        edges = np.cumsum([0, *(len(rows) for rows in items.members)])[:-1]
        self._codes = problem.codes[list(items.first)]
        self._spread = np.minimum.reduceat(rows, edges) != np.maximum.reduceat(rows, edges)
        self._apart = np.array(sorted(items.apart), dtype=np.int64).reshape(-1, 2)
        # A feature with a rule makes one move per level; where none exists, one move stands for all levels.
        moves = [1 if rule is None else n for rule, n in zip(problem.rules, problem.levels, strict=True)]
        starts = problem.classifier.starts.tolist()
        self._first = np.cumsum([0, *moves])
        self._levels_from = [start + i for start, n in zip(starts, moves, strict=True) for i in range(n)]
        problem.limits.need(3 * len(rows) * sum(moves), "the moves that rules allow")
        self._may = np.ones((len(edges), sum(moves)), dtype=np.bool_)
        for feature, rule in enumerate(problem.rules):
            if rule is not None:
                mine = slice(self._first[feature], self._first[feature + 1])
                self._may[:, mine] = np.logical_and.reduceat(rule[rows[:, feature]], edges)

    def unlisted(
        self, weights: Sequence[int] | IntArray, floor: int, listed: ListedColumns | None = None
    ) -> Iterator[tuple[int, ...]]:
        """Find groups of items that weigh at least ``floor`` and are not part of a listed one.

        At most one per anchor, and none at all if and only if no such group exists. Weights are not negative,
        together at most ``LARGEST_TOTAL``. Each item is the anchor once: the search sees every group that
        contains it, and later ones do without it. Items with the lightest surroundings come first, which
        keeps the searches small.
        """
        columns = ListedColumns() if listed is None else listed
        weight = np.array(weights, dtype=np.int64)
        total = int(weight.sum())
        if floor > total:
            return
        scale = max(1, min(FINEST_SHARE, LARGEST_TOTAL // (total + 1)))
        weight *= scale
        target = max(floor, 0) * scale
        present = weight > 0 if floor > 0 and not columns else np.ones(len(weight), dtype=np.bool_)
        surroundings = np.zeros(len(weight), dtype=np.int64)
        for item in np.flatnonzero(present):
            surroundings[item] = weight[self._near(int(item), present)[0]].sum()
        waiting = present & (weight > 0) if floor > 0 else present.copy()
        while waiting.any():
            anchor = int(np.argmin(np.where(waiting, surroundings, np.iinfo(np.int64).max)))
            near, needs = self._near(anchor, present)
            if anchor in near[:1] and surroundings[anchor] >= target:
                group = self._group_around(near, needs, weight[near], target, columns.with_row(anchor))
                if len(group):
                    yield tuple(sorted(near[group].tolist()))
            surroundings[near] -= weight[anchor]
            waiting[anchor] = present[anchor] = False

    def _near(self, anchor: int, present: BoolArray) -> tuple[IntArray, BoolArray]:
        """Items that may share a group with the anchor, itself first, and the features each needs."""
        self._problem.limits.check()
        others = present.copy()
        others[anchor] = False
        others[self._apart[(self._apart == anchor).any(axis=1)]] = False
        items = np.concatenate([[anchor], np.flatnonzero(others)])
        needs = (self._codes[items] != self._codes[anchor]) | self._spread[items] | self._spread[anchor]
        near = needs.sum(axis=1) <= self._problem.max_changes
        items, needs = items[near], needs[near]
        common = self._may[items] & self._may[anchor]
        meets = np.logical_or.reduceat(common, self._first[:-1], axis=1)
        near = (meets | ~needs).all(axis=1)
        return items[near], needs[near]

    def _group_around(
        self, near: IntArray, needs: BoolArray, weight: IntArray, target: int, columns: list[IntArray]
    ) -> IntArray:
        """Describe the surroundings of an anchor to the compiled search, and run it."""
        classifier, anchor = self._problem.classifier, self._codes[near[0]]
        index_of = np.full(len(self._codes), -1)
        index_of[near] = np.arange(len(near))
        conflicts = index_of[self._apart]
        may, gain = self._may[near], np.zeros((len(anchor), 2), dtype=np.int64)
        self._problem.limits.need(len(columns) * len(near) + 16 * may.size, "what is around a row")
        listed = np.zeros((len(columns), len(near)), dtype=np.bool_)
        for inside, column in zip(listed, columns, strict=True):
            found = index_of[column]
            inside[found[found >= 0]] = True
        own = np.repeat(classifier.tables[classifier.starts + anchor], self._problem.levels)
        shift = np.maximum.reduceat(classifier.tables - own, self._levels_from)
        gain[:, 0] = np.maximum.reduceat(np.where(may[0], shift, 0), self._first[:-1])
        around = Surroundings(
            about=np.outer(weight, [1, 0, 0, 0]) + np.array([0, 1, 0, 0]),
            start=np.cumsum([0, *needs.sum(axis=1)]),
            needed=np.outer(np.nonzero(needs)[1], [1, 0]),
            conflicts=conflicts[(conflicts >= 0).all(axis=1)],
            listed=listed,
            first=self._first,
            pays=np.where(may, 0, NEVER),
            shift=shift,
            gain=gain,
        )
        for group, state, budget in groups_around(self._problem, around, anchor, target):
            if not self._is_impossible(near[group], state, budget):
                return group
        return near[:0]

    def _is_impossible(self, group: IntArray, state: IntArray, budget: int) -> bool:
        """Whether no positive point serves the group with what was decided.

        The group is all that such a point could serve, so nothing else is lost.
        """
        if self._problem.classifier.additive:
            return False
        rows = self._problem.codes[[row for item in group for row in self._members[item]]]
        around = Neighbourhood(self._problem, rows, state == CHANGED, state == KEPT, budget)
        doubt = doubt_of_point(self._problem, around)
        self.doubt = doubt or SURELY
        return doubt is None
