"""Compiled: actions as words, a bit for each listed row; which are different, which others contain."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import how_many, inner, lowest, outer

WORD, BLOCK = 64, 1024  # bits of a word, and actions whose bits are gathered together
ZERO, ONE = np.uint64(0), np.uint64(1)
NONE = np.int64(-1)  # entry before this one
Words = NDArray[np.uint64]
Planes = NDArray[np.uint8]


@outer
def take_in(judged: NDArray[np.int8], bit: int, plane: Planes) -> int:
    """Set a bit for each action that is not judged negative; return how many there are."""
    mark = np.uint8(1 << bit)
    found = 0
    for action in range(len(judged)):
        if judged[action] != 0:
            plane[action] |= mark
            found += 1
    return found


@inner
def _hashed(mask):
    """A number for each mask, different for most."""
    key = ZERO
    for w in range(len(mask)):
        key = (key ^ mask[w]) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key


@inner
def _gathered(planes, rows, first, last, block):
    """Gather the bits of some rows, action by action."""
    block[:] = ZERO
    for at in range(len(rows)):
        plane, shift = planes[rows[at] >> 3], np.uint8(rows[at] & 7)
        w, left = at // WORD, np.uint64(at % WORD)
        for action in range(first, last):
            block[action - first, w] |= np.uint64((plane[action] >> shift) & np.uint8(1)) << left


@outer
def distinct(
    planes: Planes,
    rows: IntArray,
    rank: NDArray[np.int32],
    span: tuple[int, int],
    known: int,
    masks: Words,
    actions: IntArray,
    slots: IntArray,
) -> int:
    """Number the different masks of a span of actions over some rows, each with its action of best rank.

    The first ``known`` of ``masks`` and ``actions`` are filled; ``slots`` is a hash table of their numbers.
    Actions that no row accepts have no mask. Returns how many are known then.
    """
    block = np.empty((BLOCK, masks.shape[1]), dtype=np.uint64)
    last_slot = np.uint64(len(slots) - 1)
    for begin in range(span[0], span[1], BLOCK):
        end = min(begin + BLOCK, span[1])
        _gathered(planes, rows, begin, end, block)
        for action in range(begin, end):
            mask = block[action - begin]
            if not mask.any():
                continue
            slot = _hashed(mask) & last_slot
            while slots[slot] != NONE and (masks[slots[slot]] != mask).any():
                slot = (slot + ONE) & last_slot
            number = slots[slot]
            if number == NONE:
                slots[slot] = known
                masks[known] = mask
                actions[known] = action
                known += 1
            elif rank[action] > rank[actions[number]]:
                actions[number] = action
    return known


@outer
def counted(masks: Words, sizes: IntArray) -> None:
    """How many rows each mask has."""
    for mask in range(len(masks)):
        size = np.int64(0)
        for w in range(masks.shape[1]):
            size += how_many(masks[mask, w])
        sizes[mask] = size


@outer
def maximal(
    masks: Words,
    order: IntArray,
    filled: int,
    heads: IntArray,
    entries: IntArray,
    before: IntArray,
    kept: BoolArray,
) -> int:
    """Mark those of some masks that no other one contains; all come in order of size, the largest first.

    ``entries`` are kept masks, ``before`` the entry before with the same row (``NONE``: there is none), and
    ``heads`` the last entry of each row, and how many it has. Returns how many entries are filled then.
    """
    n_words = masks.shape[1]
    for mask in order:
        rarest = NONE
        for w in range(n_words):
            word = masks[mask, w]
            while word != ZERO:
                row = w * WORD + lowest(word)
                word &= word - ONE
                if rarest == NONE or heads[row, 1] < heads[rarest, 1]:
                    rarest = row
        entry, contained = heads[rarest, 0], False
        while entry != NONE and not contained:
            other, contained = entries[entry], True
            for w in range(n_words):
                if masks[mask, w] & ~masks[other, w]:
                    contained = False
                    break
            entry = before[entry]
        if contained:
            continue
        kept[mask] = True
        for w in range(n_words):
            word = masks[mask, w]
            while word != ZERO:
                row = w * WORD + lowest(word)
                word &= word - ONE
                entries[filled], before[filled] = mask, heads[row, 0]
                heads[row, 0] = filled
                heads[row, 1] += 1
                filled += 1
    return filled


@outer
def number_again(masks: Words, known: int, slots: IntArray) -> None:
    """Put the first masks into a larger hash table."""
    last_slot = np.uint64(len(slots) - 1)
    for number in range(known):
        slot = _hashed(masks[number]) & last_slot
        while slots[slot] != NONE:
            slot = (slot + ONE) & last_slot
        slots[slot] = number


@outer
def weigh(planes: Planes, tables: IntArray, loads: IntArray) -> None:
    """Add to each action's load what the rows weigh that accept it; a line of a table for eight rows."""
    for begin in range(0, len(loads), BLOCK):
        end = min(begin + BLOCK, len(loads))
        for number in range(len(tables)):
            table, plane = tables[number], planes[number]
            for action in range(begin, end):
                loads[action] += table[plane[action]]
