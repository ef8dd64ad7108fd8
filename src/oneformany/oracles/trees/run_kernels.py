"""The compiled ways down trees whose splits are runs of levels."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import inner, lean, lowest, outer
from oneformany.oracles.actions import MOVES
from oneformany.oracles.dense_kernels import sum_up
from oneformany.oracles.trees.kernels import ONE, WORD, ZERO, WordArray
from oneformany.oracles.trees.polynomial_kernels import add_leaf, reserve

FEATURE, FIRST, LAST, LEFT, RIGHT = range(5)  # columns of nodes
NodeArray = NDArray[np.int32]


@lean()
def run_totals(codes: IntArray, nodes: NodeArray, units: IntArray, roots: IntArray, sums: IntArray) -> None:
    """Add to each sum the leaves that its row of codes falls into, tree by tree."""
    for tree in range(len(roots)):
        for row in range(len(codes)):
            node = np.int64(roots[tree])
            while nodes[node, FEATURE] >= 0:
                level = codes[row, nodes[node, FEATURE]]
                inside = nodes[node, FIRST] <= level < nodes[node, LAST]
                node = np.int64(nodes[node, LEFT if inside else RIGHT])
            sums[row] += units[node]


@inner
def _split(nodes, node, levels, alive, begin, end):
    """Tell apart the levels of a split that are alive: how many are in its run, and how many are not."""
    some = others = 0
    for at in range(begin, end):
        if alive[at]:
            inside = nodes[node, FIRST] <= levels[at] < nodes[node, LAST]
            some += inside
            others += not inside
    return some, others


@inner
def _on_side(nodes, parent, side, level):
    """Whether a level goes to this side of a split."""
    return (nodes[parent, FIRST] <= level < nodes[parent, LAST]) == (side == LEFT)


@inner
def _passed(nodes, node, starts, levels, alive):
    """Go on from a node to the first split that leaves a choice, or to a leaf."""
    while nodes[node, FEATURE] >= 0:
        feature = nodes[node, FEATURE]
        some, others = _split(nodes, node, levels, alive, starts[feature], starts[feature + 1])
        if some and others:
            break
        node = np.int64(nodes[node, LEFT if some else RIGHT])
    return node


@outer
def restricted(
    nodes: NodeArray, roots: IntArray, starts: IntArray, levels: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Walk all ways that some levels of each feature open; a split that leaves no choice is passed over.

    Returns the node that each new node is a copy of, its children, and the new roots.
    """
    copied, children = np.empty(1024, dtype=np.int64), np.full((1024, 2), -1, dtype=np.int64)
    made, new_roots = 0, np.empty(len(roots), dtype=np.int64)
    alive = np.ones(len(levels), dtype=np.bool_)
    # What waits: a node, the new one it is a child of and on which side, and how many steps lead there. Of
    # each step on the way: its feature, and which levels were alive before
    waiting = np.empty((256, 4), dtype=np.int64)
    way, before, steps = np.empty(256, dtype=np.int64), np.empty((256, len(levels)), dtype=np.bool_), 0
    for tree in range(len(roots)):
        waiting[0] = roots[tree], -1, LEFT, 0
        height = 1
        while height:
            height -= 1
            node, parent, side, depth = waiting[height]
            while steps > depth:
                steps -= 1
                for at in range(starts[way[steps]], starts[way[steps] + 1]):
                    alive[at] = before[steps, at]
            if parent >= 0:
                if steps == len(way):
                    way, before = np.append(way, way), np.concatenate((before, before))
                feature = way[steps] = nodes[copied[parent], FEATURE]
                for at in range(starts[feature], starts[feature + 1]):
                    before[steps, at] = alive[at]
                    alive[at] &= _on_side(nodes, copied[parent], side, levels[at])
                steps += 1
            if made == len(copied):
                copied = np.append(copied, copied)
                children = np.concatenate((children, np.full(children.shape, -1, dtype=np.int64)))
            node = copied[made] = _passed(nodes, node, starts, levels, alive)
            if parent >= 0:
                children[parent, side - LEFT] = made
            else:
                new_roots[tree] = made
            if nodes[node, FEATURE] >= 0:
                if height + 2 > len(waiting):
                    waiting = np.concatenate((waiting, waiting))
                for side in (RIGHT, LEFT):
                    waiting[height] = np.int64(nodes[node, side]), made, side, steps
                    height += 1
            made += 1
    return copied[:made], children[:made], new_roots


