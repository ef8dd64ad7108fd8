"""Proofs in the numbering of the rows as they were given."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.tree.column_generation import Node
from oneformany.problem import Problem
from oneformany.result.proof import BranchProof, CoverCase, DualProof, EnumerationProof, Proof

DEEPEST = 120  # cases within cases: files that are nested much deeper cannot be written


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
) -> EnumerationProof | None:
    """No ``target`` of all columns that could be part of such a cover do cover everything.

    ``groups`` holds the items of each of these columns, ``tree`` tells why; ``None`` where it is too deep.
    """
    given = _given_rows(node.run.space)
    cover = renumbered(tree, given[node.items.first], DEEPEST - node.items.decisions.depth)
    if cover is None:
        return None
    columns = tuple(tuple(given[node.items.rows_of(group)].tolist()) for group in groups)
    return EnumerationProof(_weights(node), node.capacity, target, columns, cover)


def branch_proof(space: SearchSpace, pair: tuple[int, int], together: Proof, apart: Proof) -> BranchProof:
    """Two rows of the space share an explanation, or they do not."""
    one, other = sorted(_given_rows(space)[list(pair)].tolist())
    return BranchProof((one, other), together, apart)


def _given_rows(space: SearchSpace) -> IntArray:
    """For each row of the space the first given row that equals it."""
    return np.asarray(first_given(space.problem)[space.helpable])


def _weights(node: Node) -> tuple[int, ...]:
    """The weights of a node's items, each on the first given row that it stands for."""
    space = node.run.space
    return on_given(space.problem, node.weights, space.helpable[node.items.first])


def renumbered(tree: dict[str, Any], given: IntArray, deepest: int = DEEPEST) -> CoverCase | None:
    """Turn a tree of :func:`~oneformany.engine.cover.set_cover.cover_within` into cases over given rows.

    ``given`` holds for each item the given row that it stands for. ``None`` for a tree that is too deep.
    """
    levels = [[tree]]
    while parts := [part for case in levels[-1] for part in case.get("parts", ())]:
        levels.append(parts)
    if len(levels) > deepest:
        return None
    below: list[CoverCase] = []
    for level in reversed(levels):
        waiting = iter(below)
        below = [
            CoverCase(
                tuple(tuple(_named(pair, given) for pair in pairs) for pairs in case["filters"]),
                int(given[case["item"]]) if "item" in case else None,
                tuple(map(int, case.get("columns", ()))),
                tuple(islice(waiting, len(case.get("parts", ())))),
            )
            for case in level
        ]
    return below[0]


def _named(pair: tuple[Any, int], given: IntArray) -> tuple[tuple[int, ...], int]:
    """The weight of an item, or of several, on given rows."""
    items, weight = pair
    return tuple(np.atleast_1d(given[items]).tolist()), int(weight)
