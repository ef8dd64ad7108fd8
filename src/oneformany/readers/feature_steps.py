"""Which transformers of scikit-learn act feature by feature: each output column reads one input column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer

from oneformany.anything import AnyModel
from oneformany.exceptions import UnsupportedModelError

ENCODERS = frozenset(
    {
        *("Binarizer", "KBinsDiscretizer", "MaxAbsScaler", "MinMaxScaler", "OneHotEncoder", "OrdinalEncoder"),
        *("PowerTransformer", "QuantileTransformer", "RobustScaler", "SimpleImputer", "SplineTransformer"),
        *("StandardScaler", "TargetEncoder"),
    }
)
"""Steps that make columns of one column each."""

SELECTORS = frozenset(
    {
        *("GenericUnivariateSelect", "RFE", "RFECV", "SelectFdr", "SelectFpr", "SelectFromModel"),
        *("SelectFwe", "SelectKBest", "SelectPercentile", "SequentialFeatureSelector", "VarianceThreshold"),
    }
)
"""Steps that leave columns out."""


def check_step(step: AnyModel, name: str) -> None:
    """Make sure that a fitted step, and every step inside it, acts feature by feature."""
    if step is None or isinstance(step, str):
        return
    if isinstance(step, (Pipeline, FeatureUnion, ColumnTransformer)):
        for inner, transformer in _inside(step, name):
            check_step(transformer, f"{name}/{inner}")
    elif isinstance(step, FunctionTransformer):
        _check_function(step, name)
    elif type(step).__module__.split(".")[0] != "sklearn" or type(step).__name__ not in ENCODERS | SELECTORS:
        known = ", ".join(sorted(ENCODERS | SELECTORS))
        raise UnsupportedModelError(
            f"step {name!r} of the pipeline, {type(step).__name__}, may mix features; read are {known}, "
            "FunctionTransformer with a numpy function of one argument, ColumnTransformer, FeatureUnion and "
            "Pipeline of these. Pass the pipeline's predict_proba instead of the pipeline to have it asked "
            "as a black box"
        )


def _inside(step: Pipeline | FeatureUnion | ColumnTransformer, name: str) -> list[tuple[str, Any]]:
    if isinstance(step, Pipeline):
        return list(step.steps)
    if isinstance(step, FeatureUnion):
        return list(step.transformer_list)
    if not hasattr(step, "transformers_"):
        raise UnsupportedModelError(f"step {name!r} of the pipeline is not fitted: call the pipeline's fit")
    return [(inner, transformer) for inner, transformer, _ in step.transformers_]


def _check_function(step: FunctionTransformer, name: str) -> None:
    """Numpy's functions of one number act on each number alone; others could do anything."""
    function = step.func
    entrywise = isinstance(function, np.ufunc) and function.nin == function.nout == 1
    if function is not None and (not entrywise or step.kw_args):
        raise UnsupportedModelError(
            f"step {name!r} of the pipeline calls {getattr(function, '__name__', function)!r}, which may mix "
            "features; use a numpy function of one argument such as numpy.log1p, or pass the pipeline's "
            "predict_proba instead of the pipeline to have it asked as a black box"
        )
