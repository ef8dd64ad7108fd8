"""Conditions on the values of a feature: some of them, or numbers between two ends."""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import BoolArray, FloatArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, is_finite, listed, number_label, several

COMPARISON = re.compile(r"\s*(>=|<=|>|<)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*")
FORMS = (
    'give a value or a list of values, a comparison such as ">= 30" or "< 30", or a range with both ends, '
    "(30, 80) or {'low': 30, 'high': 80}"
)


@dataclass(frozen=True)
class Interval:
    """Numbers between two ends, each of which belongs to it unless it is open."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def __str__(self) -> str:
        low, high = map(number_label, (self.low, self.high))
        if not math.isinf(self.low) and not math.isinf(self.high):
            return f"from {low} to {high}"
        if math.isinf(self.low):
            return f"less than {high}" if self.open_high else f"at most {high}"
        return f"more than {low}" if self.open_low else f"at least {low}"

    def holds(self, numbers: FloatArray) -> BoolArray:
        """Which numbers lie between the ends; what is not a number does not."""
        above = numbers > self.low if self.open_low else numbers >= self.low
        below = numbers < self.high if self.open_high else numbers <= self.high
        return np.asarray(above & below)

    def decides(self, low: float, high: float) -> bool | None:
        """Whether all numbers above ``low`` up to ``high`` lie inside, or none do; ``None``: only some."""
        if low >= self.low and (high < self.high or (high == self.high and not self.open_high)):
            return True
        outside = high < self.low or (high == self.low and self.open_low) or low >= self.high
        return False if outside else None

    def to_dict(self) -> dict[str, float]:
        """Plain data: the ends that there are, by how they are meant."""
        low, high = "above" if self.open_low else "at_least", "below" if self.open_high else "at_most"
        return {name: end for name, end in ((low, self.low), (high, self.high)) if not math.isinf(end)}

    @classmethod
    def from_dict(cls, data: Mapping[str, float]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        if not data or not set(data) <= {"above", "at_least", "below", "at_most"}:
            raise ValueError(f"{data!r} are not the ends of a range")
        low, high = data.get("above", data.get("at_least")), data.get("below", data.get("at_most"))
        ends = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
        return cls(*ends, "above" in data, "below" in data)


def span_of(given: AnyValue) -> Interval | None:
    """Read a range or a comparison; ``None``: it is neither, so it may be a value or a list of values.

    Raises
    ------
    InputError
        It looks like a range and is none.
    """
    if isinstance(given, str) and (found := COMPARISON.fullmatch(given)):
        end, is_open = float(found[2]), found[1] in {"<", ">"}
        if math.isinf(end):
            raise InputError(f"{given!r} compares with more than decimal numbers hold; {FORMS}")
        return (
            Interval(low=end, open_low=is_open)
            if found[1][0] == ">"
            else Interval(high=end, open_high=is_open)
        )
    ends: tuple[Any, ...] = ()
    if isinstance(given, Mapping):
        ends = (given.get("low"), given.get("high")) if {*given} <= {"low", "high"} else (given,)
    elif isinstance(given, tuple) and len(given) == 2 and any(map(_is_number, given)):
        ends = given
    if not ends:
        return None
    low, high = (-math.inf if ends[0] is None else ends[0], math.inf if ends[-1] is None else ends[-1])
    if not (is_end(low) and is_end(high) and low <= high) or (math.isinf(low) and math.isinf(high)):
        raise InputError(f"{given!r} is not a range; {FORMS}")
    return Interval(float(low), float(high))


def is_end(value: object) -> bool:
    """Whether a range may end there: infinity does, and an integer of 400 digits does not."""
    return is_finite(value) or (isinstance(value, Real) and bool(abs(value) == math.inf))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def condition_on(feature: Feature, given: AnyValue, rule: object) -> list[int] | Interval:
    """Read what a rule asks of a feature: levels, by their labels or values in them, or a span of numbers.

    A label of the feature comes before a comparison that is written alike.
    """
    label = isinstance(given, str) and given in feature.levels
    span = None if label else span_of(given)
    if span is None:
        return levels_of(feature, given, rule, f"; {FORMS}")
    if feature.edges is None and not any(map(_is_number, feature.target_values)):
        raise InputError(
            f'the rule "{rule}" compares numbers, and {feature.name!r} has none; name values of it: '
            f"{listed(feature.levels)}"
        )
    return span


def levels_of(feature: Feature, values: object, rule: object, forms: str = "") -> list[int]:
    """Find the levels that one value or a list of values lies in; ``forms`` says what else can be read."""
    levels = set()
    for value in several(values):
        if (level := feature.find(value)) is None:
            known = listed(feature.levels)
            raise InputError(f'the rule "{rule}": {value!r} is not one of the levels {known}{forms}')
        levels.add(level)
    if not levels:
        raise InputError(f'the rule "{rule}" names no level of {feature.name!r}; name one, or drop the rule')
    return sorted(levels)


def levels_inside(feature: Feature, span: Interval, rule: object) -> list[int]:
    """Find the levels whose numbers all lie in a span; one of which only some do is refused."""
    inside: list[int] = []
    for level in range(feature.n_regular):
        if feature.edges is not None:
            ends = (-math.inf, *feature.edges, math.inf)[level : level + 2]
            decided = span.decides(*ends)
        else:
            value = feature.level_values[level]
            decided = _is_number(value) and bool(span.holds(np.array([value], dtype=np.float64))[0])
        if decided is None:
            raise InputError(
                f'the rule "{rule}": of the numbers in the cell {feature.levels[level]!r} of '
                f"{feature.name!r} only some are {span}; give the feature an edge there"
            )
        inside += [level] * decided
    if not inside:
        raise InputError(f'the rule "{rule}": none of the levels of {feature.name!r} are {span}')
    return inside


def condition_words(given: AnyValue) -> str:
    """Say what is asked of a feature: numbers between two ends, or values of which any will do."""
    with suppress(InputError):  # which is raised when the condition is read
        if (span := span_of(given)) is not None:
            return str(span)
    return " or ".join(map(str, several(given)))


def level_numbers(feature: Feature, rule: object) -> FloatArray:
    """Give the number that each level stands for; not-a-number where it is none, as for special codes."""
    values: list[Any] = list(feature.level_values)
    numbers = [float(value) if _is_number(value) else math.nan for value in values]
    if feature.edges is not None or all(map(math.isnan, numbers[: feature.n_regular])):
        held = "cells of several numbers each" if feature.edges is not None else "no numbers"
        raise InputError(f'the rule "{rule}" compares single numbers, and {feature.name!r} has {held}')
    return np.array([*numbers[: feature.n_regular], *[math.nan] * (feature.n_levels - feature.n_regular)])
