"""Groups inside others are dropped, and only those."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.tree.enumeration import without_subsets
from oneformany.stop import Stop


@settings(deadline=None)
@given(groups=st.lists(st.sets(st.integers(0, 6), min_size=1), max_size=15))
def test_only_groups_inside_others_are_dropped(groups):
    kept = without_subsets([np.array(sorted(group), dtype=np.int64) for group in groups], Stop())
    for index, group in enumerate(groups):
        assert index in kept or any(group <= groups[k] for k in kept)
    for a, b in combinations(kept, 2):
        assert not groups[a] <= groups[b]
        assert not groups[b] <= groups[a]


def test_when_time_is_up_there_is_no_list():
    assert without_subsets([np.array([0])], Stop(0)) is None
