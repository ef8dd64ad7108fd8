"""Exact search for groups: those that weigh at least so much, or save so much, around every row.

A group that contains its anchor is found by deciding feature by feature whether the explanation keeps it, or
which move it makes: to one of the levels, or where these do not matter to any. A candidate is in the group
once all features in which it differs from the anchor are changed, and lost as soon as one of them is kept.
Each candidate that is still possible spreads what it adds evenly over the open features it needs; so with
``budget`` changes to spend no group adds up to more than what is certain plus the ``budget`` largest loads.
Shares are rounded up: what decides is in integers and the bound holds exactly. Features in which all agree
may have to change as well, for a positive score: so many fewer are left for the candidates.

Where moves cost something, a candidate adds what its price exceeds the cost, and the anchor pays least, from
``low`` to ``high``. A candidate pays at least what is decided and what it and the anchor pay together to
meet, less what the anchor may still pay. Everybody also pays for the features in which all agree.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.listing import ListedColumns
from oneformany.verify.points import Near, repeated
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import Items
from oneformany.verify.reading import BoolArray, IntArray

NODES = 2**18  # numbers about nodes that are looked at together
ANYWHERE = -1
OPEN, CHANGED, KEPT = 0, 1, 2
OUT_OF_REACH = 2**40
FREE = ((0, OUT_OF_REACH),)  # nobody pays for anything


class Around(NamedTuple):
    """What may share a group with an anchor, which is candidate 0."""

    items: IntArray  # (c,) the candidates
    needs: BoolArray  # (c, p) features that must change for the candidate to be in the group
    meet: IntArray  # (c, p) what the candidate and the anchor pay at least to meet in these
    about: IntArray  # (c, 4) a weight or price, how often that counts, what the candidate pays at least, and
    # whether it would be the anchor if it paid as little
    conflicts: IntArray  # (k, 2) candidates of which no group may contain both
    outside: BoolArray  # (c, g) who is not in each of the groups of which no part is of interest
    first: IntArray  # (p + 1,) feature l makes the moves first[l] to first[l + 1] - 1
    pays: IntArray  # (c, moves) what the candidate pays for the move; OUT_OF_REACH: it may not make it
    shift: IntArray  # (moves,) the most that the move adds to the anchor's score
    gain: IntArray  # (p,) the most that changing a feature adds
    leave: IntArray  # (p,) the least that it costs the anchor


class Nodes(NamedTuple):
    """What was decided, one row for each node of the search."""

    state: NDArray[np.int8]  # (b, p) OPEN, CHANGED or KEPT
    possible: BoolArray  # (b, c) candidates
    paid: IntArray  # (b, c) for the moves that were made
    about: IntArray  # (b, 4) changes left, what the score lacks, and the range of what the anchor pays

    def pick(self, which: slice | IntArray | BoolArray) -> "Nodes":
        """Take some of the nodes."""
        return Nodes(self.state[which], self.possible[which], self.paid[which], self.about[which])


def _sums(values: IntArray) -> IntArray:
    """Of each row of numbers that are not negative: the sums of the largest 0, 1, 2, ... of them."""
    sums = np.zeros((len(values), values.shape[1] + 1), dtype=np.int64)
    np.cumsum(np.sort(values, axis=1)[:, ::-1], axis=1, out=sums[:, 1:])
    return sums


def _survey(around: Around, nodes: Nodes, floor: int, scale: int) -> tuple[Nodes, IntArray, IntArray]:
    """Drop nodes without a group that adds up to the floor; tell what candidates want, and the loads."""
    (budget, lacks, low, high), paid = nodes.about.T, nodes.paid
    worth, people, least, earlier = around.about.T
    every, opened, needs = np.arange(len(budget)), nodes.state == OPEN, around.needs
    want = opened @ needs.T.astype(np.int64)
    possible = nodes.possible & ~((nodes.state == KEPT) @ needs.T) & (want <= budget[:, None])
    if scale:
        possible &= (want > 0) | (paid >= paid[:, :1] + earlier)
    gains = np.where(opened, around.gain, 0)
    alive = possible[:, 0] & (_sums(gains)[every, budget] >= lacks)
    # Features that no candidate needs, but the score: how many at least, and what everybody pays for them.
    others = np.where(possible @ needs, 0, gains)
    besides = (_sums(others) < (lacks - (gains - others).sum(axis=1))[:, None]).sum(axis=1)
    alive &= besides <= budget
    if scale:
        everybody = besides * np.where(others > 0, around.leave, OUT_OF_REACH).min(axis=1)
        spare = high - paid[:, 0] - everybody
        alive &= spare >= 0
        anchor = np.maximum(low, np.maximum(paid[:, 0] + everybody, least[0]))
        apart = np.maximum(0, opened @ around.meet.T - spare[:, None])
        pays = np.maximum(np.maximum(anchor[:, None], least), paid + everybody[:, None] + apart)
        worth = worth - scale * np.where(possible & alive[:, None], pays, 0)
        possible &= worth > 0
        alive &= possible[:, 0]
    adds = np.where(possible, people * worth, 0)
    shares = np.where(possible & (want > 0), np.maximum(1, -(-adds // np.maximum(want, 1))), 0)
    loads = np.where(opened, shares @ around.needs, 0)
    left = np.clip(budget - besides, 0, None)
    alive &= np.where(want == 0, adds, 0).sum(axis=1) + _sums(loads)[every, left] >= floor
    rest = np.flatnonzero(alive)
    alive[rest] = (possible[rest] @ around.outside).all(axis=1)
    kept = nodes._replace(possible=possible).pick(alive)
    return kept, want[alive], loads[alive]


def _split(around: Around, nodes: Nodes, feature: IntArray) -> Iterator[Nodes]:
    """Decide on one more feature of each node: it is kept, or makes one of its moves."""
    kept = nodes.state.copy()
    kept[np.arange(len(feature)), feature] = KEPT
    yield nodes._replace(state=kept)
    which, move = repeated(around.first[feature + 1] - around.first[feature])
    nodes, feature, every = nodes.pick(which), feature[which], np.arange(len(which))
    move += around.first[feature]
    nodes.state[every, feature] = CHANGED
    paid = nodes.paid + around.pays.T[move]
    nodes.about[:, 0] -= 1
    nodes.about[:, 1] -= around.shift[move]
    yield nodes._replace(possible=nodes.possible & (paid < OUT_OF_REACH), paid=paid)


class GroupSearch:
    """All groups that respect the decisions of a proof on the covered distinct rows.

    Where moves are ``costed`` each goes to one level, and otherwise so only where there is a rule: elsewhere
    one move stands for all levels.
    """

    def __init__(self, problem: Problem, items: Items, *, costed: bool = False) -> None:
        self._problem = problem
        self._members = items.members
        rows = problem.codes[[row for rows in items.members for row in rows]]
        edges = np.cumsum([0, *(len(rows) for rows in items.members)])[:-1]
        self.codes = problem.codes[list(items.first)]
        self._spread = np.minimum.reduceat(rows, edges) != np.maximum.reduceat(rows, edges)
        self._apart = np.array(sorted(items.apart), dtype=np.int64).reshape(-1, 2)
        told = [costed or rule is not None for rule in problem.rules]
        counts = [n if each else 1 for n, each in zip(problem.levels, told, strict=True)]
        problem.limits.need(40 * len(rows) * sum(counts), "the moves that rules allow")
        self._first = np.cumsum([0, *counts])
        self._feature = np.repeat(np.arange(len(counts)), counts)
        self._level = np.arange(sum(counts)) - self._first[self._feature]
        self._level[np.repeat(~np.array(told), counts)] = ANYWHERE
        self._levels_from = problem.classifier.starts[self._feature] + np.maximum(self._level, 0)
        # Of each move: whether it is looked at although nobody is there and it does not help the score.
        free = costed and problem.costs is None
        self._always = np.repeat([not free or rule is not None for rule in problem.rules], counts)
        self.pays = np.zeros((len(edges), sum(counts)), dtype=np.int64)
        for feature in np.flatnonzero(told).tolist():
            cells, to = rows[:, feature], np.arange(counts[feature])
            price = problem.price(feature, cells[:, None], to) if costed else np.zeros(1, dtype=np.int64)
            mine = slice(self._first[feature], self._first[feature + 1])
            paid = np.where(problem.may(feature, cells), price, OUT_OF_REACH)
            self.pays[:, mine] = np.maximum.reduceat(paid, edges)
        away = np.where(self._level == self.codes[:, self._feature], OUT_OF_REACH, self.pays)
        self.leave = np.minimum.reduceat(away, self._first[:-1], axis=1)  # (items, p) the cheapest move

    def unlisted(self, weights: IntArray, floor: int, columns: ListedColumns) -> Iterator[tuple[int, ...]]:
        """Find groups of items that weigh at least ``floor`` and are not part of a listed one.

        At most one per anchor, and none at all if and only if no such group exists. Weights are not negative,
        together at most 2^60. Each item is the anchor once: the search sees every group that
        contains it, and later ones do without it; the heaviest come first, so that searches get smaller.
        """
        floor = max(floor, 0)
        about = np.outer(weights, [1, 0, 0, 0]) + np.array([0, 1, 0, 0])
        present = weights > 0 if floor > 0 and not columns else np.ones(len(weights), dtype=np.bool_)
        for anchor in np.argsort(-weights, kind="stable").tolist():
            if weights[present].sum() < floor or (floor > 0 and not weights[anchor]):
                return
            around = self._around(anchor, present, about, columns)
            for group, state, budget in self._groups(around, floor):
                if self._exists(group, state, budget):
                    yield tuple(sorted(group.tolist()))
                    break
            present[anchor] = False

    def exceeds(
        self, anchor: int, about: IntArray, limit: int, ranges: Sequence[tuple[int, int]], scale: int
    ) -> bool:
        """Tell whether a group in which the anchor pays least, within one of the ranges, saves more."""
        around = self._around(anchor, about[:, 2] < OUT_OF_REACH, about, ListedColumns())
        return any(self._groups(around, limit + 1, ranges, scale))

    def _around(self, anchor: int, present: BoolArray, about: IntArray, columns: ListedColumns) -> Around:
        """Describe the items that may share a group with the anchor, which is one of them."""
        problem, classifier = self._problem, self._problem.classifier
        problem.limits.check()
        others = present.copy()
        others[anchor] = False
        others[self._apart[(self._apart == anchor).any(axis=1)]] = False
        items = np.concatenate([[anchor], np.flatnonzero(others)])
        needs = (self.codes[items] != self.codes[anchor]) | self._spread[items] | self._spread[anchor]
        near = needs.sum(axis=1) <= problem.max_changes
        near[0] = True  # the search finds out if the anchor itself is impossible
        size = len(self._level) + 2 * len(problem.levels)
        problem.limits.need(16 * int(near.sum()) * size, "what is around a row")
        items, needs = items[near], needs[near]
        meet = np.minimum.reduceat(self.pays[items] + self.pays[anchor], self._first[:-1], axis=1)
        near = ((meet < OUT_OF_REACH) | ~needs).all(axis=1)
        near[0] = True
        items, needs, meet = items[near], needs[near], np.where(needs, meet, 0)[near]
        index_of = np.full(len(self.codes), -1)
        index_of[items] = np.arange(len(items))
        conflicts = index_of[self._apart]
        mine = columns.with_row(anchor)
        problem.limits.need(len(mine) * len(items), "what is around a row")
        outside = np.ones((len(items), len(mine)), dtype=np.bool_)
        for number, column in enumerate(mine):
            found = index_of[column]
            outside[found[found >= 0], number] = False
        own = np.repeat(classifier.tables[classifier.starts + self.codes[anchor]], problem.levels)
        shift = np.maximum.reduceat(classifier.tables - own, self._levels_from)
        may, gain = self.pays[anchor] < OUT_OF_REACH, np.zeros(len(problem.levels), dtype=np.int64)
        np.maximum.at(gain, self._feature, np.where(may, shift, 0))
        # Where nobody has a level everybody pays, which only a better score is worth.
        here = (self.codes[items][:, self._feature] == self._level).any(axis=0)
        useful = may & (self._always | (shift > 0) | here)
        first = np.searchsorted(self._feature[useful], np.arange(len(gain) + 1))
        conflicts = conflicts[(conflicts >= 0).all(axis=1)]
        moves = first, self.pays[items][:, useful], shift[useful], gain, self.leave[anchor]
        return Around(items, needs, meet, about[items], conflicts, outside, *moves)

    def _groups(
        self, around: Around, floor: int, ranges: Sequence[tuple[int, int]] = FREE, scale: int = 0
    ) -> Iterator[tuple[IntArray, IntArray, int]]:
        """Search for groups around an anchor that add up to the floor and are not part of a listed one.

        Exhaustive, depth first, some nodes at a time. Each group is all that could be in one with what was
        decided about it; that and the changes left come along.
        """
        limits, (size, features) = self._problem.limits, around.needs.shape
        lacking = int(self._problem.classifier.lacking(self.codes[around.items[:1]])[0])
        about = np.array([(self._problem.max_changes, lacking, *paid) for paid in ranges]).reshape(-1, 4)
        state, paid = np.zeros((len(ranges), features), np.int8), np.zeros((len(ranges), size), np.int64)
        waiting = Nodes(state, paid == 0, paid, about)
        together = max(1, NODES // (around.needs.size + around.outside.size))
        while len(waiting.state):
            limits.check()
            nodes, waiting = waiting.pick(slice(-together, None)), waiting.pick(slice(-together))
            children = len(waiting.state) + len(nodes.state) * (2 + len(around.shift))
            limits.need(children * (18 * size + 2 * features + 64), "the search for groups around a row")
            nodes, want, loads = _survey(around, nodes, floor, scale)
            parts = [waiting]
            clash = ((want == 0) & nodes.possible)[:, around.conflicts].all(axis=2)
            if clash.any():
                which = np.flatnonzero(clash.any(axis=1))
                for side in around.conflicts[clash[which].argmax(axis=1)].T:
                    parts.append(nodes.pick(which))
                    parts[-1].possible[np.arange(len(which)), side] = False
                nodes, loads = nodes.pick(~clash.any(axis=1)), loads[~clash.any(axis=1)]
            # Where all agree on every open feature, what the anchor can still gain there, all can.
            done = (loads == 0).all(axis=1)
            for node in np.flatnonzero(done):
                state, possible, _, about = (part[node] for part in nodes)
                yield around.items[possible], state, int(about[0])
            parts += _split(around, nodes.pick(~done), loads[~done].argmax(axis=1))
            waiting = Nodes._make(map(np.concatenate, zip(*parts, strict=True)))

    def _exists(self, group: IntArray, state: IntArray, budget: int) -> bool:
        """Whether a positive point serves the group with what was decided: all of it could become the point.

        The group is all that such a point could serve, so nothing else is lost.
        """
        problem, classifier = self._problem, self._problem.classifier
        if classifier.summed and not classifier.margin:  # the sums that the search adds up say it all
            return True
        rows = np.array([row for item in group for row in self._members[item]])
        # Without a rule all may go where the first one may.
        movers = (rows[:1] if rule is None else rows for rule in problem.rules)
        may = [problem.may(f, problem.codes[some, f]).all(axis=0) for f, some in enumerate(movers)]
        changed, opened = (np.flatnonzero(state == told) for told in (CHANGED, OPEN))
        near = Near(problem, rows[:1], np.concatenate(may)[:, None])
        return near.positive_row(changed, opened, np.array([budget])) is not None
