"""A feature that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.schema.feature import Feature

__all__ = ["Immutable"]


@dataclass(frozen=True)
class Immutable:
    """The feature stays as it is.

    Parameters
    ----------
    feature : str
        Name of the feature.

    Examples
    --------
    >>> from oneformany import Feature, Schema, allowed_moves
    >>> housing = Feature("housing", ("rent", "own", "free"), ordered=True)
    >>> allowed_moves(Schema((housing,)), [Immutable("housing")])[0].tolist()
    [[True, False, False], [False, True, False], [False, False, True]]
    """

    feature: str

    def __str__(self) -> str:
        return f"{self.feature} cannot change"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow no move."""
        return np.eye(feature.n_levels, dtype=np.bool_)
