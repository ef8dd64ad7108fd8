"""Proofs of bounds as plain frozen data, and how they are read; what they say is in ``docs/format.md``."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import Json

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


Filter = tuple[tuple[tuple[int, ...], int], ...]
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
    columns: tuple[int, ...] = ()
    parts: tuple[Case, ...] = ()
    evaluated: bool = False  # nothing is left to choose: the chosen columns are simply added up
    short: bool = False  # even all usable columns together with the chosen ones serve too few people


@dataclass(frozen=True)
class Enumeration(Dual):
    """Every group that a cover by ``target`` could use is part of a listed one, and those do not suffice."""

    target: int
    columns: tuple[tuple[int, ...], ...]
    cover: Case


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
    kind, bound = fields["kind"].text(KINDS), fields["bound"].integer(0, LARGEST_NUMBER)
    if kind == "solver":
        return SolverBound(fields["name"].printable(80), bound)
    if kind == "branch":
        _check_depth(depth)
        one, other = fields["pair"].distinct(rows - 1, 2)
        together, apart = (_proof(fields[side], rows, depth + 1) for side in ("together", "apart"))
        return Branch((one, other), together, apart, bound)
    weights, capacity = _weights(fields["weights"], rows), fields["capacity"].integer(1, LARGEST_NUMBER)
    if kind == "dual":
        return Dual(weights, capacity, bound)
    columns = tuple(column.integers(0, rows - 1) for column in fields["columns"].entries())
    cover = _cover(fields["cover"], rows, len(columns), 0)
    return Enumeration(weights, capacity, bound, fields["target"].integer(1, rows), columns, cover)


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST_PROOF:
        raise CertificateError(f"the proof is more than {DEEPEST_PROOF} decisions deep")


def _weights(numbers: Json, rows: int) -> tuple[int, ...]:
    weights = numbers.integers(0, LARGEST_NUMBER, rows)
    if sum(weights) > LARGEST_NUMBER:
        raise CertificateError(f"{numbers.path} sum to more than {LARGEST_NUMBER}")
    return weights


def _cover(fields: Json, rows: int, columns: int, depth: int) -> Case:
    """Read a case of a set cover, split by the columns that cover a row."""
    _check_depth(depth)
    filters = tuple(_filter(pairs, rows, sets=True) for pairs in fields["filters"].entries())
    if not any(name in fields for name in ("row", "columns", "parts")):
        return Case(filters)
    row, tried = fields["row"].integer(0, rows - 1), fields["columns"].distinct(columns - 1)
    parts = (_cover(part, rows, columns, depth + 1) for part in fields["parts"].entries(len(tried)))
    return Case(filters, row, tried, tuple(parts))


def _case(fields: Json, rows: int, columns: int) -> Case:
    """Read a case of a search, split by whether a column is used."""
    entries = fields["filters"].entries() if "filters" in fields else ()
    filters = tuple(_filter(pairs, rows, sets=False) for pairs in entries)
    split = "column" in fields
    for name in ("evaluated", "short"):
        if name in fields and (fields[name].value is not True or split):
            raise CertificateError(f"{fields[name].path} must be true, and ends the case")
    if not split:
        return Case(filters, evaluated="evaluated" in fields, short="short" in fields)
    parts = (_case(part, rows, columns) for part in fields["parts"].entries(2))
    return Case(filters, None, (fields["column"].integer(0, columns - 1),), tuple(parts))


def _filter(pairs: Json, rows: int, *, sets: bool) -> Filter:
    """Read numbers of rows, or weights of sets of rows, where a set of one row may be written as the row."""
    found: dict[tuple[int, ...], int] = {}
    for pair in pairs.entries():
        which, number = pair.entries(2)
        listed = which if sets and isinstance(which.value, list) else Json([which.value], which.path)
        chosen = listed.distinct(rows - 1)
        if chosen in found:
            raise CertificateError(f"{pair.path} names {'a set of rows' if sets else 'a row'} twice")
        found[chosen] = number.integer(0, LARGEST_NUMBER)
    if sets and sum(len(chosen) * weight for chosen, weight in found.items()) > LARGEST_NUMBER:
        raise CertificateError(f"{pairs.path} weighs more than {LARGEST_NUMBER}")
    return tuple(found.items())


def read_coverage(fields: Json, rows: int, features: int) -> CoverageProof:
    """Read the proof that so many explanations cover no more."""
    fields["kind"].text(("coverage",))
    return CoverageProof(
        weights=_weights(fields["weights"], rows),
        capacity=fields["capacity"].integer(1, LARGEST_NUMBER),
        scale=fields["scale"].integer(1, LARGEST_SCALE),
        people=fields["rows"].integer(0, LARGEST_NUMBER),
        exclusion=_exclusion(fields["exclusion"], rows, features),
    )


def read_cost(fields: Json, rows: int, features: int) -> CostProof:
    """Read the proof that so many people cannot be served for less."""
    kind = fields["kind"].text(("cost", "anchored cost"))
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
    columns = tuple(_column(entry, rows, features) for entry in fields["columns"].entries())
    explanations, target = (fields[name].integer(0, LARGEST_NUMBER) for name in ("explanations", "target"))
    return Exclusion(explanations, target, columns, _case(fields["tree"], rows, len(columns)))


def _column(parts: Json, rows: int, features: int) -> Column:
    members, changed, targets = parts.entries(3)
    cells = targets.integers(-1, LARGEST_NUMBER, features)
    return Column(members.distinct(rows - 1), changed.distinct(features - 1), cells)
