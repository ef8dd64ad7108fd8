"""One original feature: its name, its levels, and how a raw value finds its level."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from oneformany.exceptions import InputError

__all__ = ["Feature", "Value"]

Value = bool | int | float


@dataclass(frozen=True)
class Feature:
    """A feature with finitely many levels.

    Raw values reach their level in one of three ways: by label (categories), by ``numbers`` (numbers and
    truth values that are levels themselves) or by ``edges`` (numbers that are binned). Labels are
    accepted in every case, so that decoded data can be encoded again.

    Parameters
    ----------
    name : str
        Column of the data frame.
    levels : sequence of str
        One label per level; the code of a level is its place here.
    ordered : bool
        Whether a larger code means more of the feature; one-way rules need it.
    edges : sequence of float, optional
        Bin edges, increasing: level ``v`` holds the numbers above ``edges[v - 1]`` up to and including
        ``edges[v]``; the first and the last level are open-ended.
    numbers : sequence of bool, int or float, optional
        The number or truth value that each level stands for.
    unit : str
        What the numbers count, for messages and reports.
    """

    name: str
    levels: tuple[str, ...]
    ordered: bool = False
    edges: tuple[float, ...] | None = None
    numbers: tuple[Value, ...] | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"a feature's name must be a non-empty text, not {self.name!r}")
        if isinstance(self.levels, str):
            raise InputError(f"feature {self.name!r}: levels must be a sequence of labels, not one text")
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "ordered", bool(self.ordered))
        self._check_labels()
        if self.edges is not None and self.numbers is not None:
            raise InputError(f"feature {self.name!r} has both edges and numbers; give one of them")
        if self.edges is not None:
            object.__setattr__(self, "edges", self._checked_edges(self.edges))
        if self.numbers is not None:
            object.__setattr__(self, "numbers", self._checked_numbers(self.numbers))

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return len(self.levels)

    @property
    def binned(self) -> bool:
        """Whether numbers are put into bins."""
        return self.edges is not None

    def find(self, value: object) -> int | None:
        """Look up the level of a raw value or of a label; ``None`` when there is no such level.

        Parameters
        ----------
        value : object
            A label, or a number or truth value where the feature has ``edges`` or ``numbers``.
        """
        if self.edges is not None and _is_number(value):
            return int(np.searchsorted(self.edges, value, side="left")) if math.isfinite(value) else None
        return self._places.get(value)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "levels": list(self.levels),
            "ordered": self.ordered,
            "edges": None if self.edges is None else list(self.edges),
            "numbers": None if self.numbers is None else list(self.numbers),
            "unit": self.unit,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Feature:
        """Rebuild from :meth:`to_dict`."""
        try:
            return cls(**data)
        except TypeError as error:
            raise InputError(f"this is no feature as written by to_dict: {error}") from error

    @cached_property
    def _places(self) -> dict[object, int]:
        by_label: dict[object, int] = {label: level for level, label in enumerate(self.levels)}
        return by_label | {value: level for level, value in enumerate(self.numbers or ())}

    def _check_labels(self) -> None:
        if not self.levels:
            raise InputError(f"feature {self.name!r} has no levels; it needs at least 1")
        for label in self.levels:
            if not isinstance(label, str):
                raise InputError(f"feature {self.name!r}: the label {label!r} is not a text")
        if repeated := _repeated(self.levels):
            raise InputError(f"feature {self.name!r} has the level {repeated[0]!r} twice")

    def _checked_edges(self, edges: Sequence[float]) -> tuple[float, ...]:
        if not all(_is_number(edge) and math.isfinite(edge) for edge in edges):
            raise InputError(f"feature {self.name!r}: edges must be finite numbers, not {list(edges)}")
        numbers = tuple(float(edge) for edge in edges)
        if any(low >= high for low, high in pairwise(numbers)):
            raise InputError(f"feature {self.name!r}: edges must increase, not {list(numbers)}")
        if len(numbers) + 1 != self.n_levels:
            raise InputError(
                f"feature {self.name!r}: {len(numbers)} edges make {len(numbers) + 1} bins, "
                f"but {self.n_levels} levels are named"
            )
        return numbers

    def _checked_numbers(self, numbers: Sequence[Value]) -> tuple[Value, ...]:
        plain = tuple(value.item() if isinstance(value, np.generic) else value for value in numbers)
        for value in plain:
            if not isinstance(value, (bool, int, float)) or not math.isfinite(value):
                raise InputError(f"feature {self.name!r}: {value!r} is neither a number nor a truth value")
        if len(plain) != self.n_levels:
            raise InputError(f"feature {self.name!r} has {len(plain)} numbers for {self.n_levels} levels")
        if repeated := _repeated(plain):
            raise InputError(f"feature {self.name!r} has the number {repeated[0]!r} twice")
        return plain


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def _repeated(items: Sequence[object]) -> list[object]:
    return [item for item, count in Counter(items).items() if count > 1]
