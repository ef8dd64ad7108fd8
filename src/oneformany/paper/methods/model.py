"""A mixed-integer program as plain arrays, and what a solver is asked and answers."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from math import inf
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix, vstack

from oneformany.arrays import FloatArray, IntArray
from oneformany.stop import Stop

SMALLEST = 1e-9  # what solvers take for zero


class LinearExpression(NamedTuple):
    """``constant + values @ x[columns]``."""

    columns: IntArray
    values: FloatArray
    constant: float


class Model:
    """Variables, known to everybody by their running number, and linear rows; copies share their rows."""

    def __init__(self) -> None:
        self.lower, self.upper, self.cost = np.empty((3, 0))  # of each variable; the bounds are finite
        self.integer = np.empty(0, dtype=np.bool_)
        self.maximise = False  # whether the cost is to be as large as possible instead of as small
        self._rows: list[tuple[csr_matrix, FloatArray, FloatArray]] = []  # coefficients and bounds

    @property
    def size(self) -> int:
        """How many variables there are."""
        return len(self.lower)

    def add_variables(
        self, *shape: int, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0, integer: bool = True
    ) -> IntArray:
        """Add an array of variables, binary unless told otherwise, and return their numbers."""
        numbers = np.arange(self.size, self.size + int(np.prod(shape)), dtype=np.int64).reshape(shape)
        for name, given in (("lower", lower), ("upper", upper), ("cost", 0.0), ("integer", integer)):
            new = np.broadcast_to(given, shape).ravel()
            setattr(self, name, np.concatenate([getattr(self, name), new]))
        return numbers

    def add_rows(
        self, columns: ArrayLike, values: ArrayLike, *, lower: ArrayLike = -inf, upper: ArrayLike = inf
    ) -> None:
        """Add ``lower <= values @ x[columns] <= upper`` for each row of ``columns`` (or for a single one).

        ``values`` is ``(k,)`` for all rows alike or ``(m, k)``; the bounds are numbers or ``(m,)``.
        Coefficients that solvers take for zero are left out, and what they can add is given to the bounds:
        what satisfies a row as given is never excluded.
        """
        table = np.atleast_2d(np.asarray(columns, dtype=np.int64))
        coefficients = np.broadcast_to(np.asarray(values, dtype=np.float64), table.shape)
        lost: ArrayLike = 0.0
        small = np.abs(values) < SMALLEST
        if small.any():
            reach = np.maximum(np.abs(self.lower), np.abs(self.upper))[table]
            lost = np.where(small, np.abs(coefficients) * reach, 0.0).sum(axis=1)
            coefficients = np.where(small, 0.0, coefficients)
        starts = np.arange(len(table) + 1) * table.shape[1]
        block = csr_matrix((coefficients.ravel(), table.ravel(), starts), (len(table), self.size))
        low, high = (
            np.broadcast_to(bound, len(table)) for bound in (np.subtract(lower, lost), np.add(upper, lost))
        )
        self._rows.append((block, low, high))

    @property
    def row_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bound of each row."""
        lower, upper = (
            np.concatenate([np.empty(0), *(rows[side] for rows in self._rows)]) for side in (1, 2)
        )
        return lower, upper

    @property
    def matrix(self) -> csr_matrix:
        """Coefficients of the variables in the rows."""
        for block, _, _ in self._rows:
            block.resize(block.shape[0], self.size)
        matrix = vstack([csr_matrix((0, self.size)), *(block for block, _, _ in self._rows)], format="csr")
        matrix.eliminate_zeros()
        return matrix

    def towards(self, columns: IntArray, values: ArrayLike, *, maximise: bool = False) -> Self:
        """Copy this program with the objective ``values @ x[columns]``."""
        other = copy(self)
        other.cost, other.maximise = np.zeros(self.size), maximise
        np.add.at(other.cost, columns, values)
        return other

    def fixed(self, columns: IntArray, values: ArrayLike) -> Self:
        """Copy this program with some variables fixed."""
        other = copy(self)
        other.lower, other.upper = self.lower.copy(), self.upper.copy()
        other.lower[columns] = other.upper[columns] = values
        return other

    def relaxed(self) -> Self:
        """Copy this program without integrality."""
        other = copy(self)
        other.integer = np.zeros_like(self.integer)
        return other


@dataclass(frozen=True, eq=False)
class Request:
    """How a model is to be solved."""

    stop: Stop = field(default_factory=Stop)  # when to end with what was found
    start: FloatArray | None = None  # values of all variables of a known solution
    target: float | None = None  # end as soon as a solution is at least this good
    keep: int = 1  # how many of the solutions found on the way to return, best first
    seed: int = 0  # of the solver's random choices
    watch: Callable[[float, float], None] | None = None  # told the best objective and the bound now and then
    effort: float | None = None  # share of its work that HiGHS spends on looking for solutions


Ended = Literal["optimal", "infeasible", "stopped"]  # proved best, proved empty, or ended by limit or target


class SolverOutcome(NamedTuple):
    """How a solver ended."""

    status: Ended
    solutions: list[FloatArray]  # what it found, best first: values of all variables
    bound: float  # proved: no solution has a better objective. Infinite when nothing is known
    steps: int  # of its linear programs, together
