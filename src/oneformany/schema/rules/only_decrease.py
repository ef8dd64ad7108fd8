"""A feature that moves in one direction only: it may decrease."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.schema.feature import Feature
from oneformany.schema.rules.rule import check_ordered

__all__ = ["OnlyDecrease"]


@dataclass(frozen=True)
class OnlyDecrease:
    """The feature stays in its level or moves to a earlier one.

    On a feature with bins the rule is about bins. Special codes, missing and unseen values have no order:
    a row there stays there.

    Parameters
    ----------
    feature : str
        Name of an ordered feature.

    Examples
    --------
    >>> from oneformany import Feature, Schema, allowed_moves
    >>> housing = Feature("housing", ("rent", "own", "free"), ordered=True)
    >>> allowed_moves(Schema((housing,)), [OnlyDecrease("housing")])[0].tolist()
    [[True, False, False], [True, True, False], [True, True, True]]
    """

    feature: str

    def __str__(self) -> str:
        return f"{self.feature} can only go down"

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves downwards."""
        check_ordered(feature, type(self).__name__)
        matrix = np.eye(feature.n_levels, dtype=np.bool_)
        regular = feature.n_regular
        matrix[:regular, :regular] = np.tril(np.ones((regular, regular), dtype=np.bool_))
        return matrix
