"""Rules on whole changed rows, on names; in cells, as a result file keeps them, on indices and levels."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.plain import Plain, integers
from oneformany.schema.feature import is_integer, several
from oneformany.schema.rules.compared import AtLeastNumbers, ImpliesNumbers, NumberRule, moved_of
from oneformany.schema.rules.conditions import Interval, condition_on, condition_words, levels_inside, span_of
from oneformany.schema.rules.distance import AtMostNumbers
from oneformany.schema.schema import Schema


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

    A row that changes none of the features that the rule names may be changed elsewhere, also where it breaks
    the rule as it was given: what it is was not advised. Ranges and comparisons are about each row's own
    numbers, or the numbers that it is sent to; a missing value or a special code lies in no range. A single
    number stands for its cell. :class:`~oneformany.Problem` takes indices of features and levels.

    Parameters
    ----------
    if_ : mapping of feature to value, list of values, range or comparison
        All of these hold. A list, or a set, names values of which any will do. A range has both its ends:
        ``(30, 80)``, or ``{"low": 30, "high": 80}``, of which one may be missing. Comparisons are texts such
        as ``">= 30"``, with ``>``, ``>=``, ``<`` or ``<=``.
    then : mapping of feature to value, list of values, range or comparison
        So all of these have to.

    Examples
    --------
    >>> print(Implies({"income": "high"}, {"job": "yes"}))
    after a change, if income is high, then job is yes
    >>> print(Implies({"work": "> 10"}, {"age": (30, 80)}))
    after a change, if work is more than 10, then age is from 30 to 80
    """

    if_: Mapping[Any, object]
    then: Mapping[Any, object]

    def __post_init__(self) -> None:
        for name, part in (("if", self.if_), ("then", self.then)):
            if not isinstance(part, Mapping) or not part:
                raise InputError(
                    f"the rule implies: {name!r} must name features and their values, not {part!r}"
                )

    def __str__(self) -> str:
        before, after = (
            " and ".join(f"{name} is {condition_words(values)}" for name, values in part.items())
            for part in (self.if_, self.then)
        )
        return f"after a change, if {before}, then {after}"

    @property
    def features(self) -> tuple[Any, ...]:
        """Names of the features it is about."""
        return tuple(dict.fromkeys((*self.if_, *self.then)))

    @property
    def compared(self) -> tuple[Any, ...]:
        """Names of those of whose numbers it tells some from others."""
        both = (*self.if_.items(), *self.then.items())
        return tuple(dict.fromkeys(name for name, given in both if span_of(given) is not None))

    def restriction(
        self,
        schema: Schema,
        reference: IntArray,  # noqa: ARG002 (all rules alike)
        numbers: Mapping[int, FloatArray] | None = None,
    ) -> CellRule | NumberRule:
        """Write the rule in cells, or in cells and ``numbers`` of features, one for each of their values."""
        before, after = (
            {at: condition_on(schema.features[at], of, self) for at, of in _by_index(schema, part)}
            for part in (self.if_, self.then)
        )
        spans = [at for part in (before, after) for at, of in part.items() if isinstance(of, Interval)]
        if spans and numbers is not None:
            return ImpliesNumbers(before, after, {at: numbers[at] for at in spans})

        def in_levels(part: Mapping[int, list[int] | Interval]) -> dict[int, list[int]]:
            both = ((at, schema.features[at], of) for at, of in part.items())
            return {at: levels_inside(f, of, self) if isinstance(of, Interval) else of for at, f, of in both}

        return Implies(in_levels(before), in_levels(after))

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of cells may become what it is afterwards."""
        moved = moved_of(_codes(self.features), before, after).any(axis=1)
        had, has = (
            np.all([np.isin(after[:, feature], _codes(levels)) for feature, levels in part.items()], axis=0)
            for part in (self.if_, self.then)
        )
        return np.asarray(~moved | ~had | has)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, of a rule in cells."""
        before, after = (
            [[*_codes(feature), list(_codes(levels))] for feature, levels in part.items()]
            for part in (self.if_, self.then)
        )
        return {"kind": "implies", "if": before, "then": after}


@dataclass(frozen=True, init=False)
class _Together:
    """A rule on which of several features a row changes at once."""

    kind: ClassVar[str]
    features: tuple[Any, ...]

    def restriction(self, schema: Schema, reference: IntArray) -> Self:  # noqa: ARG002 (all rules alike)
        """Write the rule in cells."""
        indices = tuple(map(schema.index, self.features))
        if len(set(indices)) < max(2, len(indices)):
            named = ", ".join(map(repr, self.features)) or "nothing"
            raise InputError(f"the rule {self.kind} of {named} needs at least two different features")
        return type(self)(*indices, **{name: vars(self)[name] for name in vars(self) if name != "features"})

    def to_dict(self) -> dict[str, Any]:
        """Plain data, of a rule in cells."""
        return {"kind": self.kind, **vars(self), "features": list(_codes(self.features))}


