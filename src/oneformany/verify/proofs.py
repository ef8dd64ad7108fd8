"""Proofs of a lower bound as plain frozen data, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.exceptions import CertificateError
from oneformany.verify.json_object import JsonObject, check_integers, check_list

__all__ = [
    "LARGEST_NUMBER",
    "Branch",
    "CoverCase",
    "Dual",
    "Enumeration",
    "Proof",
    "SolverBound",
    "read_proof",
]

LARGEST_NUMBER = 2**60
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

    Attributes
    ----------
    filters : tuple of tuples of (rows, weight)
        Weights on sets of rows that exclude columns too light for a cover, or every cover, one after the
        other. A column carries the weight of a set once for every two of its rows, rounded up.
    row : int or None
        If the case is still open then: a row that some column has to cover.
    columns : tuple of int
        The numbers of all usable columns that cover the row.
    parts : tuple of CoverCase
        For each of these the case that it is used, and none of those before it.
    """

    filters: tuple[tuple[tuple[tuple[int, ...], int], ...], ...]
    row: int | None
    columns: tuple[int, ...]
    parts: tuple[CoverCase, ...]


@dataclass(frozen=True)
class Enumeration:
    """Every group that a cover by ``target`` could use is part of a listed one, and those do not suffice."""

    weights: tuple[int, ...]
    capacity: int
    target: int
    columns: tuple[tuple[int, ...], ...]
    cover: CoverCase
    bound: int


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


Proof = Dual | Enumeration | Branch | SolverBound


def read_proof(certificate: JsonObject, rows: int) -> Proof:
    """Read the proof of a certificate; where nothing was proved, the bound is 0."""
    if certificate.value("proof") is None:
        return Dual(weights=(0,) * rows, capacity=1, bound=0)
    return _proof(certificate.inner("proof"), rows)


def _proof(fields: JsonObject, rows: int, depth: int = 0) -> Proof:
    kind = fields.text("kind", KINDS)
    bound = fields.integer("bound", 0, LARGEST_NUMBER)
    if kind == "dual":
        fields.only("kind", "weights", "capacity", "bound")
        return Dual(_weights(fields, rows), fields.integer("capacity", 1, LARGEST_NUMBER), bound)
    if kind == "enumeration":
        return _enumeration(fields, rows, bound)
    if kind == "solver":
        fields.only("kind", "name", "bound")
        return SolverBound(fields.text("name")[:80], bound)
    fields.only("kind", "pair", "together", "apart", "bound")
    _check_depth(depth)
    one, other = fields.distinct("pair", rows - 1, 2)
    together, apart = (_proof(fields.inner(side), rows, depth + 1) for side in ("together", "apart"))
    return Branch((one, other), together, apart, bound)


def _enumeration(fields: JsonObject, rows: int, bound: int) -> Enumeration:
    fields.only("kind", "weights", "capacity", "target", "columns", "cover", "bound")
    columns = fields.entries("columns")
    path = fields.path("columns")
    return Enumeration(
        weights=_weights(fields, rows),
        capacity=fields.integer("capacity", 1, LARGEST_NUMBER),
        target=fields.integer("target", 1, rows),
        columns=tuple(check_integers(g, f"{path}[{i}]", 0, rows - 1) for i, g in enumerate(columns)),
        cover=_cover(fields.inner("cover"), rows, len(columns)),
        bound=bound,
    )


def _cover(fields: JsonObject, rows: int, columns: int, depth: int = 0) -> CoverCase:
    _check_depth(depth)
    fields.only("filters", optional=("row", "columns", "parts"))
    path = fields.path("filters")
    filters = tuple(_filter(pairs, f"{path}[{i}]", rows) for i, pairs in enumerate(fields.entries("filters")))
    if not any(name in fields for name in ("row", "columns", "parts")):
        return CoverCase(filters, None, (), ())
    fields.only("filters", "row", "columns", "parts")
    tried = fields.distinct("columns", columns - 1)
    parts = fields.inners("parts")
    if len(parts) != len(tried):
        raise CertificateError(f"{fields.path('parts')} has {len(parts)} entries for {len(tried)} columns")
    return CoverCase(
        filters=filters,
        row=fields.integer("row", 0, rows - 1),
        columns=tried,
        parts=tuple(_cover(part, rows, columns, depth + 1) for part in parts),
    )


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST_PROOF:
        raise CertificateError(f"the proof is more than {DEEPEST_PROOF} decisions deep")


def _filter(value: object, path: str, rows: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    weights: dict[tuple[int, ...], int] = {}
    total = 0
    for pair in check_list(value, path):
        chosen, weight = check_list(pair, path, 2)
        chosen = check_integers(chosen if isinstance(chosen, list) else [chosen], path, 0, rows - 1)
        if len(set(chosen)) != len(chosen) or chosen in weights:
            raise CertificateError(f"{path} weighs a row twice")
        (weights[chosen],) = check_integers([weight], path, 0, LARGEST_NUMBER)
        total += len(chosen) * weight
    if total > LARGEST_NUMBER:
        raise CertificateError(f"{path} weighs more than {LARGEST_NUMBER}")
    return tuple(weights.items())


def _weights(fields: JsonObject, rows: int) -> tuple[int, ...]:
    weights = fields.integers("weights", 0, LARGEST_NUMBER, rows)
    if sum(weights) > LARGEST_NUMBER:
        raise CertificateError(f"{fields.path('weights')} sum to more than {LARGEST_NUMBER}")
    return weights
