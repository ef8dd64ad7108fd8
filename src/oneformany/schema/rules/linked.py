"""Features that move together, or one that never moves without the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.rules.rule import CellRule
from oneformany.schema.schema import Schema

__all__ = ["Linked"]


@dataclass(frozen=True, init=False)
class Linked:
    """A row that changes one of these features changes all of them.

    Parameters
    ----------
    *features : str
        At least two.
    one_way : bool
        Only the first never changes without the others; they may change without it.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import Feature, Schema
    >>> schema = Schema((Feature("job", ("no", "yes")), Feature("income", ("low", "high"))))
    >>> rule = Linked("job", "income").restriction(schema, np.zeros((0, 2), dtype=int))
    >>> rule.holds(np.array([[0, 0], [0, 0]]), np.array([[0, 1], [1, 1]])).tolist()
    [False, True]
    """

    features: tuple[str, ...]
    one_way: bool

    def __init__(self, *features: str, one_way: bool = False) -> None:
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "one_way", one_way)

    def __str__(self) -> str:
        if self.one_way:
            return f"{self.features[0]} changes only together with {' and '.join(self.features[1:])}"
        return f"{' and '.join(self.features)} change only together"

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:  # noqa: ARG002 (all rules alike)
        """Write the rule in cells."""
        return LinkedCells(several(schema, self.features, "Linked"), bool(self.one_way))


@dataclass(frozen=True)
class LinkedCells:
    """:class:`Linked` on cells."""

    features: tuple[int, ...]
    one_way: bool

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        moved = before[:, self.features] != after[:, self.features]
        if self.one_way:
            return np.asarray(~moved[:, 0] | moved.all(axis=1))
        return np.asarray(moved.all(axis=1) | ~moved.any(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "linked", "features": list(self.features), "one_way": self.one_way}


def several(schema: Schema, names: tuple[str, ...], rule: str) -> tuple[int, ...]:
    """Find two or more different features."""
    indices = tuple(schema.index(name) for name in names)
    if len(set(indices)) < 2 or len(set(indices)) < len(indices):
        raise InputError(f"{rule}{names!r} needs at least two different features")
    return indices
