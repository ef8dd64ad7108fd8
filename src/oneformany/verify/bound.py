"""The lower bound: walk through the proof and recompute everything it claims."""

from __future__ import annotations

from collections import Counter

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Branch, Claims, Dual, Enumeration, Proof, SolverBound, Statement
from oneformany.verify.cover import check_refutation, refute
from oneformany.verify.covering import Covering
from oneformany.verify.items import Items
from oneformany.verify.search import GroupSearch

__all__ = ["check_bound"]


def check_bound(claims: Claims) -> str:
    """Confirm that no fewer explanations than the proof says cover all reachable rows."""
    items = Items.single(_distinct_rows(claims))
    if not items.members:
        if claims.proof.bound:
            raise CertificateError("no row can be helped, so there is nothing to prove")
        return "no row can be helped"
    steps: Counter[str] = Counter()
    _check(claims.proof, claims.statement, items, steps)
    done = ", ".join(f"{number} x {step}" if number > 1 else step for step, number in steps.items())
    return f"at least {claims.proof.bound}: {done}"


def _distinct_rows(claims: Claims) -> list[int]:
    """First occurrences of the distinct rows that can be helped."""
    first: dict[bytes, int] = {}
    for row, codes in enumerate(claims.statement.codes):
        first.setdefault(codes.tobytes(), row)
    return sorted(set(first.values()) - set(claims.unreachable))


def _check(proof: Proof, statement: Statement, items: Items, steps: Counter[str]) -> None:
    if isinstance(proof, Branch):
        if proof.bound != min(proof.together.bound, proof.apart.bound):
            raise CertificateError(f"a branch claims {proof.bound}, its two cases prove less or more")
        steps["branching"] += 1
        _check(proof.together, statement, items.merged(*proof.pair), steps)
        _check(proof.apart, statement, items.separated(*proof.pair), steps)
    elif isinstance(proof, SolverBound):
        raise CertificateError(
            f"cannot be confirmed: that at least {proof.bound} are needed is the word of the solver "
            f"{proof.name}, which leaves no proof; method='exact' does"
        )
    elif isinstance(proof, Dual):
        _check_dual(proof, statement, items, steps)
    else:
        _check_enumeration(proof, statement, items, steps)


def _check_dual(proof: Dual, statement: Statement, items: Items, steps: Counter[str]) -> None:
    weights = _item_weights(proof, items)
    needed = -(-sum(weights) // proof.capacity)
    if proof.bound != needed:
        raise CertificateError(f"the weights prove {needed}, not {proof.bound}")
    _check_capacity(proof, statement, items, weights)
    steps["weights that no group exceeds"] += 1


def _check_enumeration(proof: Enumeration, statement: Statement, items: Items, steps: Counter[str]) -> None:
    if proof.bound != proof.target + 1:
        raise CertificateError(f"excluding {proof.target} explanations proves no bound of {proof.bound}")
    weights = _item_weights(proof, items)
    _check_capacity(proof, statement, items, weights)
    floor = sum(weights) - (proof.target - 1) * proof.capacity
    if floor > proof.capacity:
        steps["weights that no group exceeds"] += 1
        return
    listed = _listed(proof, items)
    search = GroupSearch(statement, items)
    for group in search.unlisted(weights, floor, listed):
        what = "weighs enough for a smaller cover, but no listed column contains it"
        raise _found(statement, items, group, what, sure=not search.undecided)
    covering = Covering.of(listed, len(items.members), proof.target)
    if proof.cover is None:
        way = refute(covering)
    else:
        check_refutation(covering, proof.cover, {row: item for item, row in enumerate(items.first)})
        way = "weights in the file"
    steps[f"listed columns that do not suffice, by {way}"] += 1


def _listed(proof: Enumeration, items: Items) -> list[list[int]]:
    """Write listed columns as places of items, each of which its smallest row stands for."""
    known = {row for rows in items.members for row in rows}
    place_of = {row: place for place, row in enumerate(items.first)}
    for group in proof.columns:
        for row in group:
            if row not in known:
                raise CertificateError(f"a listed column names row {row}, which is a repeat or unreachable")
    return [sorted({place_of[row] for row in group if row in place_of}) for group in proof.columns]


def _item_weights(proof: Dual | Enumeration, items: Items) -> list[int]:
    first = set(items.first)
    for row, weight in enumerate(proof.weights):
        if weight and row not in first:
            raise CertificateError(f"the proof gives weight to row {row}, which is not an item of its own")
    return [proof.weights[row] for row in items.first]


def _check_capacity(
    proof: Dual | Enumeration, statement: Statement, items: Items, weights: list[int]
) -> None:
    search = GroupSearch(statement, items)
    for group in search.unlisted(weights, proof.capacity + 1):
        raise _found(statement, items, group, f"weighs more than {proof.capacity}", sure=not search.undecided)


def _found(
    statement: Statement, items: Items, group: tuple[int, ...], what: str, *, sure: bool
) -> CertificateError:
    rows = sorted(row for item in group for row in items.members[item])
    named = f"a group with rows {', '.join(map(str, rows[:10]))}{', ...' if len(rows) > 10 else ''}"
    classifier = statement.classifier
    if classifier.exact or (classifier.positive is not None and sure):
        return CertificateError(f"{named} {what}")
    kind = classifier.kind
    if classifier.positive is not None:
        return CertificateError(
            f"cannot be confirmed: {named}, if it can be explained, {what}; "
            f"the points around it are too many to look at each under the {kind}"
        )
    return CertificateError(
        f"cannot be confirmed without the {kind} classifier: {named}, if it exists, {what}"
    )
