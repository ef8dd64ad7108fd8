"""``method="mip"``: the paper's compact model (1)-(14), as published.

All explanations are built at once: the number ``K`` of an initial solution bounds how many are needed, and
the solver starts from that solution.
"""

from __future__ import annotations

from math import ceil, isfinite

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.engine.columns import Column
from oneformany.exceptions import SolverError
from oneformany.paper.methods.embeddings import Embedding
from oneformany.paper.methods.formulation import PublishedExplanations
from oneformany.paper.methods.model import Request, SolverOutcome
from oneformany.paper.methods.options import CompactOptions
from oneformany.paper.methods.published import Initial, PaperRun
from oneformany.result.proof import Proof, SolverProof

TOLERANCE = 1e-5
ENTRIES = 13  # coefficients per explanation, row and one-hot column; all others are few


def improve_by_model(run: PaperRun, proof: Proof, options: CompactOptions) -> tuple[list[Column], Proof]:
    """Improve a first solution and its bound; a model too large for the time left is not written down."""
    initial, stop = run.initial, run.stop
    entries = ENTRIES * len(initial.columns) * len(initial.rows) * run.embedding.one_hot.width
    compact: CompactModel | None = None
    with stop.on_interrupt():
        while stop.remaining() >= run.solver.entry_seconds * entries:
            compact = compact or CompactModel(initial, run.embedding, options)
            best, proof = compact.solve(run, proof)
            if best is not None or stop.expired():
                return best or initial.columns, proof
    run.statistics.count("programs too large for the time left")
    return initial.columns, proof


class CompactModel(PublishedExplanations):
    """The compact model of one problem, with as many explanations as the initial solution has."""

    def __init__(self, initial: Initial, embedding: Embedding, options: CompactOptions | None = None) -> None:
        self._initial, self._options = initial, options or CompactOptions()
        rows, problem, count = initial.rows, initial.rows.problem, len(initial.columns)
        super().__init__(rows, embedding, count, integer=not self._options.relax_implied)
        model, member = self.model, self.member
        self._active = active = model.add_variables(count)
        # (5): at most max_changes features per explanation, none for an unused one
        budget = np.append(np.ones(problem.n_features), -float(problem.max_changes))
        model.add_rows(np.column_stack([self.changed, active]), budget, upper=0.0)
        # (7): every row has an explanation
        model.add_rows(member.T, 1.0, lower=1.0)
        # (8): and only one that is used
        owners = np.repeat(active, len(rows))
        model.add_rows(np.column_stack([member.ravel(), owners]), [1.0, -1.0], upper=0.0)
        if self._options.break_symmetry:
            model.add_rows(np.column_stack([active[:-1], active[1:]]), [1.0, -1.0], lower=0.0)
            model = model.fixed(member[np.arange(len(rows)) < np.arange(count)[:, None]], 0.0)
        # (1): as few as possible
        self.model = model.towards(active, 1.0)

    def solve(self, run: PaperRun, proof: Proof) -> tuple[list[Column] | None, Proof]:
        """Solve; no columns, and a point excluded, when only the solver's tolerance takes it for positive."""
        solver, proved, most = run.solver, proof.bound, len(self._initial.columns)

        def watch(value: float, dual: float) -> None:
            count = min(most, round(value)) if isfinite(value) else most
            run.log("branch", columns=most, value=dual, bound=max(proved, _rounded(dual)), count=count)

        effort = self._options.effort
        request = Request(run.stop, self.start(), seed=run.seed, watch=watch, effort=effort)
        outcome = solver.solve(self.model, request)
        if outcome.status == "infeasible":
            raise SolverError(f"{solver.name} takes a feasible model for infeasible; try another solver")
        if _rounded(outcome.bound) > proved:  # a solver's word: not to be checked without solving again
            proof = SolverProof(f"{solver.name} {solver.version}", _rounded(outcome.bound))
        return self._read(outcome), proof

    def start(self) -> FloatArray:
        """Write the initial solution in the variables of the model."""
        values = self.values(self._initial.columns)
        values[self._active] = 1.0
        return values

    def _read(self, outcome: SolverOutcome) -> list[Column] | None:
        """Columns of the best solution; ``None``, and the point excluded, when one is not positive."""
        if not outcome.solutions:
            return None
        values = outcome.solutions[0].values
        columns: list[Column] = []
        for k in np.flatnonzero(values[self._active] > 0.5).tolist():
            column = self.column(values, k)
            if column is None:
                self.exclude(self.point(values, k))
                return None
            columns.append(column)
        return columns


def _rounded(dual: float) -> int:
    """Round to the integer that a solver's bound proves, and 0 when there is none yet."""
    return ceil(dual - TOLERANCE) if isfinite(dual) else 0
