"""Data classes as plain data for JSON, and back."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from math import isfinite
from operator import index
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

import numpy as np

from oneformany.anything import AnyValue

MADE: dict[type, AnyValue] = {int: index, float: float, np.ndarray: np.array}
_hints = cache(get_type_hints)


class Plain:
    """A data class of numbers, texts, tuples or arrays of these, or parts like itself.

    A kind and a bound go along. A field is written without the "_" that keeps it apart from a word of Python.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
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
        made = cls(**read_fields(cls, data))
        if (bound := getattr(made, "bound", None)) != data.get("bound"):
            raise ValueError(f"a proof of {bound} is said to prove {data.get('bound')!r}")
        return made


def integers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Turn numbers of any integer type into plain ones."""
    return tuple(index(number) for number in numbers)


def written(value: AnyValue) -> AnyValue:
    """Write a value for JSON: tuples and arrays as lists, parts by their ``to_dict``, infinity as text."""
    if isinstance(value, (tuple, list)):
        return [written(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float) and not isfinite(value):
        return str(float(value))
    return value.to_dict() if hasattr(value, "to_dict") else value


def read_fields(kind: AnyValue, data: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields of a data class; those that have a default may be missing."""
    found = {}
    for field in fields(kind):
        name = field.name.rstrip("_")
        if name in data or field.default is field.default_factory is MISSING:
            try:
                found[field.name] = read(_hints(kind)[field.name], data[name])
            except (TypeError, ValueError) as error:
                raise ValueError(f'"{name}": {error}') from error
    return found


def read(kind: AnyValue, value: AnyValue) -> AnyValue:
    """Rebuild a value of a type from what :func:`written` made of it."""
    origin: AnyValue = get_origin(kind) or kind
    parts = get_args(kind)
    if kind == tuple[int, ...]:
        return integers(value)
    if origin in {tuple, list}:
        kinds = parts if origin is tuple and parts[-1] is not ... else parts[:1] * len(value)
        return origin(read(*pair) for pair in zip(kinds, value, strict=True))
    if type(None) in parts:
        return None if value is None else read(one_of(parts[:-1], value), value)
    if hasattr(kind, "from_dict"):
        return kind.from_dict(value)
    if origin in MADE:
        return MADE[origin](value)
    if origin is Literal and value not in parts:
        raise ValueError(f"{value!r} is not one of {', '.join(parts)}")
    if origin is not Literal and not isinstance(value, origin):
        raise TypeError(f"{type(value).__name__} instead of {origin.__name__}")
    return value


def one_of(kinds: Iterable[AnyValue], data: AnyValue) -> AnyValue:
    """Choose the class whose kind the data name; of one class nothing is asked."""
    known: dict[Any, AnyValue] = {getattr(kind, "kind", None): kind for kind in kinds}
    if len(known) > 1 and data["kind"] not in known:
        raise ValueError(f"the kind {data['kind']!r} is not one of {', '.join(known)}")
    return known[data["kind"]] if len(known) > 1 else next(iter(known.values()))
