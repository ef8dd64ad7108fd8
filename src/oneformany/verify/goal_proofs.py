"""Proofs about what a few explanations can do, as plain frozen data, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.exceptions import CertificateError
from oneformany.verify.json_object import JsonObject, check_integers, check_list
from oneformany.verify.proofs import LARGEST_NUMBER

__all__ = [
    "AnchoredCostProof",
    "Case",
    "Column",
    "CostProof",
    "CoverageProof",
    "Exclusion",
    "read_cost",
    "read_coverage",
]

LARGEST_SCALE = 2**40


@dataclass(frozen=True)
class Column:
    """A listed group: its rows, and the explanation that they follow."""

    rows: tuple[int, ...]
    changed: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """Why the columns usable in one case do not do better.

    Attributes
    ----------
    filters : tuple of tuples of (row, number)
        Weights or prices of rows that exclude columns, or all that is left, one after the other.
    evaluated : bool
        Nothing is left to choose: the chosen columns are simply added up.
    short : bool
        Even all usable columns together with the chosen ones serve too few people.
    column : int or None
        If the case is still open then: a column that is used, or not.
    parts : tuple of Case
        The case with the column, and the case without it.
    """

    filters: tuple[tuple[tuple[int, int], ...], ...]
    evaluated: bool
    short: bool
    column: int | None
    parts: tuple[Case, ...]


@dataclass(frozen=True)
class Exclusion:
    """Every group that something better could use is part of a listed column, and those do not suffice."""

    explanations: int
    target: int
    columns: tuple[Column, ...]
    tree: Case


@dataclass(frozen=True)
class CoverageProof:
    """No group weighs more than the capacity, and a row no more than it counts; see ``docs/format.md``."""

    weights: tuple[int, ...]
    capacity: int
    scale: int
    people: int
    exclusion: Exclusion | None


@dataclass(frozen=True)
class CostProof:
    """What the cheapest people pay at these prices, less what groups save; see ``docs/format.md``."""

    prices: tuple[int, ...]
    scale: int
    explanations: int
    needed: int
    bound: int
    exclusion: Exclusion | None


@dataclass(frozen=True)
class AnchoredCostProof:
    """What everybody pays at these prices, less what groups save by their anchors; see ``docs/format.md``."""

    bound: int
    explanations: int
    needed: int
    scale: int
    prices: tuple[int, ...]
    savings: tuple[int, ...]
    changes: tuple[int, ...]


def read_coverage(fields: JsonObject, rows: int, features: int) -> CoverageProof:
    """Read the proof that so many explanations cover no more."""
    fields.only("kind", "weights", "capacity", "scale", "rows", "exclusion").text("kind", ("coverage",))
    weights = fields.integers("weights", 0, LARGEST_NUMBER, rows)
    if sum(weights) > LARGEST_NUMBER:
        raise CertificateError(f"{fields.path('weights')} sum to more than {LARGEST_NUMBER}")
    return CoverageProof(
        weights=weights,
        capacity=fields.integer("capacity", 1, LARGEST_NUMBER),
        scale=fields.integer("scale", 1, LARGEST_SCALE),
        people=fields.integer("rows", 0, LARGEST_NUMBER),
        exclusion=_exclusion(fields, rows, features),
    )


def read_cost(fields: JsonObject, rows: int, features: int) -> CostProof | AnchoredCostProof:
    """Read the proof that so many people cannot be served for less."""
    if fields.text("kind", ("cost", "anchored cost")) == "anchored cost":
        return _anchored(fields, rows, features)
    fields.only("kind", "prices", "scale", "explanations", "needed", "bound", "exclusion")
    return CostProof(
        prices=fields.integers("prices", 0, LARGEST_NUMBER, rows),
        scale=fields.integer("scale", 1, LARGEST_SCALE),
        explanations=fields.integer("explanations", 0, LARGEST_NUMBER),
        needed=fields.integer("needed", 0, LARGEST_NUMBER),
        bound=fields.integer("bound", 0, LARGEST_NUMBER),
        exclusion=_exclusion(fields, rows, features),
    )


def _anchored(fields: JsonObject, rows: int, features: int) -> AnchoredCostProof:
    fields.only("kind", "prices", "changes", "savings", "scale", "explanations", "needed", "bound")
    return AnchoredCostProof(
        prices=fields.integers("prices", 0, LARGEST_NUMBER, rows),
        changes=fields.integers("changes", 0, features, rows),
        savings=fields.integers("savings", 0, LARGEST_NUMBER, rows),
        scale=fields.integer("scale", 1, LARGEST_SCALE),
        explanations=fields.integer("explanations", 0, LARGEST_NUMBER),
        needed=fields.integer("needed", 0, LARGEST_NUMBER),
        bound=fields.integer("bound", 0, LARGEST_NUMBER),
    )


def _exclusion(outer: JsonObject, rows: int, features: int) -> Exclusion | None:
    if not outer.has("exclusion"):
        return None
    fields = outer.inner("exclusion").only("explanations", "target", "columns", "tree")
    path = fields.path("columns")
    columns = tuple(
        _column(entry, f"{path}[{i}]", rows, features) for i, entry in enumerate(fields.entries("columns"))
    )
    return Exclusion(
        explanations=fields.integer("explanations", 0, LARGEST_NUMBER),
        target=fields.integer("target", 0, LARGEST_NUMBER),
        columns=columns,
        tree=_tree(fields.inner("tree"), rows, len(columns)),
    )


def _column(value: object, path: str, rows: int, features: int) -> Column:
    members, changed, targets = check_list(value, path, 3)
    column = Column(
        check_integers(members, f"{path}[0]", 0, rows - 1),
        check_integers(changed, f"{path}[1]", 0, features - 1),
        check_integers(targets, f"{path}[2]", -1, LARGEST_NUMBER, features),
    )
    for part in (column.rows, column.changed):
        if len(set(part)) != len(part):
            raise CertificateError(f"{path} names something twice")
    return column


def _tree(fields: JsonObject, rows: int, columns: int) -> Case:
    fields.only(optional=("filters", "evaluated", "short", "column", "parts"))
    path = fields.path("filters")
    entries = fields.entries("filters") if "filters" in fields else []
    filters = tuple(_filter(pairs, f"{path}[{i}]", rows) for i, pairs in enumerate(entries))
    for name in ("evaluated", "short"):
        if name in fields and (fields.value(name) is not True or "column" in fields):
            raise CertificateError(f"{fields.path(name)} must be true, and ends the case")
    evaluated, short = "evaluated" in fields, "short" in fields
    if "column" not in fields:
        fields.only(optional=("filters", "evaluated", "short"))
        return Case(filters, evaluated, short, None, ())
    parts = fields.inners("parts")
    if len(parts) != 2:
        raise CertificateError(f"{fields.path('parts')} must be two: with the column, and without it")
    column = fields.integer("column", 0, columns - 1)
    return Case(filters, evaluated, short, column, tuple(_tree(part, rows, columns) for part in parts))


def _filter(value: object, path: str, rows: int) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for pair in check_list(value, path):
        row, number = check_integers(pair, path, 0, LARGEST_NUMBER, 2)
        if row >= rows or row in found:
            raise CertificateError(f"{path} names row {row}, which is not there or was named before")
        found[row] = number
    return tuple(found.items())
