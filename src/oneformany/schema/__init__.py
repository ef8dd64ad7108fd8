"""Features, levels and rules: how a data frame becomes codes, and what may change."""

from oneformany.schema.discretise import bin_labels, infer_schema
from oneformany.schema.feature import Feature
from oneformany.schema.rules import Forbid, Immutable, OnlyDecrease, OnlyIncrease, Rule, allowed_moves
from oneformany.schema.schema import Schema

__all__ = [
    "Feature",
    "Forbid",
    "Immutable",
    "OnlyDecrease",
    "OnlyIncrease",
    "Rule",
    "Schema",
    "allowed_moves",
    "bin_labels",
    "infer_schema",
]
