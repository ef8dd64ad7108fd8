"""All actions of a few rows: which of them each row may follow, and is possibly or surely accepted after.

An action sends rows to a cell in each of some features. Rows are looked at one after the other, each with
all actions at once, so the work is in proportion to the rows of a proof's scope, and not to all rows. Sums of
trees and of tables are added up as integers: what a change adds alone, two changes beyond that together,
and so on. Other classifiers are asked about every point.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from oneformany.verify.classifiers import Classifier
from oneformany.verify.points import Near
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import LARGEST_NUMBER
from oneformany.verify.reading import BoolArray, IntArray

FEW = 500  # rows of which all actions are looked at, without a thought of how heavy groups may get
MOST_ACTIONS = 2**24  # 300 MB of scores and sums for the row at hand
MOST_PARTS = 2**29  # sets of moves inside actions, whose numbers are added up for a row: a second or two
MOST_PAIRS = 2**33  # of rows and actions: a bit for each is 1 GB
AT_ONCE = 2**15  # points that a classifier is asked about together
NUMBERS = 2**22  # of rows and actions, that are weighed together


class Actions(Near):
    """All actions of at most so many changes, and who of some given rows follows each.

    They are numbered set by set of features, few features first; within a set the cell of the last feature
    changes fastest. A cell to which nobody moves is left out: whoever is in it follows the action without it.
    """

    def __init__(self, problem: Problem, rows: IntArray) -> None:
        super().__init__(problem, rows)
        p = len(problem.levels)
        self.options = []  # the cells of each feature
        for feature in range(p):
            away = np.arange(problem.levels[feature])[:, None] != self.cells[:, feature]
            self.options.append(np.flatnonzero((self.may(feature) & away).any(axis=1)))
        self.counts = np.array([len(cells) for cells in self.options], dtype=np.int64)
        self._changeable = np.flatnonzero(self.counts).tolist()
        self.size = min(problem.max_changes, len(self._changeable))

    @cached_property
    def by_size(self) -> list[int]:
        """How many there are of no change, of one, of two and so on."""
        sums = [1] + [0] * self.size
        for count in self.counts[self._changeable].tolist():
            for size in range(self.size, 0, -1):
                sums[size] += sums[size - 1] * count
        return sums

    @cached_property
    def total(self) -> int:
        """How many there are."""
        return sum(self.by_size)

    @property
    def are_few(self) -> bool:
        """Whether there are few enough to be looked at all together: an action of k changes has 2^k parts."""
        parts = sum(number << size for size, number in enumerate(self.by_size))
        return self.total <= MOST_ACTIONS and parts <= MOST_PARTS

    def serves(self, rows: int) -> bool:
        """Tell whether all actions of so many rows are looked at sooner than how heavy groups may get.

        Rows whose score is added up take milliseconds each.
        """
        if not self.are_few:
            return False
        classifier = self.problem.classifier
        added = all(one.summed or one.trees is not None for one in classifier.members or (classifier,))
        return rows <= FEW or (added and rows * self.total <= MOST_PAIRS)

    @cached_property
    def sets(self) -> list[tuple[int, ...]]:
        """The sets of features, few features first."""
        return [one for size in range(self.size + 1) for one in combinations(self._changeable, size)]

    @cached_property
    def start(self) -> IntArray:
        """Where the actions of each set begin; and where the last ones end."""
        sizes = [prod(self.counts[list(features)].tolist()) for features in self.sets]
        return np.cumsum([0, *sizes])

    @cached_property
    def child(self) -> IntArray:
        """The set with a later feature besides, ``(sets, features)``."""
        number = {features: index for index, features in enumerate(self.sets)}
        found = np.zeros((len(self.sets), len(self.counts)), dtype=np.int64)
        for features, index in number.items():
            if features:
                found[number[features[:-1]], features[-1]] = index
        return found

    def cells_of(self, actions: IntArray) -> tuple[IntArray, BoolArray]:
        """Tell the cell of each action in every feature, ``(m, p)``, and which features it changes."""
        moves = self._moves(actions)
        cells, changed = np.zeros((2, len(actions), len(self.counts)), dtype=np.int64)
        feature_of, cell_of = (
            np.repeat(np.arange(len(self.counts)), self.counts),
            np.concatenate(self.options),
        )
        for index in range(self.size):
            some = np.flatnonzero(moves[:, index] < len(cell_of))
            which = moves[some, index]
            cells[some, feature_of[which]], changed[some, feature_of[which]] = cell_of[which], 1
        return cells, changed > 0

    def _moves(self, actions: IntArray) -> IntArray:
        """Tell the moves of each action, ``(m, size)``: numbers of all cells, one feature after the other.

        One beyond the last stands for no move.
        """
        which = np.searchsorted(self.start, actions, side="right") - 1
        rest, before = actions - self.start[which], np.cumsum(self.counts) - self.counts
        moves = np.full((len(actions), self.size), self.counts.sum())
        for size in range(self.size, 0, -1):  # the last feature changes fastest
            some = np.flatnonzero(self._sizes[which] >= size)
            feature = self._table[which[some], size - 1]
            rest[some], option = np.divmod(rest[some], self.counts[feature])
            moves[some, size - 1] = before[feature] + option
        return moves

    @cached_property
    def _sizes(self) -> IntArray:
        return np.array([len(features) for features in self.sets], dtype=np.int64)

    @cached_property
    def _table(self) -> IntArray:
        """The features of each set, then -1."""
        table = np.full((len(self.sets), max(1, self.size)), -1, dtype=np.int64)
        for index, features in enumerate(self.sets):
            table[index, : len(features)] = features
        return table

    @cached_property
    def _padded(self) -> IntArray:
        """The cells of each feature, then 0."""
        padded = np.zeros((len(self.options), max(1, int(self.counts.max(initial=0)))), dtype=np.int64)
        for feature, cells in enumerate(self.options):
            padded[feature, : len(cells)] = cells
        return padded

    def followed_by(self, index: int) -> BoolArray:
        """Tell which actions a row may follow, and is accepted after, as it was asked for."""
        self.problem.limits.check()
        self.problem.limits.need(24 * self.total, "all actions of a row")
        found = np.zeros(self.total, dtype=np.bool_)
        allowed = self._allowed(index)
        surely, possibly = self._judged(self.problem.classifier, index, allowed)
        found[allowed] = possibly if self.problem.classifier.lenient else surely
        if self.problem.restricted:
            actions = np.flatnonzero(found)
            for first in range(0, len(actions), AT_ONCE):
                some = actions[first : first + AT_ONCE]
                after, held = self.ends(index, some), np.ones(len(some), dtype=np.bool_)
                for _, broken in self.problem.broken(np.repeat(self.given[index], len(some)), after):
                    held &= ~broken
                found[some] = held
        return found

    def _allowed(self, index: int) -> IntArray:
        """List the actions of which the row may make all moves."""
        may = [self.may(feature)[cells, index] for feature, cells in enumerate(self.options)]
        found = []
        for features in self.sets:
            here = np.ones(1, dtype=np.bool_)
            for feature in features:
                here = (here[:, None] & may[feature]).ravel()
            found.append(here)
        return np.flatnonzero(np.concatenate(found))

    def paid(self, index: int) -> IntArray:
        """Tell what each action costs a row; whether it may follow is another question."""
        own, found = self.cells[index], []
        price = [self.problem.price(f, np.full(len(to), own[f]), to) for f, to in enumerate(self.options)]
        for features in self.sets:
            here = np.zeros(1, dtype=np.int64)
            for feature in features:
                here = (here[:, None] + price[feature]).ravel()
            found.append(here)
        return np.concatenate(found)

    def ends(self, index: int, actions: IntArray) -> IntArray:
        """Tell where a row ends, in cells."""
        cells, changed = self.cells_of(actions)
        return np.where(changed, cells, self.cells[index])

    def _judged(self, classifier: Classifier, index: int, actions: IntArray) -> tuple[BoolArray, BoolArray]:
        """Tell after which of some actions a row is surely, and possibly accepted."""
        if classifier.members:
            told = [self._judged(member, index, actions) for member in classifier.members]
            sure, possible = (np.sum(each, axis=0) for each in zip(*told, strict=True))
            return sure >= classifier.at_least, possible >= classifier.at_least
        if classifier.network is not None:
            return self._near(classifier, index, actions)
        sums = self._sums(classifier, index)
        if sums is None:
            return self._asked(classifier, index, actions)
        from oneformany.verify.kernels import scores_of_actions

        scores = np.zeros(self.total, dtype=np.int64)
        scores_of_actions(self._table, self.counts, self.child, self.start, sums, scores)
        scores = scores[actions]
        surely, possibly = scores >= classifier.sure, scores >= classifier.threshold
        if classifier.ties or classifier.rejected:
            open_ = np.flatnonzero(possibly & ~surely)
            surely[open_], possibly[open_] = self._asked(classifier, index, actions[open_])
        return surely, possibly

    def _near(self, classifier: Classifier, index: int, actions: IntArray) -> tuple[BoolArray, BoolArray]:
        """Score a network after each action; ask about those so near the threshold that rounding matters."""
        network, own, after = classifier.network, *self._values(index)
        if network is None:
            raise AssertionError("only networks are scored so")
        there = [after[feature, :count] for feature, count in enumerate(self.counts.tolist())]
        surely, possibly = np.zeros((2, len(actions)), dtype=np.bool_)
        for first in range(0, len(actions), AT_ONCE):
            self.problem.limits.check()
            some = slice(first, first + AT_ONCE)
            with np.errstate(over="ignore", invalid="ignore"):
                scores, error = network.scores_after(own, there, self._moves(actions[some]), self.size)
                surely[some] = scores - error >= classifier.sure
                possibly[some] = ~(scores + error < classifier.threshold)
        open_ = np.flatnonzero(possibly & ~surely)
        surely[open_], possibly[open_] = self._asked(classifier, index, actions[open_])
        return surely, possibly

    def _values(self, index: int) -> tuple[IntArray, IntArray]:
        """Tell what the classifier reads of a row, and where each feature goes to each of its cells."""
        problem, own = self.problem, self.problem.values[self.given[index]]
        after = np.zeros(self._padded.shape, dtype=np.int64)
        for feature, cells in enumerate(self.options):
            there = cells if problem.values is problem.codes else problem.targets[feature][cells]
            stays = (cells == self.cells[index, feature]) | (there < 0)
            after[feature, : len(cells)] = np.where(stays, own[feature], there)
        return own, after

    def _asked(self, classifier: Classifier, index: int, actions: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ask about every point."""
        surely, possibly = np.zeros((2, len(actions)), dtype=np.bool_)
        for first in range(0, len(actions), AT_ONCE):
            self.problem.limits.check()
            some = slice(first, first + AT_ONCE)
            after = self.ends(index, actions[some])
            points = self.problem.followed(np.repeat(self.given[index], len(after)), after)
            surely[some], possibly[some] = classifier.judge(points)
        return surely, possibly

    def _sums(self, classifier: Classifier, index: int) -> IntArray | None:
        """Tell what changes add to the score, alone and beyond that together; ``None`` if it is not a sum.

        Or if there would be too much to add up.
        """
        trees, starts = classifier.trees, classifier.starts
        if trees is None and not classifier.summed:
            return None
        own, after = self._values(index)
        sums = np.zeros(self.total, dtype=np.int64)
        if trees is not None:
            sums[0] = trees.intercept
            done = trees.add_leaves(own, after, self.counts, self.child, self.start, self.size, sums)
            return sums if done else None
        sums[0] = classifier.threshold - classifier.lacking(own[None])[0]
        for number, features in enumerate(self.sets):
            if len(features) == 1:
                table = classifier.tables[starts[features[0]] :]
                there = after[features[0], : self.counts[features[0]]]
                sums[self.start[number] : self.start[number + 1]] = table[there] - table[own[features[0]]]
        return sums

    def groups(self, weights: IntArray, floor: int) -> Iterator[IntArray]:
        """Give the different groups that weigh as much as the floor: indices of rows, each that follows.

        Where rows share the features only, whoever some cells of them help is in the group.
        """
        sharing = self.problem.share == "features"
        columns = len(self.sets) if sharing else self.total
        bits = np.zeros((len(self.given), -(-columns // 8)), dtype=np.uint8)
        self.problem.limits.need(bits.size, "who follows which action")
        for index in range(len(self.given)):
            found = self.followed_by(index)
            bits[index] = np.packbits(self._somehow(found) if sharing else found)
        seen: set[bytes] = set()
        step = max(1, NUMBERS // (8 * max(1, len(self.given))))
        for first in range(0, bits.shape[1], step):
            self.problem.limits.check()
            inside = np.unpackbits(bits[:, first : first + step], axis=1)[:, : columns - 8 * first]
            loads = weights @ inside.astype(np.int64)
            for one in set(map(bytes, np.packbits(inside[:, loads >= floor], axis=0).T)) - seen:
                seen.add(one)
                yield np.flatnonzero(np.unpackbits(np.frombuffer(one, np.uint8))[: len(self.given)])

    def savings(self, prices: IntArray, people: IntArray, scale: int) -> IntArray:
        """Tell what the rows of each group save together against prices per person, times the scale.

        A row saves what its price exceeds the cost, in an action that it follows; where rows share the
        features only, by the cheapest cells that help it.
        """
        from oneformany.verify.kernels import save_by_actions

        sharing = self.problem.share == "features"
        total = np.zeros(len(self.sets) if sharing else self.total, dtype=np.int64)
        for index in np.flatnonzero(prices).tolist():
            found = self.followed_by(index)
            saved = np.zeros(self.total, dtype=np.int64) if sharing else total
            about = self._costs(index, scale), found, int(prices[index]), int(people[index])
            save_by_actions(self._table, self.counts, self.start, *about, saved)
            if sharing:
                total += self._best_somehow(saved)
        return total

    def _costs(self, index: int, scale: int) -> IntArray:
        """Tell what a row pays in each cell of each feature, times the scale."""
        costs = np.zeros(self._padded.shape, dtype=np.int64)
        for feature, cells in enumerate(self.options):
            own = np.full(len(cells), self.cells[index, feature])
            dear = np.minimum(self.problem.price(feature, own, cells), LARGEST_NUMBER // scale) * scale
            # That costs add up to a number: where one is as large as this, nobody saves anything
            costs[feature, : len(cells)] = np.minimum(dear, LARGEST_NUMBER // max(1, self.size))
        return costs

    def _best_somehow(self, saved: IntArray) -> IntArray:
        """Tell what a row saves at most by each set of features; it may stay in any of them."""
        best = np.maximum.reduceat(saved, self.start[:-1])
        for number, features in enumerate(self.sets):
            for left in range(len(features)):
                best[number] = max(best[number], best[self._without(features, left)])
        return np.asarray(best)

    def _without(self, features: tuple[int, ...], left: int) -> int:
        """Find the set without one of its features."""
        fewer = 0
        for index, feature in enumerate(features):
            fewer = fewer if index == left else int(self.child[fewer, feature])
        return fewer

    def _somehow(self, found: BoolArray) -> BoolArray:
        """Tell which sets of features help the row by some cells; rows may stay in any of them."""
        helped = np.logical_or.reduceat(found, self.start[:-1])
        for number, features in enumerate(self.sets):
            for left in range(len(features)):
                helped[number] |= helped[self._without(features, left)]
        return helped
