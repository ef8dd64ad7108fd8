"""Only combinations that occur in the reference data."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.rules.rule import CellRule
from oneformany.schema.schema import Schema

__all__ = ["Observed"]


@dataclass(frozen=True, init=False)
class Observed:
    """The new cells of the features that a row changes occur together in the reference data.

    Parameters
    ----------
    *features : str
        The combinations of which count; without any, of all features.
    at_least : int
        In so many reference rows.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import Feature, Schema
    >>> schema = Schema((Feature("job", ("no", "yes")), Feature("income", ("low", "high"))))
    >>> rule = Observed().restriction(schema, np.array([[1, 1], [0, 0]]))
    >>> rule.holds(np.array([[0, 0], [1, 0]]), np.array([[1, 1], [1, 0]])).tolist()
    [True, True]
    """

    features: tuple[str, ...]
    at_least: int

    def __init__(self, *features: str, at_least: int = 1) -> None:
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "at_least", at_least)

    def __str__(self) -> str:
        among = f" of {', '.join(self.features)}" if self.features else ""
        often = "a row" if self.at_least == 1 else f"{self.at_least} rows"
        return f"new values{among} occur together in at least {often} of the reference data"

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:
        """Write the rule in cells."""
        if (
            isinstance(self.at_least, bool)
            or not isinstance(self.at_least, (int, np.integer))
            or self.at_least < 1
        ):
            raise InputError(f"Observed: at_least is {self.at_least!r}; it must be an integer of at least 1")
        indices = tuple(schema.index(name) for name in self.features) or tuple(range(len(schema.features)))
        if index(self.at_least) > len(reference):
            raise InputError(
                f"Observed: at_least is {self.at_least}, but the reference data have {len(reference)} rows"
            )
        rows, counts = np.unique(reference[:, indices], axis=0, return_counts=True)
        return ObservedCells(indices, rows, counts, index(self.at_least))


@dataclass(frozen=True, eq=False)
class ObservedCells:
    """:class:`Observed` on cells: the distinct reference rows, and how often each occurs."""

    features: tuple[int, ...]
    rows: IntArray
    counts: IntArray
    at_least: int

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        moved = before[:, self.features] != after[:, self.features]
        wanted = after[:, self.features]
        held = np.ones(len(after), dtype=np.bool_)
        kinds, kind_of = np.unique(moved, axis=0, return_inverse=True)
        for kind, changed in enumerate(kinds):
            if changed.any():
                these = np.flatnonzero(kind_of.ravel() == kind)
                held[these] = self._often(wanted[np.ix_(these, changed)], changed)
        return held

    def _often(self, wanted: IntArray, changed: BoolArray) -> BoolArray:
        seen: dict[tuple[int, ...], int] = {}
        for row, count in zip(self.rows[:, changed].tolist(), self.counts.tolist(), strict=True):
            seen[tuple(row)] = seen.get(tuple(row), 0) + count
        return np.array([seen.get(tuple(row), 0) >= self.at_least for row in wanted.tolist()], dtype=np.bool_)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": "observed",
            "features": list(self.features),
            "rows": self.rows.tolist(),
            "counts": self.counts.tolist(),
            "at_least": self.at_least,
        }
