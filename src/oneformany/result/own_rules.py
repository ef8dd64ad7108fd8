"""Rules on whole rows that are the user's own: a file has their words only, and a check takes them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from oneformany.anything import AnyFrame, AnyValue
from oneformany.exceptions import Argument, InputError
from oneformany.plain import written
from oneformany.schema.frames import Table
from oneformany.schema.rules.rows import KINDS

if TYPE_CHECKING:
    from oneformany.result.result import Result


def written_rule(rule: object, words: str = "") -> dict[str, Any]:
    """Write a rule on whole rows as plain data: of one's own, its words, by default those of its ``str``."""
    told = dict(written(rule)) if hasattr(rule, "to_dict") else {"kind": type(rule).__name__}
    return told if told.get("kind") in KINDS else {**told, "words": words or words_of(rule)}


def words_of(rule: object) -> str:
    """What a rule says of itself; the name of its class where that is nothing."""
    return type(rule).__name__ if type(rule).__str__ is object.__str__ else str(rule)


def with_words(restrictions: Sequence[Mapping[str, Any]], rules: Sequence[object]) -> list[dict[str, Any]]:
    """Let written rules of one's own say what the rules on whole rows that they were made of say."""
    of_rows = [rule for rule in rules if not hasattr(rule, "allowed")]
    both = zip(restrictions, of_rows, strict=True)
    return [
        {**told, "words": words_of(rule)} if told["kind"] not in KINDS else {**told} for told, rule in both
    ]


def rules_on_codes(result: Result, rules: Sequence[AnyValue], reference: AnyFrame = None) -> list[AnyValue]:
    """Give the verifier those rules that a file does not hold, on codes.

    Rules are taken as they were given to an explainer, and restrictions as to a problem.
    """
    if isinstance(rules, str) or not isinstance(rules, Sequence):
        raise InputError(f"rules must be a list of rules, not {rules!r}")
    found = []
    for rule in rules:
        if hasattr(rule, "allowed"):  # the moves of one feature are in the file
            continue
        if not hasattr(rule, "restriction"):
            if not hasattr(rule, "holds"):
                raise InputError(f"{rule!r} is not a rule on whole rows; give those that were explained with")
            found.append(rule)
        elif type(rule).__module__.startswith("oneformany."):
            continue
        elif result.schema is None:
            raise InputError(f'the result has no schema for the rule "{rule}"; give what holds on codes')
        else:
            schema = result.schema
            known = NoReference(rule) if reference is None else schema.cells(Table.of(reference).frame)
            found.append(rule.restriction(schema, known))
    return [one for one in found if written_rule(one)["kind"] not in KINDS]


class NoReference:
    """Stands for reference data that nobody gave: to look at them is an error that says so."""

    def __init__(self, rule: object) -> None:
        self._rule = rule

    def _asked(self, *_: object) -> NoReturn:
        raise InputError(
            f'the rule "{self._rule}" looks at the reference data: give ', Argument("reference"), " too"
        )

    __array__ = __getattr__ = __getitem__ = __iter__ = __len__ = _asked
