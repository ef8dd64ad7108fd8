"""Proofs in the numbering of the rows as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.protocol import Priced
from oneformany.engine.tree.column_generation import Node
from oneformany.result.proof import BranchProof, CoverCase, DualProof, EnumerationProof, Proof

__all__ = ["branch_proof", "dual_proof", "enumeration_proof", "renumbered", "trivial_proof"]


def trivial_proof(node: Node) -> DualProof:
    """At least one explanation is needed.

    Parameters
    ----------
    node : Node
        Of the branching tree; has at least one item.
    """
    weights = np.zeros(len(node.run.space.problem.codes), dtype=np.int64)
    weights[_given(node)[0]] = 1
    return DualProof(tuple(weights.tolist()), 1)


def dual_proof(node: Node, priced: Priced) -> DualProof:
    """No column weighs more than the capacity.

    Parameters
    ----------
    node : Node
        Of the branching tree.
    priced : Priced
        Weights of its items, and the capacity that was proved.
    """
    if priced.capacity is None:
        return trivial_proof(node)
    return DualProof(_weights(node, priced), priced.capacity)


def enumeration_proof(
    node: Node, priced: Priced, target: int, groups: list[IntArray], tree: dict[str, Any]
) -> EnumerationProof:
    """No ``target`` of all columns that could be part of such a cover do cover everything.

    Parameters
    ----------
    node : Node
        Of the branching tree.
    priced : Priced
        Weights of its items, and the capacity that was proved.
    target : int
        Size of the covers that are excluded.
    groups : list of integer arrays
        Items of each column that could be part of such a cover.
    tree : dict
        Why no ``target`` of them cover all items.
    """
    if priced.capacity is None:
        raise ValueError("columns can be listed only under a capacity that was proved")
    given = _given_rows(node)
    item_of = node.items.item_of
    return EnumerationProof(
        weights=_weights(node, priced),
        capacity=priced.capacity,
        target=target,
        columns=tuple(tuple(given[np.isin(item_of, group)].tolist()) for group in groups),
        cover=renumbered(tree, _given(node)),
    )


def branch_proof(pair: tuple[int, int], node: Node, together: Proof, apart: Proof) -> BranchProof:
    """Two rows share an explanation, or they do not.

    Parameters
    ----------
    pair : tuple of two int
        Rows of the space.
    node : Node
        Whose cases these are.
    together, apart : Proof
        Of the two cases.
    """
    given = _given(node)
    one, other = sorted(int(given[node.items.item_of[row]]) for row in pair)
    return BranchProof((one, other), together, apart)


def _given_rows(node: Node) -> IntArray:
    """For each row of the space the first given row that equals it."""
    _, first = np.unique(node.run.space.problem.row_of, return_index=True)
    return np.asarray(first[node.run.space.helpable])


def _given(node: Node) -> IntArray:
    """For each item the first given row that it stands for."""
    return np.asarray(_given_rows(node)[node.items.first])


def _weights(node: Node, priced: Priced) -> tuple[int, ...]:
    weights = np.zeros(len(node.run.space.problem.codes), dtype=np.int64)
    weights[_given(node)] = priced.weights
    return tuple(weights.tolist())


def renumbered(tree: dict[str, Any], given: IntArray) -> CoverCase:
    """Turn a tree over items into cases over given rows.

    Parameters
    ----------
    tree : dict
        As :func:`~oneformany.engine.cover.set_cover.cover_within` gives it.
    given : integer array
        For each item the given row that it stands for.
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
