"""A problem as the compiled search wants it.

A rule turns "take this feature" into several *options*. Level ``v`` of a feature may be reached from
some levels, ``from(v)``. Only distinct sets matter: an option is such a set A together with its *domain*,
every level that all of A may move to. A column takes a feature by one option: rows at a level of A may
join, and the point takes a level of the domain. Without a rule there is one option, all levels to all.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.kernels import SearchArrays
from oneformany.oracles.protocol import Question, Relaxation
from oneformany.problem import Problem

Option = tuple[BoolArray, BoolArray]


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The helpable distinct rows of a problem, with everything the search precomputes about them."""

    problem: Problem
    helpable: IntArray  # for each row here its index among the problem's distinct rows

    def __post_init__(self) -> None:
        if not self.problem.plain:
            raise AssertionError("where rows share less, own values or restrictions, list columns instead")

    @cached_property
    def rows(self) -> IntArray:
        """Codes of the rows."""
        return np.ascontiguousarray(self.problem.rows[self.helpable])

    @cached_property
    def relaxation(self) -> Relaxation:
        """The classifier's units; all zero when it has none to offer."""
        nothing = np.zeros(self.problem.exists.shape, dtype=np.int64)
        return self.problem.oracle.relaxation() or Relaxation(nothing, 0, 0, exact=False)

    @cached_property
    def options(self) -> list[list[Option]]:
        """For each feature its options as pairs (from, domain)."""
        return [self._options(feature) for feature in range(self.problem.n_features)]

    def _options(self, feature: int) -> list[Option]:
        """Options of a feature, but for those that let in fewer rows and surely score no higher."""
        allowed = self.problem.moves[feature]
        if allowed is None:
            everything = np.ones(self.problem.levels[feature], dtype=np.bool_)
            return [(everything, everything)] if len(everything) > 1 else []
        here = np.unique(self.rows[:, feature])  # from other levels nobody comes
        options, bests = list[Option](), list[int]()
        for comes in sorted(np.unique(allowed[here].T, axis=0), key=lambda comes: -int(comes.sum())):
            origins = np.zeros(len(allowed), dtype=np.bool_)
            origins[here[comes]] = True
            domain = np.asarray(allowed[origins].all(axis=0))
            best = self._best(feature, domain)
            as_good = (index for index, other in enumerate(bests) if other >= best)
            dominated = self.relaxation.exact and any((options[i][0] | ~origins).all() for i in as_good)
            if not dominated and origins.any() and (origins.sum() > 1 or (domain & ~origins).any()):
                options.append((origins, domain))
                bests.append(best)
        return options

    def _best(self, feature: int, domain: BoolArray) -> int:
        return int(self.relaxation.units[feature, : len(domain)][domain].max())

    @cached_property
    def arrays(self) -> SearchArrays:
        """Arrays for the kernels, with every row an item of its own."""
        relaxation, n = self.relaxation, len(self.rows)
        levels = np.array(self.problem.levels, dtype=np.int64)
        option_count = np.array([len(options) for options in self.options], dtype=np.int64)
        option_best = np.zeros((len(levels), max(1, int(option_count.max()))), dtype=np.int64)
        here = relaxation.units[np.arange(len(levels)), self.rows]
        gain = np.zeros_like(here)
        for feature, (options, matrix) in enumerate(zip(self.options, self.problem.moves, strict=True)):
            option_best[feature, : len(options)] = [self._best(feature, domain) for _, domain in options]
            units = relaxation.units[feature, : levels[feature]]
            if matrix is None:
                gain[:, feature] = units.max()
            else:
                taken, which = np.unique(self.rows[:, feature], return_inverse=True)
                gain[:, feature] = np.where(matrix[taken], units, units.min()).max(axis=1)[which]
        gain -= here
        joins = [o[self.rows[:, f]] for f, options in enumerate(self.options) for o, _ in options]
        return SearchArrays(
            rows=self.rows,
            item_start=np.arange(n + 1),
            item_rows=np.arange(n),
            option_count=option_count,
            option_start=np.cumsum(option_count) - option_count,
            joins=np.stack((*joins, np.zeros(n, dtype=np.bool_)), axis=1),
            option_best=option_best,
            simple=~self.problem.ruled,
            units=np.ascontiguousarray(relaxation.units),
            score=relaxation.intercept + here.sum(axis=1),
            gain=gain,
            by_gain=np.argsort(-gain, axis=1, kind="stable"),
            threshold=relaxation.threshold,
            max_changes=self.problem.max_changes,
        )

    def question(self, row: int, choice: IntArray) -> Question:
        """Can a column around ``row`` with this choice of options have a positive point?"""
        taken = choice >= 0
        domain = self.problem.domain(self.rows[row])
        for feature in np.flatnonzero(taken & self.problem.ruled).tolist():
            free = self.options[feature][choice[feature]][1]
            domain[feature, : len(free)] = free
        return Question(self.rows[row], taken, self.problem.max_changes - int(taken.sum()), domain)

    def absorb(self, point: IntArray, changed: BoolArray) -> None:
        """Spend the changes that a column has left on the rows nearest to its point."""
        problem, candidates = self.problem, self.helpable
        if problem.ruled.any():
            candidates = candidates[problem.may_move(self.rows, point).all(axis=1)]
        take_in(problem.by_feature[:, candidates] != point[:, None], changed, problem.max_changes)


