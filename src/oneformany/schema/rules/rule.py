"""What a rule is: one about the moves of a feature, or one about a whole changed row."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, levels_told
from oneformany.schema.schema import Schema


@runtime_checkable
class Rule(Protocol):
    """A rule on one feature.

    Examples
    --------
    >>> from oneformany import Immutable
    >>> rule: Rule = Immutable("housing")
    >>> rule.feature
    'housing'
    """

    @property
    def feature(self) -> str:
        """Name of the feature."""
        ...

    def allowed(self, feature: Feature) -> BoolArray:
        """Say for each pair of levels whether a row may move ``[from, to]``."""
        ...


class CellRule(Protocol):
    """A rule on whole changed rows, on the cells of a schema.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import Feature, Linked, Schema
    >>> schema = Schema((Feature("job", ("no", "yes")), Feature("income", ("low", "high"))))
    >>> rule: CellRule = Linked("job", "income").restriction(schema, np.zeros((0, 2), dtype=int))
    """

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of ``(n, p)`` cells may become what it is afterwards."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which the rule can be checked without this package."""
        ...


@runtime_checkable
class RowRule(Protocol):
    """A rule on whole changed rows.

    Examples
    --------
    >>> from oneformany import Linked
    >>> rule: RowRule = Linked("job", "income")
    """

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features it is about; none: all."""
        ...

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:
        """Write the rule in cells; ``reference`` holds the cells of the reference data."""
        ...


def level_of(feature: Feature, value: object, rule: str) -> int:
    """Find the level that a value lies in."""
    level = feature.find(value)
    if level is None:
        known = levels_told(feature)
        raise InputError(f"{rule}({feature.name!r}): {value!r} is none of the levels {known}")
    return level


def levels_of(feature: Feature, values: object, rule: str) -> list[int]:
    """Find the levels of one value or of a list of values."""
    return sorted({level_of(feature, value, rule) for value in _several(values)})


def one_of(values: object) -> str:
    """Name one value, or several of which any will do, in a sentence."""
    return " or ".join(str(value) for value in _several(values))


def _several(values: object) -> list[object]:
    return list(values) if isinstance(values, (list, tuple, set, frozenset)) else [values]
