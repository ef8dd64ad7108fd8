"""What all actions, or all sets of features, save against prices; steps that raise what prices prove."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import draw_few
from engine.few.test_listed_rows import told
from oneformany.engine.few.cost_kernels import REFUSED
from oneformany.engine.few.dual_prices import CostQuota, PriceSearch
from oneformany.engine.few.exchange import exchanged
from oneformany.engine.few.listed_rows import ListedRows
from oneformany.engine.few.offered import Offered
from oneformany.engine.few.offered_sets import OfferedSets
from oneformany.engine.few.priced import priced_columns
from oneformany.engine.listing.ground import Ground
from oneformany.oracles.protocol import NEGATIVE, POSITIVE
from oneformany.stop import Stop
from reference_sharing import cost_of_joining

SCALE = 4
OFFERED = {"action": Offered, "features": OfferedSets}


def listed_and_priced(rng, share):
    """A random problem, all of whose rows were looked at."""
    problem = draw_few(rng, share=share)
    ground = Ground.of(problem)
    listed = ListedRows.of(ground, Stop(), OFFERED[share].of(ground, costed=True))
    priced = priced_columns(listed)
    priced.look_at(range(len(problem.rows)), Stop())
    return problem, listed, priced


def what_columns_cost(problem, listed, priced):
    """By brute force, where the classifier has the last word."""
    ways = told(listed, np.arange(len(priced)))
    costs = np.full((len(priced), len(problem.rows)), REFUSED)
    for column, (changed, goals) in enumerate(ways):
        every = (
            [goals] if problem.share == "action" else product(*(range(problem.levels[f]) for f in changed))
        )
        for goal, row in product(every, range(len(problem.rows))):
            cost = cost_of_joining(problem, row, changed, goal)
            costs[column, row] = min(costs[column, row], REFUSED if cost is None else cost)
    return costs


@pytest.mark.parametrize("share", ["action", "features"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_costs_and_savings_are_those_of_brute_force_or_more(share, seed):
    rng = np.random.default_rng(seed)
    problem, listed, priced = listed_and_priced(rng, share)
    exact, possible = what_columns_cost(problem, listed, priced), priced.costs(np.arange(len(priced)))
    # A classifier that has to be asked may refuse what is possible
    assert (possible <= exact).all()
    judged = np.array([listed.judged(row) for row in range(len(problem.rows))]).T
    assert ((possible < REFUSED) == (judged != NEGATIVE)).all()
    surely = (judged == POSITIVE) & (exact < REFUSED)
    assert share == "features" or (possible == exact)[surely].all()
    people, known = problem.multiplicity, possible.min(axis=0) < REFUSED
    assert (priced.known == known).all()
    assert (priced.alone[known] == possible.min(axis=0)[known]).all()
    prices = np.where(known, rng.integers(0, 30, size=len(known)), 0)
    gains = np.where(possible < REFUSED, np.maximum(0, prices - SCALE * possible.astype(np.int64)), 0)
    assert (priced.savings(prices, people, SCALE) == gains @ people).all()


def random_costs(rng):
    """Columns, some of which some rows refuse."""
    columns, rows = int(rng.integers(2, 7)), int(rng.integers(1, 7))
    costs = rng.integers(0, 9, size=(columns, rows)).astype(np.int32)
    costs[rng.random(costs.shape) < 0.4] = REFUSED
    return costs, rng.integers(1, 4, size=rows)


def least_cost(costs, people, most, needed):
    """By all choices of columns and of rows that are served."""
    best = np.inf
    for size in range(1, most + 1):
        for chosen in combinations(range(len(costs)), size):
            least = costs[list(chosen)].min(axis=0)
            for left_out in range(2 ** len(people)):
                kept = (left_out >> np.arange(len(people)) & 1) == 0
                if people[kept].sum() >= needed and (least[kept] < REFUSED).all():
                    best = min(best, int((people * least)[kept].sum()))
    return best


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_prices_never_prove_more_than_the_least_cost(seed):
    rng = np.random.default_rng(seed)
    costs, people = random_costs(rng)
    able = np.flatnonzero((costs < REFUSED).any(axis=0))
    most = int(rng.integers(1, len(costs) + 1))
    needed = int(rng.integers(0, people[able].sum() + 1))
    question = CostQuota(people, np.zeros(len(people)), able, most, needed)
    best = least_cost(costs, people, most, needed)
    goal = 50.0 if best == np.inf else float(best)
    start = np.where(np.isin(np.arange(len(people)), able), 3.0, 0.0)
    before = PriceSearch(costs, question).evaluated(start)[0].value
    after = PriceSearch(costs, question).raised(start, goal, 30, Stop())
    assert before <= after.value <= best + 1e-6


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_exchanges_only_make_it_cheaper(seed):
    rng = np.random.default_rng(seed)
    costs, people = random_costs(rng)
    most = int(rng.integers(1, len(costs) + 1))
    chosen = rng.permutation(len(costs))[:most]

    def pays(columns):
        return int(people @ np.minimum(costs[columns].min(axis=0).astype(np.int64), 100))

    found = exchanged(costs, people, chosen, 100, most, Stop())
    assert len(found) <= most
    assert pays(found) <= pays(chosen)
    # And no single exchange is left that would
    for column in range(len(costs)):
        for replaced in range(len(found)):
            other = found.copy()
            other[replaced] = column
            assert pays(other) >= pays(found)
