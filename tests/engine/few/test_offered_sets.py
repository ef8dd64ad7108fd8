"""Sets of features as columns: what is said of them is the best of their actions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import draw_few
from oneformany.engine.few.offered_sets import OfferedSets
from oneformany.engine.listing.ground import Ground
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE

BEST = {POSITIVE: 2, NEAR: 1, NEGATIVE: 0}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_set_has_the_best_and_the_cheapest_of_the_actions_on_its_features(seed):
    rng = np.random.default_rng(seed)
    offered = OfferedSets.of(Ground.of(draw_few(rng, share="features")))
    judged = rng.integers(0, 3, size=len(offered.actions)).astype(np.int8)
    slot_costs = rng.integers(0, 9, size=len(offered.cells))
    moved, _ = offered.moves(np.arange(len(judged)))
    slots = offered.actions.slots(np.arange(len(judged)))
    paid = np.where(slots >= 0, np.append(slot_costs, 0)[slots], 0).sum(axis=1)
    changed, targets = offered.changes(np.arange(offered.n_columns))
    told, least = offered.told(judged), offered.cheapest(judged, slot_costs)
    assert (targets == -1).all()
    assert len(changed) == len({tuple(line) for line in changed.tolist()})
    for number, features in enumerate(changed):
        inside = np.flatnonzero(~(moved & ~features).any(axis=1))
        assert BEST[int(told[number])] == max(BEST[int(said)] for said in judged[inside])
        held = inside[judged[inside] != NEGATIVE]
        assert least[number] == (paid[held].min() if len(held) else np.iinfo(np.int64).max)
