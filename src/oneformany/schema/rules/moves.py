"""Rules on the moves of one feature: each says which levels a row may go to from its own."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, is_integer, number_label
from oneformany.schema.rules.conditions import Interval, condition_on, condition_words, is_end, levels_of


@dataclass(frozen=True)
class _Steps:
    """A rule on how many levels a row goes down and up; rows in levels without an order stay there."""

    feature: Hashable
    _words: ClassVar[str] = ""
    _limits: ClassVar[tuple[float, float]] = (0, 0)  # so many levels down, and so many up
    _needs_order: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"{self.feature} {self._words}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Say for each pair of levels whether a row may move ``[from, to]``."""
        if self._needs_order and not feature.ordered:
            raise InputError(
                f'the rule "{self}" needs an order, but the levels of {feature.name!r} have none; make the '
                "column an ordered category, name its levels in order in a schema (ordered = true), or "
                "forbid single moves"
            )
        n = feature.n_regular if self._needs_order else feature.n_levels
        (down, up), steps = self._most(), np.arange(1 - n, n)
        may = (-down <= steps) & (steps <= up)
        may.flags.writeable = False
        ordered = sliding_window_view(may, n)[::-1]  # shows these few truth values, not their square
        if n == feature.n_levels:
            return ordered
        matrix = np.eye(feature.n_levels, dtype=np.bool_)
        matrix[:n, :n] = ordered
        return matrix

    def _most(self) -> tuple[float, float]:
        return self._limits


@dataclass(frozen=True)
class Immutable(_Steps):
    """The feature stays as it is.

    Parameters
    ----------
    feature : hashable
        Name of the feature: a text, or a number where the columns of the frame are numbered.

    Examples
    --------
    >>> from oneformany import Feature
    >>> Immutable("size").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, False, False], [False, True, False], [False, False, True]]
    """

    _words: ClassVar[str] = "cannot change"
    _needs_order: ClassVar[bool] = False


@dataclass(frozen=True)
class OnlyIncrease(_Steps):
    """The feature stays in its level or moves to a later one.

    On a feature with bins the rule is about bins. Special codes, missing and unseen values have no order:
    a row there stays there.

    Parameters
    ----------
    feature : hashable
        Name of an ordered feature.

    Examples
    --------
    >>> from oneformany import Feature
    >>> OnlyIncrease("size").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, True], [False, True, True], [False, False, True]]
    """

    _words: ClassVar[str] = "can only go up"
    _limits: ClassVar[tuple[float, float]] = (0, math.inf)


@dataclass(frozen=True)
class OnlyDecrease(_Steps):
    """The feature stays in its level or moves to an earlier one; otherwise as :class:`OnlyIncrease`.

    Parameters
    ----------
    feature : hashable
        Name of an ordered feature.

    Examples
    --------
    >>> from oneformany import Feature
    >>> OnlyDecrease("size").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, False, False], [True, True, False], [True, True, True]]
    """

    _words: ClassVar[str] = "can only go down"
    _limits: ClassVar[tuple[float, float]] = (math.inf, 0)


@dataclass(frozen=True)
class AtMostSteps(_Steps):
    """The feature moves at most so many levels up or down.

    Special codes, missing and unseen values have no order: a row there stays there.

    Parameters
    ----------
    feature : hashable
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

    def _most(self) -> tuple[float, float]:
        if not is_integer(self.steps, 1):
            raise InputError(
                f'the rule "{self}" needs an integer of at least 1, not {self.steps!r}; what does not '
                "move at all is immutable"
            )
        return self.steps, self.steps


@dataclass(frozen=True)
class Forbid:
    """One move is not possible.

    Parameters
    ----------
    feature : hashable
        Name of the feature.
    from_, to : str, number or truth value
        The level that is left and the one that is taken, or values in them.

    Examples
    --------
    >>> from oneformany import Feature
    >>> Forbid("size", "M", "S").allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, True], [False, True, True], [True, True, True]]
    """

    feature: Hashable
    from_: object
    to: object

    def __str__(self) -> str:
        return f"{self.feature} cannot go from {self.from_} to {self.to}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow all moves but one."""
        (start,), (end,) = (levels_of(feature, [value], self) for value in (self.from_, self.to))
        if start == end:
            raise InputError(f'the rule "{self}": within a level that is not a move; rows may always stay')
        matrix = np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_)
        matrix[start, end] = False
        return matrix


@dataclass(frozen=True)
class NeverTarget:
    """Nobody is sent to these levels; rows that are there may stay.

    Parameters
    ----------
    feature : hashable
        Name of the feature.
    values : value, list of values, range or comparison
        The levels, or values in them. Of a range such as ``(60, 80)`` or a comparison such as ``"> 60"``:
        the levels whose target lies there.

    Examples
    --------
    >>> from oneformany import Feature
    >>> NeverTarget("size", ["L"]).allowed(Feature("size", ("S", "M", "L"), ordered=True)).tolist()
    [[True, True, False], [True, True, False], [True, True, True]]
    """

    feature: Hashable
    values: object

    def __str__(self) -> str:
        return f"nobody is sent to {self.feature} {condition_words(self.values)}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to all other levels."""
        named = condition_on(feature, self.values, self)
        if isinstance(named, Interval):
            return _only_to(~_targets_within(feature, named, self))
        return _only_to(~np.isin(np.arange(feature.n_levels), named))


@dataclass(frozen=True)
class Range:
    """Whoever changes the feature ends at a number within limits; rows outside may stay.

    Cells offer numbers within these limits, where there are such numbers in the reference data.

    Parameters
    ----------
    feature : hashable
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

    feature: Hashable
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not (is_end(self.low) and is_end(self.high) and self.low <= self.high):
            raise InputError(f"{self.low!r} to {self.high!r} of {self.feature!r} is not a range of numbers")

    def __str__(self) -> str:
        ends = [number_label(end) for end in (self.low, self.high) if not math.isinf(end)]
        one = f"{''.join(ends)} or {'less' if math.isinf(self.low) else 'more'}"
        words = ("any number", one, f"numbers from {' to '.join(ends)}")[len(ends)]
        return f"{self.feature} may change to {words}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to levels whose target lies within the limits."""
        return _only_to(_targets_within(feature, Interval(self.low, self.high), self))


def _targets_within(feature: Feature, span: Interval, rule: object) -> BoolArray:
    """Which levels send rows to a number inside."""
    targets = [feature.target(level) for level in range(feature.n_levels)]
    if not any(isinstance(target, Real) for target in targets):
        raise InputError(
            f'the rule "{rule}" needs numbers, and {feature.name!r} has none to change to; name levels '
            "that nobody is sent to instead"
        )
    return span.holds(
        np.array([to if isinstance(to, Real) else math.nan for to in targets], dtype=np.float64)
    )


def _only_to(levels: BoolArray) -> BoolArray:
    """Allow the moves to some levels, and staying."""
    matrix = np.tile(levels, (len(levels), 1))
    np.fill_diagonal(matrix, val=True)
    return matrix
