"""What a row may and may not change: one class per rule, each a matrix of allowed moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema

__all__ = ["Forbid", "Immutable", "OnlyDecrease", "OnlyIncrease", "Rule", "allowed_moves"]


@runtime_checkable
class Rule(Protocol):
    """A rule on one feature."""

    @property
    def feature(self) -> str:
        """Name of the feature."""
        ...

    def allowed(self, feature: Feature) -> BoolArray:
        """Say for each pair of levels whether a row may move ``[from, to]``."""
        ...


@dataclass(frozen=True)
class Immutable:
    """The feature stays as it is.

    Parameters
    ----------
    feature : str
        Name of the feature.
    """

    feature: str

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow no move."""
        return np.eye(feature.n_levels, dtype=np.bool_)


@dataclass(frozen=True)
class OnlyIncrease:
    """The feature stays or moves to a later level.

    Parameters
    ----------
    feature : str
        Name of an ordered feature.
    """

    feature: str

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves upwards."""
        _check_ordered(feature, type(self).__name__)
        return np.triu(np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_))


@dataclass(frozen=True)
class OnlyDecrease:
    """The feature stays or moves to an earlier level.

    Parameters
    ----------
    feature : str
        Name of an ordered feature.
    """

    feature: str

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves downwards."""
        _check_ordered(feature, type(self).__name__)
        return np.tril(np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_))


@dataclass(frozen=True)
class Forbid:
    """One move is not possible.

    Parameters
    ----------
    feature : str
        Name of the feature.
    from_, to : str, number or truth value
        The level that is left and the one that is taken.
    """

    feature: str
    from_: object
    to: object

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow all moves but one."""
        start, end = (_level(feature, value) for value in (self.from_, self.to))
        if start == end:
            raise InputError(
                f"Forbid({feature.name!r}): {self.from_!r} to {self.to!r} is no move; rows may always stay"
            )
        matrix = np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_)
        matrix[start, end] = False
        return matrix


def allowed_moves(schema: Schema, rules: Sequence[Rule]) -> list[BoolArray | None]:
    """Combine rules into one matrix ``[from, to]`` per feature; ``None`` where there is no rule.

    Parameters
    ----------
    schema : Schema
        The features.
    rules : sequence of Rule
        All of them hold.

    Raises
    ------
    InputError
        A rule names an unknown feature or level, orders what has no order, or contradicts another.
    """
    if isinstance(rules, Rule) or not isinstance(rules, Sequence):
        raise InputError(f"rules must be a list of rules, not {rules!r}")
    moves: list[BoolArray | None] = [None] * len(schema.features)
    for rule in rules:
        if not isinstance(rule, Rule):
            raise InputError(f"{rule!r} is no rule; use Immutable, OnlyIncrease, OnlyDecrease or Forbid")
        place = schema.index(rule.feature)
        matrix = rule.allowed(schema.features[place])
        before = moves[place]
        moves[place] = matrix if before is None else before & matrix
    _check_directions(rules)
    return moves


def _check_directions(rules: Sequence[Rule]) -> None:
    up = {rule.feature for rule in rules if isinstance(rule, OnlyIncrease)}
    down = {rule.feature for rule in rules if isinstance(rule, OnlyDecrease)}
    if both := sorted(up & down):
        raise InputError(
            f"feature {both[0]!r} may only increase and only decrease; if it shall not change, say Immutable"
        )


def _check_ordered(feature: Feature, rule: str) -> None:
    if not feature.ordered:
        raise InputError(
            f"{rule}({feature.name!r}) needs an order, but the levels of {feature.name!r} have none; "
            "make the feature ordered, or forbid single moves"
        )


def _level(feature: Feature, value: object) -> int:
    level = feature.find(value)
    if level is None:
        known = ", ".join(repr(label) for label in feature.levels)
        raise InputError(f"Forbid({feature.name!r}): {value!r} is none of the levels {known}")
    return level
