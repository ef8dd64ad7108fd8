"""Rules on the moves of one feature: each says which levels a row may go to from its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, is_integer, levels_told, number_label


@dataclass(frozen=True)
class _Steps:
    """A rule on how many levels a row goes up; rows in levels without an order stay there."""

    feature: str

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow moves by how many levels they go up."""
        if not feature.ordered:
            raise InputError(
                f"{type(self).__name__}({feature.name!r}) needs an order, but the levels of {feature.name!r} "
                "have none; make the feature ordered, or forbid single moves"
            )
        ordered = _by_steps(self._may_go(np.arange(1 - feature.n_regular, feature.n_regular)))
        if len(ordered) == feature.n_levels:
            return ordered
        matrix = np.eye(feature.n_levels, dtype=np.bool_)
        matrix[: len(ordered), : len(ordered)] = ordered
        return matrix

    def _may_go(self, steps: IntArray) -> BoolArray:
        raise NotImplementedError


@dataclass(frozen=True)
class Immutable:
    """The feature stays as it is.

    Parameters
    ----------
    feature : str
        Name of the feature.

    Examples
    --------
    >>> from oneformany import Feature
    >>> Immutable("size").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, False, False], [False, True, False], [False, False, True]]
    """

    feature: str

    def __str__(self) -> str:
        return f"{self.feature} cannot change"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow no move."""
        return _by_steps(np.arange(1 - feature.n_levels, feature.n_levels) == 0)


@dataclass(frozen=True)
class OnlyIncrease(_Steps):
    """The feature stays in its level or moves to a later one.

    On a feature with bins the rule is about bins. Special codes, missing and unseen values have no order:
    a row there stays there.

    Parameters
    ----------
    feature : str
        Name of an ordered feature.

    Examples
    --------
    >>> from oneformany import Feature
    >>> OnlyIncrease("size").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, True], [False, True, True], [False, False, True]]
    """

    def __str__(self) -> str:
        return f"{self.feature} can only go up"

    def _may_go(self, steps: IntArray) -> BoolArray:
        return steps >= 0


@dataclass(frozen=True)
class OnlyDecrease(_Steps):
    """The feature stays in its level or moves to an earlier one; otherwise as :class:`OnlyIncrease`.

    Parameters
    ----------
    feature : str
        Name of an ordered feature.

    Examples
    --------
    >>> from oneformany import Feature
    >>> OnlyDecrease("size").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, False, False], [True, True, False], [True, True, True]]
    """

    def __str__(self) -> str:
        return f"{self.feature} can only go down"

    def _may_go(self, steps: IntArray) -> BoolArray:
        return steps <= 0


@dataclass(frozen=True)
class AtMostSteps(_Steps):
    """The feature moves at most so many levels up or down.

    Special codes, missing and unseen values have no order: a row there stays there.

    Parameters
    ----------
    feature : str
        Name of an ordered feature.
    steps : int
        At least 1; for a feature that shall stay there is ``Immutable``.

    Examples
    --------
    >>> from oneformany import Feature
    >>> AtMostSteps("size", 1).allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, False], [True, True, True], [False, True, True]]
    """

    steps: int = 1

    def __str__(self) -> str:
        return f"{self.feature} moves at most {self.steps} {'level' if self.steps == 1 else 'levels'}"

    def _may_go(self, steps: IntArray) -> BoolArray:
        if not is_integer(self.steps, 1):
            raise InputError(
                f"AtMostSteps({self.feature!r}): steps is {self.steps!r}; it must be an integer of at least "
                "1 (Immutable keeps a feature as it is)"
            )
        return np.abs(steps) <= self.steps


@dataclass(frozen=True)
class Forbid:
    """One move is not possible.

    Parameters
    ----------
    feature : str
        Name of the feature.
    from_, to : str, number or truth value
        The level that is left and the one that is taken, or values in them.

    Examples
    --------
    >>> from oneformany import Feature
    >>> Forbid("size", "M", "S").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, True], [False, True, True], [True, True, True]]
    """

    feature: str
    from_: object
    to: object

    def __str__(self) -> str:
        return f"{self.feature} cannot go from {self.from_} to {self.to}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow all moves but one."""
        start, end = (level_of(feature, value, "Forbid") for value in (self.from_, self.to))
        if start == end:
            raise InputError(
                f"Forbid({feature.name!r}): {self.from_!r} to {self.to!r} is not a move; rows may always stay"
            )
        matrix = np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_)
        matrix[start, end] = False
        return matrix


@dataclass(frozen=True)
class NeverTarget:
    """Nobody is sent to these levels; rows that are there may stay.

    Parameters
    ----------
    feature : str
        Name of the feature.
    values : value or list of values
        The levels, or values in them.

    Examples
    --------
    >>> from oneformany import Feature
    >>> NeverTarget("size", ["L"]).allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, False], [True, True, False], [True, True, True]]
    """

    feature: str
    values: object

    def __str__(self) -> str:
        return f"nobody is sent to {self.feature} {one_of(self.values)}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to all other levels."""
        never = levels_of(feature, self.values, "NeverTarget")
        if not never:
            raise InputError(f"NeverTarget({feature.name!r}) names no level; name one, or drop the rule")
        n = feature.n_levels
        return np.eye(n, dtype=np.bool_) | ~np.isin(np.arange(n), never)


@dataclass(frozen=True)
class Range:
    """Whoever changes the feature ends at a number within limits; rows outside may stay.

    Parameters
    ----------
    feature : str
        Name of a feature of numbers.
    low, high : float
        Smallest and largest number, both included.

    Examples
    --------
    >>> from oneformany import Feature
    >>> rooms = Feature("rooms", ("1", "2", "3"), ordered=True, numbers=(1, 2, 3))
    >>> Range("rooms", high=2).allowed(rooms).tolist()
    [[True, True, False], [True, True, False], [True, True, True]]
    """

    feature: str
    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        low, high = number_label(self.low), number_label(self.high)
        numbers = {
            (True, True): "any number",
            (False, True): f"{low} or more",
            (True, False): f"{high} or less",
            (False, False): f"numbers from {low} to {high}",
        }[math.isinf(self.low), math.isinf(self.high)]
        return f"{self.feature} may change to {numbers}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to levels whose target lies within the limits."""
        if not all(isinstance(limit, Real) for limit in (self.low, self.high)) or not self.low <= self.high:
            raise InputError(
                f"Range({feature.name!r}): {self.low!r} to {self.high!r} is not a range of numbers"
            )
        targets = [feature.target(level) for level in range(feature.n_levels)]
        if not any(isinstance(target, Real) for target in targets):
            raise InputError(
                f"Range({feature.name!r}) needs numbers, but {feature.name!r} has none to change to; use "
                "NeverTarget for levels without numbers"
            )
        inside = [isinstance(target, Real) and self.low <= target <= self.high for target in targets]
        return np.eye(feature.n_levels, dtype=np.bool_) | inside


def _by_steps(may: BoolArray) -> BoolArray:
    """Allow moves by how many levels they go up, from the fewest: a view of so few, not of their square."""
    may.flags.writeable = False
    return sliding_window_view(may, (len(may) + 1) // 2)[::-1]


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
