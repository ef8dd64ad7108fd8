"""The master of long tables: first-order steps, rounding, local search, repairs (``table/``).

What a search proves about a table holds for all columns where the source can price its weights.
"""

from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.certificate import Proofs
from oneformany.engine.context import Context
from oneformany.engine.sources.protocol import ColumnSource
from oneformany.engine.standing import CostStanding, Standing
from oneformany.engine.table.budget import solve_budget
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.fewest import solve_cover, solve_coverage
from oneformany.engine.table.options import Search
from oneformany.statistics import Measure


def best_of_table(
    source: ColumnSource, run: Context, before: Standing, known: IntArray, *, hasty: bool
) -> Standing:
    """Choose columns of the table of now for the goal of a run, from known columns on."""
    table, goal, people = source.table, run.goal, run.problem.multiplicity
    if goal.explanations is not None:
        with _searching(source, run, "budget", "people") as search:
            found = solve_budget(table, people, goal.explanations, search, known[: goal.explanations])
    elif goal.coverage is not None:
        with _searching(source, run, "coverage", "explanations") as search:
            found = solve_coverage(table, people, goal.needed(int(people.sum())), search, known)
    else:
        everybody = np.array_equal(table.incidence.covered_by(known), source.reachable)
        start, duals = known if everybody else None, before.duals if table.complete else None
        with _searching(source, run, "cover", "explanations") as search:
            asked = replace(search, options=search.options.hasty) if hasty else search
            found = solve_cover(table, asked, start, source.usable, duals)
    return _for_all_columns(source, run, found, before)


def cheapest_of_table(source: ColumnSource, run: Context, first: Standing) -> CostStanding | None:
    """Choose as many columns for as many people at the least cost."""
    goal, people, table = run.goal, run.problem.multiplicity, first.table
    most = len(first.chosen) if goal.explanations is None else goal.explanations
    needed = int(people[table.incidence.covered_by(first.chosen)].sum())
    if goal.explanations is None and goal.coverage is not None:
        needed = min(needed, goal.needed(int(people.sum())))
    with _searching(source, run, "least cost", "cost") as search:
        found = solve_cost(table, people, most, needed, first.chosen, search)
    proof = None
    if source.savings(found.prices) is not None:
        proof = Proofs(run.problem, source.unreachable).cost(found)
    return CostStanding(table, found.chosen, found.assignment, found.cost, proof)


def _for_all_columns(source: ColumnSource, run: Context, found: Standing, before: Standing) -> Standing:
    """Keep of what was found about a table what holds for all columns, or what is known and better."""
    if found.weights is None or source.price(found.weights.weights) is None:
        found = replace(found, weights=None, exclusion=None, bound=_least(source, run, found))
    if run.goal.limited:
        return found
    known = found if source.known is None else found.by_weights(source.known)
    return found.proved_by(max(found, before, known, key=lambda standing: standing.bound))


def _least(source: ColumnSource, run: Context, standing: Standing) -> int:
    """A bound without weights: all but those beyond help may be covered; whoever is covered, by a column."""
    if run.goal.explanations is None:
        return min(1, len(standing.chosen))
    return int(run.problem.multiplicity[~source.unreachable].sum())


def _searching(
    source: ColumnSource, run: Context, phase: str, measure: Measure
) -> AbstractContextManager[Search]:
    """What a search over a table is given; where columns are missing, its bound is not told as one."""
    table, nothing = source.table, np.zeros(source.table.n_rows, dtype=np.int64)
    proves, known = table.complete, 0
    if measure == "people":
        known = int(run.problem.multiplicity[~source.unreachable].sum())
    elif measure == "cost":
        proves = source.savings(nothing) is not None
    elif not run.goal.limited and source.known is not None:
        known = source.known.fewest(spare=0)

    def tell(step: str, value: int, bound: int) -> None:
        run.report(step, len(table), float(value), (value, bound if proves else known), measure)

    return run.searching(phase, tell)
