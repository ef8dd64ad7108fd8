"""Prove that some groups do not suffice to cover all items.

A file may bring the proof: a tree of cases, each closed by weights on the items, which is checked by
addition. Otherwise one is sought. First by branching, without trust in any solver: a linear program
suggests the weights, and what follows from them is computed exactly. Where that takes too long, a mixed
integer program is asked and its bound read with a safety margin.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import CoverCase
from oneformany.verify.covering import Covering

__all__ = ["check_refutation", "refute"]

UNIT = 10**6
MOST_WORK = 5 * 10**6
WORK_PER_NODE = 2000
WORTH_SOLVING_AGAIN = 0.8
MIP_MARGIN = 1e-3
SUFFICE = "the listed columns do suffice for a smaller cover"


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
    open_cases = [(covering, case)]
    while open_cases:
        covering, case = open_cases.pop()
        left = _filtered(covering, case, item_of)
        if left is not None:
            open_cases += _parts(left, case, item_of)


def _filtered(covering: Covering, case: CoverCase, item_of: Mapping[int, int]) -> Covering | None:
    """Apply the weights of a case, one after the other."""
    left: Covering | None = covering
    for pairs in case.filters:
        if left is None:
            break
        left = left.filtered({tuple(item_of.get(row, -1) for row in rows): weight for rows, weight in pairs})
    return left


def _parts(
    covering: Covering, case: CoverCase, item_of: Mapping[int, int]
) -> list[tuple[Covering, CoverCase]]:
    """Split by the column that covers a row, each without those tried before; none may be left out."""
    if case.row is None or item_of.get(case.row, -1) not in covering.items:
        raise CertificateError("the proof leaves open whether the listed columns suffice")
    column = covering.items.tolist().index(item_of[case.row])
    covers = covering.groups[covering.matrix[:, [column]].nonzero()[0]]
    if left_out := set(covers.tolist()) - set(case.columns):
        raise CertificateError(f"the proof forgets that column {min(left_out)} covers row {case.row}")
    parts = []
    for number, part in zip(case.columns, case.parts, strict=True):
        if number in covering.groups:
            parts.append((covering.using(covering.groups.tolist().index(number)), part))
            covering = covering.only(covering.groups != number)
    return parts


def refute(covering: Covering) -> str:
    """Prove that the groups do not suffice.

    Returns
    -------
    str
        How it was proved.

    Raises
    ------
    CertificateError
        They do suffice, or it could not be decided.
    """
    work, open_cases = 0, [covering]
    while open_cases and work < MOST_WORK:
        case = open_cases.pop()
        work += WORK_PER_NODE + case.matrix.nnz
        open_cases += _cases(case)
    if not open_cases:
        return "exact branching"
    _refute_by_mip(covering)
    return "a mixed integer program"


def _cases(covering: Covering) -> list[Covering]:
    """Split into both cases of one group; nothing when no cover is left, an error when there is one."""
    if len(covering.items) == 0:
        raise CertificateError(SUFFICE)
    if covering.hopeless:
        return []
    weights, use = _suggested(covering)
    left = covering.filtered(weights)
    if left is None:
        return []
    if len(left.groups) < WORTH_SOLVING_AGAIN * len(covering.groups):
        return [left]
    place = int(np.argmax(use[np.isin(covering.groups, left.groups)]))
    return [left.only(np.arange(len(left.groups)) != place), left.using(place)]


def _suggested(covering: Covering) -> tuple[dict[tuple[int, ...], int], NDArray[np.float64]]:
    """Weights of the items and use of the groups: any would do, those of the relaxation prove most."""
    groups, items = covering.matrix.shape
    solution = linprog(np.ones(groups), -covering.matrix.T, -np.ones(items), method="highs")
    found = solution.status == 0
    weights = np.rint(-UNIT * solution.ineqlin.marginals) if found else np.ones(items)
    by_item: dict[tuple[int, ...], int] = {
        (item,): max(0, int(weight)) for item, weight in zip(covering.items.tolist(), weights, strict=True)
    }
    return by_item, np.asarray(solution.x) if found else np.zeros(groups)


def _refute_by_mip(covering: Covering) -> None:
    matrix = covering.matrix
    groups, items = matrix.shape
    solution = milp(
        np.ones(groups),
        integrality=np.ones(groups),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix.T, lb=np.ones(items)),
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is not None:
        used = solution.x > 0.5
        if used.sum() <= covering.target and (matrix[used].sum(axis=0) > 0).all():
            raise CertificateError(SUFFICE)
    bound = solution.mip_dual_bound
    if bound is None or not bound > covering.target + MIP_MARGIN:
        raise CertificateError(f"it could not be decided whether {covering.target} listed columns suffice")
