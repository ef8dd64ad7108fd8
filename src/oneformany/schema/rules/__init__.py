"""What a row may and may not change: one class per rule, each in a file of its own."""

from oneformany.schema.rules.at_most_steps import AtMostSteps
from oneformany.schema.rules.combine import allowed_moves, check_rules, named_by_value, restrictions_of
from oneformany.schema.rules.forbid import Forbid
from oneformany.schema.rules.from_toml import rules_from_toml
from oneformany.schema.rules.immutable import Immutable
from oneformany.schema.rules.implies import Implies
from oneformany.schema.rules.linked import Linked
from oneformany.schema.rules.never_target import NeverTarget
from oneformany.schema.rules.not_together import NotTogether
from oneformany.schema.rules.observed import Observed
from oneformany.schema.rules.only_decrease import OnlyDecrease
from oneformany.schema.rules.only_increase import OnlyIncrease
from oneformany.schema.rules.range import Range
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
