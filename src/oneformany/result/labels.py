"""What to call features, levels and rows: as the schema and the user's frame do, or by number."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.result.row_index import RowIndex
    from oneformany.schema.feature import Feature

__all__ = ["Labels", "labels_of", "shown"]


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
    """What to call each feature, each of its levels, and each row.

    Attributes
    ----------
    features : tuple
        One name per feature, as in the user's frame.
    values : tuple of tuples
        What each level of each feature stands for, in its own type: a number, a truth value or a label.
    levels : tuple of tuples of str
        One label per level of each feature.
    units : tuple of str
        What the numbers of each feature count; may be empty.
    rows : RowIndex
        One label per row.
    targets : tuple of tuples
        The value that a row takes when it moves to a level: the number itself where a level is a cell.
    """

    features: tuple[Any, ...]
    values: tuple[tuple[Any, ...], ...]
    levels: tuple[tuple[str, ...], ...]
    units: tuple[str, ...]
    rows: RowIndex
    targets: tuple[tuple[Any, ...], ...]

    def feature(self, feature: int) -> str:
        """Name of a feature, for sentences."""
        return shown(self.features[feature])

    def word(self, feature: int, level: int) -> str:
        """Label of one level with its unit, for sentences."""
        return shown(f"{self.levels[feature][level]} {self.units[feature]}".rstrip())

    def target(self, feature: int, level: int) -> str:
        """Name the value that a row takes at a level, with its unit, for sentences."""
        if self.targets[feature][level] == self.values[feature][level]:
            return self.word(feature, level)
        from oneformany.schema.feature import number_label

        return shown(f"{number_label(self.targets[feature][level])} {self.units[feature]}".rstrip())

    def any_of(self, feature: int, level: int) -> str:
        """Name a level as a range of which every number serves, for sentences."""
        for sign, words in (("<= ", "at most "), ("> ", "more than ")):
            if self.levels[feature][level].startswith(sign):
                return self.word(feature, level).replace(sign, words, 1)
        return self.word(feature, level)

    def row(self, row: int) -> str:
        """Label of a given row, for sentences."""
        return shown(self.rows[row])


def labels_of(result: Result) -> Labels:
    """Take the labels of a result's schema and index, or number features and levels."""
    if result.schema is not None:
        features = result.schema.features
        return Labels(
            tuple(feature.name for feature in features),
            tuple(_values(feature) for feature in features),
            tuple(tuple(str(label) for label in feature.levels) for feature in features),
            tuple(feature.unit for feature in features),
            result.index,
            tuple(_targets(feature) for feature in features),
        )
    levels = result.problem["levels"]
    numbered = tuple(tuple(f"level {level}" for level in range(n)) for n in levels)
    return Labels(
        tuple(f"feature {feature}" for feature in range(len(levels))),
        numbered,
        numbered,
        ("",) * len(levels),
        result.index,
        numbered,
    )


def _values(feature: Feature) -> tuple[Any, ...]:
    return (*(feature.numbers or feature.levels[: feature.n_regular]), *feature.levels[feature.n_regular :])


def _targets(feature: Feature) -> tuple[Any, ...]:
    from oneformany.schema.feature import is_missing

    targets = (feature.target(level) for level in range(feature.n_levels))
    return tuple(
        value if target is None or is_missing(target) else target
        for target, value in zip(targets, _values(feature), strict=True)
    )
