"""What to call features, levels and rows: as the schema and the user's frame do, or by number."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.result.row_index import RowIndex
    from oneformany.schema.schema import Schema


def shown(text: object) -> str:
    r"""Make a text harmless to show: what would control the terminal or the line is spelled out.

    Parameters
    ----------
    text : object
        A name, a label, a reason.

    Examples
    --------
    >>> print(shown("red\x1b[31m\nalert"))
    red\x1b[31m\nalert
    """
    return "".join(char.encode("unicode_escape").decode() if _controls(char) else char for char in str(text))


def _controls(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in {"Zl", "Zp"}


@dataclass(frozen=True)
class Labels:
    """What to call each feature, each of its levels, and each row."""

    schema: Schema
    rows: RowIndex

    @property
    def features(self) -> tuple[str, ...]:
        """One name per feature, as in the user's frame."""
        return self.schema.names

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """What each level of each feature stands for, in its own type: a number, a truth value or a label."""
        return tuple(feature.level_values for feature in self.schema.features)

    @cached_property
    def targets(self) -> tuple[tuple[Any, ...], ...]:
        """The value that a row takes when it moves to a level: the number itself where a level is a cell."""
        from oneformany.schema.feature import is_missing

        return tuple(
            tuple(
                value if is_missing(feature.target(level)) else feature.target(level)
                for level, value in enumerate(feature.level_values)
            )
            for feature in self.schema.features
        )

    def feature(self, feature: int) -> str:
        """Name of a feature, for sentences."""
        return shown(self.features[feature])

    def word(self, feature: int, level: int) -> str:
        """Label of one level with its unit, for sentences."""
        told = self.schema.features[feature]
        return shown(f"{told.levels[level]} {told.unit}".rstrip())

    def target(self, feature: int, level: int) -> str:
        """Name the value that a row takes at a level, with its unit, for sentences."""
        target = self.targets[feature][level]
        if target == self.values[feature][level]:
            return self.word(feature, level)
        from oneformany.schema.feature import number_label

        return shown(f"{number_label(target)} {self.schema.features[feature].unit}".rstrip())

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
