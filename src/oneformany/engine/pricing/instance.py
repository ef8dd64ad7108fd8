"""A problem as the compiled search wants it.

A rule turns "take this feature" into several *options*. Level ``v`` of a feature may be reached from
some levels, ``from(v)``. Only distinct sets matter: an option is such a set A together with its *domain*,
every level that all of A may move to. A column takes a feature by one option: rows at a level of A may
join, and the point takes a level of the domain. Without a rule there is one option, all levels to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.kernels import Instance
from oneformany.oracles.protocol import Question, Relaxation
from oneformany.problem import Problem

__all__ = ["Arena"]


@dataclass(frozen=True, eq=False)
class Arena:
    """The reachable distinct rows of a problem with everything the search precomputes about them.

    Attributes
    ----------
    problem : Problem
        Where it comes from.
    places : (n,) array
        For each row here its place among the problem's distinct rows.
    """

    problem: Problem
    places: IntArray

    @cached_property
    def rows(self) -> IntArray:
        """Codes of the rows."""
        return np.ascontiguousarray(self.problem.rows[self.places])

    @cached_property
    def relaxation(self) -> Relaxation:
        """The classifier's units; all zero when it has none to offer."""
        given = self.problem.oracle.relaxation()
        if given is not None:
            return given
        units = np.zeros(self.problem.moves.shape[:2], dtype=np.int64)
        return Relaxation(units, intercept=0, threshold=0, exact=False)

    @cached_property
    def options(self) -> list[list[tuple[BoolArray, BoolArray]]]:
        """For each feature its options as pairs (from, domain)."""
        return [self._options(feature) for feature in range(self.problem.n_features)]

    def _options(self, feature: int) -> list[tuple[BoolArray, BoolArray]]:
        n = self.problem.levels[feature]
        allowed = self.problem.moves[feature, :n, :n]
        options: list[tuple[BoolArray, BoolArray]] = []
        for origins in np.unique(allowed.T, axis=0):
            domain = allowed[origins].all(axis=0)
            if origins.sum() > 1 or (domain & ~origins).any():
                options.append((origins, domain))
        options.sort(key=lambda option: -int(option[0].sum()))
        if self.relaxation.exact:
            options = self._undominated(feature, options)
        return options

    def _undominated(
        self, feature: int, options: list[tuple[BoolArray, BoolArray]]
    ) -> list[tuple[BoolArray, BoolArray]]:
        """Drop an option when another lets in at least its rows and scores at least as high."""
        kept: list[tuple[BoolArray, BoolArray]] = []
        for origins, domain in options:
            best = self._best(feature, domain)
            if not any((o | ~origins).all() and self._best(feature, d) >= best for o, d in kept):
                kept.append((origins, domain))
        return kept

    def _best(self, feature: int, domain: BoolArray) -> int:
        return int(self.relaxation.units[feature, : len(domain)][domain].max())

    @cached_property
    def option_domain(self) -> BoolArray:
        """``[feature, option, level]``: the levels a point may take."""
        return self._stack(1)

    def _stack(self, part: int) -> BoolArray:
        p, width = self.problem.moves.shape[:2]
        stacked = np.zeros((p, max(1, *(len(o) for o in self.options)), width), dtype=np.bool_)
        for feature, options in enumerate(self.options):
            for k, option in enumerate(options):
                stacked[feature, k, : len(option[part])] = option[part]
        return stacked

    @cached_property
    def instance(self) -> Instance:
        """Arrays for the kernels, with every row an item of its own."""
        relaxation = self.relaxation
        units = relaxation.units
        lowest = np.iinfo(np.int64).min
        n = len(self.rows)
        return Instance(
            rows=self.rows,
            item_start=np.arange(n + 1),
            item_rows=np.arange(n),
            option_count=np.array([len(options) for options in self.options], dtype=np.int64),
            option_from=self._stack(0),
            option_best=np.where(self.option_domain, units[:, None, :], lowest).max(axis=2),
            simple=~self.problem.ruled,
            units=np.ascontiguousarray(units),
            extra_best=np.where(self.problem.moves, units[:, None, :], lowest).max(axis=2),
            intercept=relaxation.intercept,
            threshold=relaxation.threshold,
            max_changes=self.problem.max_changes,
            exact=relaxation.exact,
        )

    def question(self, row: int, choice: IntArray) -> Question:
        """Can a column around ``row`` with this choice of options have a positive point?"""
        taken = choice >= 0
        features = np.arange(len(choice))
        free = self.option_domain[features, np.maximum(choice, 0)]
        domain = np.where(taken[:, None], free, self.problem.moves[features, self.rows[row]])
        return Question(self.rows[row], taken, self.problem.max_changes - int(taken.sum()), domain)
