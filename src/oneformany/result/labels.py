"""What to call features, levels and rows: as the schema and the user's frame do, or by number."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.result.row_index import RowIndex
    from oneformany.schema.schema import Schema

CONTROLS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def shown(text: object) -> str:
    r"""Make a text harmless to show: what would control the terminal or the line is spelled out.

    >>> print(shown("red\x1b[31m\nalert"))
    red\x1b[31m\nalert
    """
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in CONTROLS else char
        for char in str(text)
    )


@dataclass(frozen=True)
class Labels:
    """What to call each feature, each of its levels, and each row."""

    schema: Schema
    rows: RowIndex

    @property
    def features(self) -> tuple[str, ...]:
        """One name per feature, as in the user's frame."""
        return self.schema.names

    def feature(self, feature: int) -> str:
        """Name of a feature, for sentences."""
        return shown(self.features[feature])

    def word(self, feature: int, level: int) -> str:
        """Label of one level with its unit, for sentences."""
        return shown(self.schema.features[feature].cell_label(level))

    def target(self, feature: int, level: int) -> str:
        """Name the value that a row takes at a level, with its unit, for sentences."""
        return shown(self.schema.features[feature].target_label(level))

    def any_of(self, feature: int, level: int) -> str:
        """Name a level as a range of which every number serves, for sentences."""
        word = self.word(feature, level)
        for sign, words in (("<= ", "at most "), ("> ", "more than ")):
            if word.startswith(sign):
                return word.replace(sign, words, 1)
        return word

    def row(self, row: int) -> str:
        """Label of a given row, for sentences."""
        return shown(self.rows[row])


def labels_of(result: Result) -> Labels:
    """Take the labels of a result's schema and index, or number features and levels."""
    if result.schema is not None:
        return Labels(result.schema, result.index)
    from oneformany.schema.feature import Feature
    from oneformany.schema.schema import Schema

    numbered = (
        Feature(f"feature {feature}", tuple(f"level {level}" for level in range(n)))
        for feature, n in enumerate(result.problem["levels"])
    )
    return Labels(Schema(tuple(numbered)), result.index)
