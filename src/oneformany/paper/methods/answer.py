"""Lower bounds, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.paper.methods.columns import PaperRows
from oneformany.paper.methods.model import Solver
from oneformany.paper.methods.pricing import PaperPriced
from oneformany.result.proof import DualProof, Proof, SolverProof

__all__ = ["Bound", "dual_bound", "one_is_needed", "solver_bound"]


@dataclass(frozen=True)
class Bound:
    """A lower bound on the number of explanations, and what it rests on."""

    value: int
    proof: Proof | None


def dual_bound(rows: PaperRows, priced: PaperPriced) -> Bound:
    """Tell what the weights of a pricing prove; 0 when it proved no capacity."""
    if priced.capacity is None:
        return Bound(0, None)
    proof = DualProof(_on_given_rows(rows, priced.weights), priced.capacity)
    return Bound(proof.bound, proof)


def one_is_needed(rows: PaperRows) -> Bound:
    """Start with what needs no proof: where there are rows, there is an explanation."""
    if len(rows) == 0:
        return Bound(0, None)
    weights = np.zeros(len(rows), dtype=np.int64)
    weights[0] = 1
    return dual_bound(rows, PaperPriced([], weights, 1))


def solver_bound(solver: Solver, value: int) -> Bound:
    """Report a bound that rests on the word of a solver and cannot be checked without solving again."""
    return Bound(value, SolverProof(f"{solver.name} {solver.version}", value))


def _on_given_rows(rows: PaperRows, weights: IntArray) -> tuple[int, ...]:
    """Weights on the first occurrences of the distinct rows."""
    row_of = rows.problem.row_of
    first = np.unique(row_of, return_index=True)[1]
    given = np.zeros(len(row_of), dtype=np.int64)
    given[first[rows.index]] = weights
    return tuple(given.tolist())
