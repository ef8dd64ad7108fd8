"""All actions that a problem offers, and what rows do at their targets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import draw_few
from oneformany.engine.few.offered import Offered
from oneformany.engine.listing.ground import Ground
from oneformany.oracles.actions import FORBIDDEN, MOVES, NOWHERE, STAYS


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_rows_do_at_each_slot_what_rules_and_targets_allow(seed):
    problem = draw_few(np.random.default_rng(seed))
    offered = Offered.of(Ground.of(problem))
    does = offered.does(np.arange(len(problem.rows)))
    for slot, (feature, cell) in enumerate(zip(offered.actions.owner, offered.cells, strict=True)):
        rule = problem.moves[feature]
        target = cell if problem.own is None else problem.own.targets[feature][cell]
        for row, before in enumerate(problem.rows[:, feature]):
            allowed = target >= 0 and (rule is None or rule[before, cell])
            assert does[row, slot] == (STAYS if before == cell else MOVES if allowed else FORBIDDEN)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_actions_change_the_features_of_their_slots_to_their_cells(seed):
    problem = draw_few(np.random.default_rng(seed))
    offered = Offered.of(Ground.of(problem))
    numbers = np.arange(len(offered.actions))
    changed, targets = offered.changes(numbers)
    for slots, features, cells in zip(offered.actions.slots(numbers), changed, targets, strict=True):
        taken = slots[slots != NOWHERE]
        assert np.flatnonzero(features).tolist() == offered.actions.owner[taken].tolist()
        assert cells[features].tolist() == offered.cells[taken].tolist()
        assert (cells[~features] == -1).all()
