"""Proofs by cases: trees that are walked depth first, each case closed by addition or split in two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.limits import Limits
from oneformany.verify.proofs import Case, Exclusion

TREE_SCALE = 2**20
"""What one person counts in the weights of a tree, and a cost of one in its prices."""

Pairs = Sequence[tuple[int, int]]
"""Rows, and a number of each."""

T = TypeVar("T")


def walk(root: T, parts: Callable[[T], Iterator[T]], limits: Limits) -> None:
    """Go through a tree; cases that wait are not built before it is their turn.

    ``parts`` gives nothing for a case that is closed, and raises an error for one that is left open.
    """
    waiting = [iter([root])]
    while waiting:
        limits.check()
        case = next(waiting[-1], None)
        if case is None:
            waiting.pop()
        else:
            waiting.append(parts(case))


def thinned(usable: BoolArray, gains: IntArray, left: int, needed: int) -> BoolArray | None:
    """Drop columns with which so many more gain less than is needed; ``None`` when none can gain it.

    Of ``left`` different columns all but one gain at most what the best gain.
    """
    best = np.sort(gains[usable])[::-1][:left].tolist()
    return None if sum(best) < needed else usable & (gains >= needed - sum(best[: left - 1]))


@dataclass(frozen=True, eq=False)
class Choice:
    """A case in which some columns are chosen, and only some others, so many, may still be."""

    case: Case
    chosen: tuple[int, ...]
    usable: BoolArray
    left: int


def check_exclusion(
    exclusion: Exclusion,
    gains: Callable[[Choice, Pairs], tuple[IntArray, int]],
    is_closed: Callable[[Choice], bool],
    better: str,
    limits: Limits,
) -> None:
    """Check the proof that so many listed columns do no better than said.

    With the numbers of a filter, ``gains`` tells what each column gains, and what is needed to do better.
    Where that is not out of reach, ``is_closed`` tells whether the case is closed nevertheless.
    """

    def parts(node: Choice) -> Iterator[Choice]:
        usable = node.usable
        for pairs in node.case.filters:
            limits.check()
            gained, needed = gains(node, pairs)
            fewer = thinned(usable, gained, node.left, needed)
            if fewer is None:
                return
            usable = fewer
        if is_closed(replace(node, usable=usable)):
            return
        if node.case.column is None:
            raise CertificateError(f"the proof leaves open whether the listed columns {better}")
        column, (with_it, without) = node.case.column, node.case.parts
        rest = usable.copy()
        rest[column] = False
        if usable[column] and node.left:
            yield Choice(with_it, (*node.chosen, column), rest, node.left - 1)
        yield Choice(without, node.chosen, rest, node.left)

    most = min(exclusion.explanations, len(exclusion.columns))
    walk(Choice(exclusion.tree, (), np.ones(len(exclusion.columns), dtype=np.bool_), most), parts, limits)
