"""What a result file says, as plain frozen data: the question, the answer and the proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.models import Positive

__all__ = [
    "Branch",
    "Claims",
    "Classifier",
    "CoverCase",
    "Dual",
    "Enumeration",
    "Explanation",
    "Proof",
    "SolverBound",
    "Statement",
]


@dataclass(frozen=True, eq=False)
class Classifier:
    """Positive points are among those with ``intercept + tables[0][x_0] + ... >= threshold``.

    Attributes
    ----------
    kind : str
        The kind of classifier the file names.
    tables : (p, max levels) integer array
        Share of each level of each feature; nothing reads levels that do not exist.
    intercept, threshold : int
        Of the integer score.
    exact : bool
        Whether all those points are positive. Otherwise the tables only bound the classifier: "no such
        group" proved with them still holds, a group found with them may not exist.
    cutoff : float or None
        The threshold on the classifier's own scale, if the file tells it.
    positive : callable or None
        Whether each row of codes is positive, if the file holds a classifier that is no sum of tables.
    """

    kind: str
    tables: NDArray[np.int64]
    intercept: int
    threshold: int
    exact: bool
    cutoff: float | None
    positive: Positive | None = None

    def lacking(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tell what the score of each row of codes lacks to the threshold; at most 0 for positive points."""
        shares = self.tables[np.arange(codes.shape[1]), codes]
        return np.asarray(self.threshold - self.intercept - shares.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Statement:
    """The rows to explain and the rules of the game.

    Attributes
    ----------
    codes : (n, p) integer array
        The given rows.
    levels : tuple of int
        Number of levels of each feature.
    max_changes : int
        How many features one explanation may change.
    rules : tuple of boolean matrices or None
        ``rules[l][a, b]``: level ``a`` of feature ``l`` may become, or is, ``b``; ``None``: no rule.
    classifier : Classifier
        Which points are positive.
    """

    codes: NDArray[np.int64]
    levels: tuple[int, ...]
    max_changes: int
    rules: tuple[NDArray[np.bool_] | None, ...]
    classifier: Classifier


@dataclass(frozen=True)
class Explanation:
    """A point, the features it changes, and the rows assigned to it."""

    point: tuple[int, ...]
    changed: tuple[int, ...]
    members: tuple[int, ...]


@dataclass(frozen=True)
class Dual:
    """No group weighs more than ``capacity``, so at least ``bound`` groups carry all the weight."""

    weights: tuple[int, ...]
    capacity: int
    bound: int


@dataclass(frozen=True)
class CoverCase:
    """Why the columns usable in one case do not cover what is needed.

    Attributes
    ----------
    filters : tuple of tuples of (rows, weight)
        Weights on sets of rows that exclude columns too light for a cover, or every cover, one after the
        other. A column carries the weight of a set once for every two of its rows, rounded up.
    row : int or None
        If the case is still open then: a row that some column has to cover.
    columns : tuple of int
        The numbers of all usable columns that cover the row.
    parts : tuple of CoverCase
        For each of these the case that it is used, and none of those before it.
    """

    filters: tuple[tuple[tuple[tuple[int, ...], int], ...], ...]
    row: int | None
    columns: tuple[int, ...]
    parts: tuple[CoverCase, ...]


@dataclass(frozen=True)
class Enumeration:
    """Every group that a cover by ``target`` could use is part of a listed one, and those do not suffice."""

    weights: tuple[int, ...]
    capacity: int
    target: int
    columns: tuple[tuple[int, ...], ...]
    cover: CoverCase | None
    bound: int


@dataclass(frozen=True)
class Branch:
    """Two rows are in one group or in two; both cases are proved."""

    pair: tuple[int, int]
    together: Proof
    apart: Proof
    bound: int


@dataclass(frozen=True)
class SolverBound:
    """A solver said so, and left nothing that could be recomputed."""

    name: str
    bound: int


Proof = Dual | Enumeration | Branch | SolverBound


@dataclass(frozen=True, eq=False)
class Claims:
    """Everything a result file claims.

    Attributes
    ----------
    statement : Statement
        What was asked.
    status : str
        "optimal", "feasible" or "infeasible".
    count, lower_bound : int
        Number of explanations, and what it cannot go below.
    explanations : tuple of Explanation
        The answer.
    assignment : tuple of int
        For each row its explanation, or -1.
    unreachable : tuple of int
        Rows that no explanation can help.
    bound : int
        The lower bound as the certificate gives it.
    proof : Proof
        Why the bound holds.
    """

    statement: Statement
    status: str
    count: int
    lower_bound: int
    explanations: tuple[Explanation, ...]
    assignment: tuple[int, ...]
    unreachable: tuple[int, ...]
    bound: int
    proof: Proof
