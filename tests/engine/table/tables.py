"""Small random tables, and checks of certificates that share nothing with the solver."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from oneformany.engine.table.table import ColumnTable


def table_of(groups, n_rows, costs=None):
    starts = np.concatenate(([0], np.cumsum([len(group) for group in groups]))).astype(np.int64)
    rows = np.array([row for group in groups for row in group], dtype=np.int32)
    flat = np.zeros_like(rows) if costs is None else [cost for part in costs for cost in part]
    m = len(groups)
    return ColumnTable(
        starts,
        rows,
        np.array(flat, dtype=np.int64),
        np.zeros((m, 1), dtype=bool),
        np.zeros((m, 1), dtype=np.int32),
        n_rows,
        complete=True,
    )


def names_of(table):
    """What tells columns apart: their rows, and what these pay."""
    pairs = zip(table.starts[:-1].tolist(), table.starts[1:].tolist(), strict=True)
    return [(tuple(table.rows[a:b].tolist()), tuple(table.costs[a:b].tolist())) for a, b in pairs]


@st.composite
def tables(draw, most_rows=8, most_columns=8, with_costs=False):
    """A table whose rows need not all be covered, and people per row."""
    n = draw(st.integers(1, most_rows))
    sets = st.sets(st.integers(0, n - 1), min_size=1)
    groups = [sorted(group) for group in draw(st.lists(sets, min_size=1, max_size=most_columns))]
    multiplicity = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    costs = None
    if with_costs:
        costs = [draw(st.lists(st.integers(0, 5), min_size=len(g), max_size=len(g))) for g in groups]
    return table_of(groups, n, costs), multiplicity


def groups_of(table):
    return [set(table.group(column).tolist()) for column in range(len(table))]


def choices(table, most):
    """Every choice of at most so many columns, smallest first."""
    for size in range(min(most, len(table)) + 1):
        yield from combinations(range(len(table)), size)


def people_of(table, multiplicity, chosen):
    covered = set().union(*(groups_of(table)[c] for c in chosen))
    return sum(int(multiplicity[row]) for row in covered)


def random_table(seed, n, m, size):
    """Random groups of one size, and one column per row."""
    rng = np.random.default_rng(seed)
    groups = [sorted(rng.choice(n, size, replace=False).tolist()) for _ in range(m)]
    return table_of([*groups, *([row] for row in range(n))], n)
