"""A complete search over columns that writes down its proof.

At a node some columns are chosen and some are excluded. Integer numbers on the rows, from the duals of a
linear program, bound what the columns left to choose can add. A column with which the bound misses the goal
is dropped; a node whose bound misses it is closed. Otherwise a column is chosen in one part and excluded in
the other. The numbers are kept as *filters*, so that anyone can check the tree by addition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import highspy
import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.program import solved
from oneformany.stop import Stop

__all__ = ["Searched", "TreeQuestion", "renamed", "run_node", "search_tree"]


class _OutOfTimeError(Exception):
    """Time was up inside a linear program."""


class TreeQuestion(Protocol):
    """Whether at most ``budget`` of ``n_columns`` columns reach a goal."""

    n_columns: int
    budget: int

    def reached_by(self, columns: IntArray) -> bool:
        """Whether these columns reach the goal."""

    def relax(self, chosen: IntArray, usable: BoolArray, proof: dict[str, Any]) -> FloatArray | None:
        """Values of the columns in a relaxation, ``None`` where the node is closed.

        Columns that cannot help are dropped from ``usable``; what says so is written into the proof.
        """


@dataclass(frozen=True, eq=False)
class Searched:
    """Outcome of a search: columns that reach the goal, or the tree that excludes them, or neither."""

    chosen: IntArray | None
    tree: dict[str, Any] | None
    nodes: int


def search_tree(question: TreeQuestion, stop: Stop, max_nodes: int) -> Searched:
    """Find columns that reach the goal, or prove that there are none, depth first."""
    root: dict[str, Any] = {}
    stack = [(np.zeros(0, dtype=np.int64), np.ones(question.n_columns, dtype=np.bool_), root)]
    nodes = 0
    while stack:
        if nodes >= max_nodes or stop.expired():
            return Searched(None, None, nodes)
        nodes += 1
        chosen, usable, proof = stack.pop()
        if question.reached_by(chosen):
            return Searched(chosen, None, nodes)
        try:
            values = question.relax(chosen, usable, proof)
        except _OutOfTimeError:
            return Searched(None, None, nodes)
        if values is None:
            continue
        likely = np.argsort(-values, kind="stable")[: question.budget - len(chosen)]
        rounded = np.concatenate((chosen, likely[usable[likely]]))
        if question.reached_by(rounded):
            return Searched(rounded, None, nodes)
        half = np.where(usable, np.abs(values - 0.5), np.inf)
        half[usable & (values > 1 - 1e-7)] = 0.45
        column = int(half.argmin())
        usable[column] = False
        proof["column"] = column
        parts: list[dict[str, Any]] = [{}, {}]
        proof["parts"] = parts
        stack.append((chosen, usable, parts[1]))
        stack.append((np.append(chosen, column), usable.copy(), parts[0]))
    return Searched(None, root, nodes)


def renamed(tree: dict[str, Any], rows_of: list[list[int]]) -> dict[str, Any]:
    """The same tree over other rows: each number stands on all rows that a row of the tree is."""
    filters = [
        [[row, number] for old, number in pairs for row in rows_of[old]] for pairs in tree.get("filters", [])
    ]
    parts = {"parts": [renamed(part, rows_of) for part in tree["parts"]]} if "parts" in tree else {}
    return {**tree, "filters": filters, **parts}


def run_node(highs: highspy.Highs, stop: Stop, m: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Solve the program of a node: values of its first ``m`` columns, duals of its first ``n`` rows."""
    solution = solved(highs, stop)
    if isinstance(solution, str):
        raise _OutOfTimeError
    return np.array(solution.col_value)[:m], np.array(solution.row_dual)[:n]
