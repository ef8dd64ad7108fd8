"""Gurobi: ``pip install gurobipy``, and a licence for models of more than 2,000 variables or constraints."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from oneformany.exceptions import SolverError
from oneformany.paper.methods.model import Model, Request, Solution, Solver, SolverOutcome, Watch
from oneformany.paper.methods.solvers import Statuses, optional_package
from oneformany.stop import Stop

Untyped: TypeAlias = Any  # objects of gurobipy

INFINITE = 1e100  # as Gurobi writes it


class Gurobi(Solver):
    """Adapter to gurobipy."""

    name = "gurobi"

    def __init__(self) -> None:
        self._gurobipy = optional_package("gurobipy", solver=self.name)

    @property
    def version(self) -> str:
        """Version of the installed solver."""
        return ".".join(str(part) for part in self._gurobipy.gurobi.version())

    def solve(self, model: Model, request: Request | None = None) -> SolverOutcome:
        """Solve a model as requested."""
        request = request or Request()
        stop, keep = request.stop, request.keep
        gurobipy = self._gurobipy
        codes = gurobipy.GRB.Status
        stopped = (codes.TIME_LIMIT, codes.USER_OBJ_LIMIT, codes.INTERRUPTED)
        statuses = Statuses("Gurobi", codes.OPTIMAL, stopped, (codes.INFEASIBLE, codes.INF_OR_UNBD))
        settings = {"OutputFlag": 0, "Threads": 1, "Seed": request.seed, "MIPGap": 0.0, "PoolSolutions": keep}
        if request.target is not None:
            settings["BestObjStop"] = request.target
        try:
            with gurobipy.Env(params=settings) as environment, gurobipy.Model(env=environment) as program:
                columns = _fill(gurobipy, program, model)
                if request.start is not None:
                    columns.Start = request.start
                if isfinite(left := stop.remaining()):  # after the model was filled in
                    program.Params.TimeLimit = left
                program.optimize(_callback(gurobipy, stop, request.watch))
                stop.interrupted |= program.Status == codes.INTERRUPTED
                statuses.check(program.Status)
                bound = program.ObjBound
                return statuses.outcome(
                    program.Status,
                    model,
                    list(_solutions(program, keep)),
                    bound if abs(bound) < INFINITE else inf,
                )
        except gurobipy.GurobiError as error:
            raise SolverError(f"Gurobi failed: {error}; check its licence, or use solver='highs'") from error


def _fill(gurobipy: ModuleType, program: Untyped, model: Model) -> Untyped:
    variables, rows, objective = model.variables, model.constraints, model.objective
    types = np.where(variables.integer, gurobipy.GRB.INTEGER, gurobipy.GRB.CONTINUOUS)
    columns = program.addMVar(len(variables), lb=variables.lower, ub=variables.upper, vtype=types)
    starts, indices, values = rows.csr
    matrix = csr_matrix((values, indices, starts), shape=(len(rows), len(variables)))
    for sense, bounds in ((">", rows.lower), ("<", rows.upper)):
        given = np.isfinite(bounds)
        if given.any():
            program.addMConstr(matrix[given], columns, sense, bounds[given])
    sense = gurobipy.GRB.MAXIMIZE if objective.maximise else gurobipy.GRB.MINIMIZE
    program.setObjective(objective.dense(len(variables)) @ columns, sense)
    return columns


def _callback(gurobipy: ModuleType, stop: Stop, watch: Watch | None) -> Untyped:
    codes = gurobipy.GRB.Callback

    def tell(program: Untyped, where: int) -> None:
        if stop.interrupted:
            program.terminate()
        if watch is not None and where == codes.MIP:
            watch(program.cbGet(codes.MIP_OBJBST), program.cbGet(codes.MIP_OBJBND))

    return tell


def _solutions(program: Untyped, keep: int) -> Iterator[Solution]:
    if not program.IsMIP and program.SolCount:
        yield Solution(np.array(program.X), program.ObjVal)
        return
    for number in range(min(keep, program.SolCount)):
        program.Params.SolutionNumber = number
        yield Solution(np.array(program.Xn), program.PoolObjVal)
