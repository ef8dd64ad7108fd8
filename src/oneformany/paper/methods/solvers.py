"""Solvers by name: one adapter each, all given the same models, and all answering in the same words."""

from abc import ABC, abstractmethod
from collections import deque
from importlib import import_module
from itertools import pairwise
from math import inf, isfinite
from typing import Any, TypeAlias

import highspy
import numpy as np

from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods.model import Ended, Model, Request, SolverOutcome

Untyped: TypeAlias = Any  # objects of the solvers
Raw: TypeAlias = tuple[object, list[FloatArray], float, float]  # own status, solutions, bound, steps
LARGE = 100_000  # variables, beyond which HiGHS leaves out probing:
PROBING = 2**15  # the part of presolve that takes longest then, and looks at the clock too late
INFINITE = 1e20  # or more, as solvers write it
# Optimal; ended by time, target or the user; infeasible; infeasible or unbounded.
ENDED: tuple[Ended, ...] = ("optimal", "stopped", "stopped", "stopped", "infeasible", "infeasible")


class Solver(ABC):
    """What all adapters share: how a solver's own words become those of all."""

    name: str
    title: str  # as the solver writes itself
    package: str  # which has to be installed for it
    version: str  # of the installed solver
    statuses: tuple[object, ...]  # its own words for those of ENDED, on which something can be built
    entry_seconds = 0.0  # per coefficient: until then it has not begun to search, and ignores the clock

    def solve(self, model: Model, request: Request | None = None) -> SolverOutcome:
        """Solve a model, to proved optimality unless something else is requested."""
        status, solutions, bound, steps = self._run(model, request or Request())
        if status not in self.statuses:
            words = "try another solver or scale the scores"
            raise SolverError(f"{self.title} ended with status {status}; {words}")
        ended, nothing = ENDED[self.statuses.index(status)], inf if model.maximise else -inf
        if ended == "infeasible":
            return SolverOutcome(ended, [], -nothing, int(steps))
        return SolverOutcome(ended, solutions, bound if abs(bound) < INFINITE else nothing, int(steps))

    @abstractmethod
    def _run(self, model: Model, request: Request) -> Raw: ...


class Highs(Solver):
    """HiGHS, the solver that comes with the package."""

    name, title, package = "highs", "HiGHS", "highspy"
    statuses = (
        "kOptimal", "kTimeLimit", "kObjectiveTarget", "kInterrupt", "kInfeasible", "kUnboundedOrInfeasible",
    )  # fmt: skip
    entry_seconds = 2e-5

    def __init__(self) -> None:
        self.version = str(highspy.Highs().version())

    def _run(self, model: Model, request: Request) -> Raw:
        stop, watch = request.stop, request.watch
        highs = self._loaded(model, request)
        met: deque[FloatArray] = deque(maxlen=request.keep)  # the last ones: there may be very many
        if request.keep > 1:
            highs.cbMipSolution += lambda event: met.append(np.array(event.data_out.mip_solution))
        if watch is not None:
            highs.cbMipLogging += lambda event: watch(
                event.data_out.mip_primal_bound, event.data_out.mip_dual_bound
            )
        highs.cbMipInterrupt += lambda event: event.interrupt(stop.expired())
        highs.setOptionValue("time_limit", stop.remaining())
        highs.run()
        status, info = highs.getModelStatus().name, highs.getInfo()
        if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            met.append(np.array(highs.getSolution().col_value))
        best = sorted(met, key=lambda values: float(model.cost @ values), reverse=model.maximise)
        bound = info.mip_dual_bound
        if not model.integer.any():  # a linear program that was stopped proves nothing
            bound = info.objective_function_value if status == "kOptimal" else inf
        return status, best, bound, info.simplex_iteration_count

    def _loaded(self, model: Model, request: Request) -> Untyped:
        highs = highspy.Highs()
        options = {
            "output_flag": request.watch is not None, "log_to_console": False, "threads": 1,
            "mip_rel_gap": 0.0, "random_seed": request.seed, "objective_target": request.target,
            "mip_heuristic_effort": request.effort,
            "presolve_rule_off": PROBING if model.size > LARGE else None,
        }  # fmt: skip
        for name, value in options.items():
            if value is not None:  # otherwise HiGHS chooses
                highs.setOptionValue(name, value)
        matrix = model.matrix
        sense = highspy.ObjSense.kMaximize if model.maximise else highspy.ObjSense.kMinimize
        status = highs.passModel(
            model.size, matrix.shape[0], matrix.nnz, int(highspy.MatrixFormat.kRowwise), int(sense), 0.0,
            model.cost, model.lower, model.upper, *model.row_bounds,
            matrix.indptr, matrix.indices, matrix.data, model.integer.astype(np.int32),
        )  # fmt: skip
        if status == highspy.HighsStatus.kError:
            raise SolverError("HiGHS refused the model: some coefficient is not a finite number")
        if request.start is not None:
            known = highspy.HighsSolution()
            known.col_value = request.start
            highs.setSolution(known)
        return highs


