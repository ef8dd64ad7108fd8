"""What to call features, levels and rows: as the schema and the front door do, or by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["Labels", "labels_of"]


@dataclass(frozen=True)
class Labels:
    """What to call each feature, each of its levels, and each row.

    Attributes
    ----------
    features : tuple of str
        One name per feature.
    levels : tuple of tuples of str
        One label per level of each feature.
    units : tuple of str
        What the numbers of each feature count; may be empty.
    rows : tuple of int
        One number per row: its place in the frame it came from, where that is known.
    """

    features: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    units: tuple[str, ...]
    rows: tuple[int, ...]

    def point(self, codes: Sequence[int]) -> list[str]:
        """Label each code of a full vector of levels."""
        return [labels[code] for labels, code in zip(self.levels, codes, strict=True)]

    def word(self, feature: int, level: int) -> str:
        """Label of one level with its unit, for sentences."""
        return f"{self.levels[feature][level]} {self.units[feature]}".rstrip()


def labels_of(result: Result) -> Labels:
    """Take the labels of a result's schema, or number features and levels."""
    rows = tuple(result.problem.get("rows", range(len(result.assignment))))
    if result.schema is not None:
        features = result.schema.features
        return Labels(
            tuple(str(feature.name) for feature in features),
            tuple(tuple(str(label) for label in feature.levels) for feature in features),
            tuple(feature.unit for feature in features),
            rows,
        )
    levels = result.problem["levels"]
    return Labels(
        tuple(f"feature {feature}" for feature in range(len(levels))),
        tuple(tuple(f"level {level}" for level in range(n)) for n in levels),
        ("",) * len(levels),
        rows,
    )
