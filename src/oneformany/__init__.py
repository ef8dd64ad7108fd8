"""The provably smallest set of group counterfactual explanations for a binary classifier."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from oneformany.exceptions import (
    CertificateError,
    DataUnavailableError,
    InputError,
    OneForManyError,
    PredictionMismatchError,
    SolverError,
    UnsupportedModelError,
)

if TYPE_CHECKING:
    from oneformany import datasets
    from oneformany.explainer import OneForMany
    from oneformany.methods import solve
    from oneformany.oracles.additive import AdditiveOracle
    from oneformany.oracles.blackbox import BlackBoxOracle
    from oneformany.oracles.network.oracle import NetworkOracle
    from oneformany.oracles.trees.oracle import TreeOracle
    from oneformany.problem import Problem
    from oneformany.progress import Progress
    from oneformany.readers.callables import BlackBox
    from oneformany.readers.registry import oracle_for
    from oneformany.result.result import Explanation, Result, Unreachable
    from oneformany.schema.discretise import infer_schema
    from oneformany.schema.feature import Feature
    from oneformany.schema.rules import Forbid, Immutable, OnlyDecrease, OnlyIncrease
    from oneformany.schema.schema import Schema

__all__ = [
    "AdditiveOracle",
    "BlackBox",
    "BlackBoxOracle",
    "CertificateError",
    "DataUnavailableError",
    "Explanation",
    "Feature",
    "Forbid",
    "Immutable",
    "InputError",
    "NetworkOracle",
    "OneForMany",
    "OneForManyError",
    "OnlyDecrease",
    "OnlyIncrease",
    "PredictionMismatchError",
    "Problem",
    "Progress",
    "Result",
    "Schema",
    "SolverError",
    "TreeOracle",
    "Unreachable",
    "UnsupportedModelError",
    "__version__",
    "datasets",
    "infer_schema",
    "oracle_for",
    "solve",
]

__version__: str

# Public names and the modules they live in, imported on first use: `import oneformany` stays quick.
HOMES = {
    "AdditiveOracle": "oracles.additive",
    "BlackBox": "readers.callables",
    "BlackBoxOracle": "oracles.blackbox",
    "Explanation": "result.result",
    "Feature": "schema.feature",
    "Forbid": "schema.rules",
    "Immutable": "schema.rules",
    "NetworkOracle": "oracles.network.oracle",
    "OneForMany": "explainer",
    "OnlyDecrease": "schema.rules",
    "OnlyIncrease": "schema.rules",
    "Problem": "problem",
    "Progress": "progress",
    "Result": "result.result",
    "Schema": "schema.schema",
    "TreeOracle": "oracles.trees.oracle",
    "Unreachable": "result.result",
    "infer_schema": "schema.discretise",
    "oracle_for": "readers.registry",
    "solve": "methods",
}
SUBPACKAGES = ("datasets",)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("oneformany")
    if name in SUBPACKAGES:
        return import_module(f"oneformany.{name}")
    if name in HOMES:
        return getattr(import_module(f"oneformany.{HOMES[name]}"), name)
    raise AttributeError(f"module 'oneformany' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