def take_in(differs: BoolArray, changed: BoolArray, most: int) -> None:
    """Let in one row after the other that ``differs`` ``(p, n)`` in fewest features that are not in yet."""
    while (rest := most - int(changed.sum())) > 0:
        missing = differs[~changed].sum(axis=0)
        near = np.flatnonzero((missing > 0) & (missing <= rest))
        if not len(near):
            break
        changed |= differs[:, near[missing[near].argmin()]]


def members(arrays: SearchArrays, row: int, choice: IntArray) -> IntArray:
    """The rows that a column around ``row`` covers, given the option it takes in each feature."""
    same = arrays.rows == arrays.rows[row]
    fits = (same | (choice >= 0)).all(axis=1)
    for feature in np.flatnonzero((choice >= 0) & ~arrays.simple).tolist():
        fits &= same[:, feature] | arrays.joins[:, arrays.option_start[feature] + choice[feature]]
    return np.flatnonzero(fits)


class Decisions(NamedTuple):
    """Pairs of rows of the space that one explanation must, or must not, take together."""

    together: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()

    @property
    def depth(self) -> int:
        """How many pairs are decided on."""
        return len(self.together) + len(self.apart)

    def halves(self, pair: tuple[int, int]) -> tuple["Decisions", "Decisions"]:
        """Decide that two rows stay together, or apart."""
        return Decisions((*self.together, pair), self.apart), Decisions(self.together, (*self.apart, pair))


class Items:
    """The rows of a space under branching decisions: the item of each, and the first row of each item."""

    def __init__(self, space: SearchSpace, decisions: Decisions) -> None:
        self.space = space
        self.decisions = decisions
        root = np.arange(len(space.rows))
        for pair in decisions.together:
            low, high = sorted(root[list(pair)])
            root[root == high] = low
        self.first, self.item_of, self.sizes = np.unique(root, return_inverse=True, return_counts=True)
        pairs = (sorted(self.item_of[list(pair)].tolist()) for pair in decisions.apart)
        self.apart = {(low, high) for low, high in pairs}
        self.arrays = space.arrays._replace(
            item_start=np.concatenate(([0], np.cumsum(self.sizes))),
            item_rows=np.argsort(self.item_of, kind="stable"),
        )

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def by_crowding(self) -> IntArray:
        """Items by how common their levels are: those in a crowd are then searched with most others gone."""
        common = sum(np.bincount(levels)[levels] for levels in self.space.rows.T)
        return np.argsort(np.asarray(common)[self.first], kind="stable")

    def conflicts(self, item: int) -> list[int]:
        """Items that must stay apart from this one."""
        return [j if i == item else i for i, j in self.apart if item in (i, j)]

    def group(self, rows: IntArray) -> IntArray:
        """Items whose rows are all among ``rows``, which rise."""
        if not self.decisions.together:
            return rows
        return np.flatnonzero(np.bincount(self.item_of[rows], minlength=len(self)) == self.sizes)

    def rows_of(self, items: IntArray) -> IntArray:
        """All rows of some items, which rise."""
        return items if not self.decisions.together else np.flatnonzero(np.isin(self.item_of, items))

    def heaviest(self, items: IntArray, weights: IntArray) -> IntArray:
        """Exact heaviest selection without a conflict, by branching on the item with most conflicts."""
        if not self.apart:
            return items
        present = set(items.tolist())
        clashes = {i: present.intersection(self.conflicts(i)) for i in sorted(present)}
        worst = max(clashes, key=lambda i: len(clashes[i]), default=-1)
        if worst < 0 or not clashes[worst]:
            return items
        cases = (np.array(sorted(present - gone), dtype=np.int64) for gone in (clashes[worst], {worst}))
        return max(
            (self.heaviest(case, weights) for case in cases),
            key=lambda chosen: (int(weights[chosen].sum()), len(chosen)),
        )
