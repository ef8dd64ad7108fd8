"""``method="mip"``: the paper's compact model (1)-(14), as published.

All explanations are built at once: the number ``K`` of an initial solution bounds how many are needed, and
the solver starts from that solution.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, isfinite

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.exceptions import SolverError
from oneformany.paper.methods.columns import PaperColumn, confirmed_column
from oneformany.paper.methods.embeddings import Embedding
from oneformany.paper.methods.formulation import add_published, exclude_point
from oneformany.paper.methods.model import Model, Objective, Request, SolverOutcome, Watch
from oneformany.paper.methods.options import CompactOptions
from oneformany.paper.methods.start import Initial, Log, Start
from oneformany.result.proof import Proof, SolverProof

TOLERANCE = 1e-5
ENTRIES = 13  # coefficients per explanation, row and one-hot column; all others are few


def improve_by_model(start: Start, proof: Proof, options: CompactOptions) -> tuple[list[PaperColumn], Proof]:
    """Improve a first solution and its bound; a model too large for the time left is not written down."""
    initial, solver, stop = start.initial, start.solver, start.stop
    entries = ENTRIES * len(initial.columns) * len(initial.rows) * start.embedding.one_hot.width
    compact: CompactModel | None = None
    with stop.on_interrupt():
        while stop.remaining() >= solver.entry_seconds * entries:
            compact = compact or CompactModel(initial, start.embedding, options)
            best, proof = compact.solve(start, proof)
            if best is not None or stop.expired():
                return best or initial.columns, proof
    start.log.statistics.count("programs too large for the time left")
    return initial.columns, proof


class CompactModel:
    """The compact model of one problem, with as many explanations as the initial solution has."""

    def __init__(self, initial: Initial, embedding: Embedding, options: CompactOptions | None = None) -> None:
        options = options or CompactOptions()
        self._initial = initial
        self._embedding = embedding
        rows, problem, count = initial.rows, initial.rows.problem, len(initial.columns)
        model = Model()
        block = add_published(model, embedding, rows, count, integer=not options.relax_implied)
        active = model.variables.add(count)
        add = model.constraints.add
        # (5): at most max_changes features per explanation, none for an unused one
        budget = np.append(np.ones(problem.n_features), -float(problem.max_changes))
        add(np.column_stack([block.changed, active]), budget, upper=0.0)
        # (7): every row has an explanation
        add(block.member.T, 1.0, lower=1.0)
        # (8): and only one that is used
        owners = np.broadcast_to(active[:, None], block.member.shape)
        add(np.stack([block.member.ravel(), owners.ravel()], axis=1), [1.0, -1.0], upper=0.0)
        if options.break_symmetry:
            add(np.stack([active[:-1], active[1:]], axis=1), [1.0, -1.0], lower=0.0)
            later = np.arange(len(rows)) < np.arange(count)[:, None]
            model = replace(model, variables=model.variables.fixed(block.member[later], 0.0))
        # (1): as few as possible
        self.model = replace(model, objective=Objective(active, np.ones(count)))
        self._block = block
        self._active = active

    def solve(self, start: Start, proof: Proof) -> tuple[list[PaperColumn] | None, Proof]:
        """Solve; no columns, and a point excluded, when only the solver's tolerance takes it for positive."""
        solver, watch = start.solver, self._watch(proof.bound, start.log)
        outcome = solver.solve(self.model, Request(start.stop, self.start(), seed=start.seed, watch=watch))
        if outcome.status == "infeasible":
            raise SolverError(f"{solver.name} takes a feasible model for infeasible; try another solver")
        proved = _rounded(outcome.bound)
        if proved > proof.bound:  # the word of a solver: it cannot be checked without solving again
            proof = SolverProof(f"{solver.name} {solver.version}", proved)
        return self._read(outcome), proof

    def _watch(self, proved: int, log: Log) -> Watch:
        most = len(self._initial.columns)

        def tell(value: float, dual: float) -> None:
            count = min(most, round(value)) if isfinite(value) else most
            log("branch", columns=most, value=dual, bound=max(proved, _rounded(dual)), count=count)

        return tell

    def start(self) -> FloatArray:
        """Write the initial solution in the variables of the model."""
        values = np.zeros(len(self.model.variables))
        self._block.write(values, self._embedding, self._initial.rows, self._initial.columns)
        values[self._active] = 1.0
        return values

    def _read(self, outcome: SolverOutcome) -> list[PaperColumn] | None:
        """Columns of the best solution; ``None``, and the point excluded, when one is not positive."""
        if not outcome.solutions:
            return None
        values = outcome.solutions[0].values
        columns: list[PaperColumn] = []
        for k in np.flatnonzero(values[self._active] > 0.5):
            point = self._embedding.one_hot.decode(values[self._block.x[k]])
            rows = np.flatnonzero(values[self._block.member[k]] > 0.5)
            column = confirmed_column(self._initial.rows, point, rows)
            if column is None:
                exclude_point(self.model, self._embedding.one_hot, self._block.x, point)
                return None
            columns.append(column)
        return columns


def _rounded(dual: float) -> int:
    """Round to the integer that a solver's bound proves, and 0 when there is none yet."""
    return ceil(dual - TOLERANCE) if isfinite(dual) else 0
