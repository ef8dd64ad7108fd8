"""Pricing by a mixed-integer program, as the paper does, for every node of the branching tree.

It answers the same question as the search in ``pricing.py``, slower; it is here so that branch and price can
be compared with both.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor, isfinite

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.pricer import Priced
from oneformany.engine.pricing.space import Items
from oneformany.engine.scaling import ONE_IN_PRICING, STEP
from oneformany.paper.methods.columns import PaperRows, check_asked
from oneformany.paper.methods.embeddings import embed
from oneformany.paper.methods.formulation import add_compact
from oneformany.paper.methods.model import Model, Objective, Request
from oneformany.paper.methods.solvers import make_solver
from oneformany.stop import Stop

TOLERANCE = 1e-5  # far above what solvers take for equal
SOLUTIONS = 100


class ProgramPricer:
    """Builds the pricing program of a node once and solves it for ever new weights."""

    def __init__(self, items: Items, oracle: CachedOracle | None = None, solver: str = "highs") -> None:  # noqa: ARG002 (the program holds the classifier)
        problem = items.space.problem
        check_asked(problem)
        embedding = embed(problem.oracle)
        self.items = items
        self.nodes = 0
        self._solver = make_solver(solver)
        self._one_hot = embedding.one_hot
        self._model = Model()
        self._block = add_compact(self._model, embedding, PaperRows(problem, items.space.helpable))
        self._model.constraints.add(self._block.changed, 1.0, upper=problem.max_changes)
        member = self._block.member[0]
        for row, item in enumerate(items.item_of.tolist()):
            if row != items.first[item]:
                pair = [member[row], member[items.first[item]]]
                self._model.constraints.add(pair, [1.0, -1.0], lower=0.0, upper=0.0)
        for i, j in items.apart:
            pair = [member[items.first[i]], member[items.first[j]]]
            # An item in conflict with itself can never be taken.
            self._model.constraints.add(pair[: 1 if i == j else 2], 1.0, upper=0.0 if i == j else 1.0)

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Find heavy columns and bound the heaviest by what the solver proved."""
        members = self._block.member[0, self.items.first]
        objective = Objective(members, weights / ONE_IN_PRICING, maximise=True)
        model = replace(self._model, objective=objective)
        outcome = self._solver.solve(model, Request(stop, keep=SOLUTIONS))
        self.nodes += 1
        columns = [column for s in outcome.solutions if (column := self._column(s.values)) is not None]
        heavy = [c for c in columns if weights[self._group(c, weights)].sum() > ONE_IN_PRICING + STEP]
        if not isfinite(outcome.bound):
            return Priced(heavy, weights, None, complete=False)
        capacity = max(floor((outcome.bound + TOLERANCE) * ONE_IN_PRICING), ONE_IN_PRICING + STEP)
        return Priced(heavy, weights, capacity, complete=outcome.status == "optimal")

    def _group(self, column: Column, weights: IntArray) -> IntArray:
        return self.items.heaviest(self.items.group(column.rows), weights)

    def _column(self, values: FloatArray) -> Column | None:
        space = self.items.space
        point = self._one_hot.decode(values[self._block.x[0]])
        if not space.problem.oracle.positive(point[None])[0]:
            return None
        group = np.flatnonzero(values[self._block.member[0]] > 0.5)
        changed = (space.rows[group] != point).any(axis=0)
        space.absorb(point, changed)
        return Column.covering(space, point, changed)