@outer
def slots_inside(
    nodes: NodeArray, owner: IntArray, goals: IntArray, bits: IntArray, inside: WordArray
) -> None:
    """For each split the goals of its feature that lie in its run, a bit each."""
    begin, end = np.zeros((2, int(owner.max()) + 1 if len(owner) else 0), dtype=np.int64)
    for slot in range(len(owner)):
        if bits[slot] == 0:
            begin[owner[slot]] = slot
        end[owner[slot]] = slot + 1
    for node in range(len(nodes)):
        f = nodes[node, FEATURE]
        if 0 <= f < len(begin):
            for slot in range(begin[f], end[f]):
                if nodes[node, FIRST] <= goals[slot] < nodes[node, LAST]:
                    inside[node, bits[slot] // WORD] |= ONE << np.uint64(bits[slot] % WORD)


@inner
def _changing(features, met, open_slots, moves, first_slot, feature_unmet, counts, changing):
    """The moves that change a condition on the way to a leaf: how many features have any, and need one."""
    found = unmet = 0
    for f in features:
        count = 0
        for w in range(moves.shape[1]):
            rest = moves[f, w] & ~open_slots[f, w] if met[f] else open_slots[f, w]
            while rest != ZERO:
                changing[found, count] = first_slot[f] + w * WORD + lowest(rest)
                rest &= rest - ONE
                count += 1
        if count:
            feature_unmet[found] = not met[f]
            unmet += not met[f]
            counts[found] = count
            found += 1
    return found, unmet


@inner
def _first_slots(p, owner, bits, may, start, moves):
    """Collect the moves that can be made, from a slot on, as bits; where the slots of features begin."""
    first_slot = np.zeros(p, dtype=np.int64)
    for slot in range(len(owner)):
        first_slot[owner[slot]] = slot - bits[slot]
        if slot >= start and may[slot] == MOVES:
            moves[owner[slot], bits[slot] // WORD] |= ONE << np.uint64(bits[slot] % WORD)
    return first_slot


@inner
def _step(f, own, here, way, before, met, touched):
    """Go to one side of a split: moves elsewhere are closed; 1 where the row itself goes elsewhere."""
    open_slots, in_run, side = here
    way[0], way[1] = f, met[f]
    touched[f] += 1
    for w in range(len(open_slots)):
        before[w] = open_slots[w]
        open_slots[w] &= in_run[w] if side == LEFT else ~in_run[w]
    lost = met[f] and not own
    met[f] = met[f] and own
    return int(lost)


@inner
def _back(way, before, met, open_slots, touched):
    """Take a step back; 1 where the row itself came so far."""
    f = way[0]
    touched[f] -= 1
    found = way[1] and not met[f]
    met[f] = way[1] != 0
    open_slots[f] = before
    return int(found)


@outer
def judge_row_by_runs(
    values: IntArray,
    may: NDArray[np.int8],
    start: int,
    most: int,
    slots: tuple[IntArray, IntArray, IntArray],
    trees: tuple[NodeArray, IntArray, IntArray],
    slot_bits: tuple[IntArray, WordArray],
    needed: tuple[int, int],
    judged: NDArray[np.int8],
) -> None:
    """Judge all actions of at most ``most`` slots, up to three, from a slot on; smaller ones come first.

    Ways down are followed as long as so many moves can lead there.
    """
    nodes, units, roots = trees
    bits, in_run = slot_bits
    p, n_words = len(values), in_run.shape[1]
    _, _, widest, single, pair, triple, steps = reserve(slots, p, may, start, most)
    feature_unmet, counts = np.zeros((2, p), dtype=np.int64)
    changing = np.empty((p, widest), dtype=np.int64)
    moves = np.zeros((p, n_words), dtype=np.uint64)
    first_slot = _first_slots(p, slots[0], bits, may, start, moves)
    met, open_slots, touched = np.ones(p, dtype=np.bool_), moves.copy(), np.zeros(p, dtype=np.int64)
    base = lacking = done = 0
    # A node, its parent (-1: none) and on which side of it, and how many steps lead there; and of each step
    # its feature, whether its condition was met before, and which moves kept to it
    waiting = np.empty((256, 4), dtype=np.int64)
    way, before = np.empty((256, 2), dtype=np.int64), np.empty((256, n_words), dtype=np.uint64)
    for tree in range(len(roots)):
        waiting[0] = roots[tree], -1, LEFT, 0
        height = 1
        while height:
            height -= 1
            node, parent, side, depth = waiting[height]
            while done > depth:
                done -= 1
                lacking -= _back(way[done], before[done], met, open_slots, touched)
            if parent >= 0:
                if done == len(way):
                    way, before = np.concatenate((way, way)), np.concatenate((before, before))
                f = np.int64(nodes[parent, FEATURE])
                own = _on_side(nodes, parent, side, values[f])
                here = open_slots[f], in_run[parent], side
                lacking += _step(f, own, here, way[done], before[done], met, touched)
                done += 1
                if lacking > most or not (met[f] or open_slots[f].any()):
                    continue
            if nodes[node, FEATURE] >= 0:
                if height + 2 > len(waiting):
                    waiting = np.concatenate((waiting, waiting))
                for side in (RIGHT, LEFT):
                    waiting[height] = np.int64(nodes[node, side]), node, side, done
                    height += 1
                continue
            value = units[node]
            base += value if lacking == 0 else 0
            found, unmet = _changing(
                *(np.flatnonzero(touched), met, open_slots, moves, first_slot),
                *(feature_unmet, counts, changing),
            )
            add_leaf(
                *(value, found, unmet, most, feature_unmet, counts, changing),
                *(single, pair, triple, steps),
            )
    sum_up(base, may, start, most, slots[1], single, pair, triple, needed, judged)
