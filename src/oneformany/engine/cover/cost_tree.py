"""Can so many columns serve so many people within a cost? A complete search with a proof by addition.

At a node some columns are chosen and some are excluded. Integer prices per person bound the cost: what the
cheapest people pay who make up the needed number, less the savings of the chosen columns against the prices,
less the greatest savings of as many usable columns as are left to choose. A column with which the bound
exceeds the target is dropped; a node whose bound exceeds it is closed, and so is one whose columns together
serve too few. Where no column is left to choose, the cost of the needed people is simply added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.cost_kernels import cheapest, column_savings
from oneformany.engine.cover.cost_levels import CostLevels
from oneformany.engine.cover.left_out import cheapest_rows
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.exceptions import SolverError
from oneformany.stop import Stop

__all__ = ["CostRows", "Costed", "cost_within", "for_rows", "merged", "people_at_prices"]


@dataclass(frozen=True, eq=False)
class CostRows:
    """Columns with costs, and the people of each row.

    Attributes
    ----------
    starts, rows, costs : arrays
        As in a table of columns.
    people : (n_rows,) array of int
        People of each row.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    costs: IntArray
    people: IntArray

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.starts) - 1

    def savings(self, prices: IntArray) -> IntArray:
        """What each column saves against the prices."""
        found = column_savings(self.starts, self.rows, self.costs, self.people, prices, ONE_IN_COVERS)
        return np.asarray(found)

    def serves(self, columns: IntArray) -> int:
        """People that these columns can serve."""
        return int(self.people[self._least(columns)[0]].sum())

    def cost(self, columns: IntArray, needed: int, target: int) -> int:
        """What these columns cost that serve enough people: exactly, unless it exceeds the target anyhow."""
        rows, least = self._least(columns)
        people = self.people[rows]
        parted = people_at_prices(least, people, np.arange(len(rows)), needed)
        if parted > target:
            return parted
        kept = cheapest_rows(least, people, needed)
        return int((people * least)[kept].sum())

    def _least(self, columns: IntArray) -> tuple[IntArray, IntArray]:
        owner, least = cheapest(self.starts, self.rows, self.costs, columns, len(self.people))
        rows = np.flatnonzero(owner >= 0)
        return rows, least[rows]


def merged(
    starts: IntArray, rows: NDArray[np.int32], costs: IntArray, people: IntArray, *, apart: bool = False
) -> tuple[CostRows, IntArray]:
    """Join rows that have the same costs in the same columns; also name the class of each row (-1: none).

    Where rows may be left out one by one, they stay ``apart``.
    """
    sizes = np.diff(starts)
    order = np.argsort(rows, kind="stable")
    pattern = np.stack((np.repeat(np.arange(len(sizes)), sizes), costs), axis=1)[order]
    cuts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(people)))))
    number: dict[bytes, int] = {}
    classes = np.full(len(people), -1, dtype=np.int64)
    first = np.zeros(len(people), dtype=np.bool_)
    for row in np.flatnonzero(np.diff(cuts)).tolist():
        key = str(row).encode() if apart else pattern[cuts[row] : cuts[row + 1]].tobytes()
        first[row] = key not in number
        classes[row] = number.setdefault(key, len(number))
    together = np.bincount(classes[classes >= 0], people[classes >= 0], len(number)).astype(np.int64)
    keep = first[rows]
    kept = np.bincount(np.repeat(np.arange(len(sizes)), sizes)[keep], minlength=len(sizes))
    new_starts = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    return CostRows(new_starts, classes[rows[keep]].astype(np.int32), costs[keep], together), classes


def for_rows(tree: dict[str, Any], classes: IntArray) -> dict[str, Any]:
    """A tree over classes of rows as one over rows: every row has the price of its class."""
    members = np.argsort(classes, kind="stable")
    cuts = np.searchsorted(classes[members], np.arange(int(classes.max(initial=-1)) + 2))

    def expanded(node: dict[str, Any]) -> dict[str, Any]:
        filters = [
            [
                [row, price]
                for number, price in pairs
                for row in members[cuts[number] : cuts[number + 1]].tolist()
            ]
            for pairs in node.get("filters", [])
        ]
        parts = {"parts": [expanded(part) for part in node["parts"]]} if "parts" in node else {}
        return {**node, "filters": filters, **parts}

    return expanded(tree)


def people_at_prices(prices: IntArray, people: IntArray, rows: IntArray, needed: int) -> int:
    """What the cheapest ``needed`` people among these rows pay."""
    order = rows[np.argsort(prices[rows], kind="stable")]
    before = np.cumsum(people[order]) - people[order]
    taken = np.clip(needed - before, 0, people[order])
    return int((taken * prices[order]).sum())


@dataclass(frozen=True, eq=False)
class Costed:
    """Outcome of a complete search: columns within the target, or a tree that excludes them, or neither."""

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


