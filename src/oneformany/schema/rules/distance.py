"""How far a row's own number may go: in units of its column, or in parts of what it is."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from numbers import Real
from operator import index
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import number_label, plain_value
from oneformany.schema.rules.compared import NumberRule, moved_of, numbers_of_file, told_numbers
from oneformany.schema.rules.conditions import level_numbers
from oneformany.schema.schema import Schema

ROUNDING = 1e-12  # relative error of a difference and a product, with room: nearer ones are worked out
UNTOLD: Mapping[int, FloatArray] = MappingProxyType({})  # whoever asks a rule that looks back tells them


@dataclass(frozen=True)
class AtMost:
    """A row's own number changes by at most so much: in units of the column, or in parts of what it is.

    That is about each row's own number and the number that it is sent to, whatever cells they lie in. A row
    whose value is missing, or a special code, stays there.

    Parameters
    ----------
    feature : hashable
        Name of a feature of numbers.
    by : number or str
        So much, such as ``0.1``; or ``"20%"``: a fifth of the row's own number.

    Examples
    --------
    >>> print(AtMost("lvr", by=0.1))
    lvr changes by at most 0.1
    >>> print(AtMost("amount", by="20%"))
    amount changes by at most 20% of what it is
    """

    feature: Hashable
    by: float | str

    def __post_init__(self) -> None:
        by, _ = self._number()
        if by is None or isinstance(by, bool) or not isinstance(by, Real) or not isfinite(by) or by <= 0:
            raise InputError(
                f"the rule at_most: by= of {self.feature!r} is {self.by!r}; it must be a number above 0, "
                'such as 0.1, or a part of what a row has, such as "20%"; what stays is immutable'
            )

    def __str__(self) -> str:
        by, part = self._number()
        most = number_label(0 if by is None else by)
        return f"{self.feature} changes by at most {most}{'% of what it is' if part else ''}"

    def _number(self) -> tuple[float | None, bool]:
        """The number, and whether it is parts of a hundred."""
        if not isinstance(self.by, str):
            return self.by, False
        try:
            return float(self.by.strip().removesuffix("%")), self.by.strip().endswith("%")
        except ValueError:
            return None, False

    @property
    def features(self) -> tuple[Hashable, ...]:
        """The feature that it is about."""
        return (self.feature,)

    @property
    def compared(self) -> tuple[Hashable, ...]:
        """The feature whose numbers it compares."""
        return (self.feature,)

    def restriction(
        self,
        schema: Schema,
        reference: IntArray,  # noqa: ARG002 (all rules alike)
        numbers: Mapping[int, FloatArray] | None = None,
    ) -> NumberRule:
        """Write the rule in ``numbers`` of the feature, one for each value; those of levels by default."""
        at = schema.index(self.feature)
        known = level_numbers(schema.features[at], self) if numbers is None else numbers[at]
        if np.isnan(known).all():
            raise InputError(
                f'the rule "{self}" compares numbers, and {schema.names[at]!r} has none; name another '
                "feature, or steps of its levels: AtMostSteps"
            )
        by, part = self._number()
        most = plain_value(0 if by is None else by)
        most = most if isinstance(most, (int, float)) else float(most)
        return AtMostNumbers(at, most, part, {at: known})


@dataclass(frozen=True, eq=False)
class AtMostNumbers:
    """:class:`AtMost` in indices and numbers; ``part``: ``by`` parts of a hundred of what a row has."""

    feature: int
    by: float
    part: bool
    numbers: Mapping[int, FloatArray]  # of the values of the feature
    looks_back: ClassVar[bool] = True  # at the numbers before as well

    def holds(
        self,
        before: IntArray,
        after: IntArray,
        numbers: Mapping[int, FloatArray],
        earlier: Mapping[int, FloatArray] = UNTOLD,
    ) -> BoolArray:
        """Whether each row may become what it is afterwards, with these numbers, and earlier ones before."""
        moved = moved_of((self.feature,), before, after)[:, 0]
        old, new = earlier[self.feature], numbers[self.feature]
        most = self.by / 100 * np.abs(old) if self.part else np.full(len(old), float(self.by))
        spare = most - np.abs(new - old)
        held = spare >= 0
        near = np.flatnonzero(np.abs(spare) <= ROUNDING * (np.abs(new) + np.abs(old) + most))
        pairs, which = np.unique(np.column_stack([old[near], new[near]]), axis=0, return_inverse=True)
        exact = [self._exactly(*(Fraction(repr(number)) for number in pair)) for pair in pairs.tolist()]
        held[near] = np.array(exact, dtype=np.bool_)[which.ravel()]
        return np.asarray(~moved | held)

    def _exactly(self, old: Fraction, new: Fraction) -> bool:
        """Numbers are what their digits say: 0.3 is 0.1 more than 0.2, whatever binary fractions tell."""
        by = Fraction(repr(self.by))
        return abs(new - old) <= (by / 100 * abs(old) if self.part else by)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        told = {"features": [self.feature], "by": self.by, "part": self.part}
        return {"kind": "at_most", **told, "numbers": told_numbers(self.numbers)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        (feature,) = data["features"]
        by, part = plain_value(data["by"]), bool(data["part"])
        return cls(index(feature), by, part, numbers_of_file(data["numbers"]))
