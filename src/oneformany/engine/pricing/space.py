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
from oneformany.engine.pricing.kernels import SearchArrays
from oneformany.oracles.protocol import Question, Relaxation
from oneformany.problem import Problem


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The reachable distinct rows of a problem with everything the search precomputes about them.

    Attributes
    ----------
    problem : Problem
        Where it comes from.
    helpable : (n,) array
        For each row here its index among the problem's distinct rows.
    """

    problem: Problem
    helpable: IntArray

    def __post_init__(self) -> None:
        unserved = {
            f"share={self.problem.share!r}": self.problem.share != "point",
            "own values": self.problem.own is not None,
            "restrictions": bool(self.problem.restrictions),
        }
        for what, asked in unserved.items():
            if asked:
                raise AssertionError(
                    f"the search engine would answer wrongly for {what}; list columns instead"
                )

    @cached_property
    def rows(self) -> IntArray:
        """Codes of the rows."""
        return np.ascontiguousarray(self.problem.rows[self.helpable])

    @cached_property
    def relaxation(self) -> Relaxation:
        """The classifier's units; all zero when it has none to offer."""
        given = self.problem.oracle.relaxation()
        if given is not None:
            return given
        units = np.zeros(self.problem.exists.shape, dtype=np.int64)
        return Relaxation(units, intercept=0, threshold=0, exact=False)

    @cached_property
    def options(self) -> list[list[tuple[BoolArray, BoolArray]]]:
        """For each feature its options as pairs (from, domain)."""
        return [self._options(feature) for feature in range(self.problem.n_features)]

    def _options(self, feature: int) -> list[tuple[BoolArray, BoolArray]]:
        n = self.problem.levels[feature]
        allowed = self.problem.moves[feature]
        if allowed is None:
            everything = np.ones(n, dtype=np.bool_)
            return [(everything, everything)] if n > 1 else []
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
    def arrays(self) -> SearchArrays:
        """Arrays for the kernels, with every row an item of its own."""
        relaxation = self.relaxation
        n = len(self.rows)
        levels = np.array(self.problem.levels, dtype=np.int64)
        option_count = np.array([len(options) for options in self.options], dtype=np.int64)
        option_best = np.zeros((len(levels), max(1, int(option_count.max()))), dtype=np.int64)
        for feature, options in enumerate(self.options):
            option_best[feature, : len(options)] = [self._best(feature, domain) for _, domain in options]
        origins = [origins for options in self.options for origins, _ in options]
        return SearchArrays(
            rows=self.rows,
            item_start=np.arange(n + 1),
            item_rows=np.arange(n),
            levels=levels,
            option_count=option_count,
            option_start=np.cumsum(option_count * levels) - option_count * levels,
            option_from=np.concatenate((*origins, np.zeros(1, dtype=np.bool_))),
            option_best=option_best,
            simple=~self.problem.ruled,
            units=np.ascontiguousarray(relaxation.units),
            extra_best=self._extra_best(),
            intercept=relaxation.intercept,
            threshold=relaxation.threshold,
            max_changes=self.problem.max_changes,
            exact=relaxation.exact,
        )

    def _extra_best(self) -> IntArray:
        """``[feature, level]``: the largest units that a row at this level may move to."""
        units = self.relaxation.units
        best = np.zeros(units.shape, dtype=np.int64)
        for feature, (matrix, n) in enumerate(zip(self.problem.moves, self.problem.levels, strict=True)):
            here = units[feature, :n]
            best[feature, :n] = here.max() if matrix is None else [here[row].max() for row in matrix]
        return best

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
        problem = self.problem
        candidates = self.helpable
        if problem.ruled.any():
            candidates = candidates[problem.may_move(self.rows, point).all(axis=1)]
        differs = problem.by_feature[:, candidates] != point[:, None]
        rest = problem.max_changes - int(changed.sum())
        while rest > 0:
            missing = differs[~changed].sum(axis=0)
            missing[missing == 0] = rest + 1
            nearest = int(missing.argmin()) if len(missing) else -1
            if nearest < 0 or missing[nearest] > rest:
                break
            rest -= int(missing[nearest])
            changed |= differs[:, nearest]


def members(arrays: SearchArrays, row: int, choice: IntArray) -> IntArray:
    """The rows that a column around ``row`` covers, given the option it takes in each feature."""
    same = arrays.rows == arrays.rows[row]
    fits = (same | (choice >= 0)).all(axis=1)
    for feature in np.flatnonzero((choice >= 0) & ~arrays.simple).tolist():
        start = arrays.option_start[feature] + choice[feature] * arrays.levels[feature]
        joins = arrays.option_from[start : start + arrays.levels[feature]]
        fits &= same[:, feature] | joins[arrays.rows[:, feature]]
    return np.flatnonzero(fits)
