"""Columns: explanations as the covering program sees them, and how they become explanations again.

Then every row is assigned once, and as few and as common features as possible change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.scaling import UNPAYABLE
from oneformany.engine.table.table import ColumnTable, table_of
from oneformany.problem import Problem

STEPS_AWAY = 4  # from a point that is not positive; each costs a question, and more hardly ever reach one


@dataclass(frozen=True, eq=False)
class Column:
    """A positive point, the features it may change, and all rows of the space it covers."""

    point: IntArray
    changed: BoolArray
    rows: IntArray

    @classmethod
    def covering(cls, space: SearchSpace, point: IntArray, changed: BoolArray) -> Self:
        """Find every row that the point and the changed features cover.

        These agree with the point outside of the changed features, and may move there inside. Whoever makes
        the column has asked the classifier about the point, which serves all of them.
        """
        problem, stays = space.problem, ~changed
        agree = (problem.by_feature[stays] == point[stays, None]).all(axis=0)
        covered = np.flatnonzero(agree[space.helpable])
        if problem.ruled.any():
            covered = covered[problem.may_move(space.rows[covered], point).all(axis=1)]
        return cls(point, changed, covered)


def table_of_columns(space: SearchSpace, columns: Sequence[Column]) -> ColumnTable:
    """Columns of a space as a table over the distinct rows of the problem."""
    problem, rows = space.problem, space.helpable
    table = table_of(problem, [rows[column.rows] for column in columns])
    if not len(table):
        return table
    points = np.array([column.point for column in columns])
    before, after = problem.rows[table.rows], np.repeat(points, np.diff(table.starts), axis=0)
    each = (before != after).sum(axis=1) if problem.costs is None else problem.costs.of(before, after)
    return replace(
        table,
        costs=each,
        changed=np.array([column.changed for column in columns]),
        targets=points.astype(np.int32),
    )


class ColumnPool:
    """Columns without repetition: of columns with the same rows the first stays."""

    def __init__(self) -> None:
        self._by_rows: dict[bytes, Column] = {}

    def __len__(self) -> int:
        return len(self._by_rows)

    @property
    def columns(self) -> list[Column]:
        """All of them, in the order in which they came."""
        return list(self._by_rows.values())

    def add(self, columns: Iterable[Column]) -> list[Column]:
        """Keep what is new; return it."""
        before = len(self)
        for column in columns:
            self._by_rows.setdefault(column.rows.tobytes(), column)
        return self.columns[before:]


def assign(problem: Problem, helpable: IntArray, cover: Sequence[Column]) -> list[IntArray]:
    """Assign each row to the column that changes fewest of its features; return the rows of each column."""
    fewest = np.full(len(helpable), problem.n_features + 1)
    nearest = np.full(len(helpable), len(cover))
    for index, column in enumerate(cover):
        changes = (problem.rows[helpable[column.rows]] != column.point).sum(axis=1)
        better = changes < fewest[column.rows]
        fewest[column.rows[better]] = changes[better]
        nearest[column.rows[better]] = index
    return [helpable[nearest == index] for index in range(len(cover))]


def level_prices(problem: Problem, rows: IntArray) -> IntArray:
    """``(p, V)``: what some rows pay together for each level; ``UNPAYABLE`` where one may not go there."""
    prices, people = np.full(problem.exists.shape, UNPAYABLE), problem.multiplicity[rows]
    for feature, (n, moves) in enumerate(zip(problem.levels, problem.moves, strict=True)):
        levels = problem.rows[rows, feature]
        if problem.costs is None:
            paid = people.sum() - np.bincount(levels, people, n).astype(np.int64)
        else:
            paid = people @ problem.costs.tables[feature][levels]
        prices[feature, :n] = paid if moves is None else np.where(moves[levels].all(axis=0), paid, UNPAYABLE)
    return prices


def cheap_point(
    problem: Problem, prices: IntArray, point: IntArray, tried: BoolArray, *, positive: bool
) -> IntArray | None:
    """Move single features to levels that are tried: towards a positive point, then to cheaper ones."""
    oracle = problem.oracle
    for step in range(len(point) + STEPS_AWAY):
        features, levels = np.nonzero(tried & (np.arange(tried.shape[1]) != point[:, None]))
        dearer = prices[features, levels] - prices[features, point[features]]
        near = np.flatnonzero(dearer < 0) if positive else np.arange(len(features))
        if not len(near):
            break
        points = np.repeat(point[None], len(near), axis=0)
        points[np.arange(len(near)), features[near]] = levels[near]
        accepted = np.flatnonzero(oracle.positive(points))
        if len(accepted):
            point, positive = points[accepted[dearer[near][accepted].argmin()]], True
            continue
        if positive or step >= STEPS_AWAY:
            break
        gain = np.asarray(oracle.score(points)) - float(oracle.score(point[None])[0])
        if gain.max() <= 0:
            break
        point = points[int((gain / np.maximum(dearer, 0.5)).argmax())]
    return point if positive else None


def simplest_point(problem: Problem, point: IntArray, rows: IntArray) -> IntArray:
    """Move a positive point towards where most of its rows are already, while it stays positive."""
    prices = level_prices(problem, rows)
    cheapest = prices.argmin(axis=1)[:, None] == np.arange(prices.shape[1])
    found = cheap_point(problem, prices, point, cheapest, positive=True)
    return point if found is None else found
