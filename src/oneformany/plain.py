"""Frozen data classes as plain data for JSON, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from operator import index
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np

from oneformany.anything import AnyValue

_hints = cache(get_type_hints)


@dataclass(frozen=True)
class Plain:
    """Its fields are integers, texts, tuples or arrays of these, or parts like itself.

    A kind and a bound go along. A field is written without the "_" that keeps it apart from a word of Python.
    """

    _sparse: ClassVar[bool] = False  # whether what is as by default is not written

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = dict.fromkeys(("kind", *(field.name for field in fields(self)), "bound"))
        usual = {field.name: field.default for field in fields(self)} if self._sparse else {}
        told = {name: getattr(self, name) for name in names if hasattr(self, name)}
        left_out = {name for name, value in usual.items() if told[name] == value}
        return {name.rstrip("_"): written(told[name]) for name in told if name not in left_out}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`; what is not of the type of its field is an error."""
        kinds = _hints(cls)  # type: ignore[arg-type] # a class is hashable
        told = {field.name: field.name.rstrip("_") for field in fields(cls)}
        usual = {field.name for field in fields(cls) if field.default is not MISSING} - data.keys()
        return cls(**{name: _read(kinds[name], data[key]) for name, key in told.items() if name not in usual})


def integers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Turn numbers of any integer type into plain ones."""
    return tuple(index(number) for number in numbers)


def written(value: AnyValue) -> AnyValue:
    """Write a value for JSON: tuples and arrays as lists, parts by their ``to_dict``."""
    if isinstance(value, tuple):
        return [written(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.to_dict() if hasattr(value, "to_dict") else value


def _read(kind: AnyValue, value: AnyValue) -> AnyValue:
    origin: AnyValue = get_origin(kind)
    parts = get_args(kind)
    if kind == tuple[int, ...]:
        return integers(value)
    if origin is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        return tuple(_read(*pair) for pair in zip(kinds, value, strict=True))
    if origin is np.ndarray:
        return np.array(value)
    if type(None) in parts:
        return None if value is None else _read(parts[0], value)
    if hasattr(kind, "from_dict"):
        return kind.from_dict(value)
    return index(value) if kind is int else (origin or kind)(value)
