"""HiGHS, the solver that comes with the package."""

from __future__ import annotations

from math import inf
from typing import Any, TypeAlias

import highspy
import numpy as np

from oneformany.arrays import FloatArray
from oneformany.exceptions import SolverError
from oneformany.paper.methods.model import Model, Request, Solution, Solver, SolverOutcome
from oneformany.paper.methods.solvers import Statuses

Untyped: TypeAlias = Any  # objects of highspy

STATUSES = Statuses(
    "HiGHS",
    "kOptimal",
    stopped=("kTimeLimit", "kObjectiveTarget", "kInterrupt"),
    infeasible=("kInfeasible", "kUnboundedOrInfeasible"),
)
LARGE = 100_000  # variables
PROBING = 2**15  # the part of presolve that takes longest on large models, and looks at the clock too late


class Highs(Solver):
    """Adapter to highspy."""

    name = "highs"
    entry_seconds = 2e-5

    def __init__(self, effort: float | None = None) -> None:
        self._effort = effort

    @property
    def version(self) -> str:
        """Version of the installed solver."""
        return str(highspy.Highs().version())

    def solve(self, model: Model, request: Request | None = None) -> SolverOutcome:
        """Solve a model as requested."""
        request = request or Request()
        stop, start, keep, watch = request.stop, request.start, request.keep, request.watch
        highs = _loaded(
            model,
            output_flag=watch is not None,
            random_seed=request.seed,
            mip_heuristic_effort=self._effort,
            objective_target=request.target,
        )
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start
            highs.setSolution(known)
        found: list[Solution] = []

        def best() -> list[Solution]:
            return sorted(found, key=lambda known: known.objective, reverse=model.objective.maximise)[:keep]

        def take(values: FloatArray, objective: float) -> None:
            """Keep the best solutions met, of which there may be very many."""
            found.append(Solution(np.array(values), objective))
            if len(found) > 2 * keep:
                found[:] = best()

        if keep > 1:
            highs.cbMipSolution += lambda event: take(
                event.data_out.mip_solution, event.data_out.objective_function_value
            )
        if watch is not None:
            highs.cbMipLogging += lambda event: watch(
                event.data_out.mip_primal_bound, event.data_out.mip_dual_bound
            )
        highs.cbMipInterrupt += lambda event: event.interrupt(stop.expired())
        highs.setOptionValue("time_limit", stop.remaining())
        highs.run()
        status, info = highs.getModelStatus().name, highs.getInfo()
        if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            take(highs.getSolution().col_value, info.objective_function_value)
        if model.variables.integer.any():
            bound = info.mip_dual_bound
        else:  # a linear program that was stopped proves nothing
            bound = info.objective_function_value if status == STATUSES.optimal else inf
        return STATUSES.outcome(status, model, best(), bound)


def _loaded(model: Model, **options: bool | float | None) -> Untyped:
    """Give HiGHS a model and options; ``None`` leaves the choice to HiGHS."""
    highs = highspy.Highs()
    options |= {"log_to_console": False, "threads": 1, "mip_rel_gap": 0.0}
    options["presolve_rule_off"] = PROBING if len(model.variables) > LARGE else None
    for name, value in options.items():
        if value is not None:
            highs.setOptionValue(name, value)
    if highs.passModel(_linear_program(model)) == highspy.HighsStatus.kError:
        raise SolverError("HiGHS refused the model: some coefficient is not a finite number")
    return highs


def _linear_program(model: Model) -> Untyped:
    variables, rows, objective = model.variables, model.constraints, model.objective
    program = highspy.HighsLp()
    program.num_col_ = len(variables)
    program.num_row_ = len(rows)
    program.col_cost_ = objective.dense(len(variables))
    program.sense_ = highspy.ObjSense.kMaximize if objective.maximise else highspy.ObjSense.kMinimize
    program.col_lower_, program.col_upper_ = variables.lower, variables.upper
    program.row_lower_, program.row_upper_ = rows.lower, rows.upper
    types = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    program.integrality_ = [types[integer] for integer in variables.integer.tolist()]
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = len(variables), len(rows)
    matrix.start_, matrix.index_, matrix.value_ = rows.csr
    return program
