"""If these values, then those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.rules.rule import CellRule, levels_of, one_of
from oneformany.schema.schema import Schema

__all__ = ["Implies"]

Levels = tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, eq=False)
class Implies:
    """A changed row that has these values must have those.

    A row that breaks the rule as it was given, and changes none of the features it names, may be changed
    elsewhere: what it is was not advised.

    Parameters
    ----------
    if_ : mapping of feature to value or list of values
        All of these hold.
    then : mapping of feature to value or list of values
        So all of these have to.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import Feature, Schema
    >>> schema = Schema((Feature("job", ("no", "yes")), Feature("income", ("low", "high"))))
    >>> rule = Implies({"income": "high"}, {"job": "yes"}).restriction(schema, np.zeros((0, 2), dtype=int))
    >>> rule.holds(np.array([[0, 0], [0, 0]]), np.array([[0, 1], [1, 1]])).tolist()
    [False, True]
    """

    if_: Mapping[str, object]
    then: Mapping[str, object]

    def __str__(self) -> str:
        before, after = (
            " and ".join(f"{name} is {one_of(values)}" for name, values in part.items())
            for part in (self.if_, self.then)
        )
        return f"after a change, if {before}, then {after}"

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features it is about."""
        return tuple(dict.fromkeys((*self.if_, *self.then)))

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:  # noqa: ARG002 (all rules alike)
        """Write the rule in cells."""
        for name, part in (("if_", self.if_), ("then", self.then)):
            if not isinstance(part, Mapping) or not part:
                raise InputError(f"Implies: {name} must be a dict of feature to values, not {part!r}")
        return ImpliesCells(_levels(schema, self.if_), _levels(schema, self.then))


@dataclass(frozen=True)
class ImpliesCells:
    """:class:`Implies` on cells: pairs of a feature and its levels."""

    if_: Levels
    then: Levels

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        touched = np.zeros(len(after), dtype=np.bool_)
        for feature, _ in (*self.if_, *self.then):
            touched |= before[:, feature] != after[:, feature]
        return ~touched | ~_all(self.if_, after) | _all(self.then, after)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": "implies",
            "if": [[feature, list(levels)] for feature, levels in self.if_],
            "then": [[feature, list(levels)] for feature, levels in self.then],
        }


def _levels(schema: Schema, part: Mapping[str, object]) -> Levels:
    found = []
    for name, values in part.items():
        index = schema.index(name)
        found.append((index, tuple(levels_of(schema.features[index], values, "Implies"))))
    return tuple(found)


def _all(part: Levels, rows: IntArray) -> BoolArray:
    held = np.ones(len(rows), dtype=np.bool_)
    for feature, levels in part:
        held &= np.isin(rows[:, feature], levels)
    return held
