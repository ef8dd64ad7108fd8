"""A complete search over columns that writes down its proof, and what all questions to a table share.

At a node some columns are chosen and some are excluded. Integer numbers on the rows, from the duals of a
linear program, bound what the columns left to choose can add. A column with which the bound misses the goal
is dropped; a node whose bound misses it is closed. Otherwise a column is chosen in one part and excluded in
the other. The numbers are kept as *filters*, so that anyone can check the tree by addition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover
from oneformany.engine.table.options import Search
from oneformany.stop import Stop

DEEPEST = 400  # levels of a proof; what reads and writes deeper ones runs out of stack


class UndecidedError(Exception):
    """Time was up inside a linear program, or a node is too large to be decided."""


class Relaxed(NamedTuple):
    """A node in the relaxation: values of the columns, integer numbers of the rows, and what these exclude.

    ``closed``: nothing reaches the goal; ``light``: usable columns that are part of nothing that does.
    """

    values: FloatArray
    numbers: IntArray
    closed: bool
    light: BoolArray


class TreeQuestion(Protocol):
    """Whether at most ``budget`` of ``n_columns`` columns reach a goal; ``target`` is its number."""

    n_columns: int
    budget: int
    target: int

    def reached_by(self, columns: IntArray) -> bool:
        """Whether these columns reach the goal."""

    def ended(self, chosen: IntArray, usable: BoolArray) -> dict[str, Any] | None:
        """What the proof says where a node needs no numbers to be closed, ``None`` where it is open."""

    def relax(self, chosen: IntArray, usable: BoolArray) -> Relaxed:
        """Solve the relaxation of a node, and bound what the usable columns can add to the chosen ones."""


@dataclass(frozen=True, eq=False)
class TreeProof:
    """No ``budget`` columns of a table reach a goal: a tree over all that could be among them.

    The ``target`` are people that they do not cover, the cost that they exceed, or the columns that do not
    cover everybody. Weights or prices exclude all ``columns`` of the table but these; the tree is over
    indices into them.
    """

    budget: int
    target: int
    columns: IntArray
    tree: dict[str, Any]


class Choice(ABC):
    """A question to a table under way: the best columns so far, and what is proved about them."""

    best: IntArray

    def __init__(self, search: Search) -> None:
        self.search = search
        self.proof: TreeProof | None = None

    @abstractmethod
    def standing(self) -> tuple[int, int]:
        """What the best columns are worth, and what no others are better than."""

    @abstractmethod
    def offer(self, columns: IntArray) -> None:
        """Take other columns if they are better."""

    @abstractmethod
    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Look at everything that could be better, as :func:`search_tree` does."""

    def finished(self) -> bool:
        """Whether nothing is better, or time is up."""
        value, bound = self.standing()
        return value == bound or self.search.stop.expired()

    def report(self, phase: str) -> None:
        """Tell whoever listens where the search stands."""
        self.search.report(phase, *self.standing())

    def settle(self, max_nodes: int) -> None:
        """Find something better, or prove that there is nothing, as long as either can be done."""
        while not self.finished():
            found = self.search_all(max_nodes)
            if found is None:
                return
            if isinstance(found, TreeProof):
                self.proof = found
            else:
                self.offer(found)
            self.report("search")


def search_tree(
    question: TreeQuestion, columns: IntArray, rows: Sequence[Sequence[int]], search: Search, max_nodes: int
) -> IntArray | TreeProof | None:
    """Find columns that reach the goal, or prove that there are none, depth first; ``None``: not decided.

    ``columns`` and ``rows`` say which column, and which rows, of a table those of the question are.
    """
    root: dict[str, Any] = {}
    stack = [(np.zeros(0, dtype=np.int64), np.ones(question.n_columns, dtype=np.bool_), root, 0)]
    deepest = nodes = 0
    while stack:
        if nodes == max_nodes or search.stop.expired():
            return None
        nodes += 1
        search.counters["nodes"] += 1
        chosen, usable, proof, depth = stack.pop()
        deepest = max(deepest, depth)
        if question.reached_by(chosen):
            return columns[chosen]
        try:
            values = _narrowed(question, chosen, usable, proof)
        except UndecidedError:
            return None
        if values is None:
            continue
        likely = np.argsort(-values, kind="stable")[: question.budget - len(chosen)]
        rounded = np.concatenate((chosen, likely[usable[likely]]))
        if question.reached_by(rounded):
            return columns[rounded]
        half = np.where(usable, np.abs(values - 0.5), np.inf)
        half[usable & (values > 1 - 1e-7)] = 0.45
        column = int(half.argmin())
        usable[column] = False
        taken: dict[str, Any] = {}
        left: dict[str, Any] = {}
        proof.update(column=column, parts=[taken, left])
        stack.append((chosen, usable, left, depth + 1))
        stack.append((np.append(chosen, column), usable.copy(), taken, depth + 1))
    if deepest > DEEPEST:
        return None
    return TreeProof(question.budget, question.target, columns, renamed(root, rows))


def _narrowed(
    question: TreeQuestion, chosen: IntArray, usable: BoolArray, proof: dict[str, Any]
) -> FloatArray | None:
    """Values of the columns in the relaxation, ``None`` where the node is closed.

    Columns that cannot help are dropped from ``usable``; what says so is written into the proof.
    """
    filters = proof["filters"] = []
    while (ended := question.ended(chosen, usable)) is None:
        values, numbers, closed, light = question.relax(chosen, usable)
        if closed or light.any():
            filters.append([[row, int(numbers[row])] for row in np.flatnonzero(numbers).tolist()])
        if closed:
            return None
        usable &= ~light
        if usable.any() and not (values[light] > 0).any():
            return values
    proof.update(ended)
    return None


def renamed(tree: dict[str, Any], rows_of: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The same tree over other rows: each number stands on all rows that a row of the tree is."""
    filters = [
        [[row, number] for old, number in pairs for row in rows_of[old]] for pairs in tree.get("filters", [])
    ]
    parts = {"parts": [renamed(part, rows_of) for part in tree["parts"]]} if "parts" in tree else {}
    return {**tree, "filters": filters, **parts}


def node_solution(program: CoveringProgram, stop: Stop) -> RelaxedCover:
    """Solve the program of a node, or say that it stays undecided."""
    found = program.solve(stop)
    if isinstance(found, str):
        raise UndecidedError
    return found
