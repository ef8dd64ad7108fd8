"""What boosters without a scikit-learn face say themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.arrays import FloatArray

__all__ = ["lightgbm_probabilities", "xgboost_probabilities"]


def xgboost_probabilities(model: Any, columns: FloatArray) -> FloatArray:
    """Ask an ``xgboost.Booster`` for the probabilities of both classes."""
    import xgboost

    data = xgboost.DMatrix(columns, feature_names=model.feature_names, feature_types=model.feature_types)
    return _both(model.predict(data))


def lightgbm_probabilities(model: Any, columns: FloatArray) -> FloatArray:
    """Ask a ``lightgbm.Booster`` for the probabilities of both classes."""
    return _both(model.predict(columns))


def _both(chances: Any) -> FloatArray:
    second = np.asarray(chances, dtype=np.float64)
    return np.stack([1 - second, second], axis=1)
