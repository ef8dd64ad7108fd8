"""From a file or its text to JSON content: read within limits, each field once, the digest recomputed."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from oneformany.exceptions import CertificateError
from oneformany.verify.json_value import Json
from oneformany.verify.limits import Limits

Parsed: TypeAlias = Any  # what JSON holds, before it is checked
Source = str | os.PathLike[str] | Mapping[str, Any]

FORMAT, VERSION = "oneformany-result", 2
LARGEST_VERSION = 10**6
# Bytes that Python takes at most for what these characters of a JSON text begin or separate, twice: as
# read and as checked.
BYTES = {"[": 136, "{": 480, ",": 64, '"': 80}


def read_document(source: Source, limits: Limits) -> Parsed:
    """Read the content of a result file, if it is complete, of this version, and not too large."""
    content = _load(_text(source, limits), limits)
    fields = Json(content)
    if fields["format"].text() != FORMAT:
        raise CertificateError(f'this is not a result: its "format" is not "{FORMAT}"')
    version = fields["version"].integer(0, LARGEST_VERSION)
    if version != VERSION:
        release = "an older" if version < VERSION else "a newer"
        raise CertificateError(
            f"the result is of version {version}, written by {release} release; this one verifies "
            f"version {VERSION}: explain again, or install that release"
        )
    return content


def check_digest(content: Mapping[str, Any]) -> str:
    """Confirm that the content is what was written, to the letter of each label."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"the digest cannot be computed: {error}") from error
    digest = sha256(text.encode("ascii")).hexdigest()
    if content["digest"] != digest:
        raise CertificateError("the digest is not that of the content: the file was changed after writing")
    return f"sha256 {digest[:12]}... of everything in the file"


def _text(source: Source, limits: Limits) -> str:
    if not isinstance(source, (str, os.PathLike, Mapping)):
        raise CertificateError(
            f"{type(source).__name__} is not a file, its text, or its content; of a Result, check what its "
            "to_json() writes, or call its verify()"
        )
    try:
        if isinstance(source, Mapping):
            return json.dumps(source)
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return source
        with Path(source).open("rb") as file:
            content = file.read(limits.most_bytes())
        limits.need(2 * len(content), "the file")
        return content.decode("utf-8")
    except (OSError, TypeError, ValueError, RecursionError) as error:
        name = "the result" if isinstance(source, Mapping) else str(source)[:200]
        raise CertificateError(f"{name} cannot be read: {error}") from error


def _load(text: str, limits: Limits) -> Parsed:
    limits.hold(3 * len(text) + sum(size * text.count(mark) for mark, size in BYTES.items()), "the file")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except CertificateError:
        raise
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"this is not complete JSON, perhaps half-written: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise CertificateError(f"the field {name[:40]!r} is given twice")
    return content


def _refuse(name: str) -> NoReturn:
    raise CertificateError(f"{name} is not a number that a result may hold")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _refuse(text[:40])
