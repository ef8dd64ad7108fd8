"""Rows in parts: each part asks the same about its rows, and columns that say the same become one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.problems import random_additive
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.listing.parts import joined_listings, parts_of, rows_at_once
from oneformany.engine.table.table import ColumnTable

PROBLEM = random_additive(np.random.default_rng(1), rows=9, features=4, max_changes=2)


def test_parts_have_the_distinct_rows_in_order_with_all_people():
    problem = replace(PROBLEM, codes=np.repeat(PROBLEM.codes, 2, axis=0))
    parts = list(parts_of(problem, 4))
    assert (np.concatenate([part.rows for part in parts]) == problem.rows).all()
    assert (np.concatenate([part.multiplicity for part in parts]) == problem.multiplicity).all()
    assert max(len(part.rows) for part in parts) == 4


def test_parts_share_the_matrices_of_allowed_moves():
    fixed = np.eye(PROBLEM.levels[0], dtype=np.bool_)
    problem = replace(PROBLEM, allowed=[fixed, *[None] * (PROBLEM.n_features - 1)])
    assert problem.moves[0] is not fixed  # which may still change
    assert all(part.moves[0] is problem.moves[0] for part in parts_of(problem, 4))


def test_at_least_one_row_is_listed_at_once_and_never_more_than_there_are():
    assert rows_at_once(PROBLEM, 1) == 1
    assert rows_at_once(PROBLEM, 3 * 16 * sum(PROBLEM.levels)) == 3
    assert rows_at_once(PROBLEM, 1 << 40) == len(PROBLEM.rows)


def listing(groups, targets, n_rows, unreachable):
    starts = np.cumsum([0, *map(len, groups)])
    rows = np.concatenate(groups).astype(np.int32)
    goals = np.array(targets, dtype=np.int32)
    table = ColumnTable(starts, rows, 10 * rows.astype(np.int64), goals >= 0, goals, n_rows, complete=True)
    return FullListing(table, np.array(unreachable), asked=2)


def test_columns_that_say_the_same_hold_the_rows_of_all_parts_once():
    first = listing([[0, 1], [1], [1]], [[1, -1], [-1, 2], [1, -1]], 3, [False, False, True])
    second = listing([[0]], [[1, -1]], 1, [False])
    joined = joined_listings([first, second])
    found = {
        tuple(joined.table.targets[column].tolist()): joined.table.group(column).tolist()
        for column in range(len(joined.table))
    }
    assert found == {(1, -1): [0, 1, 3], (-1, 2): [1]}
    assert not joined.table.complete
    assert joined.unreachable.tolist() == [False, False, True, False]
    assert joined.asked == 4
