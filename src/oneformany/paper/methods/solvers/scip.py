"""SCIP: ``pip install pyscipopt``."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np

from oneformany.paper.methods.model import Model, Request, Solution, Solver, SolverOutcome, Watch
from oneformany.paper.methods.solvers import Statuses, optional_package
from oneformany.stop import Stop

Untyped: TypeAlias = Any  # objects of pyscipopt

STATUSES = Statuses(
    "SCIP",
    "optimal",
    stopped=("timelimit", "primallimit", "userinterrupt"),
    infeasible=("infeasible", "inforunbd"),
)


class Scip(Solver):
    """Adapter to PySCIPOpt."""

    name = "scip"
    entry_seconds = 1e-5

    def __init__(self) -> None:
        self._pyscipopt = optional_package("pyscipopt", solver=self.name)

    @property
    def version(self) -> str:
        """Version of the installed solver."""
        return str(self._pyscipopt.Model().version())

    def solve(self, model: Model, request: Request | None = None) -> SolverOutcome:
        """Solve a model as requested."""
        request = request or Request()
        stop, start = request.stop, request.start
        program = self._pyscipopt.Model()
        program.hideOutput()
        program.setParam("randomization/randomseedshift", request.seed)
        if request.target is not None:
            program.setParam("limits/primal", request.target)
        columns = self._fill(program, model)
        if start is not None:
            known = program.createSol()
            for column, value in zip(columns, start.tolist(), strict=True):
                program.setSolVal(known, column, value)
            program.addSol(known)
        self._listen(program, stop, request.watch)
        if isfinite(left := stop.remaining()):  # after the model was filled in
            program.setParam("limits/time", left)
        program.optimize()
        stop.interrupted |= program.getStatus() == "userinterrupt"
        solutions = [
            Solution(
                np.array([program.getSolVal(known, column) for column in columns]),
                program.getSolObjVal(known),
            )
            for known in program.getSols()[: request.keep]
        ]
        bound = program.getDualbound()
        proved = inf if program.isInfinity(abs(bound)) else bound
        return STATUSES.outcome(program.getStatus(), model, solutions, proved)

    def _fill(self, program: Untyped, model: Model) -> list[Untyped]:
        variables, rows, objective = model.variables, model.constraints, model.objective
        given = (variables.lower, variables.upper, variables.integer, objective.dense(len(variables)))
        columns = [
            program.addVar(lb=lower, ub=upper, vtype="I" if integer else "C", obj=cost)
            for lower, upper, integer, cost in zip(*(part.tolist() for part in given), strict=True)
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

    def _listen(self, program: Untyped, stop: Stop, watch: Watch | None) -> None:
        """Tell about better solutions, and end when the user wants to."""

        def hear(source: Untyped, _event: Untyped) -> None:
            if watch is not None:
                watch(source.getPrimalbound(), source.getDualbound())
            if stop.interrupted:
                source.interruptSolve()

        events = self._pyscipopt.SCIP_EVENTTYPE
        program.attachEventHandlerCallback(hear, [events.BESTSOLFOUND, events.NODESOLVED])
