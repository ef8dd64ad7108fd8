"""Another pricer for the engine's branching tree: a program that a solver solves, as the paper does it."""

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.pricer import Priced
from oneformany.engine.pricing.space import Items
from oneformany.engine.scaling import ONE_IN_PRICING, STEP
from oneformany.paper.methods.cg_mip import MipPricer
from oneformany.paper.methods.embeddings import embed
from oneformany.paper.methods.formulation import CgOptions
from oneformany.paper.methods.solvers import Highs
from oneformany.stop import Stop


class ProgramPricer:
    """Answers the same question as the engine's own search, at every node, and slower."""

    def __init__(self, items: Items, oracle: CachedOracle | None = None) -> None:  # noqa: ARG002 (the program holds the classifier)
        embedding = embed(items.space.problem.oracle)
        self._items = items
        self._pricer = MipPricer(items.space, embedding, Highs(), CgOptions(pricing="compact"))
        model, member = self._pricer.model, self._pricer.member
        firsts = member[items.first]
        together = np.flatnonzero(np.arange(len(member)) != items.first[items.item_of])
        pairs = np.column_stack([member[together], firsts[items.item_of[together]]])
        model.add_rows(pairs, [1.0, -1.0], lower=0.0, upper=0.0)
        for i, j in items.apart:  # an item in conflict with itself can never be taken
            model.add_rows(firsts[list({i, j})], 1.0, upper=0.0 if i == j else 1.0)

    @property
    def nodes(self) -> int:
        """How many programs were solved."""
        return self._pricer.statistics.counters.get("programs solved", 0)

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Find heavy columns and bound the heaviest by what the solver proved."""
        items, heavy = self._items, []
        of_rows = np.zeros(len(items.space.rows), dtype=np.int64)
        of_rows[items.first] = weights
        outcome, found, capacity = self._pricer.heaviest(of_rows, stop)
        for one in found:
            items.space.absorb(one.point, one.changed)
            column = Column.covering(items.space, one.point, one.changed)
            if weights[items.heaviest(items.group(column.rows), weights)].sum() > ONE_IN_PRICING + STEP:
                heavy.append(column)
        complete = outcome.status == "optimal"
        return Priced(heavy, weights, max(capacity, ONE_IN_PRICING + STEP), complete=complete)
