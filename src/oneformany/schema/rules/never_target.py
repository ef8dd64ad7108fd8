"""Levels that nobody is sent to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature
from oneformany.schema.rules.rule import levels_of, one_of

__all__ = ["NeverTarget"]


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
    >>> from oneformany import Feature, Schema, allowed_moves
    >>> housing = Feature("housing", ("rent", "own", "free"), ordered=True)
    >>> allowed_moves(Schema((housing,)), [NeverTarget("housing", ["free"])])[0].tolist()
    [[True, True, False], [True, True, False], [True, True, True]]
    """

    feature: str
    values: object

    def __str__(self) -> str:
        return f"nobody is sent to {self.feature} {one_of(self.values)}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to all other levels."""
        if isinstance(self.values, (list, tuple, set, frozenset)) and not self.values:
            raise InputError(f"NeverTarget({feature.name!r}) names no level; name one, or drop the rule")
        matrix = np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_)
        never = levels_of(feature, self.values, type(self).__name__)
        matrix[:, never] = False
        np.fill_diagonal(matrix, val=True)
        return matrix