def cost_within(
    table: CostRows, budget: int, needed: int, target: int, unserved: int, stop: Stop, max_nodes: int
) -> Costed:
    """Find at most ``budget`` columns that serve the needed people within the target, or exclude them."""
    relaxation = _Relaxation(table, budget, needed, unserved, stop)
    root = _Node((), np.ones(table.n_columns, dtype=np.bool_), {})
    stack = [root]
    nodes = 0
    while stack:
        if nodes >= max_nodes or stop.expired():
            return Costed(None, None, nodes)
        nodes += 1
        node = stack.pop()
        usable = node.usable.copy()
        chosen = np.array(node.chosen, dtype=np.int64)
        if table.serves(np.append(chosen, np.flatnonzero(usable))) < needed:
            node.proof["short"] = True
            continue
        try:
            values = relaxation.filter(node, usable, target)
        except _OutOfTimeError:
            return Costed(None, None, nodes)
        if values is None:
            continue
        left = budget - len(chosen)
        likely = np.argsort(-values, kind="stable")[:left]
        for columns in (chosen, np.concatenate((chosen, likely[usable[likely]]))):
            if table.serves(columns) >= needed and table.cost(columns, needed, target) <= target:
                return Costed(columns, None, nodes)
        if left == 0 or not usable.any():
            node.proof["evaluated"] = True
            continue
        half = np.where(usable, np.abs(values - 0.5), np.inf)
        half[usable & (values > 1 - 1e-7)] = 0.45
        column = int(half.argmin())
        without = usable.copy()
        without[column] = False
        parts: list[dict[str, Any]] = [{}, {}]
        node.proof["column"] = column
        node.proof["parts"] = parts
        stack.append(_Node(node.chosen, without, parts[1]))
        stack.append(_Node((*node.chosen, column), without, parts[0]))
    return Costed(None, root.proof, nodes)


class _Relaxation:
    """The cost by parts of columns, over pairs of row and level: a program that changes from node to node."""

    def __init__(self, table: CostRows, budget: int, needed: int, unserved: int, stop: Stop) -> None:
        self.stop = stop
        self.table = table
        self.budget = budget
        self.needed = needed
        n_rows = len(table.people)
        self.levels = CostLevels.of(table.starts, table.rows, table.costs, n_rows)
        self.reachable = np.unique(table.rows).astype(np.int64)
        incidence, owner = self.levels.incidence, self.levels.owner
        n, m = incidence.n_rows, incidence.n_columns
        people = table.people[owner]
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        none = np.zeros(0, dtype=np.int32)
        infinity = np.full(n, highspy.kHighsInf)
        self._highs.addRows(n, np.ones(n), infinity, 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))
        entries = len(incidence.rows)
        starts = incidence.starts[:-1].astype(np.int32)
        self._highs.addCols(
            m, np.zeros(m), np.zeros(m), np.ones(m), entries, starts, incidence.rows, np.ones(entries)
        )
        dearer = np.flatnonzero(~self.levels.last).astype(np.int32)
        losses = (self.levels.losses(np.inf) * people)[dearer].astype(np.float64)
        count = len(dearer)
        at = np.arange(count, dtype=np.int32)
        self._highs.addCols(
            count, losses, np.zeros(count), infinity[:count], count, at, dearer, np.ones(count)
        )
        # A row that is left out pays nothing at any level.
        served = table.people[self.reachable].astype(np.float64)
        first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[:n]).astype(np.int32)
        paid = -served * self.levels.lowest[self.reachable]
        r = len(served)
        every = np.arange(n, dtype=np.int32)
        self._highs.addCols(r, paid, np.zeros(r), np.ones(r), n, first, every, np.ones(n))
        self._highs.addCol(float(unserved), 0.0, highspy.kHighsInf, 0, none, np.zeros(0))
        spare = float(served.sum() - needed)
        index = m + count + np.arange(r + 1, dtype=np.int32)
        self._highs.addRow(-highspy.kHighsInf, spare, r + 1, index, np.append(served, -1.0))
        self._highs.addRow(-highspy.kHighsInf, float(budget), m, np.arange(m, dtype=np.int32), np.ones(m))

    def filter(self, node: _Node, usable: BoolArray, target: int) -> FloatArray | None:
        """Drop columns that exceed the target; ``None`` when that closes the node."""
        filters = node.proof.setdefault("filters", [])
        chosen = list(node.chosen)
        left = self.budget - len(chosen)
        people = self.table.people
        while True:
            values, duals = self._solve(chosen, usable)
            prices = np.rint(self.levels.prices(duals, people) * ONE_IN_COVERS).astype(np.int64)
            savings = self.table.savings(prices)
            pays = people_at_prices(prices, people, self.reachable, self.needed) - int(savings[chosen].sum())
            best = np.sort(savings[usable])[::-1][:left]
            bound = pays - int(best.sum())
            least = int(best[-1]) if len(best) == left and left else 0
            light = usable & (bound + np.maximum(0, least - savings) > target * ONE_IN_COVERS)
            closed = bound > target * ONE_IN_COVERS
            if closed or light.any():
                filters.append([[row, int(prices[row])] for row in np.flatnonzero(prices).tolist()])
            if closed:
                return None
            usable &= ~light
            if not (values[light] > 0).any():
                return values

    def _solve(self, chosen: list[int], usable: BoolArray) -> tuple[FloatArray, FloatArray]:
        m = self.table.n_columns
        lower = np.zeros(m)
        lower[chosen] = 1.0
        upper = np.where(usable, 1.0, lower)
        self._highs.changeColsBounds(m, np.arange(m, dtype=np.int32), lower, upper)
        if self.stop.time_limit is not None:
            self._highs.setOptionValue("time_limit", self._highs.getRunTime() + self.stop.remaining() + 0.1)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise _OutOfTimeError
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"the cost relaxation ended as {self._highs.modelStatusToString(status)}")
        solution = self._highs.getSolution()
        n = self.levels.incidence.n_rows
        return np.array(solution.col_value)[:m], np.maximum(np.array(solution.row_dual)[:n], 0.0)
