"""Proofs in the numbering of the rows as they were given: all that the engine makes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.tree import Node
from oneformany.problem import Problem
from oneformany.result.proof import Anchors, Branch, Cost, Exclusion, Moves, Proof, Weights

DEEPEST = 120  # cases within cases: files that are nested much deeper cannot be written


def first_given(problem: Problem) -> IntArray:
    """For each distinct row the first given row that equals it."""
    return np.unique(problem.row_of, return_index=True)[1]


def weights_proof(
    problem: Problem,
    weights: IntArray,
    capacity: int,
    *,
    scale: int | None = None,
    exclusion: Exclusion | None = None,
    scope: IntArray | None = None,
) -> Weights:
    """No column weighs more than the capacity, with one weight per distinct row of the problem.

    The ``scope`` holds the distinct rows that the proof speaks of, by default those that weigh something;
    with an exclusion these are all rows that it must not forget. ``verify`` looks at the rows of the scope
    only. Without a ``scale`` the proof is about covering everybody in the scope; otherwise no distinct row
    may weigh more than the scale for each of its people (``problem.multiplicity``).
    """
    rows = np.flatnonzero(weights) if scope is None else np.asarray(scope)
    first = first_given(problem)[rows]
    order = np.argsort(first)
    scale = int(weights.max(initial=1)) if scale is None else scale
    given, told = tuple(first[order].tolist()), tuple(np.asarray(weights)[rows[order]].tolist())
    return Weights(given, told, max(1, int(capacity)), scale, exclusion)


def exclusion_proof(
    problem: Problem,
    explanations: int,
    at_most: int,
    groups: Sequence[IntArray],
    tree: dict[str, Any],
    moves: tuple[Moves, ...] = (),
    *,
    rows: IntArray | None = None,
    deepest: int | None = None,
) -> Exclusion | None:
    """No so many of all groups that something better could use lead there, as the tree tells.

    Groups hold distinct rows, and the tree speaks of them, or of indices into ``rows``. ``None`` where it is
    nested deeper than so many levels.
    """
    first = first_given(problem)
    named = renumbered(tree, first if rows is None else first[rows], deepest)
    if named is None:
        return None
    columns = tuple(tuple(np.sort(first[group]).tolist()) for group in groups)
    return Exclusion(explanations, at_most, columns, named, moves)


def dual_proof(node: Node) -> Weights:
    """No column weighs more than the capacity that was proved."""
    space = node.run.space
    return weights_proof(space.problem, weights_of(node), node.capacity)


def weights_of(node: Node) -> IntArray:
    """What the node's items weigh, at the distinct row that stands for each."""
    space = node.run.space
    weights = np.zeros(len(space.problem.rows), dtype=np.int64)
    weights[space.helpable[node.items.first]] = node.weights
    return weights


def enumeration_proof(
    node: Node, target: int, groups: list[IntArray], tree: dict[str, Any]
) -> Weights | None:
    """No ``target`` of all columns that could be part of such a cover do cover everything.

    ``groups`` holds the items of each of these columns, ``tree`` tells why; ``None`` where it is too deep.
    """
    problem, items = node.run.space.problem, node.items
    rows = node.run.space.helpable[items.first]
    deepest, named = DEEPEST - items.decisions.depth, [rows[group] for group in groups]
    exclusion = exclusion_proof(problem, target, 0, named, tree, rows=rows, deepest=deepest)
    if exclusion is None:
        return None
    return weights_proof(problem, weights_of(node), node.capacity, exclusion=exclusion, scope=rows)


def branch_proof(space: SearchSpace, pair: tuple[int, int], together: Proof, apart: Proof) -> Branch:
    """Two rows of the space share an explanation, or they do not."""
    one, other = sorted(first_given(space.problem)[space.helpable[list(pair)]].tolist())
    return Branch((one, other), together, apart)


def cost_proof(
    problem: Problem,
    prices: IntArray,
    scale: int,
    explanations: int,
    needed: int,
    bound: int,
    *,
    exclusion: Exclusion | None = None,
    anchors: tuple[IntArray, IntArray] | None = None,
    scope: IntArray | None = None,
) -> Cost:
    """So many explanations for so many people cost at least the bound, with one price per distinct row.

    The ``scope`` is as in :func:`weights_proof`. ``anchors`` are the changes that each distinct row needs,
    and what no group of which it is the anchor saves more than.
    """
    rows = np.flatnonzero(prices) if scope is None else scope
    first = first_given(problem)[rows]
    order = np.argsort(first)
    rows, given = rows[order], tuple(first[order].tolist())
    told = None
    if anchors is not None:
        changes, savings = (tuple(numbers[rows].tolist()) for numbers in anchors)
        told = Anchors(changes, savings)
    return Cost(given, tuple(prices[rows].tolist()), scale, explanations, needed, bound, exclusion, told)


def renumbered(tree: dict[str, Any], given: IntArray, deepest: int | None = None) -> dict[str, Any] | None:
    """The same tree over other rows; ``None`` for one that is nested deeper than so many levels.

    ``given`` holds for each row of the tree, also called item, the given row that it stands for.
    """
    if deepest == 0:
        return None
    left = None if deepest is None else deepest - 1
    parts = [renumbered(part, given, left) for part in tree.get("parts", ())]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    case = {name: value for name, value in tree.items() if name not in {"item", "parts", "filters"}}
    case["filters"] = [
        [[given[rows].tolist(), int(number)] for rows, number in pairs] for pairs in tree.get("filters", ())
    ]
    if "item" in tree:
        case["row"] = int(given[tree["item"]])
    return {**case, "parts": known} if parts or "item" in tree else case
