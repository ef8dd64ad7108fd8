"""Features, levels and rules: how a data frame becomes codes, and what may change."""

from oneformany.schema.discretise import bin_labels, infer_schema
from oneformany.schema.feature import Feature
from oneformany.schema.rules import (
    AtMostSteps,
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
    Rule,
    allowed_moves,
    rules_from_toml,
)
from oneformany.schema.schema import Schema

__all__ = [
    "AtMostSteps",
    "Feature",
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
    "Rule",
    "Schema",
    "allowed_moves",
    "bin_labels",
    "infer_schema",
    "rules_from_toml",
]
