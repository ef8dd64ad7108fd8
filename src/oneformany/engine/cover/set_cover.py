"""Set cover with a proof: is there a cover by at most so many of these columns?

The item with the fewest usable columns must be covered by one of them; each is tried, forbidding those tried
before. At a node, integer weights on the items (from the duals of the relaxation) *filter* the columns: if no
usable column weighs more than C and the items weigh S, then with k columns left to choose each must weigh at
least S - (k - 1) C. A node closes when S > k C.

The relaxation is tightened by cuts on three items: of three, two columns are needed unless one column takes
all three; that is, a column counts 1 when it has one or two of them, 2 when it has all, and the counts must
reach 2. These are the subset-row cuts of Jepsen, Petersen, Spoorendonk and Pisinger (Operations Research 56,
2008), for covers instead of partitions. Weights sit on them as well. Only a few columns are
in the linear program at a time; the others are priced by one matrix product.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.kernels import violated_triples
from oneformany.engine.cover.program import CoveringProgram, as_matrix
from oneformany.engine.cover.tree import Relaxed, TreeNode, TreeQuestion
from oneformany.engine.scaling import ONE_IN_COVERS, integer_weights
from oneformany.stop import Stop

ROUNDS_AT_ROOT = 20  # of cuts: they raise the bound of the whole tree
ROUNDS_BELOW = 1  # of cuts in any other node: more make a node slower than they make the tree smaller
COLUMNS_AT_ONCE = 200  # that join the program, those first that lack most: all at once slow every solve
CUTS_AT_ONCE = 25  # those first that are violated most
MOST_CUTS = 250  # together: each is one more row of the program in every node
MOST_ITEMS = 400  # of which triples are looked at, at 8 bytes a pair
MOST_TRIPLES = 20_000  # that are written down, before the worst are taken
TOLERANCE = 1e-7  # of HiGHS: less does not count as a violation; proofs do not rest on it
VIOLATION = 0.02  # of a cut that is worth a row


class CoverQuestion(TreeQuestion):
    """Whether ``budget`` columns cover all items; rows of the covering program are items, then cuts.

    ``items`` and ``matrix`` hold the items, and all rows, of every column; ``triples`` are the cuts.
    """

    def __init__(
        self, groups: Sequence[IntArray], n_items: int, budget: int, stop: Stop, *, cuts: bool = True
    ) -> None:
        self.n_items, self.n_columns, self.budget, self.stop = n_items, len(groups), budget, stop
        self.matrix = as_matrix(groups, n_items)
        self.items = self.matrix.tocsr()
        self.triples: list[tuple[int, int, int]] = []
        self._cuts = cuts
        self._active = np.zeros(0, dtype=np.int64)
        self._program = CoveringProgram(np.ones(n_items))

    def reached_by(self, columns: IntArray) -> bool:
        """Whether they cover all items."""
        return not self.needed(columns).any()

    def needed(self, chosen: IntArray) -> BoolArray:
        """The items that these columns leave uncovered."""
        used = np.zeros(self.n_columns, dtype=np.int64)
        used[chosen] = 1
        return np.asarray(self.items @ used == 0)

    def columns_of(self, item: int, usable: BoolArray) -> IntArray:
        """The usable columns of an item."""
        columns = self.items.indices[self.items.indptr[item] : self.items.indptr[item + 1]]
        return np.asarray(columns[usable[columns]])

    def ended(self, node: TreeNode) -> None:
        """Weights always say why a node is closed."""

    def named(self, row: int) -> object:
        """An item, or the three items of a cut."""
        return row if row < self.n_items else list(self.triples[row - self.n_items])

    def relax(self, node: TreeNode) -> Relaxed:
        """Cover the items left by parts of columns; weights sit on these, and on cuts between them."""
        needed, usable, left = self.needed(node.chosen), node.usable, self.budget - len(node.chosen)
        bare = np.flatnonzero(needed & (self.items @ usable.astype(np.int64) == 0))
        if len(bare):
            alone = np.eye(1, self.n_items, bare[0], dtype=np.int64)[0]
            return Relaxed(np.zeros(self.n_columns), alone, True, np.zeros_like(usable))
        cuts = needed[np.array(self.triples, dtype=np.int64).reshape(-1, 3)].all(axis=1)
        demands = np.concatenate((1 * needed, 2 * cuts))
        values, duals = self._solve(needed, usable, demands)
        weights = integer_weights(duals, ONE_IN_COVERS)
        loads = self.matrix.T @ weights
        capacity, total = int(loads[usable].max()), int((weights * demands).sum())
        light = usable & (loads < total - (left - 1) * capacity)
        return Relaxed(values, weights, total > left * capacity, light)

    def _solve(
        self, needed: BoolArray, usable: BoolArray, demands: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Values of the columns and duals of the rows; further columns come in until none is better."""
        self._program.demand(demands)
        covered = self.items[:, self._active] @ usable[self._active].astype(np.int64) > 0
        bare = np.flatnonzero(needed & ~covered).tolist()
        self._activate(np.unique([self.columns_of(item, usable)[0] for item in bare]).astype(np.int64))
        while True:
            self._program.use(usable[self._active])
            relaxed = self.solved(self._program)
            duals = np.where(demands > 0, relaxed.duals, 0.0)
            excess = np.where(usable, self.matrix.T @ duals - 1.0, 0.0)
            excess[self._active] = 0.0
            better = np.flatnonzero(excess > TOLERANCE)
            if len(better) == 0:
                values = np.zeros(self.n_columns)
                values[self._active] = relaxed.values
                return values, duals
            self._activate(better[np.argsort(-excess[better], kind="stable")[:COLUMNS_AT_ONCE]])

    def _activate(self, columns: IntArray) -> None:
        """Let the program have further columns."""
        self._program.add_columns(self.matrix[:, columns])
        self._active = np.append(self._active, columns)

    def tighten(self, node: TreeNode, values: FloatArray) -> bool:
        """Add the most violated cuts on three needed items, in so many rounds for each node."""
        node.tightened += 1
        room = min(CUTS_AT_ONCE, MOST_CUTS - len(self.triples))
        rounds = ROUNDS_BELOW if node.depth else ROUNDS_AT_ROOT
        if not self._cuts or node.tightened > rounds or room <= 0 or self.stop.expired():
            return False
        support = np.flatnonzero(values > 1e-6)
        inside = self.items[:, support].toarray() > 0
        fractional = inside[:, values[support] < 1 - 1e-6].any(axis=1)
        chosen = np.flatnonzero(self.needed(node.chosen) & fractional)[:MOST_ITEMS]
        triples, lacks = np.zeros((MOST_TRIPLES, 3), dtype=np.int64), np.zeros(MOST_TRIPLES)
        room_for_pairs = np.zeros((len(chosen),) * 2)
        found = violated_triples(inside[chosen], values[support], VIOLATION, room_for_pairs, triples, lacks)
        known = set(self.triples)
        worst = chosen[triples[np.argsort(-lacks[:found], kind="stable")]].tolist()
        new = [(i, j, k) for i, j, k in worst if (i, j, k) not in known][:room]
        if new:
            counts = [(self.items[list(triple)].sum(axis=0) + 1) // 2 for triple in new]
            block = sparse.csr_matrix(np.concatenate(counts))
            self.matrix = sparse.vstack((self.matrix, block), format="csc")
            self.triples.extend(new)
            self._program.add_rows(np.full(len(new), 2.0), block[:, self._active])
        return bool(new)

    def children(self, node: TreeNode, values: FloatArray) -> list[TreeNode]:
        """One case per usable column of the item that has the fewest, likeliest first."""
        counts = self.items @ node.usable.astype(np.int64)
        item = int(np.where(self.needed(node.chosen), counts, np.iinfo(np.int64).max).argmin())
        columns = self.columns_of(item, node.usable)
        columns = columns[np.argsort(-values[columns], kind="stable")]
        parts = [node.child(int(column), columns[: index + 1]) for index, column in enumerate(columns)]
        node.proof.update(item=item, columns=columns.tolist(), parts=[part.proof for part in parts])
        return parts
