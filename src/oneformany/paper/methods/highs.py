"""HiGHS, the solver that comes with the package."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, TypeAlias

import highspy
import numpy as np

from oneformany.arrays import FloatArray
from oneformany.exceptions import SolverError
from oneformany.paper.methods.model import Model, Outcome, Solution, Watch
from oneformany.stop import Stop

__all__ = ["Highs"]

Untyped: TypeAlias = Any  # objects of highspy

ENDED_EARLY = ("kTimeLimit", "kObjectiveTarget", "kInterrupt")
INFEASIBLE = ("kInfeasible", "kUnboundedOrInfeasible")
LARGE = 100_000  # variables
ENTRY_SECONDS = 2e-5  # per coefficient: until then HiGHS has not begun to search, and ignores the clock
PROBING = 2**15  # the part of presolve that takes longest on large models, and looks at the clock too late


class Highs:
    """Adapter to highspy.

    Parameters
    ----------
    effort : float or None
        Share of its work that HiGHS spends on looking for solutions; ``None``: as much as it likes.
    """

    name = "highs"

    def __init__(self, effort: float | None = None) -> None:
        self._effort = effort

    @property
    def version(self) -> str:
        """Version of the installed solver."""
        return str(highspy.Highs().version())

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
        found = _Found(keep, maximise=model.objective.maximise)
        if start is not None and stop.remaining() < ENTRY_SECONDS * model.constraints.entries:
            return _not_started(model, start)
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", watch is not None)
        highs.setOptionValue("log_to_console", False)
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("random_seed", seed)
        highs.setOptionValue("mip_rel_gap", 0.0)
        if self._effort is not None:
            highs.setOptionValue("mip_heuristic_effort", self._effort)
        if target is not None:
            highs.setOptionValue("objective_target", target)
        if len(model.variables) > LARGE:
            highs.setOptionValue("presolve_rule_off", PROBING)
        if highs.passModel(_linear_program(model)) == highspy.HighsStatus.kError:
            raise SolverError("HiGHS refused the model: some coefficient is not a finite number")
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start
            highs.setSolution(known)
        if keep > 1:
            highs.cbMipSolution += lambda event: found.add(
                np.array(event.data_out.mip_solution), event.data_out.objective_function_value
            )
        if watch is not None:
            highs.cbMipLogging += lambda event: watch(
                event.data_out.mip_primal_bound, event.data_out.mip_dual_bound
            )
        highs.cbMipInterrupt += lambda event: event.interrupt(stop.expired())
        highs.setOptionValue("time_limit", stop.remaining())
        highs.run()
        return _outcome(highs, model, found)


class _Found:
    """The best solutions met, of which a solver may meet very many."""

    def __init__(self, keep: int, *, maximise: bool) -> None:
        self._keep = keep
        self._maximise = maximise
        self._solutions: list[Solution] = []

    def add(self, values: FloatArray, objective: float) -> None:
        self._solutions.append(Solution(values, objective))
        if len(self._solutions) > 2 * self._keep:
            self._solutions = list(self.best())

    def best(self) -> tuple[Solution, ...]:
        ordered = sorted(self._solutions, key=lambda solution: solution.objective, reverse=self._maximise)
        return tuple(ordered[: self._keep])


def _linear_program(model: Model) -> Untyped:
    variables, rows, objective = model.variables, model.constraints, model.objective
    program = highspy.HighsLp()
    program.num_col_ = len(variables)
    program.num_row_ = len(rows)
    program.col_cost_ = objective.dense(len(variables))
    program.sense_ = highspy.ObjSense.kMaximize if objective.maximise else highspy.ObjSense.kMinimize
    program.col_lower_, program.col_upper_ = variables.lower, variables.upper
    program.row_lower_, program.row_upper_ = rows.lower, rows.upper
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    program.integrality_ = [kinds[whole] for whole in variables.integer.tolist()]
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = len(variables), len(rows)
    matrix.start_, matrix.index_, matrix.value_ = rows.csr
    return program


def _not_started(model: Model, start: FloatArray) -> Outcome:
    objective = float(model.objective.dense(len(start)) @ start)
    bound = inf if model.objective.maximise else -inf
    return Outcome("stopped", (Solution(start, objective),), bound, started=False)


def _outcome(highs: Untyped, model: Model, found: _Found) -> Outcome:
    status, maximise = highs.getModelStatus().name, model.objective.maximise
    info = highs.getInfo()
    if status in INFEASIBLE:
        return Outcome("infeasible", (), -inf if maximise else inf)
    if status not in ("kOptimal", *ENDED_EARLY):
        raise SolverError(f"HiGHS ended with status {status}; try another solver or scale the model's scores")
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        found.add(np.array(highs.getSolution().col_value), info.objective_function_value)
    bound = info.mip_dual_bound if model.variables.integer.any() else info.objective_function_value
    if not isfinite(bound):
        bound = inf if maximise else -inf
    return Outcome("optimal" if status == "kOptimal" else "stopped", found.best(), bound)
