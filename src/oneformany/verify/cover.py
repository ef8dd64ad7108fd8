"""The proof that some groups do not suffice to cover all items: a tree of cases, checked by addition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from oneformany.exceptions import CertificateError
from oneformany.verify.covering import Covering
from oneformany.verify.proofs import CoverCase

__all__ = ["check_refutation"]


def check_refutation(covering: Covering, case: CoverCase, item_of: Mapping[int, int]) -> None:
    """Check a given proof that the groups do not suffice.

    Parameters
    ----------
    covering : Covering
        The groups, the items and how many groups may be used.
    case : CoverCase
        The proof, on rows.
    item_of : mapping
        The item that a row stands for.

    Raises
    ------
    CertificateError
        The proof leaves a case open.
    """
    # One branch at a time: the cases that wait are not built before it is their turn.
    waiting = [(0, iter([(covering, case)]))]
    while waiting:
        covering.limits.check()
        size, cases = waiting[-1]
        part = next(cases, None)
        if part is None:
            waiting.pop()
            continue
        left = _filtered(*part, item_of)
        if left is not None:
            size += left.nbytes
            covering.limits.need(size, "the proof of the set cover")
            waiting.append((size, _parts(left, part[1], item_of)))


def _filtered(covering: Covering, case: CoverCase, item_of: Mapping[int, int]) -> Covering | None:
    """Apply the weights of a case, one after the other; ``None`` when no cover is left."""
    left: Covering | None = covering
    for pairs in case.filters:
        if left is None:
            break
        left = left.filtered({tuple(item_of.get(row, -1) for row in rows): weight for rows, weight in pairs})
    return left


def _parts(
    covering: Covering, case: CoverCase, item_of: Mapping[int, int]
) -> Iterator[tuple[Covering, CoverCase]]:
    """Split by the column that covers a row, each without those tried before; none may be left out."""
    if case.row is None or item_of.get(case.row, -1) not in covering.items:
        raise CertificateError("the proof leaves open whether the listed columns suffice")
    item = covering.items.tolist().index(item_of[case.row])
    covers = covering.groups[covering.matrix[:, [item]].nonzero()[0]]
    if left_out := set(covers.tolist()) - set(case.columns):
        raise CertificateError(f"the proof forgets that column {min(left_out)} covers row {case.row}")
    for number, part in zip(case.columns, case.parts, strict=True):
        if number in covering.groups:
            yield covering.using(covering.groups.tolist().index(number)), part
            covering = covering.only(covering.groups != number)
