"""The restricted master (15)-(17): as a linear program while columns come in, in integers at the end."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from oneformany.arrays import FloatArray
from oneformany.exceptions import SolverError
from oneformany.paper.methods.columns import PaperColumn
from oneformany.paper.methods.model import Model, Objective, Solver
from oneformany.stop import Stop

__all__ = ["PaperMaster", "PaperRelaxed"]

WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class PaperRelaxed:
    """Optimum of the relaxation: value, duals of the rows, and the cover that it is when it is whole."""

    value: float
    duals: FloatArray
    cover: list[PaperColumn] | None


class PaperMaster:
    """Fewest columns such that every row is in one of them.

    Parameters
    ----------
    n_rows : int
        Number of rows to cover.
    columns : list of PaperColumn
        The first ones, which together cover all rows.
    """

    def __init__(self, n_rows: int, columns: list[PaperColumn]) -> None:
        self.columns: dict[bytes, PaperColumn] = {}
        self._n_rows = n_rows
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        for _ in range(n_rows):
            self._highs.addRow(1.0, highspy.kHighsInf, 0, np.empty(0, dtype=np.int32), np.empty(0))
        self.add(columns)

    def add(self, columns: list[PaperColumn]) -> int:
        """Take in the columns whose groups are new, and say how many these are."""
        before = len(self.columns)
        for column in columns:
            if column.key not in self.columns:
                self.columns[column.key] = column
                entries = column.group.astype(np.int32)
                self._highs.addCol(1.0, 0.0, highspy.kHighsInf, len(entries), entries, np.ones(len(entries)))
        return len(self.columns) - before

    def solve(self) -> PaperRelaxed:
        """Solve the relaxation, starting where the last one ended."""
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"HiGHS ended the master with status {status.name}")
        solution = self._highs.getSolution()
        shares, duals = np.array(solution.col_value), np.maximum(solution.row_dual, 0.0)
        whole = bool((np.abs(shares - np.rint(shares)) <= WHOLE).all())
        return PaperRelaxed(
            self._highs.getInfo().objective_function_value, duals, self._taken(shares) if whole else None
        )

    def best_cover(
        self, known: list[PaperColumn], solver: Solver, stop: Stop, seed: int = 0
    ) -> list[PaperColumn]:
        """Solve in integers; ``known`` is a cover to start from, and returned when time is too short."""
        columns = list(self.columns.values())
        model = Model()
        take = model.variables.add(len(columns))
        covers = np.zeros((self._n_rows, len(columns)), dtype=np.bool_)
        for number, column in enumerate(columns):
            covers[column.group, number] = True
        for row in covers:
            model.constraints.add(take[row], 1.0, lower=1.0)
        model = Model(model.variables, model.constraints, Objective(take, np.ones(len(columns))))
        start = np.isin(np.arange(len(columns)), [columns.index(column) for column in known])
        outcome = solver.solve(model, stop=stop, start=start.astype(np.float64), seed=seed)
        return self._taken(outcome.solutions[0].values) if outcome.solutions else known

    def _taken(self, shares: FloatArray) -> list[PaperColumn]:
        return [column for column, share in zip(self.columns.values(), shares, strict=True) if share > 0.5]
