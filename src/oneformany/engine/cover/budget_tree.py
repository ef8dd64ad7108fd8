"""Can so many columns cover so many people? A complete search with a proof that anyone can add up.

At a node some columns are chosen and some are excluded. Integer weights on the rows that are still uncovered,
each at most the row's people times ``ONE_IN_COVERS``, bound what the columns left to choose can add: if none
of the usable columns weighs more than C, then r more columns add at most ``r C + sum(m - u)``. A column so
light that the bound with it misses the target is dropped; a node whose bound misses the target is closed.
Otherwise a column is chosen in one part and excluded in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.duals_kernels import integer_loads
from oneformany.engine.cover.large_incidence import Incidence
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.exceptions import SolverError
from oneformany.stop import Stop

__all__ = ["Budgeted", "budget_within"]


@dataclass(frozen=True, eq=False)
class Budgeted:
    """Outcome of a complete search.

    Attributes
    ----------
    chosen : array of int or None
        Columns that reach the target, if they were found.
    proof : dict or None
        The tree that excludes them, if it was completed.
    nodes : int
        Nodes of the tree.
    """

    chosen: IntArray | None
    proof: dict[str, Any] | None
    nodes: int


class _OutOfTimeError(Exception):
    """Time was up inside a linear program."""


@dataclass(frozen=True, eq=False)
class _Node:
    chosen: tuple[int, ...]
    usable: BoolArray
    proof: dict[str, Any]


def budget_within(
    incidence: Incidence, people: IntArray, budget: int, target: int, stop: Stop, max_nodes: int
) -> Budgeted:
    """Find at most ``budget`` columns that cover at least ``target`` people, or prove that there are none."""
    relaxation = _Relaxation(incidence, people, stop)
    root = _Node((), np.ones(incidence.n_columns, dtype=np.bool_), {})
    stack = [root]
    nodes = 0
    while stack:
        if nodes >= max_nodes or stop.expired():
            return Budgeted(None, None, nodes)
        nodes += 1
        node = stack.pop()
        covered = incidence.covered_by(np.array(node.chosen, dtype=np.int64))
        left = np.where(covered, 0, people)
        have = int(people.sum() - left.sum())
        if have >= target:
            return Budgeted(np.array(node.chosen, dtype=np.int64), None, nodes)
        usable = node.usable.copy()
        try:
            values = relaxation.filter(node.proof, left, usable, budget - len(node.chosen), target - have)
        except _OutOfTimeError:
            return Budgeted(None, None, nodes)
        if values is None:
            continue
        likely = np.argsort(-values, kind="stable")[: budget - len(node.chosen)]
        rounded = np.concatenate((np.array(node.chosen, dtype=np.int64), likely[usable[likely]]))
        if int(people[incidence.covered_by(rounded)].sum()) >= target:
            return Budgeted(rounded, None, nodes)
        half = np.where(usable, np.abs(values - 0.5), np.inf)
        half[usable & (values > 1 - 1e-7)] = 0.6
        column = int(half.argmin())
        without = usable.copy()
        without[column] = False
        parts: list[dict[str, Any]] = [{}, {}]
        node.proof["column"] = column
        node.proof["parts"] = parts
        stack.append(_Node(node.chosen, without, parts[1]))
        stack.append(_Node((*node.chosen, column), without, parts[0]))
    return Budgeted(None, root.proof, nodes)


class _Relaxation:
    """The people left uncovered by parts of columns, as a linear program that changes from node to node."""

    def __init__(self, incidence: Incidence, people: IntArray, stop: Stop) -> None:
        self.stop = stop
        n, m = incidence.n_rows, incidence.n_columns
        self.incidence = incidence
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        nothing = np.zeros(0, dtype=np.int32)
        infinity = np.full(n, highspy.kHighsInf)
        self._highs.addRows(n, np.ones(n), infinity, 0, np.zeros(n, dtype=np.int32), nothing, np.zeros(0))
        starts = incidence.starts[:-1].astype(np.int32)
        entries = len(incidence.rows)
        self._highs.addCols(
            m, np.zeros(m), np.zeros(m), np.ones(m), entries, starts, incidence.rows, np.ones(entries)
        )
        identity = np.arange(n, dtype=np.int32)
        self._highs.addCols(
            n, people.astype(np.float64), np.zeros(n), np.ones(n), n, identity, identity, np.ones(n)
        )
        self._highs.addRow(-highspy.kHighsInf, 0.0, m, np.arange(m, dtype=np.int32), np.ones(m))

    def filter(
        self, proof: dict[str, Any], left: IntArray, usable: BoolArray, budget: int, target: int
    ) -> FloatArray | None:
        """Drop columns that cannot help to reach the target; ``None`` when that closes the node."""
        filters = proof.setdefault("filters", [])
        while True:
            values, duals = self._solve(left, usable, budget)
            weights = np.clip(np.rint(duals * ONE_IN_COVERS).astype(np.int64), 0, left * ONE_IN_COVERS)
            loads = integer_loads(self.incidence.starts, self.incidence.rows, weights)
            capacity = int(loads[usable].max(initial=0))
            bound = budget * capacity + int(left.sum()) * ONE_IN_COVERS - int(weights.sum())
            light = usable & (bound - capacity + loads < target * ONE_IN_COVERS)
            closed = bound < target * ONE_IN_COVERS
            if closed or light.any():
                filters.append([[row, int(weights[row])] for row in np.flatnonzero(weights).tolist()])
            if closed or budget == 0 or not (usable & ~light).any():
                return None
            usable &= ~light
            if not (values[light] > 0).any():
                return values

    def _solve(self, left: IntArray, usable: BoolArray, budget: int) -> tuple[FloatArray, FloatArray]:
        n, m = self.incidence.n_rows, self.incidence.n_columns
        columns = np.arange(m + n, dtype=np.int32)
        upper = np.concatenate((np.where(usable, highspy.kHighsInf, 0.0), np.full(n, highspy.kHighsInf)))
        self._highs.changeColsBounds(m + n, columns, np.zeros(m + n), upper)
        self._highs.changeColsCost(n, columns[m:], left.astype(np.float64))
        self._highs.changeRowBounds(n, -highspy.kHighsInf, float(budget))
        if self.stop.time_limit is not None:
            self._highs.setOptionValue("time_limit", self._highs.getRunTime() + self.stop.remaining() + 0.1)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise _OutOfTimeError
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"the budget relaxation ended as {self._highs.modelStatusToString(status)}")
        solution = self._highs.getSolution()
        return np.array(solution.col_value)[:m], np.array(solution.row_dual)[:n]
