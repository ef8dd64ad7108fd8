"""Proofs of bounds as plain frozen data, and how they are read; what they say is in ``docs/format.md``."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import IntArray, Json

LARGEST_NUMBER = 2**60
LARGEST_SCALE = 2**40
KINDS = ("dual", "enumeration", "branch", "solver")

Numbers = tuple[int, ...]
Filter = tuple[tuple[Numbers, int], ...]
"""Sets of rows, mostly of one row, and a number of each."""


@dataclass(frozen=True)
class Case:
    """Why the columns usable in one case do not do what is to be excluded.

    Weights or prices exclude columns, or all that is left, one after the other. If the case is still open
    then, it is split: in a set cover some column has to cover the row, one of these and none of those before
    it; elsewhere a column is used, or not, as the last part says.
    """

    filters: tuple[Filter, ...]
    row: int | None = None
    columns: Numbers = ()
    parts: tuple["Case", ...] = ()


class Exclusion(NamedTuple):
    """Every group that something better could use is part of a listed column, and those do not suffice."""

    explanations: int
    target: int
    columns: tuple[tuple[Numbers, Numbers, Numbers], ...]  # rows, the changed features, a target in each
    tree: Case


@dataclass(frozen=True)
class Proof:
    """No group weighs more than ``capacity``, so at least ``bound`` groups carry all the weight.

    Or, with an exclusion, one more than it shows not to suffice. Or a pair of rows is in one group or in two,
    and both cases are proved. Or a solver said so, and left nothing that could be recomputed.
    """

    bound: int
    weights: Numbers = ()
    capacity: int = 1
    exclusion: Exclusion | None = None
    pair: Numbers = ()
    parts: tuple["Proof", ...] = ()  # the pair in one group, and in two
    solver: str | None = None


@dataclass(frozen=True)
class CoverageProof:
    """No group weighs more than the capacity, and a row no more than it counts."""

    weights: Numbers
    capacity: int
    scale: int
    people: int
    exclusion: Exclusion | None


@dataclass(frozen=True)
class CostProof:
    """What the cheapest people pay at these prices, less what groups save.

    Where ``anchors`` are given, what everybody pays, less what groups save by their anchors.
    """

    prices: Numbers
    scale: int
    explanations: int
    needed: int
    bound: int
    exclusion: Exclusion | None
    anchors: tuple[Numbers, Numbers] | None  # what groups save at most, and the changes that a row needs


class ProofReader(NamedTuple):
    """Reads proofs about so many rows and features."""

    rows: int
    features: int

    def proof(self, given: Json) -> Proof:
        """Read the proof that a cover needs so many explanations."""
        kind, bound = given["kind"].text(KINDS), _number(given["bound"])
        if kind == "solver":
            return Proof(bound, solver=given["name"].printable(80))
        if kind == "branch":
            parts = tuple(self.proof(given[side]) for side in ("together", "apart"))
            return Proof(bound, pair=given["pair"].distinct(self.rows - 1, 2), parts=parts)
        exclusion = None
        if kind == "enumeration":
            target = given["target"].integer(1, self.rows)
            listed = given["columns"].entries()
            columns = tuple((column.integers(0, self.rows - 1), (), ()) for column in listed)
            exclusion = Exclusion(target, target, columns, self._cover(given["cover"], len(columns)))
        return Proof(bound, self._weights(given["weights"]), _number(given["capacity"], 1), exclusion)

    def coverage(self, given: Json) -> CoverageProof:
        """Read the proof that so many explanations cover no more."""
        given["kind"].text(("coverage",))
        scale = given["scale"].integer(1, LARGEST_SCALE)
        weights, exclusion = self._weights(given["weights"]), self._exclusion(given["exclusion"])
        return CoverageProof(weights, _number(given["capacity"], 1), scale, _number(given["rows"]), exclusion)

    def cost(self, given: Json) -> CostProof:
        """Read the proof that so many people cannot be served for less."""
        exclusion, anchors = None, None
        if given["kind"].text(("cost", "anchored cost")) == "cost":
            exclusion = self._exclusion(given["exclusion"])
        else:
            changes = given["changes"].integers(0, self.features, self.rows)
            anchors = given["savings"].integers(0, LARGEST_NUMBER, self.rows), changes
        prices = given["prices"].integers(0, LARGEST_NUMBER, self.rows)
        count, needed, bound = (_number(given[name]) for name in ("explanations", "needed", "bound"))
        scale = given["scale"].integer(1, LARGEST_SCALE)
        return CostProof(prices, scale, count, needed, bound, exclusion, anchors)

    def _weights(self, given: Json) -> Numbers:
        weights = given.integers(0, LARGEST_NUMBER, self.rows)
        if sum(weights) > LARGEST_NUMBER:
            raise CertificateError(f"{given.path} sum to more than {LARGEST_NUMBER}")
        return weights

    def _exclusion(self, given: Json) -> Exclusion | None:
        if given.value is None:
            return None
        columns = []
        for column in given["columns"].entries():
            members, changed, targets = column.entries(3)
            cells = targets.integers(-1, LARGEST_NUMBER, self.features)
            told = changed.distinct(self.features - 1)
            columns.append((members.distinct(self.rows - 1), told, tuple(cells[feature] for feature in told)))
        tree = self._case(given["tree"], len(columns))
        return Exclusion(_number(given["explanations"]), _number(given["target"]), tuple(columns), tree)

    def _cover(self, given: Json, columns: int) -> Case:
        """Read a case of a set cover, split by the columns that cover a row."""
        filters = tuple(self._filter(pairs, sets=True) for pairs in given["filters"].entries())
        if not any(name in given for name in ("row", "columns", "parts")):
            return Case(filters)
        row, tried = given["row"].integer(0, self.rows - 1), given["columns"].distinct(columns - 1)
        parts = (self._cover(part, columns) for part in given["parts"].entries(len(tried)))
        return Case(filters, row, tried, tuple(parts))

    def _case(self, given: Json, columns: int) -> Case:
        """Read a case of a search, split by whether a column is used."""
        entries = given["filters"].entries() if "filters" in given else ()
        filters = tuple(self._filter(pairs, sets=False) for pairs in entries)
        for name in ("evaluated", "short"):  # how a case ends, which is found out anew
            if name in given and (given[name].value is not True or "column" in given):
                raise CertificateError(f"{given[name].path} must be true, and ends the case")
        if "column" not in given:
            return Case(filters)
        parts = (self._case(part, columns) for part in given["parts"].entries(2))
        return Case(filters, None, (given["column"].integer(0, columns - 1),), tuple(parts))

    def _filter(self, given: Json, *, sets: bool) -> Filter:
        """Read numbers of rows, or of sets of rows, where a set of one row may be written as the row."""
        found: dict[Numbers, int] = {}
        for pair in given.entries():
            which, weight = pair.entries(2)
            listed = which if sets and isinstance(which.value, list) else which.alone()
            chosen = listed.distinct(self.rows - 1)
            if chosen in found:
                raise CertificateError(f"{pair.path} names {'a set of rows' if sets else 'a row'} twice")
            found[chosen] = _number(weight)
        if sets and sum(len(chosen) * weight for chosen, weight in found.items()) > LARGEST_NUMBER:
            raise CertificateError(f"{given.path} weighs more than {LARGEST_NUMBER}")
        return tuple(found.items())


def _number(given: Json, least: int = 0) -> int:
    return given.integer(least, LARGEST_NUMBER)


@dataclass(frozen=True)
class Items:
    """Distinct rows, merged and separated by the decisions taken so far."""

    members: tuple[tuple[int, ...], ...]  # a group contains all rows of an item or none of them
    apart: frozenset[tuple[int, int]] = frozenset()  # items, smaller first, that no group has together

    @classmethod
    def single(cls, rows: Iterable[int]) -> "Items":
        """Each row on its own, nothing decided."""
        return cls(tuple((row,) for row in sorted(rows)))

    @property
    def first(self) -> list[int]:
        """The smallest row of each item, which stands for it in weights and listed groups."""
        return [rows[0] for rows in self.members]

    @cached_property
    def item_of(self) -> dict[int, int]:
        """The item of every row."""
        return {row: index for index, rows in enumerate(self.members) for row in rows}

    @cached_property
    def index_of(self) -> dict[int, int]:
        """The item that each of these rows stands for."""
        return {row: index for index, row in enumerate(self.first)}

    def indices(self, rows: Sequence[int]) -> list[int]:
        """Find the items of a listed column; rows behind the smallest one of an item add nothing."""
        if unknown := set(rows) - self.item_of.keys():
            raise CertificateError(
                f"a listed column names row {min(unknown)}, which is a repeat, unreachable or not covered"
            )
        return sorted({self.index_of[row] for row in rows if row in self.index_of})

    def spread(self, numbers: Sequence[int], wrong: str) -> IntArray:
        """Take one number per given row as numbers of the items; all others must be 0, or that is wrong."""
        for row, number in enumerate(numbers):
            if number and row not in self.index_of:
                raise CertificateError(wrong.format(row=row))
        return np.array([numbers[row] for row in self.first], dtype=np.int64)

    def separated(self, one: int, other: int) -> "Items":
        """Decide that no group contains both rows."""
        return Items(self.members, self.apart | {self._undecided(one, other)})

    def merged(self, one: int, other: int) -> "Items":
        """Decide that both rows are in the same group; each inherits whom the other is apart from."""
        keep, drop = self._undecided(one, other)
        new = {old: old - (old > drop) for old in range(len(self.members))} | {drop: keep}
        members = list(self.members)
        members[keep] = tuple(sorted(members[keep] + members.pop(drop)))
        apart = {(min(new[a], new[b]), max(new[a], new[b])) for a, b in self.apart}
        return Items(tuple(members), frozenset(apart))

    def _undecided(self, one: int, other: int) -> tuple[int, int]:
        for row in (one, other):
            if row not in self.item_of:
                raise CertificateError(f"the proof decides on row {row}, which is a repeat or unreachable")
        low, high = sorted((self.item_of[one], self.item_of[other]))
        if low == high or (low, high) in self.apart:
            raise CertificateError(f"the proof decides twice on rows {one} and {other}")
        return low, high
