"""Rows in parts, where one table of all rows and cells would take too much memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import first_given
from oneformany.engine.listing.ground import BYTES_PER_ENTRY
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem


def rows_at_once(problem: Problem, memory: int) -> int:
    """How many distinct rows have a table of all cells within so many bytes, at least one."""
    return int(max(1, min(len(problem.rows), memory // (BYTES_PER_ENTRY * sum(problem.levels)))))


def parts_of(problem: Problem, size: int) -> Iterator[Problem]:
    """Ask the same about so many distinct rows at a time, in their order."""
    given = first_given(problem)
    for begin in range(0, len(given), size):
        rows = given[begin : begin + size]
        own = problem.own
        if own is not None:
            own = replace(own, values=own.values[rows])
        people = problem.multiplicity[begin : begin + size]
        allowed = None if problem.allowed is None else problem.moves
        yield replace(problem, codes=problem.codes[rows], own=own, people=people, allowed=allowed)


def joined_listings(listings: Sequence[FullListing]) -> FullListing:
    """Join the listings of parts: columns that change the same in the same way are one column.

    Rows that could join a column of another part may be missing from it, so nothing is proved by what is not
    there.
    """
    tables = [listing.table for listing in listings]
    before = np.cumsum([0, *(table.n_rows for table in tables)])
    changed = np.concatenate([table.changed for table in tables])
    targets = np.concatenate([table.targets for table in tables])
    _, first, column = np.unique(
        np.column_stack((changed, targets)), axis=0, return_index=True, return_inverse=True
    )
    columns = column.ravel()[np.repeat(np.arange(len(changed)), np.concatenate([t.sizes for t in tables]))]
    rows = np.concatenate([table.rows + begin for table, begin in zip(tables, before, strict=False)])
    costs = np.concatenate([table.costs for table in tables])
    order = np.lexsort((costs, rows, columns))
    columns, rows, costs = columns[order], rows[order], costs[order]
    new = _differ_from_the_one_before(columns) | _differ_from_the_one_before(rows)
    sizes = np.bincount(columns[new], minlength=len(first))
    table = ColumnTable(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        rows[new].astype(np.int32),
        costs[new],
        changed[first],
        targets[first],
        int(before[-1]),
        complete=False,
    )
    unreachable = np.concatenate([listing.unreachable for listing in listings])
    return FullListing(table, unreachable, sum(listing.asked for listing in listings))


def _differ_from_the_one_before(numbers: IntArray) -> BoolArray:
    return np.asarray(np.diff(numbers, prepend=-1) != 0)
