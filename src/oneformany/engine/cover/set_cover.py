"""Set cover with a proof: is there a cover by at most so many of these columns?

The item with the fewest usable columns must be covered by one of them; each is tried, forbidding those tried
before. At a node, integer weights on the items (from the duals of the relaxation) *filter* the columns: if no
usable column weighs more than C and the items weigh S, then with k columns left to choose each must weigh at
least S - (k - 1) C. A node closes when S > k C.

The relaxation is tightened by cuts on three items: of three, two columns are needed unless one column takes
all three; that is, a column counts 1 when it has one or two of them, 2 when it has all, and the counts must
reach 2. These are the subset-row cuts of Jepsen, Petersen, Spoorendonk and Pisinger (Operations Research 56,
2008), for covers instead of partitions. Weights sit on them as well. Only a few columns are in the linear
program at a time; the others are priced by one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.kernels import violated_triples
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover, as_matrix
from oneformany.engine.cover.tree import (
    CoverSearch,
    Relaxed,
    TreeNode,
    TreeQuestion,
    UndecidedError,
    search_tree,
)
from oneformany.engine.scaling import ONE_IN_COVERS, integer_weights
from oneformany.stop import Stop

ROUNDS_AT_ROOT = 20
ROUNDS_BELOW = 1
COLUMNS_AT_ONCE = 200
CUTS_AT_ONCE = 25
MOST_CUTS = 250
MOST_ITEMS = 400
MOST_TRIPLES = 20_000
TOLERANCE = 1e-7
VIOLATION = 0.02


def cover_within(
    groups: Sequence[IntArray],
    n_items: int,
    budget: int,
    stop: Stop,
    max_nodes: int = 100_000,
    *,
    cuts: bool = True,
) -> CoverSearch:
    """Find a cover of all items by at most ``budget`` groups, or prove that there is none."""
    relaxation = CoverRelaxation(groups, n_items)
    found = search_tree(_CoverQuestion(relaxation, budget, stop, cuts=cuts), max_nodes)
    return replace(found, cuts=len(relaxation.triples))


class CoverRelaxation:
    """A covering program whose rows are items, then cuts.

    ``items`` and ``matrix`` hold the items, and all rows, of every column; ``triples`` are the cuts.
    """

    def __init__(self, groups: Sequence[IntArray], n_items: int) -> None:
        self.n_items = n_items
        self._columns = as_matrix(groups, n_items)
        self.items = self.matrix = self._columns.tocsr()
        self.triples: list[tuple[int, int, int]] = []
        self._active = np.zeros(0, dtype=np.int64)
        self._is_active = np.zeros(len(groups), dtype=np.bool_)
        self._program = CoveringProgram(np.ones(n_items))

    @property
    def demands(self) -> IntArray:
        """What each row asks for: 1 for an item, 2 for a cut."""
        return np.repeat([1, 2], [self.n_items, len(self.triples)])

    def columns_of(self, item: int, usable: BoolArray) -> IntArray:
        """The usable columns of an item."""
        columns = self.items.indices[self.items.indptr[item] : self.items.indptr[item + 1]]
        return np.asarray(columns[usable[columns]])

    def solve(
        self, needed: BoolArray, usable: BoolArray, stop: Stop
    ) -> RelaxedCover | int | Literal["stopped"]:
        """Solve for the needed items and usable columns; or name an item that none of them covers.

        The duals of the solution are those of the items, then of the cuts all of whose items are needed.
        """
        bare = np.flatnonzero(needed & (self.items @ usable.astype(np.int64) == 0))
        if len(bare):
            return int(bare[0])
        cuts = needed[np.array(self.triples, dtype=np.int64).reshape(-1, 3)].all(axis=1)
        rows = np.concatenate((needed, cuts))
        self._program.demand(np.where(rows, self.demands, 0).astype(np.float64))
        # Every needed item has a usable column in the program.
        without = needed & (self.items @ (usable & self._is_active).astype(np.int64) == 0)
        self._activate(
            np.unique([self.columns_of(item, usable)[0] for item in np.flatnonzero(without).tolist()])
        )
        while True:
            self._program.use(usable[self._active])
            relaxed = self._program.solve(stop)
            if relaxed == "infeasible":  # cuts may ask for more than the columns at hand can give
                self._activate(np.flatnonzero(usable & ~self._is_active))
                continue
            if isinstance(relaxed, str):
                return "stopped"
            duals = np.where(rows, relaxed.duals, 0.0)
            excess = np.where(usable & ~self._is_active, self.matrix.T @ duals - 1.0, 0.0)
            better = np.flatnonzero(excess > TOLERANCE)
            if len(better) == 0:
                values = np.zeros(len(usable))
                values[self._active] = relaxed.values
                return RelaxedCover(relaxed.value, values, duals)
            self._activate(better[np.argsort(-excess[better], kind="stable")[:COLUMNS_AT_ONCE]])

    def cut(self, needed: BoolArray, values: FloatArray) -> bool:
        """Add the most violated cuts on three needed items; say whether there were any."""
        room = MOST_CUTS - len(self.triples)
        if room <= 0:
            return False
        support = np.flatnonzero(values > 1e-6)
        inside = self.items[:, support].toarray() > 0
        fractional = inside[:, values[support] < 1 - 1e-6].any(axis=1)
        chosen = np.flatnonzero(needed & fractional)[:MOST_ITEMS]
        triples, lacks = np.zeros((MOST_TRIPLES, 3), dtype=np.int64), np.zeros(MOST_TRIPLES)
        room_for_pairs = np.zeros((len(chosen),) * 2)
        found = violated_triples(inside[chosen], values[support], VIOLATION, room_for_pairs, triples, lacks)
        known = set(self.triples)
        worst = chosen[triples[np.argsort(-lacks[:found], kind="stable")]].tolist()
        new = [(i, j, k) for i, j, k in worst if (i, j, k) not in known][: min(CUTS_AT_ONCE, room)]
        if new:
            counts = [(self.items[list(triple)].sum(axis=0) + 1) // 2 for triple in new]
            block = sparse.csr_matrix(np.concatenate(counts))
            self.matrix = sparse.vstack((self.matrix, block), format="csr")
            self._columns = self.matrix.tocsc()
            self.triples.extend(new)
            self._program.add_rows(np.full(len(new), 2.0), block[:, self._active])
        return bool(new)

    def _activate(self, columns: IntArray) -> None:
        """Let the program have further columns."""
        if len(columns):
            self._program.add_columns(self._columns[:, columns])
            self._is_active[columns] = True
            self._active = np.append(self._active, columns)


class _CoverQuestion(TreeQuestion):
    """Whether ``budget`` columns cover all items."""

    def __init__(self, relaxation: CoverRelaxation, budget: int, stop: Stop, *, cuts: bool) -> None:
        self.relaxation, self.budget, self.stop = relaxation, budget, stop
        self.n_columns = relaxation.items.shape[1]
        self._cuts = cuts

    def reached_by(self, columns: IntArray) -> bool:
        """Whether they cover all items."""
        return not self._needed(columns).any()

    def ended(self, node: TreeNode) -> None:
        """Weights always say why a node is closed."""

    def _needed(self, chosen: IntArray) -> BoolArray:
        """The items that these columns leave uncovered."""
        used = np.zeros(self.n_columns, dtype=np.int64)
        used[chosen] = 1
        return np.asarray(self.relaxation.items @ used == 0)

    def relax(self, node: TreeNode) -> Relaxed:
        """Cover the items left by parts of columns."""
        relaxation, usable = self.relaxation, node.usable
        relaxed = relaxation.solve(self._needed(node.chosen), usable, self.stop)
        if relaxed == "stopped":
            raise UndecidedError
        if isinstance(relaxed, int):  # an item that nothing covers
            alone = np.eye(1, relaxation.n_items, relaxed, dtype=np.int64)[0]
            return Relaxed(np.zeros(self.n_columns), alone, True, np.zeros_like(usable))
        left = self.budget - len(node.chosen)
        weights = integer_weights(relaxed.duals, ONE_IN_COVERS)
        loads = relaxation.matrix.T @ weights
        capacity, total = int(loads[usable].max()), int((weights * relaxation.demands).sum())
        light = usable & (loads < total - (left - 1) * capacity)
        return Relaxed(relaxed.values, weights, total > left * capacity, light)

    def tighten(self, node: TreeNode, values: FloatArray) -> bool:
        """Add cuts, in so many rounds for each node."""
        node.tightened += 1
        if not self._cuts or node.tightened > (ROUNDS_BELOW if node.depth else ROUNDS_AT_ROOT):
            return False
        return not self.stop.expired() and self.relaxation.cut(self._needed(node.chosen), values)

    def named(self, row: int) -> object:
        """An item, or the three items of a cut."""
        n = self.relaxation.n_items
        return row if row < n else list(self.relaxation.triples[row - n])

    def children(self, node: TreeNode, values: FloatArray) -> list[TreeNode]:
        """One case per usable column of the item that has the fewest, likeliest first."""
        counts = self.relaxation.items @ node.usable.astype(np.int64)
        item = int(np.where(self._needed(node.chosen), counts, np.iinfo(np.int64).max).argmin())
        columns = self.relaxation.columns_of(item, node.usable)
        columns = columns[np.argsort(-values[columns], kind="stable")]
        parts = [node.child(int(column), columns[: index + 1]) for index, column in enumerate(columns)]
        node.proof.update(item=item, columns=columns.tolist(), parts=[part.proof for part in parts])
        return parts
