"""A first cover: the column with the most uncovered rows, again and again."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from oneformany.engine.columns import Column


def greedy_cover(columns: Sequence[Column], n_rows: int, taken: Sequence[int] = ()) -> list[Column]:
    """Cover by the largest remainder first, then drop columns that the others make superfluous.

    What a column adds only falls, so it is counted again only when it comes up (Minoux 1978). All columns
    together cover all rows; those ``taken`` are there to begin with.
    """
    chosen = list(taken)
    waiting = np.ones(n_rows, dtype=np.bool_)
    for index in chosen:
        waiting[columns[index].rows] = False
    left = int(waiting.sum())
    heap = [(-len(column.rows), index) for index, column in enumerate(columns)]
    heapq.heapify(heap)
    while left:
        if not heap:
            raise AssertionError("every row has a column of its own")
        estimate, index = heap[0]
        adds = int(np.count_nonzero(waiting[columns[index].rows]))
        if adds < -estimate:
            if adds:
                heapq.heapreplace(heap, (-adds, index))
            else:
                heapq.heappop(heap)
            continue
        heapq.heappop(heap)
        chosen.append(index)
        waiting[columns[index].rows] = False
        left -= adds
    times = np.zeros(n_rows, dtype=np.int64)
    for index in chosen:
        times[columns[index].rows] += 1
    kept = set(chosen)
    for index in sorted(chosen, key=lambda index: len(columns[index].rows)):
        rows = columns[index].rows
        if (times[rows] > 1).all():
            times[rows] -= 1
            kept.remove(index)
    return [columns[index] for index in chosen if index in kept]
