"""Frozen data classes as plain data for JSON, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from operator import index
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from oneformany.anything import AnyValue


@dataclass(frozen=True)
class Plain:
    """Its fields are integers, texts, tuples of these, or parts like itself; a kind and a bound go along."""

    _sparse: ClassVar[bool] = False  # whether what is as by default is not written

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = dict.fromkeys(("kind", *(field.name for field in fields(self)), "bound"))
        usual = {field.name: field.default for field in fields(self)} if self._sparse else {}
        told = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return {name: _written(value) for name, value in told.items() if value != usual.get(name, MISSING)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`; what is not of the type of its field is an error."""
        kinds = get_type_hints(cls)
        names = [field.name for field in fields(cls) if field.name in data or field.default is MISSING]
        return cls(**{name: _read(kinds[name], data[name]) for name in names})


def integers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Turn numbers of any integer type into plain ones.

    Examples
    --------
    >>> import numpy as np
    >>> integers(np.array([3, 4]))
    (3, 4)
    """
    return tuple(index(number) for number in numbers)


def _written(value: AnyValue) -> AnyValue:
    if isinstance(value, tuple):
        return [_written(part) for part in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def _read(kind: AnyValue, value: AnyValue) -> AnyValue:
    origin: AnyValue = get_origin(kind)
    parts = get_args(kind)
    if kind == tuple[int, ...]:
        return integers(value)
    if origin is tuple and parts[-1] is ...:
        return tuple(_read(parts[0], part) for part in value)
    if origin is tuple:
        return tuple(_read(*pair) for pair in zip(parts, value, strict=True))
    if type(None) in parts:
        return None if value is None else _read(parts[0], value)
    if hasattr(kind, "from_dict"):
        return kind.from_dict(value)
    return index(value) if kind is int else (origin or kind)(value)
