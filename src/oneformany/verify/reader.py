"""Read a result file strictly: whatever is not exactly as it should be is an error that says where."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.claims import (
    Branch,
    Claims,
    Classifier,
    CoverCase,
    Dual,
    Enumeration,
    Explanation,
    Proof,
    SolverBound,
    Statement,
)
from oneformany.verify.fields import Fields, check_list, check_wholes
from oneformany.verify.models import Positive, read_network, read_trees

__all__ = ["read_claims"]

FORMAT, VERSION = "oneformany-result", 1
STATUSES = ("optimal", "feasible", "infeasible")
PARTS = (
    *("format", "version", "status", "count", "lower_bound", "method", "seed", "versions", "problem"),
    *("explanations", "assignment", "unreachable", "certificate", "statistics", "schema"),
)
MOST_FEATURES, MOST_LEVELS = 4096, 4096
LONGEST_FRAME = 10**12
LARGEST_NUMBER = 2**60
LARGEST_SCORE = 2**61
FINEST_DIGITS = 18
DEEPEST_PROOF = 250


def read_claims(source: str | os.PathLike[str] | Mapping[str, Any]) -> Claims:
    """Read what a result file claims.

    Parameters
    ----------
    source : path, str or mapping
        A file, its text, or its content as plain data.

    Raises
    ------
    CertificateError
        The source cannot be read, is half-written, of another version, or not exactly of the format.
    """
    fields = Fields(_load(_text(source)), "")
    if fields.text("format") != FORMAT:
        raise CertificateError(f'this is no result: its "format" is not "{FORMAT}"')
    version = fields.whole("version", 0, LARGEST_NUMBER)
    if version != VERSION:
        raise CertificateError(f"the result is of version {version}; this release verifies version {VERSION}")
    try:
        return _claims(fields.only(*PARTS))
    except RecursionError as error:
        raise CertificateError("the proof is too deep to be read") from error


def _text(source: str | os.PathLike[str] | Mapping[str, Any]) -> str:
    try:
        if isinstance(source, Mapping):
            return json.dumps(source)
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return source
        return Path(source).read_text(encoding="utf-8")
    except (OSError, TypeError, ValueError, RecursionError) as error:
        name = "the result" if isinstance(source, Mapping) else str(source)
        raise CertificateError(f"{name} cannot be read: {error}") from error


def _load(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except CertificateError:
        raise
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"this is not whole JSON, perhaps half-written: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise CertificateError(f"a field is given twice among {', '.join(name for name, _ in pairs)}")
    return content


def _refuse(name: str) -> NoReturn:
    raise CertificateError(f"{name} is not a number that a result may hold")


def _claims(fields: Fields) -> Claims:
    fields.text("method")
    fields.whole("seed", -LARGEST_NUMBER, LARGEST_NUMBER)
    fields.inner("versions")
    fields.inner("statistics")
    if fields.value("schema") is not None:
        fields.inner("schema")
    status = fields.text("status")
    if status not in STATUSES:
        raise CertificateError(f"status is {status!r}; known are {', '.join(STATUSES)}")
    statement = _statement(fields.inner("problem"))
    rows = len(statement.codes)
    explanations = tuple(_explanation(entry, statement) for entry in fields.inners("explanations"))
    certificate = fields.inner("certificate").only("bound", "proof")
    return Claims(
        statement=statement,
        status=status,
        count=fields.whole("count", 0, rows),
        lower_bound=fields.whole("lower_bound", 0, rows),
        explanations=explanations,
        assignment=fields.wholes("assignment", -1, len(explanations) - 1, rows),
        unreachable=tuple(_unreachable(entry, rows) for entry in fields.inners("unreachable")),
        bound=certificate.whole("bound", 0, rows),
        proof=_nothing(rows)
        if certificate.value("proof") is None
        else _proof(certificate.inner("proof"), rows),
    )


def _statement(fields: Fields) -> Statement:
    fields.only("codes", "levels", "max_changes", "allowed", "oracle", perhaps=("rows", "already_positive"))
    levels = fields.wholes("levels", 1, MOST_LEVELS)
    if not 1 <= len(levels) <= MOST_FEATURES:
        raise CertificateError(f"problem.levels names {len(levels)} features, not 1 to {MOST_FEATURES}")
    codes = [_codes(row, f"problem.codes[{i}]", levels) for i, row in enumerate(fields.entries("codes"))]
    if not codes:
        raise CertificateError("problem.codes is empty; a problem has at least one row")
    _frame_positions(fields, len(codes))
    return Statement(
        codes=np.array(codes, dtype=np.int64),
        levels=levels,
        max_changes=fields.whole("max_changes", 1, len(levels)),
        rules=_rules(fields, levels),
        classifier=_classifier(fields.inner("oracle"), levels),
    )


def _frame_positions(fields: Fields, n_rows: int) -> None:
    """Where the rows stood in the user's frame, and which others needed no explanation."""
    if "rows" in fields:
        explained = fields.distinct("rows", LONGEST_FRAME, n_rows)
        others = fields.distinct("already_positive", LONGEST_FRAME)
        if set(explained) & set(others):
            raise CertificateError("problem.rows and problem.already_positive name the same row")


