"""Rules in a TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from oneformany.anything import AnyValue
from oneformany.exceptions import InputError
from oneformany.schema.rules.moves import (
    AtMostSteps,
    Forbid,
    Immutable,
    NeverTarget,
    OnlyDecrease,
    OnlyIncrease,
    Range,
)
from oneformany.schema.rules.rows import Implies, Linked, NotTogether, Observed
from oneformany.schema.rules.rule import RowRule, Rule

AnyRule = Rule | RowRule


def rules_from_toml(path: str | os.PathLike[str]) -> list[AnyRule]:
    """Read rules from a TOML file.

    Parameters
    ----------
    path : path
        For example::

            immutable = ["sex", "age"]
            only_increase = ["education"]

            [at_most_steps]
            savings = 1

            [range.amount]
            low = 250
            high = 10000

            [never_target]
            job = ["unemployed"]

            [[forbid]]
            feature = "housing"
            from = "own"
            to = "rent"

            [[implies]]
            if = { job = "unemployed" }
            then = { income = "none" }

            [[linked]]
            features = ["amount", "duration"]

            [[not_together]]
            features = ["job", "housing"]

            [[observed]]
            features = ["job", "housing"]
            at_least = 5

    Raises
    ------
    InputError
        The file cannot be read, or holds something that is not a rule.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "rules.toml"
    >>> _ = file.write_text('immutable = ["sex"]')
    >>> rules_from_toml(file)
    [Immutable(feature='sex')]
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as rules: {error}") from error
    rules: list[AnyRule] = []
    for kind, part in content.items():
        if kind not in PARTS:
            raise InputError(f"{path}: {kind!r} is not a kind of rule; known are {', '.join(PARTS)}")
        try:
            rules += PARTS[kind](part)
        except (TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path}: the part {kind!r} cannot be read: {_said(error)}") from error
    return rules


def _said(error: Exception) -> str:
    return f"{error} is not there" if isinstance(error, KeyError) else str(error)


def _names(rule: Callable[[str], AnyRule]) -> Callable[[Any], list[AnyRule]]:
    def read(part: AnyValue) -> list[AnyRule]:
        if not isinstance(part, list):
            raise TypeError("a list of features is needed")
        return [rule(name) for name in part]

    return read


def _by_feature(part: AnyValue) -> Mapping[str, Any]:
    if not isinstance(part, Mapping):
        raise TypeError("one table is needed, begun by [...], with a line for each feature")
    return part


def _tables(part: AnyValue) -> list[Mapping[str, Any]]:
    if not isinstance(part, list) or not all(isinstance(entry, Mapping) for entry in part):
        raise TypeError("a list of tables is needed, each begun by [[...]]")
    return part


PARTS: dict[str, Callable[[Any], list[AnyRule]]] = {
    "immutable": _names(Immutable),
    "only_increase": _names(OnlyIncrease),
    "only_decrease": _names(OnlyDecrease),
    "at_most_steps": lambda part: [AtMostSteps(name, steps) for name, steps in _by_feature(part).items()],
    "range": lambda part: [Range(name, **limits) for name, limits in _by_feature(part).items()],
    "never_target": lambda part: [NeverTarget(name, values) for name, values in _by_feature(part).items()],
    "forbid": lambda part: [Forbid(entry["feature"], entry["from"], entry["to"]) for entry in _tables(part)],
    "implies": lambda part: [Implies(entry["if"], entry["then"]) for entry in _tables(part)],
    "linked": lambda part: [
        Linked(*entry["features"], one_way=entry.get("one_way", False)) for entry in _tables(part)
    ],
    "not_together": lambda part: [NotTogether(*entry["features"]) for entry in _tables(part)],
    "observed": lambda part: [
        Observed(*entry.get("features", ()), at_least=entry.get("at_least", 1)) for entry in _tables(part)
    ],
}
