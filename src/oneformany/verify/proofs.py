"""Proofs of bounds as plain frozen data, and how they are read; what they say is in ``docs/format.md``."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.exceptions import CertificateError
from oneformany.verify.json_value import Json

LARGEST_NUMBER = 2**60
LARGEST_SCALE = 2**40
DEEPEST_PROOF = 250
KINDS = ("dual", "enumeration", "branch", "solver")


@dataclass(frozen=True)
class Dual:
    """No group weighs more than ``capacity``, so at least ``bound`` groups carry all the weight."""

    weights: tuple[int, ...]
    capacity: int
    bound: int


@dataclass(frozen=True)
class CoverCase:
    """Why the columns usable in one case do not cover what is needed.

    Weights on sets of rows exclude columns too light for a cover, or every cover, one after the other. A
    column carries the weight of a set once for every two of its rows, rounded up. If the case is still open
    then, some column has to cover the row: one of these, and none of those before it.
    """

    filters: tuple[tuple[tuple[tuple[int, ...], int], ...], ...]
    row: int | None
    columns: tuple[int, ...]
    parts: tuple[CoverCase, ...]


@dataclass(frozen=True)
class Enumeration(Dual):
    """Every group that a cover by ``target`` could use is part of a listed one, and those do not suffice."""

    target: int
    columns: tuple[tuple[int, ...], ...]
    cover: CoverCase


@dataclass(frozen=True)
class Branch:
    """Two rows are in one group or in two; both cases are proved."""

    pair: tuple[int, int]
    together: Proof
    apart: Proof
    bound: int


@dataclass(frozen=True)
class SolverBound:
    """A solver said so, and left nothing that could be recomputed."""

    name: str
    bound: int


Proof = Dual | Branch | SolverBound


@dataclass(frozen=True)
class Column:
    """A listed group: its rows, and the explanation that they follow."""

    rows: tuple[int, ...]
    changed: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """Why the columns usable in one case do not do better.

    Weights or prices of rows exclude columns, or all that is left, one after the other. If the case is still
    open then, a column is used, or not.
    """

    filters: tuple[tuple[tuple[int, int], ...], ...]
    evaluated: bool  # nothing is left to choose: the chosen columns are simply added up
    short: bool  # even all usable columns together with the chosen ones serve too few people
    column: int | None
    parts: tuple[Case, ...]  # with the column, and without it


@dataclass(frozen=True)
class Exclusion:
    """Every group that something better could use is part of a listed column, and those do not suffice."""

    explanations: int
    target: int
    columns: tuple[Column, ...]
    tree: Case


@dataclass(frozen=True)
class CoverageProof:
    """No group weighs more than the capacity, and a row no more than it counts."""

    weights: tuple[int, ...]
    capacity: int
    scale: int
    people: int
    exclusion: Exclusion | None


@dataclass(frozen=True)
class CostProof:
    """What the cheapest people pay at these prices, less what groups save."""

    prices: tuple[int, ...]
    scale: int
    explanations: int
    needed: int
    bound: int
    exclusion: Exclusion | None


@dataclass(frozen=True)
class AnchoredCostProof(CostProof):
    """What everybody pays at these prices, less what groups save by their anchors; nothing is listed."""

    savings: tuple[int, ...]
    changes: tuple[int, ...]


def read_proof(proof: Json, rows: int) -> Proof:
    """Read the proof of a certificate; where nothing was proved, the bound is 0."""
    if proof.value is None:
        return Dual(weights=(0,) * rows, capacity=1, bound=0)
    return _proof(proof, rows, 0)


def _proof(fields: Json, rows: int, depth: int) -> Proof:
    kind = fields["kind"].text(KINDS)
    bound = fields["bound"].integer(0, LARGEST_NUMBER)
    if kind == "solver":
        fields.only("kind", "name", "bound")
        return SolverBound(fields["name"].printable(80), bound)
    if kind == "branch":
        fields.only("kind", "pair", "together", "apart", "bound")
        _check_depth(depth)
        one, other = fields["pair"].distinct(rows - 1, 2)
        together, apart = (_proof(fields[side], rows, depth + 1) for side in ("together", "apart"))
        return Branch((one, other), together, apart, bound)
    searched = ("target", "columns", "cover") if kind == "enumeration" else ()
    fields.only("kind", "weights", "capacity", *searched, "bound")
    weights, capacity = _weights(fields["weights"], rows), _positive(fields["capacity"])
    if not searched:
        return Dual(weights, capacity, bound)
    columns = tuple(column.integers(0, rows - 1) for column in fields["columns"].entries())
    cover = _cover(fields["cover"], rows, len(columns), 0)
    return Enumeration(weights, capacity, bound, fields["target"].integer(1, rows), columns, cover)


def _cover(fields: Json, rows: int, columns: int, depth: int) -> CoverCase:
    _check_depth(depth)
    fields.only("filters", optional=("row", "columns", "parts"))
    filters = tuple(_set_filter(pairs, rows) for pairs in fields["filters"].entries())
    if not any(name in fields for name in ("row", "columns", "parts")):
        return CoverCase(filters, None, (), ())
    fields.only("filters", "row", "columns", "parts")
    tried = fields["columns"].distinct(columns - 1)
    return CoverCase(
        filters=filters,
        row=fields["row"].integer(0, rows - 1),
        columns=tried,
        parts=tuple(_cover(part, rows, columns, depth + 1) for part in fields["parts"].entries(len(tried))),
    )


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST_PROOF:
        raise CertificateError(f"the proof is more than {DEEPEST_PROOF} decisions deep")


def _set_filter(pairs: Json, rows: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Read weights of sets of rows; a set of one row may be written as the row."""
    weights: dict[tuple[int, ...], int] = {}
    total = 0
    for pair in pairs.entries():
        which, weight = pair.entries(2)
        listed = which if isinstance(which.value, list) else Json([which.value], which.path)
        chosen = listed.distinct(rows - 1)
        if chosen in weights:
            raise CertificateError(f"{pair.path} weighs a set of rows twice")
        weights[chosen] = weight.integer(0, LARGEST_NUMBER)
        total += len(chosen) * weights[chosen]
    if total > LARGEST_NUMBER:
        raise CertificateError(f"{pairs.path} weighs more than {LARGEST_NUMBER}")
    return tuple(weights.items())


