"""The relaxation of a set cover over a long list of columns, tightened by cuts on three items.

Only a few columns are in the linear program at a time; the others are priced by one matrix product. A cut
says: of three items, two columns are needed unless one column takes all three; that is, a column counts 1
when it has one or two of them, 2 when it has all, and the counts must reach 2. These are the
subset-row cuts of Jepsen, Petersen, Spoorendonk and Pisinger (Operations Research 56, 2008), for covers
instead of partitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover, as_matrix
from oneformany.engine.cover.relaxation_kernels import violated_triples
from oneformany.stop import Stop

COLUMNS_AT_ONCE = 200
CUTS_AT_ONCE = 25
MOST_CUTS = 250
MOST_ITEMS = 400
MOST_TRIPLES = 20_000
TOLERANCE = 1e-7
VIOLATION = 0.02


class CoverRelaxation:
    """A covering program whose rows are items, then cuts.

    Attributes
    ----------
    matrix : sparse integer matrix
        Rows by columns of the list.
    triples : list of three items each
        The cuts.
    """

    def __init__(self, groups: Sequence[IntArray], n_items: int) -> None:
        self.n_items = n_items
        self.n_columns = len(groups)
        self._columns = as_matrix(groups, n_items)
        self.items = sparse.csr_matrix(self._columns)
        self.matrix = self.items
        self.triples: list[tuple[int, int, int]] = []
        self._active: list[int] = []
        self._is_active = np.zeros(self.n_columns, dtype=np.bool_)
        self._program = CoveringProgram(np.ones(n_items))

    @property
    def demands(self) -> IntArray:
        """What each row asks for: 1 for an item, 2 for a cut."""
        return np.array([1] * self.n_items + [2] * len(self.triples))

    def needed_rows(self, needed: BoolArray) -> BoolArray:
        """Items still to be covered, and the cuts all of whose items are."""
        cuts = needed[np.array(self.triples, dtype=np.int64).reshape(-1, 3)].all(axis=1)
        return np.concatenate((needed, cuts))

    def members(self, column: int) -> IntArray:
        """The items of a column."""
        start, end = self._columns.indptr[column], self._columns.indptr[column + 1]
        rows = self._columns.indices[start:end]
        return np.asarray(rows[rows < self.n_items])

    def solve(
        self, needed: BoolArray, usable: BoolArray, stop: Stop
    ) -> RelaxedCover | int | Literal["stopped"]:
        """Solve for the needed items and usable columns; or name an item that none of them covers.

        The duals of the solution are those of the items, then of the cuts.
        """
        rows = self.needed_rows(needed)
        counts = self.items @ usable.astype(np.int64)
        bare = np.flatnonzero(needed & (counts == 0))
        if len(bare):
            return int(bare[0])
        self._program.demand(np.where(rows, self.demands, 0).astype(np.float64))
        self._ensure(needed, usable)
        while True:
            self._program.use(usable[self._active])
            relaxed = self._program.solve(stop)
            if relaxed == "infeasible":
                # Cuts may ask for more than the columns at hand can give.
                self._activate(np.flatnonzero(usable & ~self._is_active))
                continue
            if isinstance(relaxed, str):
                return "stopped"
            duals = np.where(rows, relaxed.duals, 0.0)
            excess = np.where(usable & ~self._is_active, self.matrix.T @ duals - 1.0, 0.0)
            better = np.flatnonzero(excess > TOLERANCE)
            if len(better) == 0:
                values = np.zeros(self.n_columns)
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
            self._add_cuts(new)
        return bool(new)

    def _add_cuts(self, triples: list[tuple[int, int, int]]) -> None:
        rows = []
        for triple in triples:
            counts = self.items[list(triple)].sum(axis=0)
            rows.append(sparse.csr_matrix((np.asarray(counts).ravel() + 1) // 2))
        block = sparse.vstack(rows, format="csr", dtype=np.int64)
        self.matrix = sparse.vstack((self.matrix, block), format="csr")
        self._columns = sparse.csc_matrix(self.matrix)
        self.triples.extend(triples)
        self._program.add_rows(np.full(len(triples), 2.0), block[:, self._active])

    def _activate(self, columns: IntArray) -> None:
        self._program.add_columns(self._columns[:, columns])
        self._is_active[columns] = True
        self._active.extend(columns.tolist())

    def _ensure(self, needed: BoolArray, usable: BoolArray) -> None:
        """Have a usable column in the program for every needed item."""
        covered = self.items @ (usable & self._is_active).astype(np.int64) > 0
        add = set()
        for item in np.flatnonzero(needed & ~covered).tolist():
            columns = self.items.indices[self.items.indptr[item] : self.items.indptr[item + 1]]
            add.add(int(columns[usable[columns]][0]))
        if add:
            self._activate(np.array(sorted(add)))
