"""A feature that moves a few levels only."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature
from oneformany.schema.rules.rule import check_ordered

__all__ = ["AtMostSteps"]


@dataclass(frozen=True)
class AtMostSteps:
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
    >>> from oneformany import Feature, Schema, allowed_moves
    >>> housing = Feature("housing", ("rent", "own", "free"), ordered=True)
    >>> allowed_moves(Schema((housing,)), [AtMostSteps("housing", 1)])[0].tolist()
    [[True, True, False], [True, True, True], [False, True, True]]
    """

    feature: str
    steps: int = 1

    def __str__(self) -> str:
        return f"{self.feature} moves at most {self.steps} {'level' if self.steps == 1 else 'levels'}"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to near levels."""
        check_ordered(feature, type(self).__name__)
        try:
            steps = index(self.steps)
        except TypeError:
            steps = 0
        if steps < 1 or isinstance(self.steps, bool):
            raise InputError(
                f"AtMostSteps({feature.name!r}): steps is {self.steps!r}; it must be an integer of at least "
                "1 (Immutable keeps a feature as it is)"
            )
        matrix = np.eye(feature.n_levels, dtype=np.bool_)
        level = np.arange(feature.n_regular)
        near = np.abs(level[:, None] - level) <= steps
        matrix[: len(level), : len(level)] = near
        return matrix
