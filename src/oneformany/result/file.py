"""A result as a file: JSON that holds everything, and a digest by which damage is noticed."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.plain import written
from oneformany.problem.goal import Goal
from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.proof import AnchoredCostProof, CostProof, CoverageProof, proof_from_dict
from oneformany.result.result import Ended, Result, Status
from oneformany.result.row_index import RowIndex
from oneformany.schema.schema import Schema
from oneformany.statistics import Statistics

FORMAT = "oneformany-result"
VERSION = 2
PARTS = (
    *("status", "ended", "count", "lower_bound", "covered", "method", "seed", "versions", "problem"),
    *("explanations", "assignment", "unreachable", "undecided", "certificate", "statistics", "schema"),
)
MADE = {"covered", "explanations", "unreachable", "certificate", "statistics", "schema"}


def to_text(result: Result) -> str:
    """Write a result as JSON, one line per part."""
    parts = {name: _dump(part) for name, part in _to_dict(result).items()}
    parts["digest"] = json.dumps(_digest_of_parts(parts))
    lines = [f"{json.dumps(name)}: {part}" for name, part in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def digest(content: Mapping[str, Any]) -> str:
    """Compute the digest of a result file: SHA-256 of its content as canonical JSON, without the digest.

    Canonical: sorted keys, no spaces, ASCII only, no infinite numbers. A digest notices accidents and
    careless edits; who means to deceive can compute it anew. What is proved is checked from scratch by
    :func:`oneformany.verify.verify` either way.
    """
    return _digest_of_parts({name: _dump(part) for name, part in content.items() if name != "digest"})


def digest_of(result: Result) -> str:
    """Compute the digest that the file of a result carries."""
    return digest(_to_dict(result))


def read_result(source: str | os.PathLike[str]) -> Result:
    """Read what :func:`to_text` wrote, exactly."""
    text, name = _read(source)
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CertificateError(
            f"{name} is not complete JSON ({error}); it may be half-written: save the result again"
        ) from error
    _check_header(data, name)
    try:
        if data["digest"] == digest(data):
            return _from_dict(data)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CertificateError(
            f"{name} is not a complete result: {type(error).__name__} {error}; save the result again"
        ) from error
    raise CertificateError(
        f"{name} was altered or damaged after it was written: its digest does not fit its content; "
        "save the result again"
    )


def _to_dict(result: Result) -> dict[str, Any]:
    content = {
        "format": FORMAT,
        "version": VERSION,
        **{name: written(getattr(result, name)) for name in PARTS},
        "index": result.index.to_list(),
    }
    for record in content["statistics"]["rounds"]:  # strict JSON has no infinity: no relaxation was solved
        if not math.isfinite(record["value"]):
            record["value"] = str(float(record["value"]))
    if not result.index.plain:
        content["index_type"] = {"names": list(result.index.names), "dtype": result.index.dtype}
    if result.goal.limited:
        content |= {"goal": asdict(result.goal), "covered_bound": result.covered_bound}
    if result.cost_bound is not None:
        content |= {"cost": result.cost, "cost_bound": result.cost_bound}
    return content


def _dump(part: object) -> str:
    return json.dumps(part, sort_keys=True, separators=(",", ":"), default=_plain, allow_nan=False)


def _digest_of_parts(parts: Mapping[str, str]) -> str:
    """Canonical JSON of an object is that of its parts in the order of their names."""
    lines = (f"{json.dumps(name)}:{parts[name]}" for name in sorted(parts))
    return hashlib.sha256(("{" + ",".join(lines) + "}").encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a result holds plain data only, not {type(value).__name__}")


def _read(source: str | os.PathLike[str]) -> tuple[str, str]:
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return source, "the text"
    try:
        return Path(source).read_text(encoding="utf-8"), str(source)
    except (OSError, UnicodeDecodeError) as error:
        raise CertificateError(f"{source} cannot be read: {error}") from error


def _check_header(data: object, name: str) -> None:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError(f'{name} is not a result: its "format" is not "{FORMAT}"')
    version = data.get("version")
    if version == 1:
        raise CertificateError(
            f"{name} is of version 1, written by release 0.1.0; it did not tell rows beyond help from rows "
            f"that nobody examined; this release reads version {VERSION}: explain again, or install 0.1.0"
        )
    if version != VERSION:
        raise CertificateError(
            f"{name} has version {version!r}, this release reads version {VERSION}; "
            "install the release that wrote it"
        )
    for part, known in (("status", get_args(Status)), ("ended", get_args(Ended))):
        if data.get(part) not in known:
            raise CertificateError(f"{name} has the unknown {part} {data.get(part)!r}")


def _from_dict(data: dict[str, Any]) -> Result:
    for name, kind in (("problem", dict), ("certificate", dict), ("versions", dict), ("method", str)):
        if not isinstance(data[name], kind):
            raise TypeError(f'"{name}" is not of type {kind.__name__}')
    certificate = data["certificate"]
    rounds = [{**record, "value": float(record["value"])} for record in data["statistics"].get("rounds", [])]
    result = Result(
        **{name: data[name] for name in PARTS if name not in MADE},
        explanations=tuple(map(Explanation.from_dict, data["explanations"])),
        unreachable=tuple(map(Unreachable.from_dict, data["unreachable"])),
        schema=None if data["schema"] is None else Schema.from_dict(data["schema"]),
        proof=proof_from_dict(certificate["proof"]),
        coverage_proof=proof_from_dict(certificate.get("coverage"), (CoverageProof,)),
        cost_proof=proof_from_dict(certificate.get("cost"), (CostProof, AnchoredCostProof)),
        statistics=Statistics.from_dict({**data["statistics"], "rounds": rounds}),
        index=RowIndex.from_list(data["index"], **data.get("index_type", {})),
        goal=Goal(**data.get("goal", {})),
        covered_bound=data.get("covered_bound"),
    )
    _check_sizes(result)
    for name, value in (("covered", result.covered), ("cost", result.cost)):
        if data.get(name, value) != value:
            raise ValueError(f'"{name}" is {data[name]!r}, the explanations say {value}')
    return result


def _check_sizes(result: Result) -> None:
    """Check what tables and summary rely on; whether the claims hold is for ``verify`` to say."""
    asked, width = len(result.problem["codes"]), len(result.problem["levels"])
    if result.count != len(result.explanations):
        raise ValueError(f"the count is {result.count}, there are {len(result.explanations)} explanations")
    if len(result.assignment) != asked:
        raise ValueError(f"{asked} rows were asked, but {len(result.assignment)} are assigned")
    for explanation in result.explanations:
        if any(len(point) != width for point in (explanation.point, *(explanation.ends or ()))):
            raise ValueError(f"a point has other than the {width} features of the problem")
        if not all(0 <= row < asked for row in explanation.members):
            raise ValueError(f"an explanation covers rows other than 0 to {asked - 1}")
        if not all(0 <= feature < width for feature in explanation.changed):
            raise ValueError(f"an explanation changes features other than 0 to {width - 1}")
    if not all(-1 <= number < result.count for number in result.assignment):
        raise ValueError(f"rows are assigned to explanations other than 0 to {result.count - 1}")
    if not all(0 <= row < asked for row in (*result.undecided, *(e.row for e in result.unreachable))):
        raise ValueError(f"rows other than 0 to {asked - 1} are called unreachable or undecided")
