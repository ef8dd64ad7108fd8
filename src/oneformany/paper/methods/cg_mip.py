"""``method="cg-mip"``: the paper's column generation at the root node, with pricing by a solver.

The restricted master (15)-(17) is solved as a linear program, its duals price new columns, and when no
column violates any more, or time is up, the master is solved once in integers. Every pricing gives a lower
bound, sum of duals over the largest weight that the solver has proved possible; the best one is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.engine.cover.program import CoveringProgram, as_matrix
from oneformany.paper.methods.columns import PaperColumn
from oneformany.paper.methods.model import Model, Objective, Request, Solver
from oneformany.paper.methods.options import CgOptions
from oneformany.paper.methods.pricing import MipPricer, scaled
from oneformany.paper.methods.start import Log, Start, dual_proof
from oneformany.result.proof import Proof
from oneformany.stop import Stop

LAST_SHARE = 0.1  # of the time, kept for the final cover
INTEGRAL = 1e-6


def improve_by_columns(
    start: Start, proof: Proof, options: CgOptions
) -> tuple[list[PaperColumn], Proof, Stop]:
    """Improve a first solution; return it, the proof of the best bound, and who ended the search."""
    best, stop, log = start.initial.columns, start.stop, start.log
    master = PaperMaster(len(start.initial.rows), best)
    pricer = MipPricer(start.initial.rows, start.embedding, start.solver, options, start.seed)
    early = Stop(None if stop.time_limit is None else (1.0 - LAST_SHARE) * stop.remaining())
    with early.on_interrupt():
        best, proof = _generate(master, pricer, best, proof, stop=early, log=log)
    log.statistics.counters |= pricer.statistics.counters
    if proof.bound < len(best):
        with stop.on_interrupt():
            best = master.best_cover(best, start.solver, stop, start.seed)
    log("cover", columns=len(master.columns), value=float(len(best)), bound=proof.bound, count=len(best))
    return best, proof, early if early.expired() else stop


def _generate(
    master: PaperMaster, pricer: MipPricer, best: list[PaperColumn], proof: Proof, *, stop: Stop, log: Log
) -> tuple[list[PaperColumn], Proof]:
    """Solve master and pricing in turn; return the best cover met and the best proof."""
    while (relaxed := master.solve(stop)) is not None:
        best = min(best, relaxed.cover or best, key=len)
        priced = pricer.price(scaled(relaxed.duals), stop)
        if priced.capacity is not None:
            found = dual_proof(pricer.rows, priced.weights, priced.capacity)
            proof = max(proof, found, key=lambda each: each.bound)
        log("columns", columns=len(master.columns), value=relaxed.value, bound=proof.bound, count=len(best))
        if proof.bound >= len(best) or not master.add(priced.columns):
            break
    return best, proof


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
        outcome = solver.solve(model, Request(stop, start.astype(np.float64), seed=seed))
        return self._taken(outcome.solutions[0].values) if outcome.solutions else known

    def _taken(self, values: FloatArray) -> list[PaperColumn]:
        return [column for column, value in zip(self.columns.values(), values, strict=True) if value > 0.5]