@dataclass(frozen=True, init=False)
class Linked(_Together):
    """A row that changes one of these features changes all of them.

    Parameters
    ----------
    *features : hashable
        At least two names; a :class:`~oneformany.Problem` takes indices of features.
    one_way : bool
        Only the first never changes without the others; they may change without it.

    Examples
    --------
    >>> print(Linked("job", "income"))
    job and income change only together
    """

    kind: ClassVar[str] = "linked"
    one_way: bool = False

    def __init__(self, *features: Hashable, one_way: bool = False) -> None:
        self.__dict__.update(features=features, one_way=bool(one_way))

    def __str__(self) -> str:
        names = list(map(str, self.features))
        if self.one_way:
            return f"{names[0]} changes only together with {' and '.join(names[1:])}"
        return f"{' and '.join(names)} change only together"

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of cells may become what it is afterwards."""
        moved = moved_of(_codes(self.features), before, after)
        some = moved[:, 0] if self.one_way else moved.any(axis=1)
        return np.asarray(~some | moved.all(axis=1))


@dataclass(frozen=True, init=False)
class NotTogether(_Together):
    """No row changes more than one of these features.

    Parameters
    ----------
    *features : hashable
        At least two names; a :class:`~oneformany.Problem` takes indices of features.

    Examples
    --------
    >>> print(NotTogether("job", "income"))
    of job, income, no row changes more than one
    """

    kind: ClassVar[str] = "not_together"

    def __init__(self, *features: Hashable) -> None:
        self.__dict__.update(features=features)

    def __str__(self) -> str:
        return f"of {', '.join(map(str, self.features))}, no row changes more than one"

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of cells may become what it is afterwards."""
        return np.asarray(moved_of(_codes(self.features), before, after).sum(axis=1) <= 1)


@dataclass(frozen=True, init=False)
class Observed:
    """A row that changes one of these features ends with values of them all that occur together in the data.

    What it does not change counts as well: nobody is sent to sixteen years of work who is of an age at which
    no reference row has so many. Values count by their cells, which are at least as fine for these features
    as round quantiles of the reference data, unless they are given. A row that changes none of the features
    may stay as it is, also where it was never observed.

    Parameters
    ----------
    *features : hashable
        Names of those whose combinations count; without any, of all features that the model reads.
    at_least : int
        In so many reference rows.

    Examples
    --------
    >>> print(Observed("job", "income", at_least=5))
    who changes job or income ends with values of them that at least 5 reference rows have together
    """

    features: tuple[Any, ...] = ()
    at_least: int = 1

    def __init__(self, *features: Hashable, at_least: int = 1) -> None:
        self.__dict__.update(features=features, at_least=at_least)

    def __str__(self) -> str:
        often = "one reference row has" if self.at_least == 1 else f"{self.at_least} reference rows have"
        names, them = " or ".join(map(str, self.features)), " of them" if len(self.features) > 1 else " of it"
        named = (names, them) if names else ("anything", "")
        return f"who changes {named[0]} ends with values{named[1]} that at least {often} together"

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:
        """Write the rule in cells."""
        least = self.at_least
        if not is_integer(least, 1):
            raise InputError(f"the rule observed: at_least is {least!r}; it must be an integer of at least 1")
        named = tuple(dict.fromkeys(map(schema.index, self.features)))
        indices = named or tuple(range(len(schema.features)))
        if least > len(reference):
            raise InputError(
                f"the rule observed: at_least is {least}, but the reference data have {len(reference)} rows"
            )
        rows, counts = np.unique(reference[:, indices], axis=0, return_counts=True)
        return ObservedCells(indices, rows, counts, index(least))


@dataclass(frozen=True, eq=False)
class ObservedCells(Plain):
    """:class:`Observed` in cells: the distinct reference rows, and how often each occurs."""

    kind: ClassVar[str] = "observed"
    features: tuple[int, ...]
    rows: IntArray
    counts: IntArray
    at_least: int

    @cached_property
    def _enough(self) -> frozenset[tuple[int, ...]]:
        """The combinations that occur often enough."""
        seen = Counter[tuple[int, ...]]()
        for row, count in zip(self.rows.tolist(), self.counts.tolist(), strict=True):
            seen[tuple(row)] += count
        return frozenset(row for row, count in seen.items() if count >= self.at_least)

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of cells may become what it is afterwards."""
        moved = moved_of(self.features, before, after).any(axis=1)
        wanted, which = np.unique(after[moved][:, self.features], axis=0, return_inverse=True)
        occurs = np.array([tuple(row) in self._enough for row in wanted.tolist()], dtype=np.bool_)
        held = np.ones(len(after), dtype=np.bool_)
        held[moved] = occurs[which.ravel()]
        return held


def _implies(data: Mapping[str, Any]) -> CellRule | NumberRule:
    if "numbers" in data:
        return ImpliesNumbers.from_dict(data)
    return Implies(*({index(f): integers(levels) for f, levels in data[part]} for part in ("if", "then")))


KINDS: dict[str, Callable[[Mapping[str, Any]], CellRule | NumberRule]] = {
    "implies": _implies,
    "at_least": AtLeastNumbers.from_dict,
    "at_most": AtMostNumbers.from_dict,
    "linked": lambda data: Linked(*integers(data["features"]), one_way=bool(data["one_way"])),
    "not_together": lambda data: NotTogether(*integers(data["features"])),
    "observed": ObservedCells.from_dict,
}


def cell_rule(data: Mapping[str, Any]) -> CellRule | NumberRule:
    """Rebuild a rule in cells from its ``to_dict()``."""
    if data.get("kind") not in KINDS:
        words = data.get("words", data.get("kind"))
        raise InputError(
            f'the rule "{words}" is the user\'s own, and not in the file: ask the explainer again'
        )
    return KINDS[data["kind"]](data)


def _codes(given: object) -> tuple[int, ...]:
    """Take indices or levels of a rule in cells; names and values are for frames."""
    try:
        return integers(several(given))
    except TypeError as error:
        raise InputError(
            f"a rule on codes has indices of features and levels, not {given!r}; rules on names are for "
            "OneForMany, or their restriction(schema, reference) for a Problem"
        ) from error


def _by_index(schema: Schema, part: Mapping[Any, object]) -> list[tuple[int, object]]:
    return [(schema.index(name), of) for name, of in part.items()]
