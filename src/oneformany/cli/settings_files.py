"""What a user writes by hand: a schema and costs, in TOML or JSON."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneformany.exceptions import InputError

if TYPE_CHECKING:
    from oneformany.schema.schema import Schema

HEAD = """\
# The features of the rows, as `oneformany explain --schema` reads them. Edit freely:
# - delete the features that the model does not read;
# - ordered = true lets rules such as only_increase speak of the feature;
# - edges cut numbers into cells, each up to and including its edge; there is one level more than edges;
# - unit is shown behind the values, such as "DM" or "months".
"""
ORDER = ("name", "levels", "ordered", "edges", "numbers", "unit", "groups", "special", "missing", "unseen")


def load_schema(path: Path) -> Schema:
    """Read a schema from a file written by ``oneformany schema`` or with ``Schema.to_dict``."""
    from oneformany.schema.schema import Schema

    content = _load(path, "a schema")
    try:
        return Schema.from_dict(content)
    except InputError as error:
        raise InputError(
            f"{path} cannot be read as a schema: {error}; oneformany schema writes one"
        ) from error


def load_costs(path: Path) -> dict[str, Any]:
    """Read what a change of each feature costs: a number, or a table of moves between its levels."""
    return dict(_load(path, "costs"))


def schema_toml(schema: Schema) -> str:
    """Write a schema as TOML, to be read and edited; targets belong to the rows that are explained."""
    return "\n\n".join([HEAD.rstrip(), *("\n".join(_table(f.to_dict())) for f in schema.features)]) + "\n"


def _table(feature: Mapping[str, Any]) -> Iterator[str]:
    yield "[[features]]"
    for name in ORDER:
        if feature.get(name) not in (None, "", False) or name == "ordered":
            yield f"{name} = {_value(feature[name])}"


def _value(value: object) -> str:
    """TOML writes texts, numbers, truth values and lists as JSON does, but for two letters."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _load(path: Path, what: str) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as {what}: {error}") from error
    if not isinstance(content, Mapping):
        raise InputError(f"{path} cannot be read as {what}: it holds no names")
    return content
