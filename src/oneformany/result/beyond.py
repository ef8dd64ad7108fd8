"""What needs words of its own in a result: rows beyond help, values that were missing, columns not read."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.result.labels import isolated, many, shown

if TYPE_CHECKING:
    from oneformany.result.result import Result

SCORE = re.compile(r": (?:score|probability) [^;]*")
MOST_RULES = 5  # are named in the sentence about all rows; each row names its own


def rows_by_reason(result: Result) -> dict[str, list[int]]:
    """Rows that are proved to be beyond help, together where their reasons differ in scores only."""
    found: dict[str, list[Any]] = {}
    for entry in result.unreachable:
        found.setdefault(SCORE.sub("", entry.reason), []).append(entry)
    together = ((of[0].reason if len(of) == 1 else reason, of) for reason, of in found.items())
    return {reason: [entry.row for entry in of] for reason, of in together}


def beyond_help_words(result: Result) -> str:
    """Say how many cannot be helped, and with what they could be: more changes, or without one rule."""
    labels, entries = result.labels, result.unreachable
    people = labels.people([entry.row for entry in entries])
    parts = [f"{labels.counted(people)}."]
    allowed = int(result.problem["max_changes"])
    needed = Counter[int]()
    without = Counter[str]()
    rules = dict.fromkeys(map(str, result.problem.get("rules", ())))
    for entry in entries:
        count = labels.people([entry.row])
        if entry.needed_changes is not None:
            needed[entry.needed_changes] += count
        without.update({rule: count for rule in rules if rule in entry.blocked_by})
    reached = 0
    for changes in sorted(needed):
        reached += needed[changes]
        more = many(changes - allowed, "more change") if not parts[1:] else f"{changes - allowed} more"
        parts.append(f"With {more} per {labels.one}, {reached:,} of them could be helped.")
    told = without.most_common(MOST_RULES)
    if told:
        each = [f'without "{shown(rule)}" {count:,}' for rule, count in told]
        rest = len(without) - len(told)
        others = f"; {many(rest, 'other rule')} each block fewer" if rest else ""
        parts.append(f"Lifting one rule alone would help: {', '.join(each)}{others}.")
    return " ".join(parts)


def gap_filled_words(result: Result) -> str:
    """Say of whom a value was missing that an explanation sets: that is an entry, not yet a change."""
    labels, changes, told = result.labels, result.changes, []
    for index, feature in enumerate(labels.schema.features):
        level = feature.missing_level
        if level is None or feature.unread:
            continue
        rows = np.flatnonzero(changes[:, index] & (result.codes[:, index] == level))
        if len(rows):
            told.append(f"{labels.feature(index)} of {labels.counted(labels.people(rows))}")
    if not told:
        return ""
    return (
        f"Values that were missing: {', '.join(told)}. An explanation names a value there, too. Whoever has "
        "such a value need only state it; whoever has another one has to change it."
    )


def unread_words(result: Result) -> str:
    """Name the columns that the model does not read, so that nothing depends on them."""
    unread = result.problem.get("model", {}).get("ignores", ())
    return f"The model does not read: {', '.join(map(isolated, unread))}." if unread else ""
