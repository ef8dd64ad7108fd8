"""``method="cg-mip"``: the paper's column generation at the root node, with pricing by a solver.

The restricted master (15)-(17) is solved as a linear program, its duals price new columns, and when no
column violates any more, or time is up, the master is solved once in integers. Every pricing gives a lower
bound, sum of duals over the largest weight that the solver has proved possible; the best one is reported.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover, as_matrix
from oneformany.paper.methods.formulation import PaperColumn
from oneformany.paper.methods.model import Model, Request
from oneformany.paper.methods.options import CgOptions
from oneformany.paper.methods.pricing import MipPricer, scaled
from oneformany.paper.methods.solvers import Solver
from oneformany.paper.methods.start import PaperRun, dual_proof
from oneformany.result.proof import Proof
from oneformany.stop import Stop

LAST_SHARE = 0.1  # of the time, kept for the final cover
INTEGRAL = 1e-6


def improve_by_columns(
    run: PaperRun, proof: Proof, options: CgOptions
) -> tuple[list[PaperColumn], Proof, Stop]:
    """Improve a first solution; return it, the proof of the best bound, and who ended the search."""
    best, stop = run.initial.columns, run.stop
    master = PaperMaster(len(run.initial.rows), best)
    pricer = MipPricer(run.initial.rows, run.embedding, run.solver, options, run.seed)
    early = Stop(None if stop.time_limit is None else (1.0 - LAST_SHARE) * stop.remaining())
    with early.on_interrupt():
        while (relaxed := master.solve(early)) is not None:
            best = min(best, master.cover(relaxed) or best, key=len)
            weights = scaled(relaxed.duals)
            columns, capacity = pricer.price(weights, early)
            if capacity is not None:
                found = dual_proof(pricer.rows, weights, capacity)
                proof = max(proof, found, key=lambda each: each.bound)
            value, count = relaxed.value, len(best)
            run.log("columns", columns=len(master.columns), value=value, bound=proof.bound, count=count)
            if proof.bound >= len(best) or not master.add(columns):
                break
    run.statistics.counters |= pricer.statistics.counters
    if proof.bound < len(best):
        with stop.on_interrupt():
            best = master.best_cover(best, run.solver, stop, run.seed)
    run.log("cover", columns=len(master.columns), value=float(len(best)), bound=proof.bound, count=len(best))
    return best, proof, early if early.expired() else stop


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

    def solve(self, stop: Stop) -> RelaxedCover | None:
        """Solve the relaxation, starting where the last one ended; ``None`` when time is too short."""
        relaxed = self._program.solve(stop)
        if relaxed == "infeasible":
            raise AssertionError("the first columns cover all rows")
        return None if isinstance(relaxed, str) else relaxed

    def cover(self, relaxed: RelaxedCover) -> list[PaperColumn] | None:
        """The cover that an optimum of the relaxation is when it is integral."""
        values = relaxed.values
        return self._taken(values) if np.allclose(values, np.rint(values), rtol=0, atol=INTEGRAL) else None

    def best_cover(
        self, known: list[PaperColumn], solver: Solver, stop: Stop, seed: int = 0
    ) -> list[PaperColumn]:
        """Solve in integers; ``known`` is a cover to start from, and returned when time is too short."""
        columns = list(self.columns.values())
        model = Model()
        take = model.add_variables(len(columns))
        for covers in as_matrix([column.group for column in columns], self._n_rows).toarray():
            model.add_rows(take[covers > 0], 1.0, lower=1.0)
        start = np.isin(take, [columns.index(column) for column in known]).astype(np.float64)
        outcome = solver.solve(model.towards(take, 1.0), Request(stop, start, seed=seed))
        return self._taken(outcome.solutions[0].values) if outcome.solutions else known

    def _taken(self, values: FloatArray) -> list[PaperColumn]:
        return [column for column, value in zip(self.columns.values(), values, strict=True) if value > 0.5]
