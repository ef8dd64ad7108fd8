"""One move that is not possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature
from oneformany.schema.rules.rule import level_of

__all__ = ["Forbid"]


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
    >>> from oneformany import Feature, Schema, allowed_moves
    >>> housing = Feature("housing", ("rent", "own", "free"), ordered=True)
    >>> allowed_moves(Schema((housing,)), [Forbid("housing", "own", "rent")])[0].tolist()
    [[True, True, True], [False, True, True], [True, True, True]]
    """

    feature: str
    from_: object
    to: object

    def __str__(self) -> str:
        return f"{self.feature} cannot go from {self.from_} to {self.to}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow all moves but one."""
        start, end = (level_of(feature, value, type(self).__name__) for value in (self.from_, self.to))
        if start == end:
            raise InputError(
                f"Forbid({feature.name!r}): {self.from_!r} to {self.to!r} is not a move; rows may always stay"
            )
        matrix = np.ones((feature.n_levels, feature.n_levels), dtype=np.bool_)
        matrix[start, end] = False
        return matrix
