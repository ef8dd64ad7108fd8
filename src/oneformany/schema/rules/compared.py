"""Rules that compare numbers, of each row and of targets, where cells do not tell them apart."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isnan, nan
from operator import index
from typing import Any, Protocol, Self

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.plain import integers, written
from oneformany.schema.feature import is_finite, number_label, plain_value
from oneformany.schema.rules.conditions import Interval, level_numbers
from oneformany.schema.schema import Schema

ROUNDING = 1e-12  # relative error of a sum of three numbers, with room: nearer ones are added as decimals


class NumberRule(Protocol):
    """A rule on whole changed rows that also looks at numbers, of which a cell may hold several.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany import AtLeast, Feature, Schema
    >>> ages, years = (Feature(name, ("10", "20"), numbers=(10, 20)) for name in ("age", "work"))
    >>> rule = AtLeast("age", "work").restriction(Schema((ages, years)), np.zeros((0, 2), dtype=int))
    >>> {feature: of.tolist() for feature, of in rule.numbers.items()}
    {0: [10.0, 20.0], 1: [10.0, 20.0]}
    """

    @property
    def numbers(self) -> Mapping[int, FloatArray]:
        """For each feature that it compares the number of each value; not-a-number where there is none."""
        ...

    def holds(self, before: IntArray, after: IntArray, numbers: Mapping[int, FloatArray]) -> BoolArray:
        """Whether each row of ``(n, p)`` cells may become what it is then, with these numbers."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which the rule can be checked without this package."""
        ...


@dataclass(frozen=True, eq=False)
class ImpliesNumbers:
    """:class:`Implies` in cells and numbers: levels or a span for each feature."""

    if_: Mapping[int, list[int] | Interval]
    then: Mapping[int, list[int] | Interval]
    numbers: Mapping[int, FloatArray]  # of the values of each feature of which there is a span

    def holds(self, before: IntArray, after: IntArray, numbers: Mapping[int, FloatArray]) -> BoolArray:
        """Whether each row may become what it is afterwards, when it has these numbers."""
        moved = moved_of((*self.if_, *self.then), before, after).any(axis=1)
        had, has = (
            np.all(
                [
                    of.holds(numbers[at]) if isinstance(of, Interval) else np.isin(after[:, at], of)
                    for at, of in part.items()
                ],
                axis=0,
            )
            for part in (self.if_, self.then)
        )
        return np.asarray(~moved | ~had | has)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        before, after = ([[at, written(of)] for at, of in part.items()] for part in (self.if_, self.then))
        return {"kind": "implies", "if": before, "then": after, "numbers": told_numbers(self.numbers)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        before, after = (
            {
                index(at): Interval.from_dict(of) if isinstance(of, Mapping) else [*integers(of)]
                for at, of in data[part]
            }
            for part in ("if", "then")
        )
        return cls(before, after, numbers_of_file(data["numbers"]))


@dataclass(frozen=True, init=False)
class AtLeast:
    """A row that changes one of two features has a first number that is at least the second, and more.

    That is about each row's own numbers, or the numbers that it is sent to. A missing value or a special code
    is not at least anything, nor is anything at least it. A row that changes neither feature may be changed
    elsewhere, also where it breaks the rule as it was given.

    Parameters
    ----------
    *features : hashable
        Names of two features of numbers: the first is at least the second, and more.
    plus : number
        So much more; less than 0: so much it may be below.

    Examples
    --------
    >>> print(AtLeast("age", "work", plus=14))
    after a change of age or work, age is at least work plus 14
    """

    features: tuple[Any, ...]
    plus: float = 0

    def __init__(self, *features: Hashable, plus: float = 0) -> None:
        self.__dict__.update(features=features, plus=plus)
        if len(set(map(str, features))) != 2:
            named = ", ".join(map(repr, features)) or "nothing"
            raise InputError(f"the rule at_least needs two different features, not {named}")
        if not is_finite(plus):
            raise InputError(f"the rule at_least: plus is {plus!r}; it must be a number such as 14")

    def __str__(self) -> str:
        high, low = self.features
        more = f" {'plus' if self.plus > 0 else 'minus'} {number_label(abs(self.plus))}" if self.plus else ""
        return f"after a change of {high} or {low}, {high} is at least {low}{more}"

    @property
    def compared(self) -> tuple[Any, ...]:
        """Names of the features whose numbers it compares."""
        return self.features

    def restriction(
        self,
        schema: Schema,
        reference: IntArray,  # noqa: ARG002 (all rules alike)
        numbers: Mapping[int, FloatArray] | None = None,
    ) -> NumberRule:
        """Write the rule in ``numbers`` of both features, one for each value; those of levels by default."""
        indices = (schema.index(self.features[0]), schema.index(self.features[1]))
        if numbers is None:
            numbers = {at: level_numbers(schema.features[at], self) for at in indices}
        for at in indices:
            if np.isnan(numbers[at]).all():
                name = schema.names[at]
                raise InputError(
                    f'the rule "{self}" compares numbers, and {name!r} has none; name other features'
                )
        plus = plain_value(self.plus)
        plus = plus if isinstance(plus, (int, float)) else float(plus)
        return AtLeastNumbers(indices, plus, {at: numbers[at] for at in indices})


@dataclass(frozen=True, eq=False)
class AtLeastNumbers:
    """:class:`AtLeast` in indices and numbers."""

    features: tuple[int, int]
    plus: float
    numbers: Mapping[int, FloatArray]  # of the values of both features

    def holds(self, before: IntArray, after: IntArray, numbers: Mapping[int, FloatArray]) -> BoolArray:
        """Whether each row may become what it is afterwards, when it has these numbers."""
        moved = moved_of(self.features, before, after).any(axis=1)
        high, low = (numbers[feature] for feature in self.features)
        ahead = high - low - self.plus
        held = ahead >= 0
        # Numbers are what their digits say: 0.3 is 0.2 plus 0.1, whatever binary fractions add up to
        near = np.abs(ahead) <= ROUNDING * (np.abs(high) + np.abs(low) + abs(self.plus))
        pairs, which = np.unique(np.column_stack([high[near], low[near]]), axis=0, return_inverse=True)
        plus = Fraction(repr(self.plus))
        exact = [Fraction(repr(one)) >= Fraction(repr(other)) + plus for one, other in pairs.tolist()]
        held[near] = np.array(exact, dtype=np.bool_)[which.ravel()]
        return np.asarray(~moved | held)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        told = {"features": list(self.features), "plus": self.plus, "numbers": told_numbers(self.numbers)}
        return {"kind": "at_least", **told}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        high, low = integers(data["features"])
        return cls((high, low), plain_value(data["plus"]), numbers_of_file(data["numbers"]))


def moved_of(features: Sequence[int], before: IntArray, after: IntArray) -> BoolArray:
    """Which of these features each row changes."""
    return np.asarray(before[:, features] != after[:, features])


def told_numbers(numbers: Mapping[int, FloatArray]) -> list[list[Any]]:
    """Write numbers of features; null where a value is not a number."""
    plain = ((at, of.tolist()) for at, of in numbers.items())
    return [[at, [None if isnan(number) else number for number in of]] for at, of in plain]


def numbers_of_file(told: Sequence[Any]) -> dict[int, FloatArray]:
    """Read what :func:`told_numbers` wrote."""
    return {index(at): np.array([nan if n is None else n for n in of], dtype=np.float64) for at, of in told}
