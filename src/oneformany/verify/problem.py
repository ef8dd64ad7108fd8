"""The question that a result file answers: rows, levels, rules, costs and the classifier."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.classifiers import Classifier, read_classifier
from oneformany.verify.codes import MOST_LEVELS, read_codes
from oneformany.verify.costs import read_costs
from oneformany.verify.json_object import JsonObject, check_integers, check_list
from oneformany.verify.limits import Limits
from oneformany.verify.own import OwnValues, read_own
from oneformany.verify.restrictions import Restriction, read_restrictions

__all__ = ["SHARES", "DistinctRows", "Problem", "read_problem"]

MOST_FEATURES = 2**16
LONGEST_FRAME = 10**12
MOST_PEOPLE = 2**40
SHARES = ("point", "action", "features")
PARTS = ("codes", "levels", "max_changes", "allowed", "oracle")
OPTIONAL = (
    *("share", "own", "costs", "restrictions", "people"),
    *("rows", "already_positive", "rows_read", "read_to_the_end", "model", "rules", "ranges"),
)

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Rows that the classifier cannot tell apart, taken together.

    Attributes
    ----------
    first : (d,) integer array
        The first given row of each kind, in rising order.
    of : (n,) integer array
        The kind of each given row.
    """

    first: IntArray
    of: IntArray


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows to explain and the rules of the game.

    Attributes
    ----------
    codes : (n, p) integer array
        The given rows: their cells.
    levels : tuple of int
        Number of cells of each feature.
    max_changes : int
        How many features one explanation may change.
    rules : tuple of boolean matrices or None
        ``rules[l][a, b]``: level ``a`` of feature ``l`` may become, or is, ``b``; ``None``: no rule.
    classifier : Classifier
        Which points are positive.
    limits : Limits
        For how long and with how much memory the claims about it may be examined.
    share : str
        What the rows of one explanation have in common.
    own : OwnValues or None
        The rows' own values, where cells are coarser than what the classifier reads.
    costs : tuple of integer matrices or None
        ``costs[l][a, b]``: what moving from ``a`` to ``b`` costs; ``None``: one per changed feature.
    restrictions : tuple of Restriction
        Rules on the whole of a changed row.
    told_people : (n,) integer array or None
        How many people each given row stands for; ``None``: one.
    """

    codes: IntArray
    levels: tuple[int, ...]
    max_changes: int
    rules: tuple[NDArray[np.bool_] | None, ...]
    classifier: Classifier
    limits: Limits
    share: str = "point"
    own: OwnValues | None = None
    costs: tuple[IntArray, ...] | None = None
    restrictions: tuple[Restriction, ...] = ()
    told_people: IntArray | None = None

    @property
    def people(self) -> IntArray:
        """How many people each given row stands for."""
        return np.ones(len(self.codes), dtype=np.int64) if self.told_people is None else self.told_people

    @property
    def starts(self) -> IntArray:
        """Where the levels of each feature begin when all are written one after the other."""
        return np.array([0, *accumulate(self.levels)], dtype=np.int64)[:-1]

    @property
    def values(self) -> IntArray:
        """What the classifier reads of the given rows."""
        return self.codes if self.own is None else self.own.values

    @property
    def plain(self) -> bool:
        """Whether the rows of a group all end at the same point, and nothing but the point matters."""
        return self.share == "point" and self.own is None and not self.restrictions

    @cached_property
    def distinct(self) -> DistinctRows:
        """The given rows without repeats."""
        _, first, inverse = np.unique(self.values, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return DistinctRows(first[order], rank[inverse.ravel()])

    def targets(self, feature: int) -> IntArray:
        """Tell which value each cell sends rows to; -1: none."""
        if self.own is None:
            return np.arange(self.levels[feature])
        return self.own.targets[feature]

    def followed(self, rows: IntArray, cells: IntArray) -> IntArray:
        """Let given rows move to cells; where a row is in its cell already it keeps its own value.

        Parameters
        ----------
        rows : (m,) integer array
            Given rows.
        cells : (m, p) integer array
            Where they end.

        Returns
        -------
        (m, p) integer array
            What the classifier reads then; -1 where a cell has no value to send rows to.
        """
        if self.own is None:
            return cells
        own = self.own.values[rows]
        sent = np.stack([to[cells[:, f]] for f, to in enumerate(self.own.targets)], axis=1)
        return np.where(self.codes[rows] == cells, own, sent)

    def cost_of(self, before: IntArray, after: IntArray) -> IntArray:
        """Tell what each row pays for moving between cells, both ``(m, p)``."""
        if self.costs is None:
            return np.asarray((before != after).sum(axis=1))
        return np.asarray(sum(table[before[:, f], after[:, f]] for f, table in enumerate(self.costs)))


def read_problem(fields: JsonObject, limits: Limits) -> Problem:
    """Read the question."""
    fields.only(*PARTS, optional=OPTIONAL)
    levels = fields.integers("levels", 1, MOST_LEVELS)
    if not 1 <= len(levels) <= MOST_FEATURES:
        raise CertificateError(f"problem.levels names {len(levels)} features, not 1 to {MOST_FEATURES}")
    limits.hold(16 * sum(levels), "the levels of all features")
    codes = read_codes(fields.entries("codes"), fields.path("codes"), levels)
    if not len(codes):
        raise CertificateError("problem.codes is empty; a problem has at least one row")
    _check_positions(fields, len(codes))
    own = read_own(fields.inner("own"), codes, levels, limits) if fields.has("own") else None
    read = levels if own is None else tuple(len(cells) for cells in own.cell_of)
    return Problem(
        codes=codes,
        levels=levels,
        max_changes=fields.integer("max_changes", 1, len(levels)),
        rules=_rules(fields, levels),
        classifier=read_classifier(fields.inner("oracle"), read, limits),
        limits=limits,
        share=fields.text("share", SHARES) if "share" in fields else "point",
        own=own,
        costs=read_costs(fields.inner("costs"), levels) if fields.has("costs") else None,
        restrictions=read_restrictions(fields.inners("restrictions"), levels)
        if fields.has("restrictions")
        else (),
        told_people=_people(fields, len(codes)) if "people" in fields else None,
    )


def _people(fields: JsonObject, rows: int) -> IntArray:
    counts = fields.integers("people", 1, MOST_PEOPLE, rows)
    if sum(counts) > MOST_PEOPLE:
        raise CertificateError(f"{fields.path('people')} are more than {MOST_PEOPLE}")
    return np.array(counts, dtype=np.int64)


def _check_positions(fields: JsonObject, n_rows: int) -> None:
    """Check where the rows stood in the user's frame, and which others needed no explanation."""
    if "rows" in fields:
        explained = fields.distinct("rows", LONGEST_FRAME, n_rows)
        others = fields.distinct("already_positive", LONGEST_FRAME)
        if set(explained) & set(others):
            raise CertificateError("problem.rows and problem.already_positive name the same row")


def _rules(fields: JsonObject, levels: tuple[int, ...]) -> tuple[NDArray[np.bool_] | None, ...]:
    if fields.value("allowed") is None:
        return (None,) * len(levels)
    matrices = fields.entries("allowed", len(levels))
    return tuple(
        None if matrix is None else _rule(matrix, f"problem.allowed[{feature}]", n)
        for feature, (matrix, n) in enumerate(zip(matrices, levels, strict=True))
    )


def _rule(value: object, path: str, n: int) -> NDArray[np.bool_]:
    rows = check_list(value, path, n)
    matrix = [check_integers(row, f"{path}[{i}]", 0, 1, n) for i, row in enumerate(rows)]
    return np.array(matrix, dtype=np.bool_) | np.eye(n, dtype=np.bool_)
