"""A complete search over columns that writes down its proof.

At a node some columns are chosen and some are excluded. Integer numbers on the rows, from the duals of a
linear program, bound what the columns left to choose can add. A column with which the bound misses the goal
is dropped; a node whose bound misses it is closed. Otherwise a distinction of cases follows. The numbers are
kept as *filters*, so that anyone can check the tree by addition.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover
from oneformany.exceptions import SolverError
from oneformany.stop import Stop

DEEPEST_PROOF = 400  # levels of a proof; what reads and writes deeper ones runs out of stack
DEEPEST_FILED = 120  # cases within cases of a set cover: files that are nested much deeper cannot be written


class UndecidedError(Exception):
    """Time was up inside a linear program, or a node is too large to be decided."""


@dataclass(frozen=True, eq=False)
class CoverSearch:
    """Columns that reach the goal, if some were found; the tree that excludes it, if it was completed."""

    chosen: list[int] | None
    proof: dict[str, Any] | None
    nodes: int


@dataclass(eq=False)
class TreeNode:
    """Columns chosen, those that may still be, what is proved here, how deep it lies, how often tightened."""

    chosen: IntArray
    usable: BoolArray
    proof: dict[str, Any]
    depth: int = 0
    tightened: int = 0

    def child(self, column: int | None, excluded: IntArray) -> Self:
        """A part in which a column is chosen, or none, and some are not usable any more."""
        chosen = self.chosen if column is None else np.append(self.chosen, column)
        usable = self.usable.copy()
        usable[excluded] = False
        return type(self)(chosen, usable, {}, self.depth + 1)


class Relaxed(NamedTuple):
    """A node in the relaxation: values of the columns, integer numbers of the rows, and what these exclude.

    ``closed``: nothing reaches the goal; ``light``: usable columns that are part of nothing that does.
    """

    values: FloatArray
    numbers: IntArray
    closed: bool
    light: BoolArray


class TreeQuestion(ABC):
    """Whether at most ``budget`` of ``n_columns`` columns reach a goal; ``stop``: when to leave that open."""

    n_columns: int
    budget: int
    stop: Stop

    @abstractmethod
    def reached_by(self, columns: IntArray) -> bool:
        """Whether these columns reach the goal."""

    @abstractmethod
    def relax(self, node: TreeNode) -> Relaxed:
        """Solve the relaxation of a node, and bound what the usable columns can add to the chosen ones."""

    def ended(self, node: TreeNode) -> dict[str, Any] | None:
        """What the proof says where a node needs no numbers to be closed, ``None`` where it is open."""
        return {} if len(node.chosen) == self.budget or not node.usable.any() else None

    def tighten(self, node: TreeNode, values: FloatArray) -> bool:  # noqa: ARG002 (some can)
        """Make the relaxation stronger where it has these values, if that is possible."""
        return False

    def solved(self, program: CoveringProgram) -> RelaxedCover:
        """Solve the program of a node, or leave it undecided."""
        try:
            found = program.solve(self.stop)
        except SolverError as error:  # numbers too far apart for HiGHS
            raise UndecidedError from error
        if found is None:
            raise UndecidedError
        return found

    def named(self, row: int) -> object:
        """What the proof calls a row of the relaxation."""
        return row

    def children(self, node: TreeNode, values: FloatArray) -> list[TreeNode]:
        """The cases: by default, some column is chosen, or it is not."""
        half = np.where(node.usable, np.abs(values - 0.5), np.inf)
        half[node.usable & (values > 1 - 1e-7)] = 0.45
        column = int(half.argmin())
        parts = [node.child(choice, np.array([column])) for choice in (column, None)]
        node.proof.update(column=column, parts=[part.proof for part in parts])
        return parts


def depth_of(tree: dict[str, Any]) -> int:
    """How many cases within cases a proof holds."""
    return 1 + max(map(depth_of, tree.get("parts", ())), default=0)


def search_tree(question: TreeQuestion, max_nodes: int) -> CoverSearch:
    """Find columns that reach the goal, or prove that there are none, depth first."""
    everything = np.ones(question.n_columns, dtype=np.bool_)
    root = TreeNode(np.zeros(0, dtype=np.int64), everything, {})
    stack = [root]
    deepest = nodes = 0
    while stack:
        if nodes >= max_nodes or question.stop.expired():
            return CoverSearch(None, None, nodes)
        nodes += 1
        node = stack.pop()
        deepest = max(deepest, node.depth)
        if question.reached_by(node.chosen):
            return CoverSearch(node.chosen.tolist(), None, nodes)
        try:
            values = _narrowed(question, node)
        except UndecidedError:
            return CoverSearch(None, None, nodes)
        if values is None:
            continue
        likely = np.argsort(-values, kind="stable")[: question.budget - len(node.chosen)]
        rounded = np.concatenate((node.chosen, likely[node.usable[likely]]))
        if question.reached_by(rounded):
            return CoverSearch(rounded.tolist(), None, nodes)
        stack.extend(reversed(question.children(node, values)))
    return CoverSearch(None, root.proof if deepest <= DEEPEST_PROOF else None, nodes)


def _narrowed(question: TreeQuestion, node: TreeNode) -> FloatArray | None:
    """Values of the columns in the relaxation, ``None`` where the node is closed.

    Columns that cannot help are dropped from the usable ones; what says so is written into the proof.
    """
    filters = node.proof["filters"] = []
    while (ended := question.ended(node)) is None:
        values, numbers, closed, light = question.relax(node)
        if closed or light.any():
            pairs = [[question.named(row), int(numbers[row])] for row in np.flatnonzero(numbers).tolist()]
            filters.append(pairs)
        if closed:
            return None
        node.usable[light] = False
        fits = node.usable.any() and not (values[light] > 0).any()
        if fits and not question.tighten(node, values):
            return values
    node.proof.update(ended)
    return None
