"""Rules on whole changed rows; each is written in the cells of a schema, as which a result file keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, ClassVar, Protocol

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.plain import Plain
from oneformany.schema.feature import is_integer
from oneformany.schema.rules.moves import levels_of, one_of
from oneformany.schema.schema import Schema

Levels = tuple[tuple[int, tuple[int, ...]], ...]


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
    >>> print(Implies({"income": "high"}, {"job": "yes"}))
    after a change, if income is high, then job is yes
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
class ImpliesCells(Plain):
    """:class:`Implies` on cells: pairs of a feature and its levels."""

    kind: ClassVar[str] = "implies"
    if_: Levels
    then: Levels

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        named = [feature for feature, _ in (*self.if_, *self.then)]
        touched = (before[:, named] != after[:, named]).any(axis=1)
        return np.asarray(~touched | ~_all(self.if_, after) | _all(self.then, after))


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
    >>> print(Linked("job", "income"))
    job and income change only together
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
        return LinkedCells(_several(schema, self.features, "Linked"), bool(self.one_way))


@dataclass(frozen=True)
class LinkedCells(Plain):
    """:class:`Linked` on cells."""

    kind: ClassVar[str] = "linked"
    features: tuple[int, ...]
    one_way: bool

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        moved = before[:, self.features] != after[:, self.features]
        if self.one_way:
            return np.asarray(~moved[:, 0] | moved.all(axis=1))
        return np.asarray(moved.all(axis=1) | ~moved.any(axis=1))


@dataclass(frozen=True, init=False)
class NotTogether:
    """No row changes more than one of these features.

    Parameters
    ----------
    *features : str
        At least two.

    Examples
    --------
    >>> print(NotTogether("job", "income"))
    of job, income, no row changes more than one
    """

    features: tuple[str, ...]

    def __init__(self, *features: str) -> None:
        object.__setattr__(self, "features", features)

    def __str__(self) -> str:
        return f"of {', '.join(self.features)}, no row changes more than one"

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:  # noqa: ARG002 (all rules alike)
        """Write the rule in cells."""
        return NotTogetherCells(_several(schema, self.features, "NotTogether"))


@dataclass(frozen=True)
class NotTogetherCells(Plain):
    """:class:`NotTogether` on cells."""

    kind: ClassVar[str] = "not_together"
    features: tuple[int, ...]

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        moved = before[:, self.features] != after[:, self.features]
        return np.asarray(moved.sum(axis=1) <= 1)


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
    >>> print(Observed("job", "income", at_least=5))
    new values of job, income occur together in at least 5 rows of the reference data
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
        least = self.at_least
        if not is_integer(least, 1):
            raise InputError(f"Observed: at_least is {least!r}; it must be an integer of at least 1")
        indices = tuple(schema.index(name) for name in self.features) or tuple(range(len(schema.features)))
        if least > len(reference):
            raise InputError(
                f"Observed: at_least is {least}, but the reference data have {len(reference)} rows"
            )
        rows, counts = np.unique(reference[:, indices], axis=0, return_counts=True)
        return ObservedCells(indices, rows, counts, index(least))


@dataclass(frozen=True, eq=False)
class ObservedCells(Plain):
    """:class:`Observed` on cells: the distinct reference rows, and how often each occurs."""

    kind: ClassVar[str] = "observed"
    features: tuple[int, ...]
    rows: IntArray
    counts: IntArray
    at_least: int

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row may become what it is afterwards."""
        wanted = after[:, self.features]
        moved = before[:, self.features] != wanted
        held = np.ones(len(after), dtype=np.bool_)
        for changed in np.unique(moved[moved.any(axis=1)], axis=0):
            these = (moved == changed).all(axis=1)
            seen = Counter[tuple[int, ...]]()
            for row, count in zip(self.rows[:, changed].tolist(), self.counts.tolist(), strict=True):
                seen[tuple(row)] += count
            held[these] = [seen[tuple(row)] >= self.at_least for row in wanted[these][:, changed].tolist()]
        return held


KINDS: dict[str, type[ImpliesCells | LinkedCells | NotTogetherCells | ObservedCells]] = {
    rule.kind: rule for rule in (ImpliesCells, LinkedCells, NotTogetherCells, ObservedCells)
}


def cell_rule(data: Mapping[str, Any]) -> CellRule:
    """Rebuild a rule in cells from its ``to_dict()``."""
    if data.get("kind") not in KINDS:
        raise InputError(f"{data.get('kind')!r} is not a kind of rule on whole rows")
    return KINDS[data["kind"]].from_dict(data)


def _levels(schema: Schema, part: Mapping[str, object]) -> Levels:
    return tuple(
        (at := schema.index(name), tuple(levels_of(schema.features[at], values, "Implies")))
        for name, values in part.items()
    )


def _all(part: Levels, rows: IntArray) -> BoolArray:
    """Whether each row has one of the levels in every feature."""
    return np.asarray(np.all([np.isin(rows[:, feature], levels) for feature, levels in part], axis=0))


def _several(schema: Schema, names: tuple[str, ...], rule: str) -> tuple[int, ...]:
    """Find two or more different features."""
    indices = tuple(schema.index(name) for name in names)
    if len(set(indices)) < max(2, len(indices)):
        raise InputError(f"{rule}{names!r} needs at least two different features")
    return indices
