"""The source that ``docs/extending.md`` shows: a catalogue, outside of which there is nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import accepted_groups
from oneformany.engine.masters.tabled import best_of_table, cheapest_of_table
from oneformany.engine.sources.groups import groups_of
from oneformany.engine.sources.protocol import NOTHING_LACKS
from oneformany.engine.table.cost_levels import column_savings
from oneformany.stop import Stop


class Catalogue:
    known, shortfall, better, cheaper = None, NOTHING_LACKS, best_of_table, cheapest_of_table

    def __init__(self, problem, offers):
        ground, rows = Ground.of(problem), np.arange(len(problem.rows))
        ask, every = Batches(ground, Stop()).accepted, (rows, np.array([0, len(rows)]))
        tables = [accepted_groups(ground, f, goal, ask(f, rows, goal), every, 1) for f, goal in offers]
        self.problem, self.table = problem, replace(tables[0].followed_by(*tables[1:]), complete=True)
        self.usable, self.reachable = len(self.table), self.table.incidence.reachable
        self.unreachable = ~self.reachable

    def price(self, weights):
        return int(self.table.incidence.loads(weights).max(initial=0))

    def heavy(self, weights, floor):
        return self.table.take(np.flatnonzero(self.table.incidence.loads(weights) >= floor))

    def savings(self, prices):
        return np.sort(column_savings(self.table, self.problem.multiplicity, prices))[::-1]

    def settle(self, _standing, _run):
        return None

    def split(self, _run):
        return None

    def groups(self, table, chosen, owner):
        return groups_of(self.problem, table, chosen, owner)
