"""What to call features, levels and rows: as the schema and the user's frame do, or by number."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from oneformany.anything import AnyValue

if TYPE_CHECKING:
    from oneformany.result.result import Result

CONTROLS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
FEW_ROWS = 12
ISOLATE, END = "\u2068", "\u2069"  # around a text with a direction of its own
MIDNIGHT = " 00:00:00"  # which pandas adds to days
SIGNS = {"<=": "at most", ">": "more than"}


def shown(text: object) -> str:
    r"""Make a text harmless to show: what would control the terminal or the line is spelled out.

    >>> print(shown("red\x1b[31m\nalert"))
    red\x1b[31m\nalert
    """
    words = str(text)
    if words.isprintable():  # nearly always, and quick to see
        return words
    kinds = ((char, unicodedata.category(char)) for char in words)
    return "".join(char.encode("unicode_escape").decode() if of in CONTROLS else char for char, of in kinds)


def isolated(text: object) -> str:
    """Show a text in a sentence: one that is written from right to left must not turn the words around it."""
    words = shown(text)
    turns = not words.isascii() and any(unicodedata.bidirectional(char) in {"R", "AL"} for char in words)
    return f"{ISOLATE}{words}{END}" if turns else words


def many(number: int, what: str) -> str:
    """Count things, for sentences."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class Labels:
    """What features, levels and rows of a result are called in sentences, and how many people rows are."""

    def __init__(self, result: Result) -> None:
        from oneformany.schema.feature import Feature
        from oneformany.schema.schema import Schema

        numbered = (
            Feature(f"feature {feature}", tuple(f"level {level}" for level in range(n)))
            for feature, n in enumerate(result.problem["levels"])
        )
        self.schema = Schema(tuple(numbered)) if result.schema is None else result.schema
        self.one, self.several = ("person", "people") if "people" in result.problem else ("row", "rows")
        self._index, self._people = result.index, result.people_of_rows
        self._ranges = dict(enumerate(result.problem.get("ranges") or ()))
        self.sizes = [self.people(explanation.members) for explanation in result.explanations]
        if result.others is not None:
            self.sizes = [own + more for own, more in zip(self.sizes, result.others.by, strict=True)]

    def feature(self, feature: int) -> str:
        """What people call a feature."""
        one = self.schema.features[feature]
        return isolated(one.title or one.name)

    def level(self, feature: int, level: int) -> str:
        """Label of one level with its unit."""
        return self._said(feature, self.schema.features[feature].cell_label(level))

    def value(self, feature: int, value: AnyValue) -> str:
        """Name a value that a row has, which may be one of many in its cell."""
        from oneformany.schema.feature import MISSING, is_missing, plain_value

        one, given = self.schema.features[feature], plain_value(value)
        level = one.find(given)
        said = None if one.said is None or level is None else one.said[level]
        if is_missing(given):
            return isolated(said or MISSING)
        if level is not None and one.n_regular <= level < one.n_regular + len(one.special):
            return isolated(one.cell_label(level))  # a code, such as -9
        alone = level is not None and not one.binned and (one.groups is None or len(one.groups[level]) == 1)
        return isolated(said if said and alone else one.value_label(given))

    def target(self, feature: int, level: int, explanation: int | None = None) -> str:
        """Name the value that rows take: a range where every number of it serves all of an explanation."""
        from oneformany.schema.feature import number_label

        for named in () if explanation is None else self._ranges.get(explanation, ()):
            if named == feature:  # the whole cell
                return self.level(feature, level)
            if isinstance(named, dict) and named["feature"] == feature:
                ends = " to ".join(number_label(named[end]) for end in ("low", "high"))
                return isolated(f"{ends} {self.schema.features[feature].unit}".rstrip())
        return self._said(feature, self.schema.features[feature].target_label(level))

    def _said(self, feature: int, label: str) -> str:
        """Say the signs of ranges in words, unless they are the words of people."""
        one = self.schema.features[feature]
        sign, _, rest = label.partition(" ")
        said = SIGNS.get(sign, sign) if one.binned and label not in (one.said or ()) else sign
        return isolated(f"{said} {rest}".rstrip())

    def row(self, row: int) -> str:
        """Label of a given row; of an index of several levels, the labels of each."""
        label = self._index[row]
        parts = map(str, label if isinstance(label, tuple) else (label,))
        return isolated(" / ".join(part.removesuffix(MIDNIGHT) for part in parts))

    def rows(self, rows: Sequence[int]) -> str:
        """Name the first few of some rows, and count the others."""
        told = ", ".join(map(self.row, rows[:FEW_ROWS]))
        more = f" and {len(rows) - FEW_ROWS:,} more" if len(rows) > FEW_ROWS else ""
        return f"row{'' if len(rows) == 1 else 's'} {told}{more}"

    def people(self, rows: Iterable[int]) -> int:
        """How many people some of the given rows stand for."""
        return int(self._people[list(rows)].sum())

    def counted(self, number: int) -> str:
        """How many rows, or people where a row stands for several."""
        return f"{number:,} {self.one if number == 1 else self.several}"