class Gurobi(Solver):
    """Gurobi: ``pip install gurobipy``; models beyond 2,000 variables or constraints need a licence."""

    name, title, package = "gurobi", "Gurobi", "gurobipy"

    def __init__(self) -> None:
        self._gurobipy: Untyped = import_module(self.package)
        self.version = ".".join(str(part) for part in self._gurobipy.gurobi.version())
        names = "OPTIMAL", "TIME_LIMIT", "USER_OBJ_LIMIT", "INTERRUPTED", "INFEASIBLE", "INF_OR_UNBD"
        self.statuses = tuple(getattr(self._gurobipy.GRB.Status, name) for name in names)

    def _run(self, model: Model, request: Request) -> Raw:
        gurobipy, stop, keep = self._gurobipy, request.stop, request.keep
        settings = {"OutputFlag": 0, "Threads": 1, "Seed": request.seed, "MIPGap": 0.0, "PoolSolutions": keep}
        if request.target is not None:
            settings["BestObjStop"] = request.target
        codes = gurobipy.GRB.Callback

        def tell(program: Untyped, where: int) -> None:
            if stop.interrupted:
                program.terminate()
            if request.watch is not None and where == codes.MIP:
                request.watch(program.cbGet(codes.MIP_OBJBST), program.cbGet(codes.MIP_OBJBND))

        try:
            with gurobipy.Env(params=settings) as environment, gurobipy.Model(env=environment) as program:
                columns = self._fill(program, model)
                if request.start is not None:
                    columns.Start = request.start
                if isfinite(left := stop.remaining()):  # after the model was filled in
                    program.Params.TimeLimit = left
                program.optimize(tell)
                stop.interrupted |= program.Status == gurobipy.GRB.Status.INTERRUPTED
                found = [np.array(program.X)] if program.SolCount else []
                for number in range(1, min(keep, program.SolCount)):
                    program.Params.SolutionNumber = number
                    found.append(np.array(program.Xn))
                return program.Status, found, getattr(program, "ObjBound", inf), program.IterCount
        except gurobipy.GurobiError as error:
            raise SolverError(f"Gurobi failed: {error}; check its licence, or use solver='highs'") from error

    def _fill(self, program: Untyped, model: Model) -> Untyped:
        names = self._gurobipy.GRB
        types = np.where(model.integer, names.INTEGER, names.CONTINUOUS)
        columns = program.addMVar(model.size, lb=model.lower, ub=model.upper, vtype=types)
        matrix = model.matrix
        for sense, bounds in zip("><", model.row_bounds, strict=True):
            given = np.isfinite(bounds)
            program.addMConstr(matrix[given], columns, sense, bounds[given])
        program.setObjective(model.cost @ columns, names.MAXIMIZE if model.maximise else names.MINIMIZE)
        return columns


class Scip(Solver):
    """SCIP: ``pip install pyscipopt``."""

    name, title, package = "scip", "SCIP", "pyscipopt"
    statuses = ("optimal", "timelimit", "primallimit", "userinterrupt", "infeasible", "inforunbd")
    entry_seconds = 1e-5

    def __init__(self) -> None:
        self._pyscipopt: Untyped = import_module(self.package)
        self.version = str(self._pyscipopt.Model().version())

    def _run(self, model: Model, request: Request) -> Raw:
        stop, watch = request.stop, request.watch
        program = self._pyscipopt.Model()
        program.hideOutput()
        program.setParam("randomization/randomseedshift", request.seed)
        if request.target is not None:
            program.setParam("limits/primal", request.target)
        columns = self._fill(program, model)
        if request.start is not None:
            known = program.createSol()
            for column, value in zip(columns, request.start.tolist(), strict=True):
                program.setSolVal(known, column, value)
            program.addSol(known)

        def hear(source: Untyped, _event: Untyped) -> None:
            """Tell about better solutions, and end when the user wants to."""
            if watch is not None:
                watch(source.getPrimalbound(), source.getDualbound())
            if stop.interrupted:
                source.interruptSolve()

        events = self._pyscipopt.SCIP_EVENTTYPE
        program.attachEventHandlerCallback(hear, [events.BESTSOLFOUND, events.NODESOLVED])
        if isfinite(left := stop.remaining()):  # after the model was filled in
            program.setParam("limits/time", left)
        program.optimize()
        stop.interrupted |= program.getStatus() == "userinterrupt"
        known = program.getSols()[: request.keep]
        solutions = [np.array([program.getSolVal(one, column) for column in columns]) for one in known]
        return program.getStatus(), solutions, program.getDualbound(), program.getNLPIterations()

    def _fill(self, program: Untyped, model: Model) -> list[Untyped]:
        given = (model.lower, model.upper, model.integer, model.cost)
        columns = [
            program.addVar(lb=lower, ub=upper, vtype="I" if integer else "C", obj=cost)
            for lower, upper, integer, cost in zip(*(part.tolist() for part in given), strict=True)
        ]
        if model.maximise:
            program.setMaximize()
        matrix, total = model.matrix, self._pyscipopt.quicksum
        lowers, uppers = (bounds.tolist() for bounds in model.row_bounds)
        for (first, end), lower, upper in zip(pairwise(matrix.indptr), lowers, uppers, strict=True):
            entries = zip(matrix.data[first:end].tolist(), matrix.indices[first:end], strict=True)
            left = total(value * columns[column] for value, column in entries)
            if lower > -inf:
                program.addCons(left >= lower)
            if upper < inf:
                program.addCons(left <= upper)
        return columns


SOLVERS: dict[str, type[Solver]] = {"highs": Highs, "gurobi": Gurobi, "scip": Scip}


def make_solver(name: str) -> Solver:
    """Get a solver by its name; the optional ones are imported only then."""
    if name not in SOLVERS:
        raise InputError(f"unknown solver {name!r}; choose one of {', '.join(SOLVERS)}")
    try:
        return SOLVERS[name]()
    except ImportError as error:
        package = SOLVERS[name].package
        raise SolverError(
            f"solver {name!r} needs the package {package}, which cannot be imported ({error}); "
            f"run: pip install {package}, or use solver='highs'"
        ) from error
