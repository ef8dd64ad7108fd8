"""From a file or its text to JSON values and records: each read with its type, its range and its path."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from numbers import Real
from pathlib import Path
from time import perf_counter
from types import NoneType
from typing import Any, NoReturn, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError, InputError, plain_reason

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Parsed: TypeAlias = Any  # what JSON holds, before it is checked


@runtime_checkable
class Written(Protocol):
    """A result, for which the text that it writes stands."""

    def to_json(self) -> str:
        """The text of its file."""


Source = str | os.PathLike[str] | Mapping[str, Any] | Written

FORMAT, VERSION = "oneformany-result", 3
READ = (2, VERSION)  # versions; ``version_2.py`` says how the older one differs
# Bytes that Python takes at most for what these characters of a JSON text begin or separate, twice: as
# read and as checked.
BYTES = {"[": 136, "{": 480, ",": 64, '"': 80}
LONGEST_LIST = 10**7
LARGEST_FLOAT = 10**300
MOST_LEVELS = 2**20
LARGEST_CODE = 2**24
GIGABYTE = 10**9
NAMES = {
    NoneType: "null",
    bool: "true or false",
    int: "an integer",
    float: "a decimal number",
    str: "text",
    list: "a list",
    dict: "an object",
}


class NotConfirmedError(Exception):
    """A claim that is neither confirmed nor wrong, and why."""


class Limits:
    """The clock, in seconds from now on, and what arrays may add up to, in gigabytes; ``None``: no limit.

    Memory is counted before it is used: a file that asks for too much never gets it.
    """

    def __init__(self, time_limit: float | None = None, memory_limit: float | None = None) -> None:
        given = (("time_limit", time_limit, "seconds"), ("memory_limit", memory_limit, "gigabytes"))
        for name, limit, unit in given:
            if limit is not None and not (isinstance(limit, Real) and limit >= 0):  # NaN is not either
                raise InputError(f"{name} is {limit!r}; give {unit}, 0 or more, or None for no limit")
        most = float("inf")
        self._seconds = most if time_limit is None or time_limit > LARGEST_FLOAT else float(time_limit)
        much = memory_limit is None or memory_limit > LARGEST_FLOAT // GIGABYTE
        self._bytes = most if memory_limit is None or much else float(memory_limit) * GIGABYTE
        self._end = perf_counter() + self._seconds
        self._held = 0

    def check(self) -> None:
        """Stop when the time is over."""
        if perf_counter() > self._end:
            raise NotConfirmedError(
                f"too large to check within {self._seconds:g} s; raise the time limit to go on"
            )

    def need(self, size: int, what: str) -> None:
        """Stop before an array of so many bytes is made that would exceed the memory."""
        if self._held + size > self._bytes:
            needed, allowed = (self._held + size) / GIGABYTE, self._bytes / GIGABYTE
            raise NotConfirmedError(
                f"too large to check: {what} would need {needed:.3g} GB, {allowed:g} GB are allowed; "
                "raise the memory limit to go on"
            )

    def hold(self, size: int, what: str) -> None:
        """Count what is kept to the end."""
        self.need(size, what)
        self._held += size

    def most_bytes(self) -> int:
        """How much of a file may be read; so much would be too much already."""
        return -1 if self._bytes == float("inf") else int(self._bytes) + 1


def read_document(source: Source, limits: Limits) -> Parsed:
    """Read the content of a result file, if it is complete, of this version, and not too large."""
    text = _text(source, limits)
    limits.hold(3 * len(text) + sum(size * text.count(mark) for mark, size in BYTES.items()), "the file")
    try:
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except CertificateError:
        raise
    except (json.JSONDecodeError, RecursionError) as error:
        raise CertificateError(
            f"this is not complete JSON, perhaps half-written: {plain_reason(error)}"
        ) from error
    except ValueError as error:
        raise CertificateError(f"this cannot be read: {plain_reason(error)}") from error
    top = Json(content)
    if top["format"].text() != FORMAT:
        raise CertificateError(f'this is not a result: its "format" is not "{FORMAT}"')
    version = top["version"].integer(0, 10**6)
    if version not in READ:
        release = "an older" if version < VERSION else "a newer"
        raise CertificateError(
            f"the result is of version {version}, written by {release} release; this one verifies "
            f"versions {' and '.join(map(str, READ))}: explain again, or install that release"
        )
    return content


def check_digest(content: Mapping[str, Any]) -> str:
    """Confirm that the content is what was written, to the letter of each label."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"the digest cannot be computed: {error}") from error
    digest = sha256(text.encode("ascii")).hexdigest()
    if content["digest"] != digest:
        raise CertificateError("the digest is not that of the content: the file was changed after writing")
    return (
        f"sha256 {digest[:12]}... of everything in the file; nothing else binds labels, reasons, ranges, "
        "rules in words, and what is said of the model and the run"
    )


