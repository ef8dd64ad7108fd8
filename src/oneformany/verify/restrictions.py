"""Rules on the whole of a changed row, each evaluated on cells before and after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.codes import read_codes
from oneformany.verify.json_object import JsonObject, check_integers, check_list
from oneformany.verify.limits import NotConfirmedError

__all__ = ["Restriction", "read_restrictions"]

MOST_ROWS = 10**12

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Levels = tuple[tuple[int, BoolArray], ...]


@dataclass(frozen=True, eq=False)
class Restriction:
    """Which changes of a row are possible.

    Attributes
    ----------
    kind : str
        As the file names it.
    features : tuple of int
        The features that it reads.
    holds : callable
        Of ``(m, p)`` cells before and after: whether each row may become what it is afterwards.
    """

    kind: str
    features: tuple[int, ...]
    holds: Callable[[IntArray, IntArray], BoolArray]


def read_restrictions(entries: list[JsonObject], levels: tuple[int, ...]) -> tuple[Restriction, ...]:
    """Read rules; one of an unknown kind cannot be checked.

    Raises
    ------
    NotConfirmedError
        A rule is of a kind that this release does not know.
    """
    found = []
    for fields in entries:
        kind = fields.text("kind")
        if kind not in KINDS:
            raise NotConfirmedError(
                f"this release does not know rules of the kind {kind[:40]!r}; install a newer one"
            )
        found.append(KINDS[kind](fields, levels))
    return tuple(found)


def _implies(fields: JsonObject, levels: tuple[int, ...]) -> Restriction:
    """If a changed row has these levels it has those; a row whose named features all stay is left alone."""
    fields.only("kind", "if", "then")
    given, wanted = (_levels(fields, name, levels) for name in ("if", "then"))
    features = tuple(sorted({feature for feature, _ in (*given, *wanted)}))
    named = list(features)

    def holds(before: IntArray, after: IntArray) -> BoolArray:
        untouched = (before[:, named] == after[:, named]).all(axis=1)
        return np.asarray(untouched | ~_all(given, after) | _all(wanted, after))

    return Restriction("implies", features, holds)


def _levels(fields: JsonObject, name: str, levels: tuple[int, ...]) -> Levels:
    found = []
    for i, pair in enumerate(fields.entries(name)):
        path = f"{fields.path(name)}[{i}]"
        feature, listed = check_list(pair, path, 2)
        (feature,) = check_integers([feature], path, 0, len(levels) - 1)
        among = np.zeros(levels[feature], dtype=np.bool_)
        among[list(check_integers(listed, path, 0, levels[feature] - 1))] = True
        found.append((feature, among))
    return tuple(found)


def _all(part: Levels, rows: IntArray) -> BoolArray:
    held = np.ones(len(rows), dtype=np.bool_)
    for feature, among in part:
        held &= among[rows[:, feature]]
    return held


def _linked(fields: JsonObject, levels: tuple[int, ...]) -> Restriction:
    """Rows that change one of the features change all; one way: only the first needs the others."""
    fields.only("kind", "features", "one_way")
    features = fields.distinct("features", len(levels) - 1)
    one_way = fields.value("one_way")
    if not isinstance(one_way, bool) or len(features) < 2:
        raise CertificateError(f"{fields.path('features')} must be two or more, one_way true or false")
    named = list(features)

    def holds(before: IntArray, after: IntArray) -> BoolArray:
        moved = before[:, named] != after[:, named]
        none = ~moved[:, 0] if one_way else ~moved.any(axis=1)
        return np.asarray(none | moved.all(axis=1))

    return Restriction("linked", features, holds)


def _not_together(fields: JsonObject, levels: tuple[int, ...]) -> Restriction:
    """No row changes more than one of the features."""
    fields.only("kind", "features")
    features = fields.distinct("features", len(levels) - 1)
    named = list(features)

    def holds(before: IntArray, after: IntArray) -> BoolArray:
        return np.asarray((before[:, named] != after[:, named]).sum(axis=1) <= 1)

    return Restriction("not_together", features, holds)


def _observed(fields: JsonObject, levels: tuple[int, ...]) -> Restriction:
    """The new cells of the features that a row changes occur together in so many reference rows."""
    fields.only("kind", "features", "rows", "counts", "at_least")
    features = fields.distinct("features", len(levels) - 1)
    seen = read_codes(fields.entries("rows"), fields.path("rows"), tuple(levels[f] for f in features))
    counts = np.array(fields.integers("counts", 0, MOST_ROWS, len(seen)), dtype=np.int64)
    if sum(counts.tolist()) > MOST_ROWS:
        raise CertificateError(f"{fields.path('counts')} are more than {MOST_ROWS} rows")
    at_least = fields.integer("at_least", 1, MOST_ROWS)
    named = list(features)
    known: dict[bytes, dict[bytes, int]] = {}

    def often(changed: BoolArray) -> dict[bytes, int]:
        key = changed.tobytes()
        if key not in known:
            total: dict[bytes, int] = {}
            for row, count in zip(seen[:, changed], counts.tolist(), strict=True):
                total[row.tobytes()] = total.get(row.tobytes(), 0) + count
            known[key] = total
        return known[key]

    def holds(before: IntArray, after: IntArray) -> BoolArray:
        moved, wanted = before[:, named] != after[:, named], after[:, named].astype(np.int64)
        held = np.ones(len(after), dtype=np.bool_)
        patterns, pattern_of = np.unique(moved, axis=0, return_inverse=True)
        for number, changed in enumerate(patterns):
            if not changed.any():
                continue
            total = often(changed)
            these = np.flatnonzero(pattern_of.ravel() == number)
            distinct, index = np.unique(wanted[these][:, changed], axis=0, return_inverse=True)
            enough = np.array([total.get(row.tobytes(), 0) >= at_least for row in distinct], dtype=np.bool_)
            held[these] = enough[index.ravel()]
        return held

    return Restriction("observed", features, holds)


KINDS: dict[str, Callable[[JsonObject, tuple[int, ...]], Restriction]] = {
    "implies": _implies,
    "linked": _linked,
    "not_together": _not_together,
    "observed": _observed,
}
