"""JSON values, each read with its type, its range and its path in the file."""

from __future__ import annotations

from types import NoneType
from typing import Any

from oneformany.exceptions import CertificateError

__all__ = ["JsonObject", "check_integers", "check_list", "check_numbers"]

LONGEST_LIST = 10**7
LARGEST_FLOAT = 10**300
NAMES = {
    NoneType: "null",
    bool: "true or false",
    int: "an integer",
    float: "a decimal number",
    str: "text",
    list: "a list",
    dict: "an object",
}


class JsonObject:
    """One JSON object and where it is.

    Parameters
    ----------
    content : object
        What was read; anything but an object is refused.
    path : str
        Where it was read, for messages; empty for the file itself.
    """

    def __init__(self, content: object, path: str = "") -> None:
        if not isinstance(content, dict):
            raise CertificateError(f"{path or 'the file'} must be an object, not {_describe(content)}")
        self._content: dict[str, Any] = content
        self._path = path

    def path(self, name: str) -> str:
        """Where a field is, for messages."""
        return f"{self._path}.{name}" if self._path else name

    def __contains__(self, name: str) -> bool:
        return name in self._content

    def has(self, name: str) -> bool:
        """Whether a field is there and is not null."""
        return self._content.get(name) is not None

    def only(self, *names: str, optional: tuple[str, ...] = ()) -> JsonObject:
        """Refuse missing and unknown fields."""
        for name in names:
            self.value(name)
        for name in self._content:
            if name not in names and name not in optional:
                raise CertificateError(f"{self.path(name)} is not a field of this format")
        return self

    def value(self, name: str) -> Any:  # noqa: ANN401 (JSON)
        """Read any JSON value."""
        if name not in self._content:
            raise CertificateError(f"{self.path(name)} is missing")
        return self._content[name]

    def inner(self, name: str) -> JsonObject:
        """Read an object."""
        return JsonObject(self.value(name), self.path(name))

    def inners(self, name: str) -> list[JsonObject]:
        """Read a list of objects."""
        return [JsonObject(entry, f"{self.path(name)}[{i}]") for i, entry in enumerate(self.entries(name))]

    def entries(self, name: str, length: int | None = None) -> list[Any]:
        """Read a list whose entries are yet to be checked."""
        return check_list(self.value(name), self.path(name), length)

    def text(self, name: str, among: tuple[str, ...] = ()) -> str:
        """Read a string, one of those given if any are."""
        value = self.value(name)
        if not isinstance(value, str):
            raise CertificateError(f"{self.path(name)} must be text, not {_describe(value)}")
        if among and value not in among:
            raise CertificateError(f"{self.path(name)} is {value[:40]!r}; known are {', '.join(among)}")
        return value

    def number(self, name: str) -> float | None:
        """Read a finite number, if the field is there."""
        value = self._content.get(name)
        return None if value is None else check_numbers([value], self.path(name))[0]

    def integer(self, name: str, low: int, high: int) -> int:
        """Read one integer."""
        return check_integers([self.value(name)], self.path(name), low, high)[0]

    def integers(self, name: str, low: int, high: int, length: int | None = None) -> tuple[int, ...]:
        """Read a list of integers."""
        return check_integers(self.value(name), self.path(name), low, high, length)

    def distinct(self, name: str, high: int, length: int | None = None) -> tuple[int, ...]:
        """Read a list of different integers from 0 to ``high``."""
        values = self.integers(name, 0, high, length)
        if len(set(values)) != len(values):
            raise CertificateError(f"{self.path(name)} names something twice")
        return values


def check_list(value: object, path: str, length: int | None = None) -> list[Any]:
    """Refuse anything but a list, of the given length."""
    if not isinstance(value, list):
        raise CertificateError(f"{path} must be a list, not {_describe(value)}")
    if length is not None and len(value) != length:
        raise CertificateError(f"{path} has {len(value)} entries instead of {length}")
    if len(value) > LONGEST_LIST:
        raise CertificateError(f"{path} has {len(value)} entries, more than {LONGEST_LIST}")
    return value


def check_integers(
    value: object, path: str, low: int, high: int, length: int | None = None
) -> tuple[int, ...]:
    """Refuse anything but a list of integers from ``low`` to ``high``; true is not a number."""
    numbers = check_list(value, path, length)
    if not {*map(type, numbers)} <= {int}:
        wrong = next(number for number in numbers if type(number) is not int)
        raise CertificateError(f"{path} must hold integers only, not {_describe(wrong)}")
    if numbers and not (low <= min(numbers) and max(numbers) <= high):
        wrong = next(number for number in numbers if not low <= number <= high)
        shown = wrong if abs(wrong) < 10**20 else "a huge number"
        raise CertificateError(f"{path} holds {shown}, which is not between {low} and {high}")
    return tuple(numbers)


def check_numbers(value: object, path: str, length: int | None = None) -> tuple[float, ...]:
    """Refuse anything but a list of finite numbers; true is not a number."""
    numbers = check_list(value, path, length)
    for number in numbers:
        if type(number) not in {int, float} or not -LARGEST_FLOAT <= number <= LARGEST_FLOAT:
            shown = "one so large" if type(number) in {int, float} else _describe(number)
            raise CertificateError(f"{path} must hold finite numbers only, not {shown}")
    return tuple(float(number) for number in numbers)


def _describe(value: object) -> str:
    return NAMES.get(type(value), "something else")
