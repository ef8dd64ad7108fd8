"""Compiled: which groups are not part of another one."""

from __future__ import annotations

from typing import NamedTuple

from oneformany.arrays import IntArray
from oneformany.compiled import lean

__all__ = ["Chains", "keep_maximal"]


class Chains(NamedTuple):
    """For each member the kept groups that have it: the latest, how many, and before each the one before."""

    latest: IntArray  # per member: an entry of the flat list of groups
    length: IntArray  # per member
    before: IntArray  # per entry
    owner: IntArray  # per entry: its group


@lean(inner=True)
def _inside(starts, entries, group, other):
    """Whether all of a group, in rising order, is in another."""
    e = starts[other]
    for s in range(starts[group], starts[group + 1]):
        while e < starts[other + 1] and entries[e] < entries[s]:
            e += 1
        if e == starts[other + 1] or entries[e] != entries[s]:
            return False
    return True


@lean()
def keep_maximal(starts, entries, order, chains, kept):
    """Go on with these groups, larger ones first: mark what is not part of one marked before."""
    for group in order:
        if starts[group] == starts[group + 1]:
            continue
        rarest = entries[starts[group]]
        for s in range(starts[group], starts[group + 1]):
            if chains.length[entries[s]] < chains.length[rarest]:
                rarest = entries[s]
        entry = chains.latest[rarest]
        part = False
        while entry >= 0 and not part:
            owner = chains.owner[entry]
            part = _inside(starts, entries, group, owner)
            entry = chains.before[entry]
        if part:
            continue
        kept[group] = True
        for s in range(starts[group], starts[group + 1]):
            member = entries[s]
            chains.before[s] = chains.latest[member]
            chains.latest[member] = s
            chains.length[member] += 1
