"""Proofs by cases: trees that are walked depth first, each case closed by addition or split in two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray
from oneformany.verify.limits import Limits
from oneformany.verify.proofs import Case, Exclusion

__all__ = ["TREE_SCALE", "Choice", "check_exclusion", "walk"]

TREE_SCALE = 2**20
"""What one person counts in the weights of a tree, and a cost of one in its prices."""

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


@dataclass(frozen=True, eq=False)
class Choice:
    """A case in which some columns are chosen, and only some others may still be."""

    case: Case
    chosen: tuple[int, ...]
    usable: BoolArray


def check_exclusion(
    exclusion: Exclusion, filtered: Callable[[Choice, int], BoolArray | None], better: str, limits: Limits
) -> None:
    """Check the proof that so many listed columns do no better than said.

    ``filtered`` tells which columns may still be chosen in a case, and so many of them; ``None`` closes it.
    """
    most = min(exclusion.explanations, len(exclusion.columns))

    def parts(node: Choice) -> Iterator[Choice]:
        usable = filtered(node, most - len(node.chosen))
        if usable is None:
            return
        if node.case.column is None:
            raise CertificateError(f"the proof leaves open whether the listed columns {better}")
        column, (with_it, without) = node.case.column, node.case.parts
        rest = usable.copy()
        rest[column] = False
        if usable[column] and len(node.chosen) < most:
            yield Choice(with_it, (*node.chosen, column), rest)
        yield Choice(without, node.chosen, rest)

    walk(Choice(exclusion.tree, (), np.ones(len(exclusion.columns), dtype=np.bool_)), parts, limits)
