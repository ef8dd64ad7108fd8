"""Pricing as a mixed-integer program: the heaviest group an explanation can cover, with a proved bound."""

from __future__ import annotations

from math import floor, isfinite

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.items import Items
from oneformany.engine.pricing.protocol import NO_LIMIT, Priced
from oneformany.engine.scaling import ONE_IN_PRICING, STEP
from oneformany.paper.methods.embeddings import Embedding, embed
from oneformany.paper.methods.formulation import (
    CompactExplanation,
    PaperColumn,
    PaperRows,
    PublishedExplanations,
)
from oneformany.paper.methods.model import Model, Request, SolverOutcome
from oneformany.paper.methods.options import CgOptions
from oneformany.paper.methods.solvers import Solver, make_solver
from oneformany.paper.methods.start import check_asked
from oneformany.statistics import Statistics
from oneformany.stop import Stop

DUAL_UNIT = 10**9  # one in the integer weights that stand for duals
TOLERANCE = 1e-5  # far above what solvers take for equal
MANY = 100  # as many solutions as are looked at when all are wanted


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
        self._pool: dict[bytes, PaperColumn] = {}
        kind = CompactExplanation if options.pricing == "compact" else PublishedExplanations
        self._explanation = kind(rows, embedding)
        self._model = self._explanation.model
        self._member = self._explanation.member[0]
        self._model.add_rows(self._explanation.changed, 1.0, upper=rows.problem.max_changes)

    def price(self, weights: IntArray, stop: Stop) -> tuple[list[PaperColumn], int | None]:
        """Find columns heavier than ``DUAL_UNIT``, first among those put aside.

        Returns them, and a weight that is proved to be the most a column has; ``None`` when nobody looked.
        """
        waiting = self._heavy(list(self._pool.values()), weights)
        if waiting:
            self.statistics.count("columns from the pool", len(waiting))
            return waiting, None
        found, capacity = self._heaviest(weights, stop)
        columns = [*found, *self._refined(found, stop)]
        if self.options.pool:
            self._pool |= {column.key: column for column in columns}
        return self._heavy(columns, weights), capacity

    def _heavy(self, columns: list[PaperColumn], weights: IntArray) -> list[PaperColumn]:
        """Columns that violate; they leave the pool."""
        heavy = [column for column in columns if weights[column.group].sum() > DUAL_UNIT * (1.0 + TOLERANCE)]
        for column in heavy:
            self._pool.pop(column.key, None)
        return heavy

    def _heaviest(self, weights: IntArray, stop: Stop) -> tuple[list[PaperColumn], int]:
        """Columns the solver met, heaviest first, and a weight that no column exceeds."""
        heaviest = self._model.towards(self._member, weights / DUAL_UNIT, maximise=True)
        keep = MANY if self.options.all_solutions else 1
        request = Request(stop, target=self.options.stop_at, keep=keep, seed=self._seed)
        outcome, columns = self._solve(heaviest, request)
        most = int(weights.sum())
        if isfinite(outcome.bound):
            most = min(most, floor(outcome.bound * DUAL_UNIT + TOLERANCE * DUAL_UNIT))
        return columns, max(most, 1)

    def _refined(self, columns: list[PaperColumn], stop: Stop) -> list[PaperColumn]:
        """Let the heaviest column lead to others: with the same point, or with the same members."""
        most_rows = self._model.towards(self._member, 1.0, maximise=True)
        request = Request(stop, seed=self._seed)
        found: list[PaperColumn] = []
        if columns and self.options.fix_point:
            point = self._explanation.embedding.one_hot.encode(columns[0].point)[0]
            found += self._solve(most_rows.fixed(self._explanation.x[0], point), request)[1]
        if columns and self.options.fix_members:
            found += self._solve(most_rows.fixed(self._member[columns[0].group], 1.0), request)[1]
        return found

    def _solve(self, model: Model, request: Request) -> tuple[SolverOutcome, list[PaperColumn]]:
        """Solve, again without the point as long as only the solver's tolerance lets the best one in.

        The model shares its rows with the one that the point is excluded from.
        """
        while True:
            outcome = self._solver.solve(model, request)
            self.statistics.count("programs solved")
            columns = [self._explanation.column(solution.values) for solution in outcome.solutions]
            if not columns or columns[0] is not None or request.stop.expired():
                groups = {
                    column.key: column for column in columns if column is not None and len(column.group)
                }
                return outcome, list(groups.values())
            self.statistics.count("points excluded")
            self._explanation.exclude(self._explanation.point(outcome.solutions[0].values))


class ProgramPricer:
    """Prices every node of the engine's branching tree by a program, as the paper does at the root.

    It answers the same question as the engine's own search, slower; it is here so that branch and price can
    be compared with both.
    """

    def __init__(self, items: Items, oracle: CachedOracle | None = None, solver: str = "highs") -> None:  # noqa: ARG002 (the program holds the classifier)
        problem = items.space.problem
        check_asked(problem)
        self.items = items
        self.nodes = 0
        self._solver = make_solver(solver)
        self._explanation = CompactExplanation(
            PaperRows(problem, items.space.helpable), embed(problem.oracle)
        )
        model, member = self._explanation.model, self._explanation.member[0]
        model.add_rows(self._explanation.changed, 1.0, upper=problem.max_changes)
        self._members = member[items.first]
        together = np.flatnonzero(np.arange(len(member)) != items.first[items.item_of])
        pairs = np.column_stack([member[together], self._members[items.item_of[together]]])
        model.add_rows(pairs, [1.0, -1.0], lower=0.0, upper=0.0)
        for i, j in items.apart:  # an item in conflict with itself can never be taken
            model.add_rows(self._members[list({i, j})], 1.0, upper=0.0 if i == j else 1.0)

    def price(
        self,
        weights: IntArray,
        stop: Stop,
        node_limit: int = NO_LIMIT,  # noqa: ARG002 (a program has no such limit)
    ) -> Priced:
        """Find heavy columns and bound the heaviest by what the solver proved."""
        model = self._explanation.model.towards(self._members, weights / ONE_IN_PRICING, maximise=True)
        outcome = self._solver.solve(model, Request(stop, keep=MANY))
        self.nodes += 1
        found = (self._column(solution.values) for solution in outcome.solutions)
        heavy = [c for c in found if c is not None and self._weight(c, weights) > ONE_IN_PRICING + STEP]
        if not isfinite(outcome.bound):
            return Priced(heavy, weights, None, complete=False)
        capacity = max(floor((outcome.bound + TOLERANCE) * ONE_IN_PRICING), ONE_IN_PRICING + STEP)
        return Priced(heavy, weights, capacity, complete=outcome.status == "optimal")

    def _weight(self, column: Column, weights: IntArray) -> int:
        return int(weights[self.items.heaviest(self.items.group(column.rows), weights)].sum())

    def _column(self, values: FloatArray) -> Column | None:
        found = self._explanation.column(values)
        if found is None:
            return None
        self.items.space.absorb(found.point, found.changed)
        return Column.covering(self.items.space, found.point, found.changed)
