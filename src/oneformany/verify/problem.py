"""The question that a result file answers: rows, levels, rules, costs and the classifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.classifiers import Classifier, read_classifier
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.reading import MOST_LEVELS, Json

NO_TARGET = -1
MOST_FEATURES = 2**16
LONGEST_FRAME = 10**12
MOST_PEOPLE = 2**40
LARGEST_COST = 2**30
LARGEST_SCALE = 2**60
MOST_ROWS = 10**12
SHARES = ("point", "action", "features")
FREE = ("rows", "already_positive", "rows_read", "read_to_the_end", "model", "rules", "ranges")

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


@dataclass(frozen=True, eq=False)
class OwnValues:
    """What the classifier reads of each row, where cells are coarser than that."""

    values: IntArray  # (n, p)
    cell_of: tuple[IntArray, ...]  # cell_of[l][value]
    targets: tuple[IntArray, ...]  # targets[l][cell]: the value that the cell sends rows to, or NO_TARGET


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows to explain and the rules of the game."""

    codes: IntArray  # (n, p) the cells of the given rows
    levels: tuple[int, ...]  # number of cells of each feature
    max_changes: int
    rules: tuple[BoolArray | None, ...]  # rules[l][a, b]: a may become, or is, b; None: no rule
    classifier: Classifier
    limits: Limits
    share: str = "point"  # what the rows of one explanation have in common
    own: OwnValues | None = None
    costs: tuple[IntArray, ...] | None = None  # costs[l][a, b] of moving; None: one per changed feature
    restrictions: tuple[Restriction, ...] = ()
    told_people: IntArray | None = None  # (n,) how many each row stands for; None: one

    @property
    def people(self) -> IntArray:
        """How many people each given row stands for."""
        return np.ones(len(self.codes), dtype=np.int64) if self.told_people is None else self.told_people

    @property
    def values(self) -> IntArray:
        """What the classifier reads of the given rows."""
        return self.codes if self.own is None else self.own.values

    @property
    def plain(self) -> bool:
        """Whether the rows of a group all end at the same point, and nothing but the point matters."""
        return self.share == "point" and self.own is None and not self.restrictions

    @cached_property
    def kinds(self) -> IntArray:
        """A number of each given row, the same for those that the classifier cannot tell apart."""
        return np.unique(self.values, axis=0, return_inverse=True)[1].ravel()

    def different(self, rows: Sequence[int] | IntArray) -> IntArray:
        """The first of each kind among some given rows, in rising order."""
        found = np.sort(np.array(rows, dtype=np.int64))
        return np.sort(found[np.unique(self.kinds[found], return_index=True)[1]])

    def people_like(self, rows: Sequence[int]) -> IntArray:
        """Count the people of all given rows of the same kind as each of these."""
        people = np.zeros(len(self.codes), dtype=np.int64)
        np.add.at(people, self.kinds, self.people)
        return people[self.kinds[rows]]

    def targets(self, feature: int) -> IntArray:
        """Tell which value each cell sends rows to; -1: none."""
        if self.own is None:
            return np.arange(self.levels[feature])
        return self.own.targets[feature]

    def followed(self, rows: IntArray, cells: IntArray) -> IntArray:
        """Tell what the classifier reads of given rows that move to ``(m, p)`` cells; -1: nothing is offered.

        Where a row is in its cell already it keeps its own value.
        """
        if self.own is None:
            return cells
        own = self.own.values[rows]
        sent = np.stack([to[cells[:, f]] for f, to in enumerate(self.own.targets)], axis=1)
        return np.where(self.codes[rows] == cells, own, sent)

    def cost_of(self, before: IntArray, after: IntArray) -> IntArray:
        """Tell what each row pays for moving between cells, both ``(m, p)``."""
        if self.costs is None:
            return np.asarray((before != after).sum(axis=1))
        return np.asarray(sum(table[before[:, f], after[:, f]] for f, table in enumerate(self.costs)))


