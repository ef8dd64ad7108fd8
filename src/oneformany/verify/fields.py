"""The fields of a JSON object, each read with its type, its range and its place."""

from __future__ import annotations

from types import NoneType
from typing import Any

from oneformany.exceptions import CertificateError

__all__ = ["Fields", "check_list", "check_numbers", "check_wholes"]

LONGEST_LIST = 10**7
LARGEST_FLOAT = 10**300
NAMES = {
    NoneType: "null",
    bool: "true or false",
    float: "a decimal number",
    str: "text",
    list: "a list",
    dict: "an object",
}


class Fields:
    """One JSON object and where it is.

    Parameters
    ----------
    content : object
        What was read; anything but an object is refused.
    place : str
        Where it was read, for messages; empty for the file itself.
    """

    def __init__(self, content: object, place: str) -> None:
        if not isinstance(content, dict):
            raise CertificateError(f"{place or 'the file'} must be an object, not {_describe(content)}")
        self._content: dict[str, Any] = content
        self._place = place

    def place(self, name: str) -> str:
        """Where a field is, for messages."""
        return f"{self._place}.{name}" if self._place else name

    def __contains__(self, name: str) -> bool:
        return name in self._content

    def only(self, *names: str, perhaps: tuple[str, ...] = ()) -> Fields:
        """Refuse missing and unknown fields."""
        for name in names:
            self.value(name)
        for name in self._content:
            if name not in names and name not in perhaps:
                raise CertificateError(f"{self.place(name)} is not a field of this format")
        return self

    def value(self, name: str) -> Any:  # noqa: ANN401 (JSON)
        """Read any JSON value."""
        if name not in self._content:
            raise CertificateError(f"{self.place(name)} is missing")
        return self._content[name]

    def inner(self, name: str) -> Fields:
        """Read an object."""
        return Fields(self.value(name), self.place(name))

    def inners(self, name: str) -> list[Fields]:
        """Read a list of objects."""
        return [Fields(entry, f"{self.place(name)}[{i}]") for i, entry in enumerate(self.entries(name))]

    def entries(self, name: str, length: int | None = None) -> list[Any]:
        """Read a list whose entries are yet to be checked."""
        return check_list(self.value(name), self.place(name), length)

    def text(self, name: str) -> str:
        """Read a string."""
        value = self.value(name)
        if not isinstance(value, str):
            raise CertificateError(f"{self.place(name)} must be text, not {_describe(value)}")
        return value

    def number(self, name: str) -> float | None:
        """Read a finite number, if the field is there."""
        value = self._content.get(name)
        if value is None:
            return None
        if type(value) not in {int, float} or not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            raise CertificateError(f"{self.place(name)} must be a finite number, not {_describe(value)}")
        return float(value)

    def whole(self, name: str, low: int, high: int) -> int:
        """Read one whole number."""
        return check_wholes([self.value(name)], self.place(name), low, high)[0]

    def wholes(self, name: str, low: int, high: int, length: int | None = None) -> tuple[int, ...]:
        """Read a list of whole numbers."""
        return check_wholes(self.value(name), self.place(name), low, high, length)

    def distinct(self, name: str, high: int, length: int | None = None) -> tuple[int, ...]:
        """Read a list of different whole numbers from 0 to ``high``."""
        values = self.wholes(name, 0, high, length)
        if len(set(values)) != len(values):
            raise CertificateError(f"{self.place(name)} names something twice")
        return values


def check_list(value: object, place: str, length: int | None = None) -> list[Any]:
    """Refuse anything but a list, of the given length."""
    if not isinstance(value, list):
        raise CertificateError(f"{place} must be a list, not {_describe(value)}")
    if length is not None and len(value) != length:
        raise CertificateError(f"{place} has {len(value)} entries instead of {length}")
    if len(value) > LONGEST_LIST:
        raise CertificateError(f"{place} has {len(value)} entries, more than {LONGEST_LIST}")
    return value


def check_wholes(
    value: object, place: str, low: int, high: int, length: int | None = None
) -> tuple[int, ...]:
    """Refuse anything but a list of whole numbers from ``low`` to ``high``; true is not a number."""
    numbers = check_list(value, place, length)
    for number in numbers:
        if type(number) is not int:
            raise CertificateError(f"{place} must hold whole numbers only, not {_describe(number)}")
        if not low <= number <= high:
            shown = number if abs(number) < 10**20 else "a huge number"
            raise CertificateError(f"{place} holds {shown}, which is not between {low} and {high}")
    return tuple(numbers)


def check_numbers(value: object, place: str, length: int | None = None) -> tuple[float, ...]:
    """Refuse anything but a list of finite numbers; true is not a number."""
    numbers = check_list(value, place, length)
    for number in numbers:
        if type(number) not in {int, float} or not -LARGEST_FLOAT <= number <= LARGEST_FLOAT:
            raise CertificateError(f"{place} must hold finite numbers only, not {_describe(number)}")
    return tuple(float(number) for number in numbers)


def _describe(value: object) -> str:
    return NAMES.get(type(value), "a whole number")