def _weights(numbers: Json, rows: int) -> tuple[int, ...]:
    weights = numbers.integers(0, LARGEST_NUMBER, rows)
    if sum(weights) > LARGEST_NUMBER:
        raise CertificateError(f"{numbers.path} sum to more than {LARGEST_NUMBER}")
    return weights


def _positive(number: Json) -> int:
    return number.integer(1, LARGEST_NUMBER)


def read_coverage(fields: Json, rows: int, features: int) -> CoverageProof:
    """Read the proof that so many explanations cover no more."""
    fields.only("kind", "weights", "capacity", "scale", "rows", "exclusion")["kind"].text(("coverage",))
    return CoverageProof(
        weights=_weights(fields["weights"], rows),
        capacity=_positive(fields["capacity"]),
        scale=fields["scale"].integer(1, LARGEST_SCALE),
        people=fields["rows"].integer(0, LARGEST_NUMBER),
        exclusion=_exclusion(fields["exclusion"], rows, features),
    )


def read_cost(fields: Json, rows: int, features: int) -> CostProof:
    """Read the proof that so many people cannot be served for less."""
    kind = fields["kind"].text(("cost", "anchored cost"))
    others = ("exclusion",) if kind == "cost" else ("savings", "changes")
    fields.only("kind", "prices", "scale", "explanations", "needed", "bound", *others)
    prices = fields["prices"].integers(0, LARGEST_NUMBER, rows)
    scale = fields["scale"].integer(1, LARGEST_SCALE)
    explanations, needed, bound = (
        fields[name].integer(0, LARGEST_NUMBER) for name in ("explanations", "needed", "bound")
    )
    if kind == "cost":
        exclusion = _exclusion(fields["exclusion"], rows, features)
        return CostProof(prices, scale, explanations, needed, bound, exclusion)
    savings = fields["savings"].integers(0, LARGEST_NUMBER, rows)
    changes = fields["changes"].integers(0, features, rows)
    return AnchoredCostProof(prices, scale, explanations, needed, bound, None, savings, changes)


def _exclusion(fields: Json, rows: int, features: int) -> Exclusion | None:
    if fields.value is None:
        return None
    fields.only("explanations", "target", "columns", "tree")
    columns = tuple(_column(entry, rows, features) for entry in fields["columns"].entries())
    return Exclusion(
        explanations=fields["explanations"].integer(0, LARGEST_NUMBER),
        target=fields["target"].integer(0, LARGEST_NUMBER),
        columns=columns,
        tree=_case(fields["tree"], rows, len(columns)),
    )


def _column(parts: Json, rows: int, features: int) -> Column:
    members, changed, targets = parts.entries(3)
    return Column(
        members.distinct(rows - 1),
        changed.distinct(features - 1),
        targets.integers(-1, LARGEST_NUMBER, features),
    )


def _case(fields: Json, rows: int, columns: int) -> Case:
    fields.only(optional=("filters", "evaluated", "short", "column", "parts"))
    entries = fields["filters"].entries() if "filters" in fields else ()
    filters = tuple(_row_filter(pairs, rows) for pairs in entries)
    evaluated, short = "evaluated" in fields, "short" in fields
    for name in ("evaluated", "short"):
        if name in fields and (fields[name].value is not True or "column" in fields):
            raise CertificateError(f"{fields[name].path} must be true, and ends the case")
    if "column" not in fields:
        fields.only(optional=("filters", "evaluated", "short"))
        return Case(filters, evaluated, short, None, ())
    column = fields["column"].integer(0, columns - 1)
    parts = tuple(_case(part, rows, columns) for part in fields["parts"].entries(2))
    return Case(filters, evaluated, short, column, parts)


def _row_filter(pairs: Json, rows: int) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for pair in pairs.entries():
        row, number = pair.integers(0, LARGEST_NUMBER, 2)
        if row >= rows or row in found:
            raise CertificateError(f"{pair.path} names row {row}, which is not there or was named before")
        found[row] = number
    return tuple(found.items())