def _codes(value: object, place: str, levels: tuple[int, ...]) -> tuple[int, ...]:
    codes = check_wholes(value, place, 0, MOST_LEVELS - 1, len(levels))
    for feature, (code, n) in enumerate(zip(codes, levels, strict=True)):
        if code >= n:
            raise CertificateError(f"{place} has code {code} in feature {feature}, which has {n} levels")
    return codes


def _rules(fields: Fields, levels: tuple[int, ...]) -> tuple[NDArray[np.bool_] | None, ...]:
    if fields.value("allowed") is None:
        return (None,) * len(levels)
    matrices = fields.entries("allowed", len(levels))
    return tuple(
        None if matrix is None else _rule(matrix, f"problem.allowed[{feature}]", n)
        for feature, (matrix, n) in enumerate(zip(matrices, levels, strict=True))
    )


def _rule(value: object, place: str, n: int) -> NDArray[np.bool_]:
    matrix = [
        check_wholes(row, f"{place}[{i}]", 0, 1, n) for i, row in enumerate(check_list(value, place, n))
    ]
    return np.array(matrix, dtype=np.bool_) | np.eye(n, dtype=np.bool_)


def _classifier(fields: Fields, levels: tuple[int, ...]) -> Classifier:
    kind = fields.text("kind")
    return CLASSIFIERS.get(kind, _unknown)(fields, levels)


def _additive(fields: Fields, levels: tuple[int, ...]) -> Classifier:
    fields.only("kind", "digits", "tables", "intercept", "threshold")
    intercept = fields.whole("intercept", -LARGEST_SCORE, LARGEST_SCORE)
    threshold = fields.whole("threshold", -LARGEST_SCORE, LARGEST_SCORE)
    largest = abs(intercept) + abs(threshold)
    tables = np.zeros((len(levels), max(levels)), dtype=np.int64)
    shares = zip(fields.entries("tables", len(levels)), levels, strict=True)
    for feature, (share, n) in enumerate(shares):
        place = f"{fields.place('tables')}[{feature}]"
        tables[feature, :n] = numbers = check_wholes(share, place, -LARGEST_SCORE, LARGEST_SCORE, n)
        largest += max(abs(number) for number in numbers)
    if largest > LARGEST_SCORE:
        raise CertificateError(f"{fields.place('tables')} give scores beyond {LARGEST_SCORE}")
    cutoff = threshold / 10 ** fields.whole("digits", 0, FINEST_DIGITS)
    return Classifier("additive", tables, intercept, threshold, exact=True, cutoff=cutoff)


def _network(fields: Fields, levels: tuple[int, ...]) -> Classifier:
    return _bounded("network", levels, *read_network(fields, levels))


def _trees(fields: Fields, levels: tuple[int, ...]) -> Classifier:
    return _bounded("trees", levels, *read_trees(fields, levels))


def _unknown(fields: Fields, levels: tuple[int, ...]) -> Classifier:
    return _bounded(fields.text("kind"), levels, None, fields.number("threshold"))


def _bounded(
    kind: str, levels: tuple[int, ...], positive: Positive | None, cutoff: float | None
) -> Classifier:
    """Bound a classifier that is no sum of tables: every point may be positive."""
    tables = np.zeros((len(levels), max(levels)), dtype=np.int64)
    return Classifier(kind, tables, 0, 0, exact=False, cutoff=cutoff, positive=positive)


CLASSIFIERS = {"additive": _additive, "network": _network, "trees": _trees}


