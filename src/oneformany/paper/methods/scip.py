"""SCIP, for those who have it: ``pip install pyscipopt``."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.exceptions import SolverError
from oneformany.paper.methods.model import Model, Outcome, Solution, Watch
from oneformany.paper.methods.solvers import optional_package
from oneformany.stop import Stop

__all__ = ["Scip"]

Untyped: TypeAlias = Any  # objects of pyscipopt

ENDED_EARLY = ("timelimit", "primallimit", "userinterrupt")


class Scip:
    """Adapter to PySCIPOpt."""

    name = "scip"

    def __init__(self) -> None:
        self._pyscipopt = optional_package("pyscipopt", solver=self.name, install="pyscipopt")

    @property
    def version(self) -> str:
        """Version of the installed solver."""
        return str(self._pyscipopt.Model().version())

    def solve(
        self,
        model: Model,
        *,
        stop: Stop | None = None,
        start: FloatArray | None = None,
        target: float | None = None,
        keep: int = 1,
        seed: int = 0,
        watch: Watch | None = None,
    ) -> Outcome:
        """Solve to proved optimality; see :class:`oneformany.paper.methods.model.Solver`."""
        stop = stop or Stop()
        program = self._pyscipopt.Model()
        program.hideOutput()
        program.setParam("randomization/randomseedshift", seed)
        if isfinite(stop.remaining()):
            program.setParam("limits/time", stop.remaining())
        if target is not None:
            program.setParam("limits/primal", target)
        columns = self._fill(program, model)
        if start is not None:
            known = program.createSol()
            for column, value in zip(columns, start.tolist(), strict=True):
                program.setSolVal(known, column, value)
            program.addSol(known)
        if watch is not None:
            self._attach(program, watch)
        program.optimize()
        stop.interrupted |= program.getStatus() == "userinterrupt"
        return _outcome(program, columns, model, keep)

    def _fill(self, program: Untyped, model: Model) -> list[Untyped]:
        variables, rows, objective = model.variables, model.constraints, model.objective
        bounds = zip(
            variables.lower.tolist(),
            variables.upper.tolist(),
            variables.integer.tolist(),
            objective.dense(len(variables)).tolist(),
            strict=True,
        )
        columns = [
            program.addVar(lb=lower, ub=upper, vtype="I" if whole else "C", obj=cost)
            for lower, upper, whole, cost in bounds
        ]
        if objective.maximise:
            program.setMaximize()
        starts, indices, values = rows.csr
        total = self._pyscipopt.quicksum
        for row, (lower, upper) in enumerate(zip(rows.lower.tolist(), rows.upper.tolist(), strict=True)):
            entries = range(starts[row], starts[row + 1])
            left = total(float(values[entry]) * columns[indices[entry]] for entry in entries)
            if lower > -inf:
                program.addCons(left >= lower)
            if upper < inf:
                program.addCons(left <= upper)
        return columns

    def _attach(self, program: Untyped, watch: Watch) -> None:
        def tell(source: Untyped, _event: Untyped) -> None:
            watch(source.getPrimalbound(), source.getDualbound())

        program.attachEventHandlerCallback(tell, [self._pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND])


def _outcome(program: Untyped, columns: list[Untyped], model: Model, keep: int) -> Outcome:
    status, maximise = program.getStatus(), model.objective.maximise
    if status in ("infeasible", "inforunbd"):
        return Outcome("infeasible", (), -inf if maximise else inf)
    if status not in ("optimal", *ENDED_EARLY):
        raise SolverError(f"SCIP ended with status {status!r}; try another solver")
    solutions = tuple(
        Solution(
            np.array([program.getSolVal(known, column) for column in columns]),
            program.getSolObjVal(known),
        )
        for known in program.getSols()[:keep]
    )
    bound = program.getDualbound()
    if program.isInfinity(abs(bound)):
        bound = inf if maximise else -inf
    return Outcome("optimal" if status == "optimal" else "stopped", solutions, bound)
