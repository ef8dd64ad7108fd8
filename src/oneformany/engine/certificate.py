"""Proofs in the numbering of the rows as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.tree.column_generation import Node
from oneformany.problem import Problem
from oneformany.result.proof import BranchProof, CoverCase, DualProof, EnumerationProof, Proof


def first_given(problem: Problem) -> IntArray:
    """For each distinct row the first given row that equals it."""
    return np.unique(problem.row_of, return_index=True)[1]


def on_given(problem: Problem, numbers: IntArray, rows: IntArray | None = None) -> tuple[int, ...]:
    """Numbers of some distinct rows (``None``: of all) on the first given row that equals each, else 0."""
    first = first_given(problem)
    given = np.zeros(len(problem.codes), dtype=np.int64)
    given[first if rows is None else first[rows]] = numbers
    return tuple(given.tolist())


def dual_proof(node: Node) -> DualProof:
    """No column weighs more than the capacity that was proved."""
    return DualProof(_weights(node), node.capacity)


def enumeration_proof(
    node: Node, target: int, groups: list[IntArray], tree: dict[str, Any]
) -> EnumerationProof:
    """No ``target`` of all columns that could be part of such a cover do cover everything.

    ``groups`` holds the items of each of these columns, ``tree`` tells why.
    """
    given = _given_rows(node)
    return EnumerationProof(
        weights=_weights(node),
        capacity=node.capacity,
        target=target,
        columns=tuple(tuple(given[node.items.rows_of(group)].tolist()) for group in groups),
        cover=renumbered(tree, given[node.items.first]),
    )


def branch_proof(pair: tuple[int, int], node: Node, together: Proof, apart: Proof) -> BranchProof:
    """Two rows of the node's space share an explanation, or they do not."""
    given = _given_rows(node)[node.items.first]
    one, other = sorted(int(given[node.items.item_of[row]]) for row in pair)
    return BranchProof((one, other), together, apart)


def _given_rows(node: Node) -> IntArray:
    """For each row of the space the first given row that equals it."""
    return np.asarray(first_given(node.run.space.problem)[node.run.space.helpable])


def _weights(node: Node) -> tuple[int, ...]:
    """The weights of a node's items, each on the first given row that it stands for."""
    space = node.run.space
    return on_given(space.problem, node.weights, space.helpable[node.items.first])


def renumbered(tree: dict[str, Any], given: IntArray) -> CoverCase:
    """Turn a tree of :func:`~oneformany.engine.cover.set_cover.cover_within` into cases over given rows.

    ``given`` holds for each item the given row that it stands for.
    """
    filters = tuple(
        tuple((tuple(np.atleast_1d(given[items]).tolist()), int(weight)) for items, weight in pairs)
        for pairs in tree["filters"]
    )
    if "item" not in tree:
        return CoverCase(filters)
    parts = tuple(renumbered(part, given) for part in tree["parts"])
    columns = tuple(int(column) for column in tree["columns"])
    return CoverCase(filters, int(given[tree["item"]]), columns, parts)