def _explanation(fields: Fields, statement: Statement) -> Explanation:
    fields.only("point", "changed", "members")
    rows, features = statement.codes.shape
    return Explanation(
        point=_codes(fields.value("point"), fields.place("point"), statement.levels),
        changed=fields.distinct("changed", features - 1),
        members=fields.distinct("members", rows - 1),
    )


def _unreachable(fields: Fields, rows: int) -> int:
    fields.only("row", "reason").text("reason")
    return fields.whole("row", 0, rows - 1)


def _nothing(rows: int) -> Dual:
    """Where nothing was proved, the bound is 0."""
    return Dual(weights=(0,) * rows, capacity=1, bound=0)


def _proof(fields: Fields, rows: int, depth: int = 0) -> Proof:
    kind = fields.text("kind")
    bound = fields.whole("bound", 0, LARGEST_NUMBER)
    if kind == "dual":
        fields.only("kind", "weights", "capacity", "bound")
        return Dual(_weights(fields, rows), fields.whole("capacity", 1, LARGEST_NUMBER), bound)
    if kind == "enumeration":
        fields.only("kind", "weights", "capacity", "target", "columns", "bound", perhaps=("cover",))
        columns = fields.entries("columns")
        return Enumeration(
            weights=_weights(fields, rows),
            capacity=fields.whole("capacity", 1, LARGEST_NUMBER),
            target=fields.whole("target", 1, rows),
            columns=tuple(
                check_wholes(group, f"{fields.place('columns')}[{i}]", 0, rows - 1)
                for i, group in enumerate(columns)
            ),
            cover=_cover(fields.inner("cover"), rows, len(columns)) if "cover" in fields else None,
            bound=bound,
        )
    if kind == "branch":
        fields.only("kind", "pair", "together", "apart", "bound")
        if depth >= DEEPEST_PROOF:
            raise CertificateError(f"the proof is more than {DEEPEST_PROOF} decisions deep")
        one, other = fields.distinct("pair", rows - 1, 2)
        return Branch(
            pair=(one, other),
            together=_proof(fields.inner("together"), rows, depth + 1),
            apart=_proof(fields.inner("apart"), rows, depth + 1),
            bound=bound,
        )
    if kind == "solver":
        fields.only("kind", "name", "bound")
        return SolverBound(fields.text("name"), bound)
    raise CertificateError(
        f"{fields.place('kind')} is {kind!r}; known are dual, enumeration, branch and solver"
    )


def _cover(fields: Fields, rows: int, columns: int, depth: int = 0) -> CoverCase:
    if depth >= DEEPEST_PROOF:
        raise CertificateError(f"the proof is more than {DEEPEST_PROOF} decisions deep")
    fields.only("filters", perhaps=("row", "columns", "parts"))
    place = fields.place("filters")
    filters = tuple(
        _filter(pairs, f"{place}[{i}]", rows) for i, pairs in enumerate(fields.entries("filters"))
    )
    if "row" not in fields:
        fields.only("filters")
        return CoverCase(filters, None, (), ())
    tried = fields.distinct("columns", columns - 1)
    parts = fields.inners("parts")
    if len(parts) != len(tried):
        raise CertificateError(f"{fields.place('parts')} has {len(parts)} entries for {len(tried)} columns")
    return CoverCase(
        filters=filters,
        row=fields.whole("row", 0, rows - 1),
        columns=tried,
        parts=tuple(_cover(part, rows, columns, depth + 1) for part in parts),
    )


def _filter(value: object, place: str, rows: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    weights: dict[tuple[int, ...], int] = {}
    total = 0
    for pair in check_list(value, place):
        chosen, weight = check_list(pair, place, 2)
        chosen = check_wholes(chosen if isinstance(chosen, list) else [chosen], place, 0, rows - 1)
        if len(set(chosen)) != len(chosen) or chosen in weights:
            raise CertificateError(f"{place} weighs a row twice")
        (weights[chosen],) = check_wholes([weight], place, 0, LARGEST_NUMBER)
        total += len(chosen) * weight
    if total > LARGEST_NUMBER:
        raise CertificateError(f"{place} weighs more than {LARGEST_NUMBER}")
    return tuple(weights.items())


def _weights(fields: Fields, rows: int) -> tuple[int, ...]:
    weights = fields.wholes("weights", 0, LARGEST_NUMBER, rows)
    if sum(weights) > LARGEST_NUMBER:
        raise CertificateError(f"{fields.place('weights')} sum to more than {LARGEST_NUMBER}")
    return weights
