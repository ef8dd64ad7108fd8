"""Proofs in the numbering of the rows as they were given."""

from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.tree import Node
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
    space = node.run.space
    return DualProof(on_given(space.problem, node.weights, space.helpable[node.items.first]), node.capacity)


def enumeration_proof(
    node: Node, target: int, groups: list[IntArray], tree: dict[str, Any]
) -> EnumerationProof | None:
    """No ``target`` of all columns that could be part of such a cover do cover everything.

    ``groups`` holds the items of each of these columns, ``tree`` tells why; ``None`` where it is too deep.
    """
    space, items = node.run.space, node.items
    given = first_given(space.problem)[space.helpable]
    cover = renumbered(tree, given[items.first], DEEPEST - items.decisions.depth)
    if cover is None:
        return None
    columns = tuple(tuple(given[items.rows_of(group)].tolist()) for group in groups)
    return EnumerationProof(dual_proof(node).weights, node.capacity, target, columns, cover)


def branch_proof(space: SearchSpace, pair: tuple[int, int], together: Proof, apart: Proof) -> BranchProof:
    """Two rows of the space share an explanation, or they do not."""
    one, other = sorted(first_given(space.problem)[space.helpable[list(pair)]].tolist())
    return BranchProof((one, other), together, apart)


def renumbered(tree: dict[str, Any], given: IntArray, deepest: int = DEEPEST) -> CoverCase | None:
    """Turn a tree of :class:`~oneformany.engine.cover.set_cover.CoverQuestion` into cases over given rows.

    ``given`` holds for each item the given row that it stands for. ``None`` for a tree that is too deep.
    """
    if deepest == 0:
        return None
    parts = [renumbered(part, given, deepest - 1) for part in tree.get("parts", ())]
    known = tuple(part for part in parts if part is not None)
    filters = tuple(
        tuple((tuple(np.atleast_1d(given[items]).tolist()), int(weight)) for items, weight in pairs)
        for pairs in tree["filters"]
    )
    row = int(given[tree["item"]]) if "item" in tree else None
    case = CoverCase(filters, row, tuple(map(int, tree.get("columns", ()))), known)
    return case if len(known) == len(parts) else None
