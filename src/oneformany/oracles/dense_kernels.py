"""The sums of all actions of a row, judged one after the other."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import inner, lean, outer
from oneformany.oracles.actions import FORBIDDEN

BARRED = -(2**60)  # added to a score: far below any threshold, and sums stay within 64 bits


@lean(inner=True)
def _judged(total, least, sure):
    """Negative, positive or near."""
    return np.int8((total >= least) + (least <= total < sure))


@inner
def sum_up(base, may, start, most, after, single, pair, triple, needed, judged):
    """Judge every action by its sum; numbers of triples stand in the order of actions."""
    n, (least, sure) = len(may), needed
    for slot in range(start, n):
        if may[slot] == FORBIDDEN:
            single[slot] = BARRED
    judged[0] = _judged(base, least, sure)
    at = 1
    for i in range(start, n if most > 0 else 0):
        judged[at] = _judged(base + single[i], least, sure)
        at += 1
    for i in range(start, n if most > 1 else 0):
        for j in range(after[i], n):
            judged[at] = _judged(base + single[i] + single[j] + pair[i, j], least, sure)
            at += 1
    with_first, done = np.empty(n, dtype=np.int64), 0
    for i in range(start, n if most > 2 else 0):
        for k in range(after[i], n):
            with_first[k] = single[k] + pair[i, k]
        for j in range(after[i], n):
            both, size = base + single[i] + with_first[j], n - after[j]
            line, third = judged[at : at + size], triple[done : done + size]
            one, two = with_first[after[j] :], pair[j, after[j] :]
            for k in range(size):
                total = both + one[k] + two[k] + third[k]
                line[k] = np.int8((total >= least) + (least <= total < sure))
            at += size
            done += size


@outer
def sum_up_singles(
    base: int,
    may: NDArray[np.int8],
    start: int,
    most: int,
    after: IntArray,
    single: IntArray,
    nothing: tuple[IntArray, IntArray],
    needed: tuple[int, int],
    judged: NDArray[np.int8],
) -> None:
    """Judge every action where pairs and triples add nothing."""
    pair, triple = nothing
    sum_up(base, may, start, most, after, single, pair, triple, needed, judged)