def read_problem(fields: Json, limits: Limits) -> Problem:
    """Read the question."""
    fields.allow(*FREE)
    levels = fields["levels"].integers(1, MOST_LEVELS)
    if not 1 <= len(levels) <= MOST_FEATURES:
        raise CertificateError(f"problem.levels names {len(levels)} features, not 1 to {MOST_FEATURES}")
    limits.hold(16 * sum(levels), "the levels of all features")
    codes = fields["codes"].codes(levels)
    if not len(codes):
        raise CertificateError("problem.codes is empty; a problem has at least one row")
    _check_positions(fields, len(codes))
    own = _own(fields["own"], codes, levels, limits) if fields.has("own") else None
    read = levels if own is None else tuple(len(cells) for cells in own.cell_of)
    restrictions = fields["restrictions"].entries() if fields.has("restrictions") else ()
    return Problem(
        codes=codes,
        levels=levels,
        max_changes=fields["max_changes"].integer(1, len(levels)),
        rules=_rules(fields["allowed"], levels),
        classifier=read_classifier(fields["oracle"], read, limits),
        limits=limits,
        share=fields["share"].text(SHARES) if "share" in fields else "point",
        own=own,
        costs=_costs(fields["costs"], levels) if fields.has("costs") else None,
        restrictions=read_restrictions(restrictions, levels),
        told_people=_people(fields["people"], len(codes)) if "people" in fields else None,
    )


def _people(counts: Json, rows: int) -> IntArray:
    people = counts.integers(1, MOST_PEOPLE, rows)
    if sum(people) > MOST_PEOPLE:
        raise CertificateError(f"{counts.path} are more than {MOST_PEOPLE}")
    return np.array(people, dtype=np.int64)


def _check_positions(fields: Json, n_rows: int) -> None:
    """Check where the rows stood in the user's frame, and which others needed no explanation."""
    if "rows" in fields:
        explained = fields["rows"].distinct(LONGEST_FRAME, n_rows)
        others = fields["already_positive"].distinct(LONGEST_FRAME)
        if set(explained) & set(others):
            raise CertificateError("problem.rows and problem.already_positive name the same row")


def _own(fields: Json, codes: IntArray, levels: tuple[int, ...], limits: Limits) -> OwnValues:
    """Read own values; every value lies in its row's cell, every target in the cell it is for."""
    cell_of, targets = [], []
    given = zip(fields["cell_of"].entries(len(levels)), fields["targets"].entries(len(levels)), strict=True)
    for n, (cells, goals) in zip(levels, given, strict=True):
        of = np.array(cells.integers(0, n - 1), dtype=np.int64)
        if not 1 <= len(of) <= MOST_LEVELS:
            raise CertificateError(f"{cells.path} has {len(of)} values, not 1 to {MOST_LEVELS}")
        to = np.array(goals.integers(NO_TARGET, len(of) - 1, n), dtype=np.int64)
        offered = np.flatnonzero(to != NO_TARGET)
        if (wrong := offered[of[to[offered]] != offered]).size:
            raise CertificateError(f"{goals.path} sends rows for cell {wrong[0]} to a value of another cell")
        cell_of.append(of)
        targets.append(to)
    read = tuple(len(of) for of in cell_of)
    limits.hold(32 * sum(read), "the values of all features")
    values = fields["values"].codes(read, len(codes))
    cells_of_rows = np.stack([of[values[:, feature]] for feature, of in enumerate(cell_of)], axis=1)
    elsewhere = np.argwhere(cells_of_rows != codes)
    if len(elsewhere):
        row, feature = elsewhere[0].tolist()
        raise CertificateError(
            f"{fields['values'].path}[{row}] has a value in feature {feature} that is not in the row's cell"
        )
    return OwnValues(values, tuple(cell_of), tuple(targets))


def _rules(allowed: Json, levels: tuple[int, ...]) -> tuple[BoolArray | None, ...]:
    """Read who may move where; staying is always allowed."""
    if allowed.value is None:
        return (None,) * len(levels)
    return tuple(
        None if rule.value is None else rule.matrix(0, 1, n, n).astype(np.bool_) | np.eye(n, dtype=np.bool_)
        for rule, n in zip(allowed.entries(len(levels)), levels, strict=True)
    )


def _costs(fields: Json, levels: tuple[int, ...]) -> tuple[IntArray, ...]:
    """Read one matrix ``[from][to]`` per feature; staying costs nothing."""
    fields["scale"].integer(1, LARGEST_SCALE)
    tables = []
    for table, n in zip(fields["tables"].entries(len(levels)), levels, strict=True):
        tables.append(table.matrix(0, LARGEST_COST, n, n))
        if np.diagonal(tables[-1]).any():
            raise CertificateError(f"{table.path} lets rows pay for staying")
    return tuple(tables)
