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
    from oneformany import datasets, plotting, verify
    from oneformany.costs import Costs
    from oneformany.engine.run import Options
    from oneformany.explainer import OneForMany
    from oneformany.methods import solve
    from oneformany.oracles.additive import AdditiveOracle
    from oneformany.oracles.blackbox import BlackBoxOracle
    from oneformany.oracles.constrained import ConstrainedOracle
    from oneformany.oracles.network.oracle import Network, NetworkOracle
    from oneformany.oracles.protocol import Answer, Oracle, Question, Relaxation
    from oneformany.oracles.trees.ensemble import Tree, TreeEnsemble
    from oneformany.oracles.trees.oracle import TreeOracle
    from oneformany.own import OwnValues
    from oneformany.problem import Problem, Restriction
    from oneformany.progress import Progress
    from oneformany.readers.callables import BlackBox
    from oneformany.readers.registry import Reader, oracle_for, register_reader
    from oneformany.readers.verdict import ProbabilityVerdict, Reading, Verdict
    from oneformany.report.report import report_html, write_report
    from oneformany.result.explanation import Explanation, Unreachable
    from oneformany.result.proof import (
        BranchProof,
        CoverCase,
        DualProof,
        EnumerationProof,
        Proof,
        SolverProof,
    )
    from oneformany.result.result import Result
    from oneformany.result.row_index import RowIndex
    from oneformany.schema.discretise import infer_schema
    from oneformany.schema.encoding import Encoding
    from oneformany.schema.feature import Feature
    from oneformany.schema.rules import (
        AtMostSteps,
        CellRule,
        Forbid,
        Immutable,
        Implies,
        Linked,
        NeverTarget,
        NotTogether,
        Observed,
        OnlyDecrease,
        OnlyIncrease,
        Range,
        RowRule,
        Rule,
        allowed_moves,
        rules_from_toml,
    )
    from oneformany.schema.schema import Schema
    from oneformany.statistics import Round, Statistics
    from oneformany.stop import Stop
    from oneformany.subgroups import Audit, audit

__all__ = [
    "AdditiveOracle",
    "Answer",
    "AtMostSteps",
    "Audit",
    "BlackBox",
    "BlackBoxOracle",
    "BranchProof",
    "CellRule",
    "CertificateError",
    "ConstrainedOracle",
    "Costs",
    "CoverCase",
    "DataUnavailableError",
    "DualProof",
    "Encoding",
    "EnumerationProof",
    "Explanation",
    "Feature",
    "Forbid",
    "Immutable",
    "Implies",
    "InputError",
    "Linked",
    "Network",
    "NetworkOracle",
    "NeverTarget",
    "NotTogether",
    "Observed",
    "OneForMany",
    "OneForManyError",
    "OnlyDecrease",
    "OnlyIncrease",
    "Options",
    "Oracle",
    "OwnValues",
    "PredictionMismatchError",
    "ProbabilityVerdict",
    "Problem",
    "Progress",
    "Proof",
    "Question",
    "Range",
    "Reader",
    "Reading",
    "Relaxation",
    "Restriction",
    "Result",
    "Round",
    "RowIndex",
    "RowRule",
    "Rule",
    "Schema",
    "SolverError",
    "SolverProof",
    "Statistics",
    "Stop",
    "Tree",
    "TreeEnsemble",
    "TreeOracle",
    "Unreachable",
    "UnsupportedModelError",
    "Verdict",
    "__version__",
    "allowed_moves",
    "audit",
    "datasets",
    "infer_schema",
    "oracle_for",
    "plotting",
    "register_reader",
    "report_html",
    "rules_from_toml",
    "solve",
    "verify",
    "write_report",
]

__version__: str

# The modules that public names live in, imported on first use: `import oneformany` stays quick.
HOMES = {
    "costs": ("Costs",),
    "engine.run": ("Options",),
    "explainer": ("OneForMany",),
    "methods": ("solve",),
    "oracles.additive": ("AdditiveOracle",),
    "oracles.blackbox": ("BlackBoxOracle",),
    "oracles.constrained": ("ConstrainedOracle",),
    "oracles.network.oracle": ("Network", "NetworkOracle"),
    "oracles.protocol": ("Answer", "Oracle", "Question", "Relaxation"),
    "oracles.trees.ensemble": ("Tree", "TreeEnsemble"),
    "oracles.trees.oracle": ("TreeOracle",),
    "own": ("OwnValues",),
    "problem": ("Problem", "Restriction"),
    "progress": ("Progress",),
    "readers.callables": ("BlackBox",),
    "readers.registry": ("Reader", "oracle_for", "register_reader"),
    "readers.verdict": ("ProbabilityVerdict", "Reading", "Verdict"),
    "report.report": ("report_html", "write_report"),
    "result.explanation": ("Explanation", "Unreachable"),
    "result.proof": ("BranchProof", "CoverCase", "DualProof", "EnumerationProof", "Proof", "SolverProof"),
    "result.result": ("Result",),
    "result.row_index": ("RowIndex",),
    "schema.discretise": ("infer_schema",),
    "schema.encoding": ("Encoding",),
    "schema.feature": ("Feature",),
    "schema.rules": (
        "AtMostSteps",
        "CellRule",
        "Forbid",
        "Immutable",
        "Implies",
        "Linked",
        "NeverTarget",
        "NotTogether",
        "Observed",
        "OnlyDecrease",
        "OnlyIncrease",
        "Range",
        "RowRule",
        "Rule",
        "allowed_moves",
        "rules_from_toml",
    ),
    "schema.schema": ("Schema",),
    "statistics": ("Round", "Statistics"),
    "stop": ("Stop",),
    "subgroups": ("Audit", "audit"),
}
MODULES = {name: module for module, names in HOMES.items() for name in names}
SUBPACKAGES = ("datasets", "plotting", "verify")


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("oneformany")
    if name in SUBPACKAGES:
        return import_module(f"oneformany.{name}")
    if name in MODULES:
        return getattr(import_module(f"oneformany.{MODULES[name]}"), name)
    raise AttributeError(f"module 'oneformany' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
