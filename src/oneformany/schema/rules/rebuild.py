"""Rules on whole rows from the plain data that a result file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from oneformany.exceptions import InputError
from oneformany.schema.rules.implies import ImpliesCells
from oneformany.schema.rules.linked import LinkedCells
from oneformany.schema.rules.not_together import NotTogetherCells
from oneformany.schema.rules.observed import ObservedCells
from oneformany.schema.rules.rule import CellRule

__all__ = ["cell_rule"]


def cell_rule(data: Mapping[str, Any]) -> CellRule:
    """Rebuild a rule from its ``to_dict()``.

    Parameters
    ----------
    data : mapping
        Plain data with a ``"kind"``.
    """
    kind = data.get("kind")
    if kind == "implies":
        if_, then = (
            tuple((feature, tuple(levels)) for feature, levels in data[part]) for part in ("if", "then")
        )
        return ImpliesCells(if_, then)
    if kind == "linked":
        return LinkedCells(tuple(data["features"]), bool(data["one_way"]))
    if kind == "not_together":
        return NotTogetherCells(tuple(data["features"]))
    if kind == "observed":
        rows = np.array(data["rows"], dtype=np.int64).reshape(-1, len(data["features"]))
        return ObservedCells(tuple(data["features"]), rows, np.array(data["counts"]), data["at_least"])
    raise InputError(f"{kind!r} is not a kind of rule on whole rows")
