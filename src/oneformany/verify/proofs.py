"""Proofs of bounds as plain frozen data, and how they are read; what they say is in ``docs/format.md``."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import IntArray, Json

LARGEST_NUMBER = 2**60
LARGEST_SCALE = 2**40
KINDS = ("weights", "branch")

Numbers = tuple[int, ...]
Filter = tuple[tuple[Numbers, int], ...]
"""Sets of rows, mostly of one row, and a number of each."""


@dataclass(frozen=True)
class Case:
    """Why the columns usable in one case do not do what is to be excluded.

    Weights or prices exclude columns, or all that is left, one after the other. If the case is still open
    then, it is split: some column has to cover the row, one of these and none of those before it; or a column
    is used, or not, as the last part says.
    """

    filters: tuple[Filter, ...]
    row: int | None = None
    columns: Numbers = ()
    parts: tuple["Case", ...] = ()


class Exclusion(NamedTuple):
    """Every group that something better could use is part of a listed column, and those do not suffice."""

    explanations: int
    at_most: int  # people who are left uncovered, or what is paid
    columns: tuple[Numbers, ...]  # rows
    moves: tuple[tuple[tuple[int, int], ...], ...]  # of each column the features that change, and the target
    tree: Case


@dataclass(frozen=True)
class Weights:
    """No group weighs more than the capacity, and rows not more than the scale for each of their people.

    So k groups leave at least ``(all weights - k capacity) / scale`` people of the scope uncovered.
    """

    scope: Numbers
    weights: Numbers  # of the rows of the scope
    capacity: int
    scale: int
    bound: int  # groups that cover the whole scope
    exclusion: Exclusion | None

    def fewest(self, spare: int = 0) -> int:
        """Tell how many groups are needed to leave at most so many people uncovered."""
        needed = max(0, -(-(sum(self.weights) - self.scale * spare) // self.capacity))
        if self.exclusion is not None and spare <= self.exclusion.at_most:
            needed = max(needed, self.exclusion.explanations + 1)
        return needed

    def spared(self, explanations: int) -> int:
        """Tell how many people so many groups leave uncovered at least."""
        left = max(0, -(-(sum(self.weights) - explanations * self.capacity) // self.scale))
        if self.exclusion is not None and explanations <= self.exclusion.explanations:
            left = max(left, self.exclusion.at_most + 1)
        return left


@dataclass(frozen=True)
class Branch:
    """A pair of rows is in one group, or in two, and both cases are proved."""

    pair: Numbers
    parts: tuple["Proof", ...]
    bound: int


Proof: TypeAlias = Weights | Branch


@dataclass(frozen=True)
class Cost:
    """What the cheapest people pay at these prices, less what groups save.

    Where ``anchors`` are given, what everybody pays, less what groups save by their anchors.
    """

    scope: Numbers
    prices: Numbers  # of the rows of the scope; all others pay nothing
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
        """Read the proof that a cover needs so many explanations, or leaves so many people out."""
        if given["kind"].text(KINDS) == "branch":
            parts = tuple(self.proof(given[side]) for side in ("together", "apart"))
            return Branch(given["pair"].distinct(self.rows - 1, 2), parts, _number(given["bound"]))
        scope = self._scope(given["scope"])
        weights = given["weights"].integers(0, LARGEST_NUMBER, len(scope))
        if sum(weights) > LARGEST_NUMBER:
            raise CertificateError(f"{given['weights'].path} sum to more than {LARGEST_NUMBER}")
        capacity, scale = _number(given["capacity"], 1), _number(given["scale"], 1)
        exclusion = self._exclusion(given["exclusion"])
        return Weights(scope, weights, capacity, scale, _number(given["bound"]), exclusion)

    def cost(self, given: Json) -> Cost:
        """Read the proof that so many people cannot be served for less."""
        given["kind"].text(("cost",))
        scope, anchors = self._scope(given["scope"]), None
        prices = given["prices"].integers(0, LARGEST_NUMBER, len(scope))
        if given["anchors"].value is not None:
            told = given["anchors"]
            changes = told["changes"].integers(0, self.features, len(scope))
            anchors = told["savings"].integers(0, LARGEST_NUMBER, len(scope)), changes
        count, needed, bound = (_number(given[name]) for name in ("explanations", "needed", "bound"))
        scale = given["scale"].integer(1, LARGEST_SCALE)
        exclusion = self._exclusion(given["exclusion"], costed=True)
        return Cost(scope, prices, scale, count, needed, bound, exclusion, anchors)

    def _scope(self, given: Json) -> Numbers:
        scope = given.integers(0, self.rows - 1)
        if any(row >= later for row, later in pairwise(scope)):
            raise CertificateError(f"{given.path} must rise, and name no row twice")
        return scope

    def _exclusion(self, given: Json, *, costed: bool = False) -> Exclusion | None:
        if given.value is None:
            return None
        columns = tuple(column.distinct(self.rows - 1) for column in given["columns"].entries())
        moves = []
        for one in given["moves"].entries(len(columns)) if costed else ():
            pairs = one.matrix(-1, LARGEST_NUMBER, 2)
            features = Json(pairs[:, 0].tolist(), given.limits, one.path).distinct(self.features - 1)
            moves.append(tuple(zip(features, pairs[:, 1].tolist(), strict=True)))
        tree = self._case(given["tree"], len(columns))
        if not costed:
            _check_sums(tree, given["tree"].path)
        explanations, at_most = _number(given["explanations"]), _number(given["at_most"])
        return Exclusion(explanations, at_most, columns, tuple(moves), tree)

    def _case(self, given: Json, columns: int) -> Case:
        """Read a case of a search, split by the columns that cover a row, or by whether one is used."""
        filters = tuple(self._filter(pairs) for pairs in given["filters"].entries())
        for name in ("evaluated", "short"):  # how a case ends, which is found out anew
            if name in given and (given[name].value is not True or "parts" in given):
                raise CertificateError(f"{given[name].path} must be true, and ends the case")
        if any(name in given for name in ("row", "columns")):
            row, tried = given["row"].integer(0, self.rows - 1), given["columns"].distinct(columns - 1)
            parts = (self._case(part, columns) for part in given["parts"].entries(len(tried)))
            return Case(filters, row, tried, tuple(parts))
        if not any(name in given for name in ("column", "parts")):
            return Case(filters)
        parts = (self._case(part, columns) for part in given["parts"].entries(2))
        return Case(filters, None, (given["column"].integer(0, columns - 1),), tuple(parts))

    def _filter(self, given: Json) -> Filter:
        """Read numbers of rows, or of sets of rows."""
        found: dict[Numbers, int] = {}
        for pair in given.entries():
            which, weight = pair.entries(2)
            chosen = (which if isinstance(which.value, list) else which.alone()).distinct(self.rows - 1)
            if chosen in found:
                raise CertificateError(f"{pair.path} names a set of rows twice")
            found[chosen] = _number(weight)
        return tuple(found.items())


def _check_sums(case: Case, path: str) -> None:
    """Refuse weights that could not be added up."""
    for numbers in case.filters:
        if sum(len(chosen) * weight for chosen, weight in numbers) > LARGEST_NUMBER:
            raise CertificateError(f"{path} has filters of which one weighs more than {LARGEST_NUMBER}")
    for part in case.parts:
        _check_sums(part, path)


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
            raise CertificateError(f"a listed column names row {min(unknown)}, which is not in the scope")
        return sorted({self.index_of[row] for row in rows if row in self.index_of})

    def within(self, scope: Sequence[int], *numbers: Sequence[int]) -> tuple["Items", list[IntArray]]:
        """Keep the items that a proof speaks of, and numbers of the rows of its scope as numbers of these.

        Rows behind the smallest one of an item have no number but 0.
        """
        for row, *told in zip(scope, *numbers, strict=True):
            if row not in self.item_of or (row not in self.index_of and any(told)):
                raise CertificateError(
                    f"the proof names row {row}, which is a repeat, unreachable or not covered, "
                    "or not the first of those that stay together"
                )
        kept = [index for index, row in enumerate(scope) if row in self.index_of]
        old = [self.index_of[scope[index]] for index in kept]
        new = {item: number for number, item in enumerate(old)}
        apart = {(new[a], new[b]) for a, b in self.apart if a in new and b in new}
        items = Items(tuple(self.members[item] for item in old), frozenset(apart))
        return items, [np.array([each[index] for index in kept], dtype=np.int64) for each in numbers]

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
