"""The part that the paper's compact model and its pricing problem share: what an explanation is.

Numbers in parentheses are the paper's. ``x`` are its ``v``, the one-hot columns of the point; ``member`` its
``a`` (compact model) or ``z`` (pricing); ``changed`` its ``f``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.paper.methods.columns import PaperColumn, PaperRows
from oneformany.paper.methods.embeddings import Embedding, require_positive
from oneformany.paper.methods.model import LinearExpression, Model
from oneformany.paper.methods.one_hot import OneHot


@dataclass(frozen=True, eq=False)
class Block:
    """Variables of ``K`` explanations for ``n`` rows."""

    x: IntArray  # (K, columns): one-hot columns of the points
    member: IntArray  # (K, n): whether a row is explained
    changed: IntArray  # (K, p): whether a feature changes
    hidden: IntArray  # (K, ...): variables inside the classifiers


@dataclass(frozen=True, eq=False)
class PublishedBlock(Block):
    """With the variables that only the published formulation has."""

    used: IntArray  # (K, columns): the paper's ``d``: a column changes for some member
    differs: IntArray  # (K, n, columns): its ``xi``: row and point differ in a column
    both: IntArray  # (K, n, columns): its ``gamma``: they differ, and the row is a member

    def write(
        self, values: FloatArray, embedding: Embedding, rows: PaperRows, columns: list[PaperColumn]
    ) -> None:
        """Set the values of all variables as known columns, one per explanation, have them."""
        given = embedding.one_hot.encode(rows.codes)
        for k, column in enumerate(columns):
            point = embedding.one_hot.encode(column.point)[0]
            member = np.isin(np.arange(len(rows)), column.group)
            differs = np.abs(given - point)
            values[self.x[k]] = point
            values[self.hidden[k]] = embedding.hidden(column.point)
            values[self.member[k]] = member
            values[self.changed[k]] = column.changed
            values[self.differs[k]] = differs
            values[self.both[k]] = differs * member[:, None]
            values[self.used[k]] = (differs * member[:, None]).max(axis=0)


def add_published(
    model: Model, embedding: Embedding, rows: PaperRows, count: int = 1, *, integer: bool = True
) -> PublishedBlock:
    """Add ``count`` explanations as published: (2), (3) as linearised by (11)-(14), (4), (6), (9), (10).

    ``integer`` declares ``d``, ``xi`` and ``gamma`` binary, as published; they are integers without it.
    """
    one_hot = embedding.one_hot
    n, width = len(rows), one_hot.width
    x, member, hidden = _add_points(model, embedding, rows, count)
    changed = model.variables.add(count, len(one_hot.levels))
    used = model.variables.add(count, width, integer=integer)
    differs = model.variables.add(count, n, width, integer=integer)
    both = model.variables.add(count, n, width, integer=integer)
    shape = (count, n, width)

    def flat(*arrays: IntArray) -> IntArray:
        return np.stack([np.broadcast_to(array, shape).ravel() for array in arrays], axis=1)

    points, members, columns = x[:, None, :], member[:, :, None], used[:, None, :]
    given = np.broadcast_to(one_hot.encode(rows.codes), shape).ravel()
    add = model.constraints.add
    # (9), (10): differs >= |given - x|
    add(flat(points, differs), [1.0, 1.0], lower=given)
    add(flat(points, differs), [1.0, -1.0], upper=given)
    # (11)-(14): used >= both = differs and member
    add(flat(columns, both), [1.0, -1.0], lower=0.0)
    add(flat(both, differs), [1.0, -1.0], upper=0.0)
    add(flat(both, members), [1.0, -1.0], upper=0.0)
    add(flat(both, differs, members), [1.0, -1.0, -1.0], lower=-1.0)
    # (4): |T_l| changed_l >= sum of used over the columns of l
    for feature in one_hot.variable:
        block = np.flatnonzero(one_hot.feature == feature)
        coefficients = np.append(-np.ones(len(block)), float(len(block)))
        add(np.column_stack([used[:, block], changed[:, feature]]), coefficients, lower=0.0)
    return PublishedBlock(x, member, changed, hidden, used, differs, both)


def add_compact(model: Model, embedding: Embedding, rows: PaperRows) -> Block:
    """Add one explanation with a single constraint per row and feature.

    A member keeps its level or the feature changes: ``member_i <= [x_l is i's level] + changed_l``.
    """
    one_hot = embedding.one_hot
    x, member, hidden = _add_points(model, embedding, rows, 1)
    changed = model.variables.add(1, len(one_hot.levels))
    for feature in one_hot.variable:
        codes = rows.codes[:, feature]
        columns = np.column_stack(
            [
                member[0],
                x[0, one_hot.column[feature, codes]],
                np.full(len(rows), changed[0, feature]),
            ]
        )
        signs = one_hot.sign[feature, codes]
        coefficients = np.column_stack([np.ones(len(rows)), -signs, -np.ones(len(rows))])
        model.constraints.add(columns, coefficients, upper=one_hot.offset[feature, codes])
    return Block(x, member, changed, hidden)


def exclude_point(model: Model, one_hot: OneHot, x: IntArray, point: IntArray) -> None:
    """Forbid one point to each explanation in ``x``: at least one feature takes another level."""
    features = one_hot.variable
    columns = one_hot.column[features, point[features]]
    signs = one_hot.sign[features, point[features]]
    offset = float(one_hot.offset[features, point[features]].sum())
    model.constraints.add(x[:, columns], signs, upper=len(features) - 1 - offset)


def _add_points(
    model: Model, embedding: Embedding, rows: PaperRows, count: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Positive points (2) with one level per feature (6), and members that may move there."""
    x = embedding.one_hot.add_point(model, count)
    member = model.variables.add(count, len(rows))
    hidden = []
    for point in x:
        first = len(model.variables)
        score: LinearExpression = embedding.add(model, point)
        hidden.append(np.arange(first, len(model.variables)))
        require_positive(model, score, embedding.threshold, embedding.slack)
    _forbid_moves(model, embedding.one_hot, x, member, rows)
    return x, member, np.array(hidden)


def _forbid_moves(model: Model, one_hot: OneHot, x: IntArray, member: IntArray, rows: PaperRows) -> None:
    """``member_i + [x_l is v] <= 1`` wherever row ``i`` may not move to level ``v``."""
    for feature in one_hot.variable:
        moves = rows.problem.moves[feature]
        if moves is None:
            continue
        row, level = np.nonzero(~moves[rows.codes[:, feature]])
        column, sign = one_hot.column[feature, level], one_hot.sign[feature, level]
        upper = 1.0 - one_hot.offset[feature, level]
        for k in range(len(x)):
            model.constraints.add(
                np.column_stack([member[k, row], x[k, column]]),
                np.column_stack([np.ones(len(row)), sign]),
                upper=upper,
            )
