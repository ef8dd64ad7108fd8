"""The proof that so many listed columns do not cover so many people: a tree of cases, checked by addition.

In each case some columns are chosen and some are excluded. If rows that are still uncovered carry weights,
at most as much as they count, and no usable column weighs more than C, then r more columns add at most r C
and what the weights leave. A column with which that misses the target is dropped; a case in which it misses
it is closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from oneformany.exceptions import CertificateError
from oneformany.verify.limits import Limits
from oneformany.verify.proofs import Case, Exclusion

__all__ = ["TREE_SCALE", "check_coverage_tree", "incidence"]

TREE_SCALE = 2**20
"""What one person counts in the weights of a tree, and a cost of one in its prices."""

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Node:
    case: Case
    chosen: tuple[int, ...]
    usable: BoolArray


def check_coverage_tree(
    exclusion: Exclusion,
    columns: Sequence[Sequence[int]],
    people: IntArray,
    index_of: Mapping[int, int],
    limits: Limits,
) -> None:
    """Check a given proof that so many of the columns do not cover the target.

    Parameters
    ----------
    exclusion : Exclusion
        How many columns, the target, and the tree.
    columns : sequence of sequences of int
        Indices of the rows of each column.
    people : (m,) integer array
        How many people each row stands for.
    index_of : mapping
        From given row to index; rows that are not there carry no weight.
    limits : Limits
        For time.

    Raises
    ------
    CertificateError
        The proof leaves a case open.
    """
    matrix = incidence(columns, len(people))
    # Nobody else can be covered by these columns.
    able = np.asarray(matrix.sum(axis=0)).ravel() > 0
    waiting = [_Node(exclusion.tree, (), np.ones(len(columns), dtype=np.bool_))]
    while waiting:
        limits.check()
        node = waiting.pop()
        covered = np.asarray(matrix[list(node.chosen)].sum(axis=0)).ravel() > 0
        have, left = int(people[covered].sum()), np.where(able & ~covered, people, 0)
        if have >= exclusion.target:
            raise CertificateError(
                f"listed columns {node.chosen} cover {have} people, which is to be excluded"
            )
        budget = min(exclusion.explanations, len(columns)) - len(node.chosen)
        usable = _filtered(node, matrix, left, budget, exclusion.target - have, index_of)
        if usable is None:
            continue
        if node.case.column is None:
            raise CertificateError("the proof leaves open whether the listed columns cover more")
        column, (with_it, without) = node.case.column, node.case.parts
        rest = usable.copy()
        rest[column] = False
        waiting.append(_Node(without, node.chosen, rest))
        if usable[column]:
            waiting.append(_Node(with_it, (*node.chosen, column), rest))


def _filtered(
    node: _Node, matrix: csr_array, left: IntArray, budget: int, target: int, index_of: Mapping[int, int]
) -> BoolArray | None:
    """Apply the weights of a case, one after the other; ``None`` when the target is out of reach."""
    usable = node.usable.copy()
    for pairs in node.case.filters:
        if budget <= 0 or not usable.any():
            break
        weights = np.zeros(len(left), dtype=np.int64)
        for row, weight in pairs:
            if row in index_of:
                weights[index_of[row]] = min(weight, TREE_SCALE * int(left[index_of[row]]))
        loads = matrix @ weights
        heaviest = int(loads[usable].max())
        rest = TREE_SCALE * int(left.sum()) - int(weights.sum())
        if budget * heaviest + rest < TREE_SCALE * target:
            return None
        usable &= loads >= max(0, TREE_SCALE * target - rest - (budget - 1) * heaviest)
    return None if budget <= 0 or not usable.any() else usable


def incidence(columns: Sequence[Sequence[int]], rows: int) -> csr_array:
    """Write columns as a sparse matrix, columns by rows."""
    edges = np.cumsum([0, *(len(column) for column in columns)])
    flat = np.array([row for column in columns for row in column], dtype=np.int64)
    return csr_array((np.ones(len(flat), dtype=np.int64), flat, edges), shape=(len(columns), rows))
