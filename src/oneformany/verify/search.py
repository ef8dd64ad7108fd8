"""Exact search for groups: those that weigh at least so much, or save so much, around every row."""

from collections.abc import Iterator, Sequence

import numpy as np

from oneformany.verify import kernels
from oneformany.verify.kernels import NEVER, NONE, Surroundings
from oneformany.verify.listing import ListedColumns
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import Items
from oneformany.verify.reading import BoolArray, IntArray

LARGEST_TOTAL = 2**60
FINEST_SHARE = 2**20
WORK_BETWEEN_CHECKS = 10**8
ANYWHERE = -1
MOST_POINTS = 2**22
NUMBERS = 2**18  # of points that are looked at together
SURELY = ""
"""The doubt about a point that is surely positive."""
FREE = (0, 0, 0)  # nobody pays for anything


class Neighbourhood:
    """Levels that each feature of a point may take: none to which one of the rows may not move.

    Features whose state is CHANGED take any level, those that are KEPT the one of the first row; open ones,
    all unless told otherwise, may change as long as the budget lasts. Those that may stay come last.
    """

    def __init__(self, problem: Problem, rows: IntArray, budget: int, state: IntArray | None = None) -> None:
        state = np.zeros(len(problem.levels), dtype=np.int64) if state is None else state
        self.home, self.budget, self.paid = rows[0], budget, state == kernels.OPEN
        self.levels = []
        for feature, (n, rule) in enumerate(zip(problem.levels, problem.rules, strict=True)):
            may = np.ones(n, dtype=np.bool_) if rule is None else rule[rows[:, feature]].all(axis=0)
            levels = np.flatnonzero(
                may & ((np.arange(n) == self.home[feature]) | (state[feature] != kernels.KEPT))
            )
            self.levels.append(levels[np.argsort(levels == self.home[feature], kind="stable")])
        self.may_stay = [bool(pays and self.home[f] in self.levels[f]) for f, pays in enumerate(self.paid)]
        self.order = sorted(range(len(self.levels)), key=self.may_stay.__getitem__)

    def __len__(self) -> int:
        """Count the points, up to one more than are looked at."""
        ways = np.ones(1)  # ways[k]: choices so far that spend k of the budget
        for levels, home, pays in zip(self.levels, self.home, self.paid, strict=True):
            moved = int((levels != home).sum()) if pays else 0
            ways = np.convolve(ways, [len(levels) - moved, moved])[: self.budget + 1]
            ways = np.minimum(ways, MOST_POINTS + 1)
        return int(min(ways.sum(), MOST_POINTS + 1))

    def batches(self) -> Iterator[IntArray]:
        """List the points, some at a time and depth first.

        Few wait, since each feature is kept last, and those that have nothing left to spend are done.
        """
        order, may_stay = self.order, self.may_stay
        most = max(1, NUMBERS // len(order))
        waiting = [(self.home[None], np.zeros(1, dtype=np.int64), 0, 0)]
        while waiting:
            points, spent, number, tried = waiting.pop()
            if number == len(order) or (may_stay[order[number]] and spent.min() == self.budget):
                yield points
                continue
            feature = order[number]
            levels = self.levels[feature][tried : tried + max(1, most // len(points))]
            if tried + len(levels) < len(self.levels[feature]):
                waiting.append((points, spent, number, tried + len(levels)))
            costs = spent[:, None] + (self.paid[feature] & (levels != self.home[feature]))
            which, level = np.nonzero(costs <= self.budget)
            if len(which):
                moved = points[which]
                moved[:, feature] = levels[level]
                waiting.append((moved, costs[which, level], number + 1, 0))


def doubt_of_point(problem: Problem, around: Neighbourhood) -> str | None:
    """Look for a positive point: ``None`` if none is even possibly positive, otherwise why it is not known.

    ``SURELY`` if one surely is.
    """
    kind, doubt = problem.classifier.kind, None
    if problem.classifier.scores is None:
        return f"the file does not hold the {kind} classifier"
    if len(around) > MOST_POINTS:
        return f"more than {MOST_POINTS} points would have to be looked at under the {kind}"
    for points in around.batches():
        problem.limits.check()
        surely, possibly = problem.classifier.judge(points)
        if surely.any():
            return SURELY
        if possibly.any():
            doubt = f"a point is so near the threshold that rounding decides about it under the {kind}"
    return doubt


class GroupSearch:
    """All groups that respect the decisions of a proof on the covered distinct rows.

    ``doubt`` is why it is not known whether the group found last exists; empty if it surely does. Where moves
    are ``costed`` each goes to one level, and otherwise so only where there is a rule: elsewhere one move
    stands for all levels.
    """

    def __init__(self, problem: Problem, items: Items, *, costed: bool = False) -> None:
        self._problem = problem
        self._members = items.members
        self.doubt = SURELY
        rows = problem.codes[[row for rows in items.members for row in rows]]
        edges = np.cumsum([0, *(len(rows) for rows in items.members)])[:-1]
        self.codes = problem.codes[list(items.first)]
        self._spread = np.minimum.reduceat(rows, edges) != np.maximum.reduceat(rows, edges)
        self._apart = np.array(sorted(items.apart), dtype=np.int64).reshape(-1, 2)
        told = [costed or rule is not None for rule in problem.rules]
        counts = [n if each else 1 for n, each in zip(problem.levels, told, strict=True)]
        largest = max(counts) if costed else 0
        problem.limits.need(24 * (len(rows) * sum(counts) + largest**2), "the moves that rules allow")
        self._first = np.cumsum([0, *counts])
        self._feature = np.repeat(np.arange(len(counts)), counts)
        self._level = np.arange(sum(counts)) - self._first[self._feature]
        self._level[np.repeat(~np.array(told), counts)] = ANYWHERE
        self._levels_from = problem.classifier.starts[self._feature] + np.maximum(self._level, 0)
        # Of each move: whether it is looked at although nobody is there and it does not help the score.
        free = costed and problem.costs is None
        self._always = np.repeat([not free or rule is not None for rule in problem.rules], counts)
        self.pays = np.zeros((len(edges), sum(counts)), dtype=np.int64)
        for feature, (n, rule) in enumerate(zip(problem.levels, problem.rules, strict=True)):
            if told[feature]:
                table = np.zeros((n, n), dtype=np.int64)
                if costed:
                    table = problem.price(feature, *np.ogrid[:n, :n])
                table = table if rule is None else np.where(rule, table, NEVER)
                mine = slice(self._first[feature], self._first[feature + 1])
                self.pays[:, mine] = np.maximum.reduceat(table[rows[:, feature]], edges)
        self._differ = bool(self.pays.any())  # whether moves do
        away = np.where(self._level == self.codes[:, self._feature], NEVER, self.pays)
        self.leave = np.minimum.reduceat(away, self._first[:-1], axis=1)  # (items, p) the cheapest move

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
            near, needs, meet = self._near(anchor, present)
            if anchor in near[:1] and surroundings[anchor] >= target:
                about = np.outer(weight[near], [1, 0, 0, 0]) + np.array([0, 1, 0, 0])
                around = self._around(near, needs, meet, about, columns.with_row(anchor))
                for group, state, budget in self._groups(around, near, target):
                    if not self._is_impossible(near[group], state, budget):
                        yield tuple(sorted(near[group].tolist()))
                        break
            surroundings[near] -= weight[anchor]
            waiting[anchor] = present[anchor] = False

    def exceeds(
        self, anchor: int, about: IntArray, limit: int, ranges: Sequence[tuple[int, int, int]]
    ) -> bool:
        """Tell whether a group in which the anchor pays least, within one of the ranges, saves more."""
        near, needs, meet = self._near(anchor, about[:, kernels.LEAST] < NEVER)
        around = self._around(near, needs, meet, about[near], [])
        return any(any(self._groups(around, near, limit + 1, costed)) for costed in ranges)

    def _near(self, anchor: int, present: BoolArray) -> tuple[IntArray, BoolArray, IntArray]:
        """Items that may share a group with the anchor, itself first; needed features, costs of meeting."""
        self._problem.limits.check()
        others = present.copy()
        others[anchor] = False
        others[self._apart[(self._apart == anchor).any(axis=1)]] = False
        items = np.concatenate([[anchor], np.flatnonzero(others)])
        needs = (self.codes[items] != self.codes[anchor]) | self._spread[items] | self._spread[anchor]
        near = needs.sum(axis=1) <= self._problem.max_changes
        items, needs = items[near], needs[near]
        meet = np.zeros(needs.shape, dtype=np.int64)
        if self._differ:
            meet = np.minimum.reduceat(self.pays[items] + self.pays[anchor], self._first[:-1], axis=1)
        near = ((meet < NEVER) | ~needs).all(axis=1)
        return items[near], needs[near], meet[near]

    def _around(
        self, near: IntArray, needs: BoolArray, meet: IntArray, about: IntArray, columns: list[IntArray]
    ) -> Surroundings:
        """Describe the surroundings of an anchor to the compiled search."""
        classifier, anchor = self._problem.classifier, self.codes[near[0]]
        self._problem.limits.need(
            len(columns) * len(near) + 16 * len(near) * len(self._level), "what is around a row"
        )
        index_of = np.full(len(self.codes), -1)
        index_of[near] = np.arange(len(near))
        conflicts = index_of[self._apart]
        listed = np.zeros((len(columns), len(near)), dtype=np.bool_)
        for inside, column in zip(listed, columns, strict=True):
            found = index_of[column]
            inside[found[found >= 0]] = True
        own = np.repeat(classifier.tables[classifier.starts + anchor], self._problem.levels)
        shift = np.maximum.reduceat(classifier.tables - own, self._levels_from)
        # Where nobody has a level everybody pays, which only a better score is worth.
        here = (self.codes[near][:, self._feature] == self._level).any(axis=0)
        useful = self._always | (shift > 0) | here
        pays, shift = self.pays[near][:, useful], shift[useful]
        first = np.searchsorted(self._feature[useful], np.arange(len(anchor) + 1))
        return Surroundings(
            about=about,
            start=np.cumsum([0, *needs.sum(axis=1)]),
            needed=np.stack([np.nonzero(needs)[1], meet[needs]], axis=1),
            conflicts=conflicts[(conflicts >= 0).all(axis=1)],
            listed=listed,
            first=first,
            pays=pays,
            shift=shift,
            gain=np.maximum.reduceat(np.where(pays[0] < NEVER, shift, 0), first[:-1]),
        )

    def _groups(
        self, around: Surroundings, near: IntArray, floor: int, costed: kernels.Costed = FREE
    ) -> Iterator[tuple[IntArray, IntArray, int]]:
        """Search for groups around an anchor, each with what was decided about it and the changes left."""
        limits = self._problem.limits
        # One memory layout, so that the search is compiled once.
        around = Surroundings._make(map(np.ascontiguousarray, around))
        moves = np.diff(around.first)[np.unique(around.needed[:, 0])]
        room = int(moves.sum()) + len(moves) + len(around.conflicts) + 2
        size, features = len(around.about), len(around.gain)
        limits.need(8 * room * (2 * size + features + 5), "the search for groups around a row")
        lacking = int(self._problem.classifier.lacking(self.codes[near[:1]])[0])
        shapes = ((room, 5), (room, features), (room, size, 2), (size, 2), size, features, features, features)
        stack = kernels.Stack(*(np.zeros(shape, np.int64) for shape in shapes))
        stack.possible[0, :, 0] = np.arange(size)
        stack.nodes[0] = size, self._problem.max_changes, lacking, NONE, NONE
        steps = max(1, WORK_BETWEEN_CHECKS // (around.needed.size + around.listed.size + size + 1))
        found, top = kernels.PAUSED, 0
        while found:
            limits.check()
            found, top = kernels.find_group(around, floor, costed, stack, top, steps)
            if found > 0:
                yield stack.group[:found, 0], stack.state, int(stack.nodes[top + 1, kernels.BUDGET])

    def _is_impossible(self, group: IntArray, state: IntArray, budget: int) -> bool:
        """Whether no positive point serves the group with what was decided.

        The group is all that such a point could serve, so nothing else is lost.
        """
        if self._problem.classifier.certain:
            return False
        rows = self._problem.codes[[row for item in group for row in self._members[item]]]
        around = Neighbourhood(self._problem, rows, budget, state)
        doubt = doubt_of_point(self._problem, around)
        self.doubt = doubt or SURELY
        return doubt is None
