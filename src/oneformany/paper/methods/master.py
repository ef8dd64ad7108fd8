"""The restricted master (15)-(17): as a linear program while columns come in, in integers at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.engine.cover.program import CoveringProgram, as_matrix
from oneformany.paper.methods.columns import PaperColumn
from oneformany.paper.methods.model import Model, Objective, Solver
from oneformany.stop import Stop

__all__ = ["PaperMaster", "PaperRelaxed"]

INTEGRAL = 1e-6


@dataclass(frozen=True, eq=False)
class PaperRelaxed:
    """Optimum of the relaxation: value, duals of the rows, and the cover that it is when it is integral."""

    value: float
    duals: FloatArray
    cover: list[PaperColumn] | None


class PaperMaster:
    """Fewest columns such that every row is in one of them; the first ones together cover all rows."""

    def __init__(self, n_rows: int, columns: list[PaperColumn]) -> None:
        self.columns: dict[bytes, PaperColumn] = {}
        self._n_rows = n_rows
        self._program = CoveringProgram(np.ones(n_rows), presolve=True)
        self.add(columns)

    def add(self, columns: list[PaperColumn]) -> int:
        """Take in the columns whose groups are new, and say how many these are."""
        new = {column.key: column for column in columns if column.key not in self.columns}
        self._program.add_columns(as_matrix([column.group for column in new.values()], self._n_rows))
        self.columns |= new
        return len(new)

    def solve(self, stop: Stop) -> PaperRelaxed | None:
        """Solve the relaxation, starting where the last one ended; ``None`` when time is too short."""
        relaxed = self._program.solve(stop)
        if relaxed == "infeasible":
            raise AssertionError("the first columns cover all rows")
        if isinstance(relaxed, str):
            return None
        integral = bool((np.abs(relaxed.values - np.rint(relaxed.values)) <= INTEGRAL).all())
        return PaperRelaxed(relaxed.value, relaxed.duals, self._taken(relaxed.values) if integral else None)

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

    def _taken(self, values: FloatArray) -> list[PaperColumn]:
        return [column for column, value in zip(self.columns.values(), values, strict=True) if value > 0.5]
