"""Solvers by name, one adapter each; the optional ones are imported only when somebody asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import inf, isfinite
from types import ModuleType

from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods.model import Model, Solution, Solver, SolverOutcome

__all__ = ["SOLVERS", "Statuses", "make_solver", "optional_package"]

SOLVERS = {"highs": "Highs", "gurobi": "Gurobi", "scip": "Scip"}


def make_solver(name: str, effort: float | None = None) -> Solver:
    """Get a solver by its name.

    Parameters
    ----------
    name : {"highs", "gurobi", "scip"}
        Which one.
    effort : float or None
        Share of its work that HiGHS spends on looking for solutions; the others choose themselves.

    Raises
    ------
    InputError
        Nobody knows that name.
    SolverError
        The solver's package is not installed.
    """
    if name not in SOLVERS:
        raise InputError(f"unknown solver {name!r}; choose one of {', '.join(SOLVERS)}")
    adapter = getattr(import_module(f"{__name__}.{name}"), SOLVERS[name])
    solver: Solver = adapter(effort) if name == "highs" else adapter()
    return solver


def optional_package(module: str, *, solver: str) -> ModuleType:
    """Import a solver's package, or say how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise SolverError(
            f"solver {solver!r} needs the package {module}, which cannot be imported ({error}); "
            f"run: pip install {module}, or use solver='highs'"
        ) from error


class Statuses:
    """How a solver calls its ways to end.

    Parameters
    ----------
    solver : str
        Its name.
    optimal : object
        Proved best.
    stopped, infeasible : sequences of objects
        Ended by a limit, by a target or by the user; proved empty.
    """

    def __init__(
        self, solver: str, optimal: object, stopped: Sequence[object], infeasible: Sequence[object]
    ) -> None:
        self._solver = solver
        self._optimal = optimal
        self._stopped = stopped
        self._infeasible = infeasible

    def check(self, status: object) -> None:
        """Refuse a status on which nothing can be built."""
        if status != self._optimal and status not in (*self._stopped, *self._infeasible):
            raise SolverError(
                f"{self._solver} ended with status {status}; try another solver or scale the scores"
            )

    def outcome(
        self, status: object, model: Model, solutions: Sequence[Solution], bound: float
    ) -> SolverOutcome:
        """Tell in the words of all solvers how one ended."""
        self.check(status)
        nothing = inf if model.objective.maximise else -inf
        if status in self._infeasible:
            return SolverOutcome("infeasible", (), -nothing)
        proved = bound if isfinite(bound) else nothing
        return SolverOutcome("optimal" if status == self._optimal else "stopped", tuple(solutions), proved)
