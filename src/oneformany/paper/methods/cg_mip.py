"""``method="cg-mip"``: the paper's column generation at the root node, with pricing by a solver.

The restricted master (15)-(17) is solved as a linear program, its duals price new columns, and when no
column violates any more, or time is up, the master is solved once in integers. Every pricing gives a lower
bound, sum of duals over the largest weight that the solver has proved possible; the best one is reported.
"""

from math import floor, isfinite

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column, ColumnPool
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover, as_matrix
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.scaling import ONE_IN_PRICING, integer_weights
from oneformany.paper.methods.embeddings import Embedding
from oneformany.paper.methods.formulation import CgOptions, CompactExplanation, PublishedExplanations
from oneformany.paper.methods.model import Model, Request, SolverOutcome
from oneformany.paper.methods.published import TOLERANCE, PaperRun, dual_proof
from oneformany.paper.methods.solvers import Solver
from oneformany.result.proof import Weights
from oneformany.statistics import Statistics
from oneformany.stop import Stop

MANY = 100  # as many solutions as are looked at when all are wanted
LAST_SHARE = 0.1  # of the time, kept for the final cover


def improve_by_columns(
    run: PaperRun, proof: Weights, options: CgOptions
) -> tuple[list[Column], Weights, Stop]:
    """Improve a first solution; return it, the proof of the best bound, and who ended the search."""
    best, stop = run.first, run.stop
    master = PaperMaster(len(run.space.rows), best)
    pricer = MipPricer(run.space, run.embedding, run.solver, options, run.seed)
    early = Stop(None if stop.time_limit is None else (1.0 - LAST_SHARE) * stop.remaining())
    with early.on_interrupt():
        while (relaxed := master.solve(early)) is not None:
            weights = integer_weights(relaxed.duals)
            columns, capacity = pricer.price(weights, early)
            if capacity is not None:
                found = dual_proof(run.space, weights, capacity)
                proof = max(proof, found, key=lambda each: each.bound)
            value, count = relaxed.value, len(best)
            run.log("columns", columns=len(master.columns), value=value, bound=proof.bound, count=count)
            if proof.bound >= len(best) or not master.add(columns):
                break
    run.statistics.counters |= pricer.statistics.counters
    if proof.bound < len(best):
        with stop.on_interrupt():
            best = master.best_cover(best, run.solver, stop, run.seed)
    run.log("cover", columns=len(master.columns), value=float(len(best)), bound=proof.bound, count=len(best))
    return best, proof, early if early.expired() else stop


class PaperMaster:
    """Fewest columns such that every row is in one of them; the first ones together cover all rows."""

    def __init__(self, n_rows: int, columns: list[Column]) -> None:
        self._n_rows = n_rows
        self._pool = ColumnPool()
        self._program = CoveringProgram(np.ones(n_rows), presolve=True)
        self.add(columns)

    @property
    def columns(self) -> list[Column]:
        """All so far."""
        return self._pool.columns

    def add(self, columns: list[Column]) -> int:
        """Take in the columns whose groups are new, and say how many these are."""
        new = self._pool.add(columns)
        self._program.add_columns(as_matrix([column.rows for column in new], self._n_rows))
        return len(new)

    def solve(self, stop: Stop) -> RelaxedCover | None:
        """Solve the relaxation, starting where the last one ended; ``None`` when time is too short."""
        return self._program.solve(stop)

    def best_cover(self, known: list[Column], solver: Solver, stop: Stop, seed: int = 0) -> list[Column]:
        """Solve in integers; ``known`` is a cover to start from, and returned when time is too short."""
        columns, model = self.columns, Model()
        take = model.add_variables(len(columns))
        for covers in as_matrix([column.rows for column in columns], self._n_rows).toarray():
            model.add_rows(take[covers > 0], 1.0, lower=1.0)
        start = np.array([float(column in known) for column in columns])
        outcome = solver.solve(model.towards(take, 1.0), Request(stop, start, seed=seed))
        if not outcome.solutions:
            return known
        return [columns[number] for number in np.flatnonzero(outcome.solutions[0] > 0.5)]


