"""A mixed-integer program as plain arrays in four nouns: variables, constraints, objective, model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.stop import Stop

Watch = Callable[[float, float], None]
LENGTHS, COLUMNS, VALUES, LOWER, UPPER = range(5)  # what constraints are stored as


@dataclass(eq=False)
class Variables:
    """Bounded variables, known to everybody by their running number."""

    lower: FloatArray = field(default_factory=lambda: np.empty(0))  # bounds of each variable, always finite
    upper: FloatArray = field(default_factory=lambda: np.empty(0))
    # whether each variable must be an integer
    integer: BoolArray = field(default_factory=lambda: np.empty(0, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.lower)

    def add(
        self, *shape: int, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0, integer: bool = True
    ) -> IntArray:
        """Add an array of variables, binary unless told otherwise, and return their numbers."""
        size = int(np.prod(shape))
        numbers = np.arange(len(self), len(self) + size, dtype=np.int64).reshape(shape)
        self.lower = np.concatenate([self.lower, np.broadcast_to(lower, shape).ravel()])
        self.upper = np.concatenate([self.upper, np.broadcast_to(upper, shape).ravel()])
        self.integer = np.concatenate([self.integer, np.full(size, integer)])
        return numbers

    def fixed(self, columns: IntArray, values: ArrayLike) -> Variables:
        """Copy these variables with some of them fixed."""
        copy = Variables(self.lower.copy(), self.upper.copy(), self.integer)
        copy.lower[columns] = values
        copy.upper[columns] = values
        return copy

    def relaxed(self) -> Variables:
        """Copy these variables without integrality."""
        return replace(self, integer=np.zeros(len(self), dtype=np.bool_))


class Constraints:
    """Linear rows ``lower <= values @ x[columns] <= upper``, stored row by row."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[Any], ...]] = [(np.empty(0),) * 5]

    def add(
        self, columns: ArrayLike, values: ArrayLike, *, lower: ArrayLike = -inf, upper: ArrayLike = inf
    ) -> None:
        """Add one row per row of ``columns`` (``(m, k)``, or ``(k,)`` for a single one).

        ``values`` is ``(k,)`` for all rows alike or ``(m, k)``; the bounds are numbers or ``(m,)``.
        """
        table = np.atleast_2d(np.asarray(columns, dtype=np.int64))
        rows, width = table.shape
        given = ((values, table.shape), (lower, (rows,)), (upper, (rows,)))
        parts = (np.broadcast_to(np.asarray(part, dtype=np.float64), shape).ravel() for part, shape in given)
        self._parts.append((np.full(rows, width, dtype=np.int64), table.ravel(), *parts))

    def _joined(self, part: int) -> NDArray[Any]:
        return np.concatenate([parts[part] for parts in self._parts])

    def __len__(self) -> int:
        return sum(len(parts[LENGTHS]) for parts in self._parts)

    @property
    def lower(self) -> FloatArray:
        """Lower bound of each row."""
        return self._joined(LOWER)

    @property
    def upper(self) -> FloatArray:
        """Upper bound of each row."""
        return self._joined(UPPER)

    @property
    def csr(self) -> tuple[NDArray[np.int32], NDArray[np.int32], FloatArray]:
        """Row starts, columns and values."""
        starts = np.append(0, np.cumsum(self._joined(LENGTHS)))
        return starts.astype(np.int32), self._joined(COLUMNS).astype(np.int32), self._joined(VALUES)


@dataclass(frozen=True, eq=False)
class Objective:
    """``values @ x[columns]``, to be minimised unless told otherwise."""

    columns: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    values: FloatArray = field(default_factory=lambda: np.empty(0))
    maximise: bool = False

    def dense(self, size: int) -> FloatArray:
        """One coefficient per variable."""
        return np.bincount(self.columns, weights=self.values, minlength=size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Model:
    """What a solver is given; add to the first two, replace the third."""

    variables: Variables = field(default_factory=Variables)
    constraints: Constraints = field(default_factory=Constraints)
    objective: Objective = field(default_factory=Objective)


@dataclass(frozen=True, eq=False)
class LinearExpression:
    """``constant + values @ x[columns]``."""

    columns: IntArray
    values: FloatArray
    constant: float

    def at(self, values: FloatArray) -> float:
        """Evaluate for given values of all variables."""
        return float(self.constant + self.values @ values[self.columns])


@dataclass(frozen=True, eq=False)
class Solution:
    """Values of all variables and of the objective."""

    values: FloatArray
    objective: float


@dataclass(frozen=True, eq=False)
class SolverOutcome:
    """How a solver ended."""

    # optimal, infeasible, stopped: proved best; proved empty; or ended by the time limit or at the target
    status: Literal["optimal", "infeasible", "stopped"]
    solutions: tuple[Solution, ...]  # what it found, best first
    bound: float  # proved: no solution has a better objective. Infinite when nothing is known


@dataclass(frozen=True, eq=False)
class Request:
    """How a model is to be solved."""

    stop: Stop = field(default_factory=Stop)  # when to end with what was found
    start: FloatArray | None = None  # values of all variables of a known solution
    target: float | None = None  # end as soon as a solution is at least this good
    keep: int = 1  # how many of the solutions found on the way to return, best first
    seed: int = 0  # of the solver's random choices
    watch: Watch | None = None  # told the best objective and the bound from time to time


class Solver(ABC):
    """One adapter per solver; all are given the same models and answer in the same words."""

    name: str
    entry_seconds: float = (
        0.0  # per coefficient: until then it has not begun to search, and ignores the clock
    )

    @property
    @abstractmethod
    def version(self) -> str:
        """Version of the installed solver."""

    @abstractmethod
    def solve(self, model: Model, request: Request | None = None) -> SolverOutcome:
        """Solve a model, to proved optimality unless something else is requested."""
