"""Solvers by name; the optional ones are imported only when somebody asks for them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods.model import Solver

__all__ = ["SOLVERS", "make_solver", "optional_package"]

SOLVERS = {
    "highs": ("oneformany.paper.methods.highs", "Highs"),
    "gurobi": ("oneformany.paper.methods.gurobi", "Gurobi"),
    "scip": ("oneformany.paper.methods.scip", "Scip"),
}


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
    module, adapter = SOLVERS[name]
    options = {"effort": effort} if name == "highs" else {}
    solver: Solver = getattr(import_module(module), adapter)(**options)
    return solver


def optional_package(module: str, *, solver: str, install: str) -> ModuleType:
    """Import a solver's package, or say how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise SolverError(
            f"solver {solver!r} needs the package {install}, which cannot be imported ({error}); "
            f"run: pip install {install}, or use solver='highs'"
        ) from error
