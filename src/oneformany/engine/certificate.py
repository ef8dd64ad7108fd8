"""Proofs in the numbering of the rows as they were given: all that the engine makes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.tree import DEEPEST_FILED
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.table.cost import CostAnswer
from oneformany.problem import Problem
from oneformany.result.proof import Anchors, Branch, Cost, Exclusion, Moves, Proof, Weights


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


def branch_proof(problem: Problem, pair: tuple[int, int], together: Proof, apart: Proof) -> Branch:
    """Two distinct rows share an explanation, or they do not."""
    one, other = sorted(first_given(problem)[list(pair)].tolist())
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


class Proofs:
    """Turns what stands at the end of a run, and rows beyond help, into proofs about the problem."""

    def __init__(self, problem: Problem, unreachable: BoolArray) -> None:
        self.problem = problem
        self.rows = int(problem.multiplicity[~unreachable].sum())
        self._unreachable, self._helpable = unreachable, np.flatnonzero(~unreachable)

    def cover(self, answer: Standing) -> Proof:
        """Why no fewer columns cover everybody."""
        if answer.cases is not None:
            both = answer.cases.together, answer.cases.apart
            return branch_proof(self.problem, answer.cases.pair, *map(self.cover, both))
        found, proof = answer.weights, answer.exclusion
        if found is None or not found.total:  # at least one is needed where there is a column
            alone = np.zeros(answer.table.n_rows, dtype=np.int64)
            alone[answer.table.rows[0]] = 1
            return weights_proof(self.problem, alone, 1)
        weights, dual = found.weights, weights_proof(self.problem, found.weights, found.capacity)
        if proof is None or proof.target + 1 <= dual.bound:
            return dual
        exclusion = exclusion_proof(
            self.problem, proof.target, 0, _groups(proof), proof.tree, rows=proof.rows, deepest=DEEPEST_FILED
        )
        if exclusion is None:
            return dual
        scope = np.union1d(proof.rows, np.flatnonzero(weights))
        return weights_proof(self.problem, weights, dual.capacity, exclusion=exclusion, scope=scope)

    def people(self, answer: Standing) -> Weights | None:
        """Why so many columns cover no more people, or no fewer columns so many people."""
        if answer.weights is None:
            return None
        weights, proof = np.where(self._unreachable, 0, answer.weights.weights), answer.exclusion
        scope = self._helpable if answer.scope is None else answer.scope
        people = int(self.problem.multiplicity[scope].sum())
        exclusion = None if proof is None else self._exclusion(proof, people - proof.target)
        return weights_proof(
            self.problem,
            weights,
            answer.weights.capacity,
            scale=ONE_IN_TABLES,
            exclusion=exclusion,
            scope=scope if exclusion else None,
        )

    def cost(self, answer: CostAnswer) -> Cost:
        """Why so many columns that cover so many people cost no less."""
        proof = answer.proof
        exclusion = None if proof is None else self._exclusion(proof, proof.target, costed=True)
        return cost_proof(
            self.problem,
            np.where(self._unreachable, 0, answer.prices),
            ONE_IN_COVERS,
            answer.budget,
            answer.needed,
            answer.bound,
            exclusion=exclusion,
            scope=self._helpable if exclusion else None,
        )

    def _exclusion(self, proof: TreeProof, at_most: int, *, costed: bool = False) -> Exclusion | None:
        moves = []
        for changed, targets in (
            zip(proof.columns.changed, proof.columns.targets, strict=True) if costed else ()
        ):
            moves.append(
                tuple((feature, int(targets[feature])) for feature in np.flatnonzero(changed).tolist())
            )
        groups, rows = _groups(proof), proof.rows
        return exclusion_proof(
            self.problem, proof.budget, at_most, groups, proof.tree, tuple(moves), rows=rows
        )


def _groups(proof: TreeProof) -> list[IntArray]:
    """The distinct rows of each column that a search is about."""
    columns = proof.columns
    return [np.asarray(columns.group(column), dtype=np.int64) for column in range(len(columns))]


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
