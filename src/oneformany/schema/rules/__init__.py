"""What a row may and may not change: rules on the moves of one feature, and rules on whole rows."""

from oneformany.schema.rules.combine import allowed_moves, check_rules, named_by_value, restrictions_of
from oneformany.schema.rules.from_toml import rules_from_toml
from oneformany.schema.rules.moves import (
    AtMostSteps,
    Forbid,
    Immutable,
    NeverTarget,
    OnlyDecrease,
    OnlyIncrease,
    Range,
)
from oneformany.schema.rules.rows import Implies, Linked, NotTogether, Observed
from oneformany.schema.rules.rule import CellRule, RowRule, Rule

__all__ = [
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
    "check_rules",
    "named_by_value",
    "restrictions_of",
    "rules_from_toml",
]
