"""Rules on the whole of a changed row, each evaluated on cells before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.reading import Json

MOST_ROWS = 10**12

Holds = Callable[[IntArray, IntArray], BoolArray]
"""Of ``(m, p)`` cells before and after: whether each row may become what it is afterwards."""

Levels = tuple[tuple[int, BoolArray], ...]


@dataclass(frozen=True, eq=False)
class Restriction:
    """Which changes of a row are possible, as far as some features tell."""

    kind: str
    holds: Holds


def read_restrictions(entries: Iterable[Json], levels: tuple[int, ...]) -> tuple[Restriction, ...]:
    """Read rules; one of a kind that this release does not know cannot be checked."""
    found = []
    for fields in entries:
        kind = fields["kind"].text()
        if kind not in KINDS:
            raise NotConfirmedError(
                f"this release does not know rules of the kind {kind[:40]!r}; install a newer one"
            )
        found.append(Restriction(kind, KINDS[kind](fields, levels)))
    return tuple(found)


def _implies(fields: Json, levels: tuple[int, ...]) -> Holds:
    """If a changed row has these levels it has those; a row whose named features all stay is left alone."""
    given, wanted = (_levels(fields[name], levels) for name in ("if", "then"))
    named = sorted({feature for feature, _ in (*given, *wanted)})

    def holds(before: IntArray, after: IntArray) -> BoolArray:
        untouched = (before[:, named] == after[:, named]).all(axis=1)
        return np.asarray(untouched | ~_all(given, after) | _all(wanted, after))

    return holds


def _levels(part: Json, levels: tuple[int, ...]) -> Levels:
    found = []
    for pair in part.entries():
        named, listed = pair.entries(2)
        feature = named.integer(0, len(levels) - 1)
        among = np.zeros(levels[feature], dtype=np.bool_)
        among[list(listed.integers(0, levels[feature] - 1))] = True
        found.append((feature, among))
    return tuple(found)


def _all(part: Levels, rows: IntArray) -> BoolArray:
    held = np.ones(len(rows), dtype=np.bool_)
    for feature, among in part:
        held &= among[rows[:, feature]]
    return held


def _linked(fields: Json, levels: tuple[int, ...]) -> Holds:
    """Rows that change one of the features change all; one way: only the first needs the others."""
    named = list(fields["features"].distinct(len(levels) - 1))
    one_way = fields["one_way"].value
    if not isinstance(one_way, bool) or len(named) < 2:
        raise CertificateError(f"{fields['features'].path} must be two or more, one_way true or false")

    def holds(before: IntArray, after: IntArray) -> BoolArray:
        moved = before[:, named] != after[:, named]
        none = ~moved[:, 0] if one_way else ~moved.any(axis=1)
        return np.asarray(none | moved.all(axis=1))

    return holds


def _not_together(fields: Json, levels: tuple[int, ...]) -> Holds:
    """No row changes more than one of the features."""
    named = list(fields["features"].distinct(len(levels) - 1))
    return lambda before, after: np.asarray((before[:, named] != after[:, named]).sum(axis=1) <= 1)


def _observed(fields: Json, levels: tuple[int, ...]) -> Holds:
    """The new cells of the features that a row changes occur together in so many reference rows."""
    named = list(fields["features"].distinct(len(levels) - 1))
    seen = fields["rows"].codes(tuple(levels[feature] for feature in named))
    counts = fields["counts"].integers(0, MOST_ROWS, len(seen))
    if sum(counts) > MOST_ROWS:
        raise CertificateError(f"{fields['counts'].path} are more than {MOST_ROWS} rows")
    at_least = fields["at_least"].integer(1, MOST_ROWS)
    known: dict[bytes, Counter[bytes]] = {}

    def often(changed: BoolArray) -> Counter[bytes]:
        key = changed.tobytes()
        if key not in known:
            known[key] = Counter()
            for row, count in zip(seen[:, changed], counts, strict=True):
                known[key][row.tobytes()] += count
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
            enough = np.array([total[row.tobytes()] >= at_least for row in distinct], dtype=np.bool_)
            held[these] = enough[index.ravel()]
        return held

    return holds


KINDS: dict[str, Callable[[Json, tuple[int, ...]], Holds]] = {
    "implies": _implies,
    "linked": _linked,
    "not_together": _not_together,
    "observed": _observed,
}
