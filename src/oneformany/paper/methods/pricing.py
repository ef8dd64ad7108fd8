"""Pricing as a mixed-integer program: the heaviest group an explanation can cover, with a proved bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, isfinite

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.paper.methods.columns import PaperColumn, PaperRows, confirmed_column
from oneformany.paper.methods.embeddings import Embedding
from oneformany.paper.methods.formulation import add_compact, add_published, exclude_point
from oneformany.paper.methods.model import Model, Objective, Request, Solver, SolverOutcome, Variables
from oneformany.paper.methods.options import CgOptions
from oneformany.statistics import Statistics
from oneformany.stop import Stop

DUAL_UNIT = 10**9  # one in the integer weights that stand for duals
TOLERANCE = 1e-5  # far above what solvers take for equal
MANY = 100  # as many solutions as are looked at when all are wanted


@dataclass(frozen=True, eq=False)
class PaperPriced:
    """What pricing found and proved."""

    columns: list[PaperColumn]  # heavier than ``DUAL_UNIT`` under the given weights
    weights: IntArray  # the scaled duals
    capacity: int | None  # proved: no column weighs more. ``None`` when nobody looked


def scaled(duals: FloatArray) -> IntArray:
    """Duals as integers, rounded down, so that they stay feasible."""
    return np.floor(duals * DUAL_UNIT).astype(np.int64)


class MipPricer:
    """Builds the pricing problem once and solves it for ever new weights."""

    def __init__(
        self, rows: PaperRows, embedding: Embedding, solver: Solver, options: CgOptions, seed: int = 0
    ) -> None:
        self.rows = rows
        self.options = options
        self.statistics = Statistics()
        self._solver = solver
        self._seed = seed
        self._one_hot = embedding.one_hot
        self._pool: dict[bytes, PaperColumn] = {}
        self._model = Model()
        problem = rows.problem
        add = add_compact if options.pricing == "compact" else add_published
        self._block = add(self._model, embedding, rows)
        self._model.constraints.add(self._block.changed, 1.0, upper=problem.max_changes)

    def price(self, weights: IntArray, stop: Stop) -> PaperPriced:
        """Find columns heavier than ``DUAL_UNIT``, first among those put aside, and bound all others."""
        waiting = self._heavy(list(self._pool.values()), weights)
        if waiting:
            self.statistics.count("columns from the pool", len(waiting))
            return PaperPriced(waiting, weights, None)
        found, capacity = self._heaviest(weights, stop)
        columns = [*found, *self._refined(found, stop)]
        if self.options.pool:
            self._pool |= {column.key: column for column in columns}
        return PaperPriced(self._heavy(columns, weights), weights, capacity)

    def _heavy(self, columns: list[PaperColumn], weights: IntArray) -> list[PaperColumn]:
        """Columns that violate; they leave the pool."""
        heavy = [column for column in columns if weights[column.group].sum() > DUAL_UNIT * (1.0 + TOLERANCE)]
        for column in heavy:
            self._pool.pop(column.key, None)
        return heavy

    def _heaviest(self, weights: IntArray, stop: Stop) -> tuple[list[PaperColumn], int]:
        """Columns the solver met, heaviest first, and a weight that no column exceeds."""
        outcome, columns = self._solve(
            self._model.variables,
            Objective(self._block.member[0], weights / DUAL_UNIT, maximise=True),
            stop,
            keep=MANY if self.options.all_solutions else 1,
            target=self.options.stop_at,
        )
        most = int(weights.sum())
        if isfinite(outcome.bound):
            most = min(most, floor(outcome.bound * DUAL_UNIT + TOLERANCE * DUAL_UNIT))
        return columns, max(most, 1)

    def _refined(self, columns: list[PaperColumn], stop: Stop) -> list[PaperColumn]:
        """Let the heaviest column lead to others: with the same point, or with the same members."""
        variables, block = self._model.variables, self._block
        most_rows = Objective(block.member[0], np.ones(len(self.rows)), maximise=True)
        found: list[PaperColumn] = []
        if columns and self.options.fix_point:
            point = self._one_hot.encode(columns[0].point)[0]
            found += self._solve(variables.fixed(block.x[0], point), most_rows, stop)[1]
        if columns and self.options.fix_members:
            members = block.member[0, columns[0].group]
            found += self._solve(variables.fixed(members, 1.0), most_rows, stop)[1]
        return found

    def _solve(
        self,
        variables: Variables,
        objective: Objective,
        stop: Stop,
        *,
        keep: int = 1,
        target: float | None = None,
    ) -> tuple[SolverOutcome, list[PaperColumn]]:
        """Solve, again without the point as long as only the solver's tolerance lets the best one in."""
        while True:
            model = replace(self._model, variables=variables, objective=objective)
            request = Request(stop, target=target, keep=keep, seed=self._seed)
            outcome = self._solver.solve(model, request)
            self.statistics.count("programs solved")
            columns = [self._column(solution.values) for solution in outcome.solutions]
            if not columns or columns[0] is not None or stop.expired():
                return outcome, _distinct(columns)
            self.statistics.count("points excluded")
            point = self._one_hot.decode(outcome.solutions[0].values[self._block.x[0]])
            exclude_point(self._model, self._one_hot, self._block.x, point)

    def _column(self, values: FloatArray) -> PaperColumn | None:
        point = self._one_hot.decode(values[self._block.x[0]])
        return confirmed_column(self.rows, point, np.flatnonzero(values[self._block.member[0]] > 0.5))


def _distinct(columns: list[PaperColumn | None]) -> list[PaperColumn]:
    """Drop repeated groups, the empty one, and what the classifier turned down."""
    groups = {column.key: column for column in columns if column is not None and len(column.group)}
    return list(groups.values())
