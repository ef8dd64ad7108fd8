"""The provably smallest set of group counterfactual explanations for a binary classifier."""

import warnings
from importlib import import_module

from oneformany.public import homes_beside, on_first_use

HOMES = homes_beside(__file__)
__all__ = [*sorted(HOMES), "__version__"]  # noqa: PLE0604 (names, each of them text)

# Names that stood at the top until 0.1, by the module that has them now; they work here until 0.3.
MOVED_TO = {
    "oneformany.engine.table.options": "TableOptions",
    "oneformany.exceptions": "CertificateError DataUnavailableError PredictionMismatchError SolverError "
    "UnsupportedModelError",
    "oneformany.oracles": "Answer BlackBoxOracle ConstrainedOracle Network NetworkOracle Oracle Question "
    "Relaxation Tree TreeEnsemble TreeOracle",
    "oneformany.problem": "Costs Goal NumberRestriction OwnValues Restriction",
    "oneformany.proofs": "Anchors Branch Cost Exclusion Proof Weights",
    "oneformany.readers": "ProbabilityVerdict Reader Reading Verdict oracle_for register_reader",
    "oneformany.report": "report_html write_report",
    "oneformany.result": "Explanation RowIndex Unreachable",
    "oneformany.schema": "CellRule Encoding NumberRule RowRule Rule allowed_moves",
    "oneformany.statistics": "Round Statistics",
    "oneformany.studies": "Alternative Audit Difference Frontier FrontierPoint alternatives frontier",
}
MOVED = {name: home for home, names in MOVED_TO.items() for name in names.split()}
_first_use = on_first_use("oneformany", HOMES)


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that ``import oneformany`` stays quick."""
    if name == "__version__":
        from importlib.metadata import version

        return version("oneformany")
    if f"oneformany.{name}" in MOVED_TO:
        return import_module(f"oneformany.{name}")
    if name not in MOVED:
        return _first_use(name)
    told = f"oneformany.{name} is now {MOVED[name]}.{name}; the old name works for one release"
    warnings.warn(told, DeprecationWarning, stacklevel=2)
    return getattr(import_module(MOVED[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
