"""Solvers by name, one adapter each; the optional ones are imported only when somebody asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import inf, isfinite
from types import ModuleType

from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods.model import Model, Solution, Solver, SolverOutcome

__all__ = ["SOLVERS", "Statuses", "make_solver", "optional_package"]

SOLVERS = {"highs": "Highs", "gurobi": "Gurobi", "scip": "Scip"}


def make_solver(name: str, effort: float | None = None) -> Solver:
    """Get a solver by its name; ``effort``: share of its work that HiGHS spends on looking for solutions."""
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


@dataclass(frozen=True)
class Statuses:
    """How a solver calls its ways to end."""

    solver: str
    optimal: object  # proved best
    stopped: Sequence[object]  # ended by a limit, by a target or by the user
    infeasible: Sequence[object]  # proved empty

    def check(self, status: object) -> None:
        """Refuse a status on which nothing can be built."""
        if status != self.optimal and status not in (*self.stopped, *self.infeasible):
            raise SolverError(
                f"{self.solver} ended with status {status}; try another solver or scale the scores"
            )

    def outcome(
        self, status: object, model: Model, solutions: Sequence[Solution], bound: float
    ) -> SolverOutcome:
        """Tell in the words of all solvers how one ended."""
        self.check(status)
        nothing = inf if model.objective.maximise else -inf
        if status in self.infeasible:
            return SolverOutcome("infeasible", (), -nothing)
        proved = bound if isfinite(bound) else nothing
        return SolverOutcome("optimal" if status == self.optimal else "stopped", tuple(solutions), proved)
