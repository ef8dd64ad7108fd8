"""The fewest columns of a lazy listing: covers tell which buckets to look at, and these change the covers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.listing.batches import OutOfTimeError
from oneformany.engine.listing.lazy import LazyListing
from oneformany.engine.table.fewest import CoverAnswer, solve_cover
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.stop import Stop

STEPS = 500
LOOKING_TIME = 0.7
USED = 1e-3
HEAVY = 0.98
MOST_WANTED = 1000
AT_ONCE = 200


Proved = tuple[ColumnTable, CoverAnswer]


def cover_lazily(lazy: LazyListing, search: Search) -> tuple[ColumnTable, IntArray, Proved]:
    """Choose as few columns as possible, and look at buckets until none of them could do better.

    Returns a table, columns of it that cover every row that can be helped, and the best bound with its table.
    """
    stop = search.stop
    until = stop.part(LOOKING_TIME * stop.remaining())
    quick = replace(search, options=replace(search.options, local_search=False, repair=False, exact=False))
    proved: Proved | None = None
    start = None
    with suppress(OutOfTimeError):
        _refine(lazy, until)
    while True:
        table, waiting = lazy.table()
        usable = len(table) - len(waiting)
        for chosen in (quick, search):
            answer = solve_cover(table, chosen, start, usable)
            if proved is None or answer.bound > proved[1].bound:
                proved = table, answer
            start = answer.chosen
            if len(answer.wanted) and not until.expired():
                break
        if not len(answer.wanted) or stop.expired():
            break
        try:
            _look_at(lazy, waiting[answer.wanted[:MOST_WANTED] - usable], stop)
        except OutOfTimeError:
            break
    search.counters["buckets"] = len(lazy.buckets)
    search.counters["buckets evaluated"] = lazy.looked_at
    return table, answer.chosen, proved or (table, answer)


def _refine(lazy: LazyListing, stop: Stop) -> None:
    """Look at the buckets that the relaxation uses, until it uses next to none."""
    duals = None
    while not stop.expired():
        table, waiting = lazy.table()
        if not len(waiting):
            return
        relaxation = FirstOrder(table.incidence)
        if duals is not None:
            relaxation.duals = duals
        relaxation.advance(STEPS, stop)
        duals = relaxation.duals
        weights = relaxation.weights()
        last = slice(len(table) - len(waiting), None)
        values = relaxation.mean_values[last]
        used = np.flatnonzero((values > USED) | (weights.loads[last] >= HEAVY * weights.capacity))
        if not len(used):
            return
        _look_at(lazy, waiting[used[np.argsort(-values[used], kind="stable")]], stop)


def _look_at(lazy: LazyListing, which: IntArray, stop: Stop) -> None:
    """Look at buckets, some at a time, as long as there is time."""
    for begin in range(0, len(which), AT_ONCE):
        if stop.expired():
            return
        lazy.look_at(which[begin : begin + AT_ONCE])
