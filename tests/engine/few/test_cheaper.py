"""The least cost of some actions."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import draw_few
from engine.few.test_listed_rows import accepted, told
from oneformany.engine.few.cheaper import cheapened, prices, without_dearest
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.few.rounds import Attempt
from oneformany.engine.listing.ground import Ground
from oneformany.stop import Stop
from reference_sharing import cost_of_joining


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_each_row_goes_where_it_pays_least_and_who_pays_most_is_left_out(seed):
    rng = np.random.default_rng(seed)
    problem = draw_few(rng)
    listed = ListedRows.of(Ground.of(problem), Stop())
    actions = rng.permutation(len(listed.offered.actions))[:3]
    attempt = cheapened(listed, Attempt(actions, listed.try_on_everybody(actions)))
    ways = told(listed, actions)
    least = []
    for row in range(len(problem.rows)):
        paid = [cost for way in ways if (cost := cost_of_joining(problem, row, *way)) is not None]
        least.append(min(paid) if paid else None)
    found = prices(listed, attempt.by)
    assert [None if by == NO_ACTION else cost for by, cost in zip(attempt.by, found, strict=True)] == least
    assert accepted(problem, listed)[attempt.helped, attempt.by[attempt.helped]].all()
    people, helped = problem.multiplicity, np.flatnonzero(attempt.helped)
    needed = int(rng.integers(0, people[helped].sum() + 1))
    kept = without_dearest(listed, attempt, needed).helped
    totals = [
        int((people * found)[helped[list(some)]].sum())
        for some in product([False, True], repeat=len(helped))
        if people[helped[list(some)]].sum() >= needed
    ]
    assert people[kept].sum() >= needed
    assert (people * found)[kept].sum() == min(totals)