class MipPricer:
    """Builds the pricing problem once and solves it for ever new weights of the rows."""

    def __init__(
        self, space: SearchSpace, embedding: Embedding, solver: Solver, options: CgOptions, seed: int = 0
    ) -> None:
        self.space, self.options, self.statistics = space, options, Statistics()
        self._solver, self._seed = solver, seed
        self._pool: dict[bytes, Column] = {}
        kind = CompactExplanation if options.pricing == "compact" else PublishedExplanations
        self._explanation = kind(space, embedding)
        self.model, self.member = self._explanation.model, self._explanation.member[0]
        self.model.add_rows(self._explanation.changed, 1.0, upper=space.problem.max_changes)

    def price(self, weights: IntArray, stop: Stop) -> tuple[list[Column], int | None]:
        """Find columns heavier than ``ONE_IN_PRICING``, first among those put aside.

        Returns them, and a weight that is proved to be the most a column has; ``None`` when nobody looked.
        """
        waiting = self._heavy(list(self._pool.values()), weights)
        if waiting:
            self.statistics.count("columns from the pool", len(waiting))
            return waiting, None
        _, found, capacity = self.heaviest(weights, stop)
        columns = [*found, *self._refined(found, stop)]
        if self.options.pool:
            self._pool |= {column.rows.tobytes(): column for column in columns}
        return self._heavy(columns, weights), capacity

    def heaviest(self, weights: IntArray, stop: Stop) -> tuple[SolverOutcome, list[Column], int]:
        """Find columns, the heaviest first, and prove how much one weighs."""
        model = self.model.towards(self.member, weights / ONE_IN_PRICING, maximise=True)
        keep = MANY if self.options.all_solutions else 1
        request = Request(stop, target=self.options.stop_at, keep=keep, seed=self._seed)
        outcome, found = self._solve(model, request)
        most = int(weights.sum())
        if isfinite(outcome.bound):
            most = min(most, floor((outcome.bound + TOLERANCE) * ONE_IN_PRICING))
        return outcome, found, max(most, 1)

    def _heavy(self, columns: list[Column], weights: IntArray) -> list[Column]:
        """Columns that violate; they leave the pool."""
        least = ONE_IN_PRICING * (1.0 + TOLERANCE)
        heavy = [column for column in columns if weights[column.rows].sum() > least]
        for column in heavy:
            self._pool.pop(column.rows.tobytes(), None)
        return heavy

    def _refined(self, columns: list[Column], stop: Stop) -> list[Column]:
        """Let the heaviest column lead to others: with the same point, or with the same members."""
        most_rows = self.model.towards(self.member, 1.0, maximise=True)
        request = Request(stop, seed=self._seed)
        found: list[Column] = []
        if columns and self.options.fix_point:
            point = self._explanation.embedding.one_hot.encode(columns[0].point)[0]
            found += self._solve(most_rows.fixed(self._explanation.x[0], point), request)[1]
        if columns and self.options.fix_members:
            found += self._solve(most_rows.fixed(self.member[columns[0].rows], 1.0), request)[1]
        return found

    def _solve(self, model: Model, request: Request) -> tuple[SolverOutcome, list[Column]]:
        """Solve, again without the point as long as only the solver's tolerance lets the best one in.

        The model shares its rows with the one that the point is excluded from.
        """
        while True:
            outcome = self._solver.solve(model, request)
            self.statistics.count("programs solved")
            self.statistics.count("steps of the solver", outcome.steps)
            columns = [self._explanation.column(values) for values in outcome.solutions]
            if not columns or columns[0] is not None or request.stop.expired():
                met = [column for column in columns if column is not None and len(column.rows)]
                return outcome, ColumnPool().add(met)
            self.statistics.count("points excluded")
            self._explanation.exclude(self._explanation.point(outcome.solutions[0]))
