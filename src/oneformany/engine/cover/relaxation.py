"""The relaxation of a set cover over a long list of columns, tightened by cuts on three items.

Only a few columns are in the linear program at a time; the others are priced by one matrix product. A cut
says: of three items, two columns are needed unless one column takes all three; that is, a column counts 1
when it has one or two of them, 2 when it has all, and the counts must reach 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.kernels import violated_triples
from oneformany.exceptions import SolverError

__all__ = ["CoverRelaxation", "Priority"]

COLUMNS_AT_ONCE = 200
CUTS_AT_ONCE = 25
MOST_CUTS = 250
MOST_ITEMS = 400
MOST_TRIPLES = 20_000
TOLERANCE = 1e-7
VIOLATION = 0.02


@dataclass(frozen=True, eq=False)
class Priority:
    """An optimum: value, the columns' shares, and duals of the items and then of the cuts."""

    value: float
    shares: FloatArray
    duals: FloatArray


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
        ends = np.cumsum([len(group) for group in groups])
        self.n_items = n_items
        self.n_columns = len(groups)
        self.items = sparse.csr_matrix(
            sparse.csc_matrix(
                (np.ones(ends[-1], dtype=np.int64), np.concatenate(groups), np.concatenate(([0], ends))),
                shape=(n_items, len(groups)),
            )
        )
        self.matrix = self.items
        self.triples: list[tuple[int, int, int]] = []
        self._columns = sparse.csc_matrix(self.matrix)
        self._active: list[int] = []
        self._place = np.full(self.n_columns, -1)
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        self._add_rows(np.ones(n_items))

    @property
    def demands(self) -> IntArray:
        """What each row asks for: 1 for an item, 2 for a cut."""
        return np.array([1] * self.n_items + [2] * len(self.triples))

    def needed_rows(self, needed: BoolArray) -> BoolArray:
        """Items still to be covered, and the cuts all of whose items are."""
        cuts = [needed[list(triple)].all() for triple in self.triples]
        return np.concatenate((needed, np.array(cuts, dtype=np.bool_)))

    def members(self, column: int) -> IntArray:
        """The items of a column."""
        start, end = self._columns.indptr[column], self._columns.indptr[column + 1]
        rows = self._columns.indices[start:end]
        return np.asarray(rows[rows < self.n_items])

    def solve(self, needed: BoolArray, usable: BoolArray) -> Priority | int:
        """Solve for the needed items and usable columns; or name an item that none of them covers."""
        rows = self.needed_rows(needed)
        counts = self.items @ usable.astype(np.int64)
        bare = np.flatnonzero(needed & (counts == 0))
        if len(bare):
            return int(bare[0])
        self._bound_rows(np.where(rows, self.demands, 0))
        self._ensure(needed, usable)
        while True:
            self._bound_columns(usable)
            self._highs.run()
            status = self._highs.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                # Cuts may ask for more than the columns at hand can give.
                self._activate(np.flatnonzero(usable & (self._place < 0)))
                continue
            if status != highspy.HighsModelStatus.kOptimal:
                raise SolverError(f"the cover relaxation ended as {self._highs.modelStatusToString(status)}")
            solution = self._highs.getSolution()
            duals = np.where(rows, np.maximum(np.array(solution.row_dual), 0.0), 0.0)
            excess = np.where(usable & (self._place < 0), self.matrix.T @ duals - 1.0, 0.0)
            better = np.flatnonzero(excess > TOLERANCE)
            if len(better) == 0:
                shares = np.zeros(self.n_columns)
                shares[self._active] = solution.col_value
                return Priority(self._highs.getInfo().objective_function_value, shares, duals)
            self._activate(better[np.argsort(-excess[better], kind="stable")[:COLUMNS_AT_ONCE]])

    def cut(self, needed: BoolArray, shares: FloatArray) -> bool:
        """Add the most violated cuts on three needed items; say whether there were any."""
        support = np.flatnonzero(shares > 1e-6)
        inside = self.items[:, support].toarray() > 0
        fractional = inside[:, shares[support] < 1 - 1e-6].any(axis=1)
        chosen = np.flatnonzero(needed & fractional)[:MOST_ITEMS]
        inside = inside[chosen]
        weighted = inside * shares[support]
        triples = np.zeros((MOST_TRIPLES, 3), dtype=np.int64)
        lacks = np.zeros(MOST_TRIPLES)
        count = violated_triples(
            inside,
            shares[support],
            weighted.sum(axis=1),
            weighted @ inside.T.astype(np.float64),
            VIOLATION,
            triples,
            lacks,
        )
        known = set(self.triples)
        worst = chosen[triples[np.argsort(-lacks[:count], kind="stable")]].tolist()
        new = [triple for triple in map(_triple, worst) if triple not in known][:CUTS_AT_ONCE]
        new = new[: MOST_CUTS - len(self.triples)]
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
        self._add_rows(np.full(len(triples), 2.0), block[:, self._active])

    def _add_rows(self, lower: FloatArray, block: sparse.csr_matrix | None = None) -> None:
        count = len(lower)
        if block is None:
            block = sparse.csr_matrix((count, 0), dtype=np.int64)
        self._highs.addRows(
            count,
            lower,
            np.full(count, highspy.kHighsInf),
            block.nnz,
            block.indptr[:-1].astype(np.int32),
            block.indices.astype(np.int32),
            block.data.astype(np.float64),
        )

    def _activate(self, columns: IntArray) -> None:
        block = self._columns[:, columns]
        count = len(columns)
        self._highs.addCols(
            count,
            np.ones(count),
            np.zeros(count),
            np.full(count, highspy.kHighsInf),
            block.nnz,
            block.indptr[:-1].astype(np.int32),
            block.indices.astype(np.int32),
            block.data.astype(np.float64),
        )
        self._place[columns] = np.arange(len(self._active), len(self._active) + count)
        self._active.extend(columns.tolist())

    def _ensure(self, needed: BoolArray, usable: BoolArray) -> None:
        """Have a usable column in the program for every needed item."""
        covered = self.items @ (usable & (self._place >= 0)).astype(np.int64) > 0
        add = set()
        for item in np.flatnonzero(needed & ~covered).tolist():
            columns = self.items.indices[self.items.indptr[item] : self.items.indptr[item + 1]]
            add.add(int(columns[usable[columns]][0]))
        if add:
            self._activate(np.array(sorted(add)))

    def _bound_rows(self, lower: IntArray) -> None:
        places = np.arange(len(lower), dtype=np.int32)
        upper = np.full(len(lower), highspy.kHighsInf)
        self._highs.changeRowsBounds(len(lower), places, lower.astype(np.float64), upper)

    def _bound_columns(self, usable: BoolArray) -> None:
        places = np.arange(len(self._active), dtype=np.int32)
        upper = np.where(usable[self._active], highspy.kHighsInf, 0.0)
        self._highs.changeColsBounds(len(places), places, np.zeros(len(places)), upper)


def _triple(items: list[int]) -> tuple[int, int, int]:
    i, j, k = items
    return i, j, k
