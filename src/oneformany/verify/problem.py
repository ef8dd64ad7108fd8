"""The question that a result file answers: rows, levels, rules and the classifier."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.classifiers import Classifier, read_classifier
from oneformany.verify.codes import MOST_LEVELS, read_codes
from oneformany.verify.json_object import JsonObject, check_integers, check_list
from oneformany.verify.limits import Limits, NotConfirmedError

__all__ = ["Problem", "read_problem"]

MOST_FEATURES = 2**16
LONGEST_FRAME = 10**12
PARTS = ("codes", "levels", "max_changes", "allowed", "oracle")
# What a problem may ask beyond this release, each with the value at which it asks nothing.
UNCHECKED = {"share": "point", "own": None, "costs": None, "restrictions": None}


@dataclass(frozen=True, eq=False)
class Problem:
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
    limits : Limits
        For how long and with how much memory the claims about it may be examined.
    """

    codes: NDArray[np.int64]
    levels: tuple[int, ...]
    max_changes: int
    rules: tuple[NDArray[np.bool_] | None, ...]
    classifier: Classifier
    limits: Limits

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the levels of each feature begin when all are written one after the other."""
        return np.array([0, *accumulate(self.levels)], dtype=np.int64)[:-1]


def read_problem(fields: JsonObject, limits: Limits) -> Problem:
    """Read the question; whatever this release cannot check is named."""
    fields.only(*PARTS, optional=("rows", "already_positive", "model", "rules", *UNCHECKED))
    for name, nothing in UNCHECKED.items():
        if name in fields and fields.value(name) not in (nothing, []):
            raise NotConfirmedError(f"this release does not check {fields.path(name)}; install a newer one")
    levels = fields.integers("levels", 1, MOST_LEVELS)
    if not 1 <= len(levels) <= MOST_FEATURES:
        raise CertificateError(f"problem.levels names {len(levels)} features, not 1 to {MOST_FEATURES}")
    limits.hold(16 * sum(levels), "the levels of all features")
    codes = read_codes(fields.entries("codes"), fields.path("codes"), levels)
    if not len(codes):
        raise CertificateError("problem.codes is empty; a problem has at least one row")
    _check_positions(fields, len(codes))
    return Problem(
        codes=codes,
        levels=levels,
        max_changes=fields.integer("max_changes", 1, len(levels)),
        rules=_rules(fields, levels),
        classifier=read_classifier(fields.inner("oracle"), levels, limits),
        limits=limits,
    )


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
