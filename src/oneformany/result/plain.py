"""Frozen data classes as plain data for JSON, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from operator import index
from typing import Any, Self, get_args, get_origin, get_type_hints

from oneformany.anything import AnyValue

__all__ = ["Plain", "integers"]


@dataclass(frozen=True)
class Plain:
    """Its fields are integers, texts, tuples of these, or parts like itself; a kind and a bound go along."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = dict.fromkeys(("kind", *(field.name for field in fields(self)), "bound"))
        return {name: _written(getattr(self, name)) for name in names if hasattr(self, name)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`; what is not of the type of its field is an error."""
        kinds = get_type_hints(cls)
        return cls(**{field.name: _read(kinds[field.name], data[field.name]) for field in fields(cls)})


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
