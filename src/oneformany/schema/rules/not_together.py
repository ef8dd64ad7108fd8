"""Features of which only one may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.schema.rules.linked import several
from oneformany.schema.rules.rule import CellRule
from oneformany.schema.schema import Schema

__all__ = ["NotTogether"]


@dataclass(frozen=True, init=False)
class NotTogether:
    """No row changes more than one of these features.

    Parameters
    ----------
    *features : str
        At least two.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import Feature, Schema
    >>> schema = Schema((Feature("job", ("no", "yes")), Feature("income", ("low", "high"))))
    >>> rule = NotTogether("job", "income").restriction(schema, np.zeros((0, 2), dtype=int))
    >>> rule.holds(np.array([[0, 0], [0, 0]]), np.array([[0, 1], [1, 1]])).tolist()
    [True, False]
    """

    features: tuple[str, ...]

    def __init__(self, *features: str) -> None:
        object.__setattr__(self, "features", features)

    def __str__(self) -> str:
        return f"of {', '.join(self.features)}, no row changes more than one"

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:  # noqa: ARG002 (all rules alike)
        """Write the rule in cells."""
        return NotTogetherCells(several(schema, self.features, "NotTogether"))


@dataclass(frozen=True)
class NotTogetherCells:
    """:class:`NotTogether` on cells."""

    features: tuple[int, ...]

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        moved = before[:, self.features] != after[:, self.features]
        return np.asarray(moved.sum(axis=1) <= 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "not_together", "features": list(self.features)}
