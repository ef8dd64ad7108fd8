"""Small named problems and oracles for the engine's tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import Decisions, Items, SearchSpace
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.protocol import Answer
from oneformany.problem import Problem
from oneformany.statistics import Statistics


class Veiled:
    """An additive oracle that hides its units, or offers only a loose version of them."""

    def __init__(self, oracle, looseness=None):
        self.oracle = oracle
        self.looseness = looseness

    def __getattr__(self, name):
        return getattr(self.oracle, name)

    def relaxation(self):
        if self.looseness is None:
            return None
        true = self.oracle.relaxation()
        lower = true.threshold - self.looseness * 10**self.oracle.digits
        return replace(true, threshold=lower, exact=False)


class Shrugging(Veiled):
    """An oracle that finds nothing beyond a row's own class and proves nothing."""

    def reach(self, question):
        answer = self.oracle.reach(question)
        if answer.point is None or question.free.any():
            return Answer.unknown()
        return answer


def oracle_of(small):
    return AdditiveOracle(small.tables, small.intercept, small.threshold)


def problem_of(small, oracle=None):
    return Problem(
        np.array(small.codes), small.levels, oracle or oracle_of(small), small.max_changes, small.allowed
    )


def parts_of(problem):
    """SearchSpace of the rows that can be helped, root items, cached oracle."""
    helpable = [
        row
        for row in range(len(problem.rows))
        if problem.oracle.reach(problem.question(row)).point is not None
    ]
    space = SearchSpace(problem, np.array(helpable, dtype=np.int64))
    return space, Items(space, Decisions()), CachedOracle(space, Statistics())


def random_additive(rng, rows=30, features=8, levels=3, max_changes=4):
    """Many distinct rows near a few centres, threshold in reach of all of them."""
    sizes = (levels,) * features
    centres = rng.integers(levels, size=(3, features))
    codes = np.where(
        rng.random((rows, features)) < 0.4,
        rng.integers(levels, size=(rows, features)),
        centres[rng.integers(3, size=rows)],
    )
    tables = rng.integers(-4, 5, size=(features, levels))
    best = tables.max(axis=1)
    here = tables[np.arange(features), codes]
    gains = np.sort(best - here, axis=1)[:, ::-1][:, :max_changes].sum(axis=1) + here.sum(axis=1)
    return Problem(codes, sizes, AdditiveOracle(list(tables), 0.0, float(gains.min())), max_changes)


def refused_rows():
    """Random rows that an additive score refuses."""
    rng = np.random.default_rng(2)
    tables = [rng.normal(size=4) for _ in range(7)]
    oracle = AdditiveOracle(tables, threshold=2.5)
    codes = rng.integers(4, size=(150, 7))
    return Problem(codes[~oracle.positive(codes)], (4,) * 7, oracle, 3)