def _text(source: Source, limits: Limits) -> str:
    if isinstance(source, Written):  # a stranger checks what a result writes, not what it holds
        source = source.to_json()
    if not isinstance(source, (str, os.PathLike, Mapping)):
        raise CertificateError(
            f"{type(source).__name__} is not a result, a file of one, its text, or its content"
        )
    try:
        if isinstance(source, Mapping):
            return json.dumps(source)
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return source
        with Path(source).open("rb") as file:
            content = file.read(limits.most_bytes())
        limits.need(2 * len(content), "the file")
        return content.decode("utf-8")
    except (OSError, TypeError, ValueError, RecursionError) as error:
        name = "the result" if isinstance(source, Mapping) else str(source)[:200]
        raise CertificateError(f"{name} cannot be read: {plain_reason(error)}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise CertificateError(f"the field {name[:40]!r} is given twice")
    return content


def _refuse(name: str) -> NoReturn:
    raise CertificateError(f"{name} is not a number that a result may hold")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _refuse(text[:40])


class Json:
    """One JSON value and where it is; whoever asks for it as something else gets an error that says so.

    Whatever nobody asks for is not of the format, which ``refuse_unknown`` says: so each field is named where
    it is read, and nowhere else. Whoever reads looks at the clock, list by list.
    """

    __slots__ = ("_asked", "limits", "path", "value")

    def __init__(self, value: object, limits: Limits | None = None, path: str = "") -> None:
        self.value = value
        self.limits = limits or Limits()
        self.path = path
        self._asked: dict[int, tuple[Json, set[str]]] = {}  # objects that were read, and fields asked for

    def _inner(self, value: object, path: str) -> "Json":
        inner = Json(value, self.limits, path)
        inner._asked = self._asked
        return inner

    def fields(self) -> dict[str, Any]:
        """Refuse anything but an object."""
        if not isinstance(self.value, dict):
            self.fail(f"must be an object, not {_name(self.value)}")
        return self.value

    def fail(self, what: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise CertificateError(f"{self.path or 'the file'} {what}")

    def allow(self, *names: str) -> None:
        """Let fields be there, whatever they hold; all of them if none is named."""
        self._asked.setdefault(id(self.fields()), (self, set()))[1].update(names or self.fields())

    def refuse_unknown(self) -> None:
        """Refuse fields that nobody asked for, in all objects that were read."""
        for known, asked in self._asked.values():
            if unknown := known.fields().keys() - asked:
                known.field(_printable(min(unknown), 40)).fail("is not a field of this format")

    def __contains__(self, name: str) -> bool:
        self.allow(name)
        return name in self.fields()

    def has(self, name: str) -> bool:
        """Whether a field is there and is not null."""
        return name in self and self.fields()[name] is not None

    def __getitem__(self, name: str) -> "Json":
        return self.field(name) if name in self else self.field(name).fail("is missing")

    def field(self, name: str) -> "Json":
        """Look at a field, whether it is there or not."""
        return self._inner(self.fields().get(name), f"{self.path}.{name}" if self.path else name)

    def values(self, length: int | None = None) -> list[Any]:
        """Refuse anything but a list, of the given length."""
        self.limits.check()
        if not isinstance(self.value, list):
            self.fail(f"must be a list, not {_name(self.value)}")
        if length is not None and len(self.value) != length:
            self.fail(f"has {len(self.value)} entries instead of {length}")
        if len(self.value) > LONGEST_LIST:
            self.fail(f"has {len(self.value)} entries, more than {LONGEST_LIST}")
        return self.value

    def entries(self, length: int | None = None) -> "Iterator[Json]":
        """Go through a list."""
        return (self._inner(entry, f"{self.path}[{i}]") for i, entry in enumerate(self.values(length)))

    def text(self, among: tuple[str, ...] = ()) -> str:
        """Refuse anything but a string, one of those given if any are."""
        if not isinstance(self.value, str):
            self.fail(f"must be text, not {_name(self.value)}")
        if among and self.value not in among:
            self.fail(f"is {self.value[:40]!r}; known are {', '.join(among)}")
        return self.value

    def printable(self, most: int) -> str:
        """Read text that is going to be told: so many characters, none of which directs a terminal."""
        return _printable(self.text(), most)

    def numbers(self, length: int | None = None) -> FloatArray:
        """Refuse anything but a list of finite numbers; true is not a number."""
        for number in self.values(length):
            if type(number) not in {int, float} or not -LARGEST_FLOAT <= number <= LARGEST_FLOAT:
                shown = "one so large" if type(number) in {int, float} else _name(number)
                self.fail(f"must hold finite numbers only, not {shown}")
        return np.array(self.value, dtype=np.float64)

    def number(self) -> float:
        """Refuse anything but a finite number."""
        return float(self.alone().numbers()[0])

    def alone(self) -> "Json":
        """Take a value as a list of nothing but it."""
        return self.same([self.value])

    def same(self, value: object) -> "Json":
        """Take another value as if it stood there."""
        return Json(value, self.limits, self.path)

    def integers(self, low: int, high: int, length: int | None = None) -> tuple[int, ...]:
        """Refuse anything but a list of integers from ``low`` to ``high``; true is not a number."""
        numbers = self.values(length)
        if not {*map(type, numbers)} <= {int}:
            wrong = next(number for number in numbers if type(number) is not int)
            self.fail(f"must hold integers only, not {_name(wrong)}")
        if numbers and not (low <= min(numbers) and max(numbers) <= high):
            wrong = next(number for number in numbers if not low <= number <= high)
            shown = wrong if abs(wrong) < 10**20 else "a huge number"
            self.fail(f"holds {shown}, which is not between {low} and {high}")
        return tuple(numbers)

    def integer(self, low: int, high: int) -> int:
        """Refuse anything but an integer from ``low`` to ``high``."""
        return self.alone().integers(low, high)[0]

    def array(self, low: int, high: int, length: int | None = None) -> IntArray:
        """Read integers as an array."""
        return np.array(self.integers(low, high, length), dtype=np.int64)

    def distinct(self, high: int, length: int | None = None) -> tuple[int, ...]:
        """Refuse anything but a list of different integers from 0 to ``high``."""
        numbers = self.integers(0, high, length)
        if len(set(numbers)) != len(numbers):
            self.fail("names something twice")
        return numbers

    def matrix(self, low: int, high: int, columns: int, rows: int | None = None) -> IntArray:
        """Refuse anything but a list of lists of integers, each as long as there are columns."""
        lists = [entry.integers(low, high, columns) for entry in self.entries(rows)]
        return np.array(lists, dtype=np.int64).reshape(len(lists), columns)

    def codes(self, levels: tuple[int, ...], rows: int | None = None) -> IntArray:
        """Refuse anything but rows with one existing level per feature."""
        codes = self.matrix(0, LARGEST_CODE, len(levels), rows)
        for row, feature in np.argwhere(codes >= np.array(levels))[:1].tolist():
            raise CertificateError(
                f"{self.path}[{row}] has code {codes[row, feature]} in feature {feature}, "
                f"which has {levels[feature]} levels"
            )
        return codes


def _printable(text: str, most: int) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text[:most])


def _name(value: object) -> str:
    return NAMES.get(type(value), "something else")
