"""A result as a file: JSON that holds everything, and a digest by which damage is noticed."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from oneformany.exceptions import CertificateError, plain_reason
from oneformany.files import without_repetition
from oneformany.plain import read_fields, written
from oneformany.problem.goal import Goal
from oneformany.result.result import Result
from oneformany.result.row_index import RowIndex, plain_label
from oneformany.verify.version_2 import OLDER, current

FORMAT, VERSION = "oneformany-result", 3
PARTS = (
    *("status", "ended", "count", "lower_bound", "covered", "method", "seed", "versions", "problem"),
    *("explanations", "assignment", "unreachable", "undecided", "certificate", "statistics", "schema"),
)


def to_text(result: Result) -> str:
    """Write a result as JSON, one line per part."""
    parts = {name: canonical(part) for name, part in _to_dict(result).items()}
    parts["digest"] = json.dumps(_digest(parts))
    return "{\n" + ",\n".join(f'"{name}": {part}' for name, part in parts.items()) + "\n}\n"


def digest(content: Mapping[str, Any]) -> str:
    """Compute the digest of a result file: SHA-256 of its content as canonical JSON, without the digest.

    It notices accidents and careless edits; who means to deceive can compute it anew. What is proved is
    checked from scratch either way.
    """
    return _digest({name: canonical(part) for name, part in content.items() if name != "digest"})


def digest_of(result: Result) -> str:
    """Compute the digest that the file of a result carries."""
    return digest(_to_dict(result))


def read_result(source: str | os.PathLike[str]) -> Result:
    """Read what :func:`to_text` wrote, exactly."""
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    name = "the text" if is_text else str(source)
    try:
        text = str(source) if is_text else Path(source).read_text(encoding="utf-8")
        data = json.loads(text, object_pairs_hook=without_repetition)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CertificateError(
            f"{name} is not complete JSON ({plain_reason(error)}); perhaps half-written: save it again"
        ) from error
    except (OSError, TypeError, ValueError) as error:
        raise CertificateError(f"{name[:200]} cannot be read: {plain_reason(error)}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError(f'{name} is not a result: its "format" is not "{FORMAT}"')
    if data.get("version") not in {OLDER, VERSION}:
        raise CertificateError(
            f"{name} has version {data.get('version')!r}, this release reads versions {OLDER} and {VERSION}; "
            "explain again, or install the release that wrote it"
        )
    try:
        if data["digest"] == digest(data):
            return _from_dict(current(data))
    except CertificateError as error:
        raise CertificateError(f"{name}: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
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
    if result.index.dtype is not None:
        names = list(map(plain_label, result.index.names))
        content["index_type"] = {"names": names, "dtype": result.index.dtype}
    if result.goal.limited:
        content |= {"goal": asdict(result.goal), "covered_bound": result.covered_bound}
    if result.others is not None:
        content["others"] = written(result.others)
    if result.cost_proof is not None:
        content |= {"cost": result.cost_units, "cost_bound": result.cost_proof.bound}
    return content


def canonical(part: object) -> str:
    """Write plain data as canonical JSON: keys sorted, no spaces, ASCII only, no infinite numbers."""
    return json.dumps(part, sort_keys=True, separators=(",", ":"), default=_plain, allow_nan=False)


def _plain(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a result holds plain data only, not {type(value).__name__}")


def _digest(parts: Mapping[str, str]) -> str:
    """Canonical JSON of an object is that of its parts in the order of their names."""
    lines = (f"{json.dumps(name)}:{parts[name]}" for name in sorted(parts))
    return hashlib.sha256(("{" + ",".join(lines) + "}").encode()).hexdigest()


def _from_dict(data: dict[str, Any]) -> Result:
    told, certificate = {name: data[name] for name in PARTS}, data["certificate"]
    told |= {"covered_bound": data.get("covered_bound"), "proof": certificate["proof"]}
    told |= {"cost_proof": certificate.get("cost"), "solver": certificate.get("solver")}
    told |= {"others": data.get("others")}
    index = RowIndex.from_list(data["index"], **data.get("index_type", {}))
    result = Result(**read_fields(Result, told), goal=Goal(**data.get("goal", {})), index=index)
    _check_types(result.problem)
    _check_sizes(result)
    for name, value in (("covered", result.covered), ("cost", result.cost_units)):
        if data.get(name, value) != value:
            raise ValueError(f'"{name}" is {data[name]!r}, the explanations say {value}')
    return result


def _check_types(problem: Mapping[str, Any]) -> None:
    """Check what is told of a problem beside the question itself; words and tables rely on that."""
    texts, listed, ranges = problem.get("rules", []), problem.get("restrictions"), problem.get("ranges", [])
    for name, fits in (
        ("model", isinstance(problem.get("model", {}), dict)),
        ("wanted", "wanted" not in problem or _is_wanted(problem["wanted"])),
        ("rules", isinstance(texts, list) and all(isinstance(text, str) for text in texts)),
        ("restrictions", listed is None or (isinstance(listed, list) and all(map(_has_a_kind, listed)))),
        ("ranges", isinstance(ranges, list) and all(map(_are_spans, ranges))),
        ("slack", problem.get("slack") is None or _is_slack(problem["slack"])),
        ("rows", _integers(problem.get("rows", []))),
        ("already_positive", _integers(problem.get("already_positive", []))),
        ("rows_read", _integers([problem.get("rows_read", 0)])),
        ("read_to_the_end", isinstance(problem.get("read_to_the_end", True), bool)),
        ("max_changes", _integers([problem["max_changes"]])),
        ("share", isinstance(problem.get("share", ""), str)),
    ):
        if not fits:
            raise ValueError(f'"problem.{name}" is {str(problem[name])[:40]!r}, which is of another type')


def _has_a_kind(rule: object) -> bool:
    return isinstance(rule, dict) and isinstance(rule.get("kind"), str)


def _are_spans(listed: object) -> bool:
    """Whether these are features, alone or with the ends of a range."""
    if not isinstance(listed, list):
        return False
    spans = [span for span in listed if isinstance(span, dict)]
    known = (span.keys() == {"feature", "low", "high"} for span in spans)
    ends = (type(span[name]) in {int, float} for span in spans for name in span)
    return _integers([span for span in listed if not isinstance(span, dict)]) and all(known) and all(ends)


def _is_slack(told: object) -> bool:
    """Whether this says how much more rows may pay than alone."""
    if not isinstance(told, dict) or not {"more", "times"} <= told.keys():
        return False
    return all(type(told[name]) in {int, float} for name in ("more", "times"))


def _is_wanted(told: object) -> bool:
    """Whether this says what answer is wanted, and from which threshold on it is given."""
    if not isinstance(told, dict) or told.keys() != {"answer", "for", "threshold", "measure"}:
        return False
    texts = all(isinstance(told[name], (str, NoneType)) for name in ("for", "measure"))
    number = told["threshold"] is None or type(told["threshold"]) in {int, float}
    return texts and number and not isinstance(told["answer"], (list, dict))


def _integers(listed: object) -> bool:
    return isinstance(listed, list) and all(type(number) is int for number in listed)


def _check_sizes(result: Result) -> None:
    """Check what tables and summary rely on; whether the claims hold is for ``verify`` to say."""
    asked, width, made = len(result.problem["codes"]), len(result.problem["levels"]), result.explanations
    points = [point for one in made for point in (one.point, *(one.ends or ()))]
    without = (*result.undecided, *(entry.row for entry in result.unreachable))
    for name, numbers, low, high in (
        ("count", [result.count], len(made), len(made)),
        ("rows that are assigned", [len(result.assignment)], asked, asked),
        ("features of a point", map(len, points), width, width),
        ("rows of explanations", (row for one in made for row in one.members), 0, asked - 1),
        ("changed features", (feature for one in made for feature in one.changed), 0, width - 1),
        ("explanations of rows", result.assignment, -1, len(made) - 1),
        ("unreachable and undecided rows", without, 0, asked - 1),
    ):
        if wrong := [number for number in numbers if not low <= number <= high]:
            raise ValueError(f"{name}: {wrong[0]} is not {low if low == high else f'one of {low} to {high}'}")
