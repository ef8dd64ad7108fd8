"""Every error this package raises on purpose; each is also the builtin a caller would expect."""

import json
from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "Argument",
    "CertificateError",
    "DataUnavailableError",
    "InputError",
    "InputWarning",
    "OneForManyError",
    "PredictionMismatchError",
    "SolverError",
    "UnsupportedModelError",
]

REASONS: dict[type[Exception], str] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "it is a folder",
    RecursionError: "it is nested too deeply",
    PermissionError: "you have no right to; ask its owner, or make a copy that is yours",
}


@dataclass(frozen=True)
class Argument:
    """An argument that a message names: Python spells it in one way, the command line as its option.

    Attributes
    ----------
    name : str
        As functions call it.
    value : object
        As it could be given.
    bare : bool
        The message says something of the argument itself.

    Examples
    --------
    >>> print(Argument("max_changes", 4), Argument("threshold"), Argument("coverage", bare=True))
    max_changes=4 threshold= coverage
    """

    name: str
    value: object = None
    bare: bool = False

    def __str__(self) -> str:
        if self.bare:
            return self.name
        return f"{self.name}={'' if self.value is None else repr(self.value)}"


Spell = Callable[[Argument], str]


class Message(Exception):  # noqa: N818 (of warnings, too)
    """What errors and warnings say, part by part, so that each argument can be spelled in another way."""

    def __init__(self, *parts: object) -> None:
        super().__init__("".join(map(str, parts)))
        self.parts = parts

    @property
    def argument(self) -> str | None:
        """The argument that the message names, the first if it names several."""
        return next((part.name for part in self.parts if isinstance(part, Argument)), None)

    def spelled(self, spell: Spell) -> str:
        """The message, with arguments as somebody else spells them."""
        return "".join(spell(part) if isinstance(part, Argument) else str(part) for part in self.parts)


class InputWarning(Message, UserWarning):
    """Something that is asked is possible, but hardly meant.

    Examples
    --------
    >>> InputWarning("few rows: give more with ", Argument("reference")).argument
    'reference'
    """


class OneForManyError(Message):
    """Root of all errors of this package; ``argument`` names the one that it is about, or the remedy.

    Examples
    --------
    >>> import oneformany as ofm
    >>> try:
    ...     ofm.problem.Goal(coverage=90)
    ... except ofm.OneForManyError as error:
    ...     print(type(error).__name__, error.argument)
    InputError coverage
    """


class InputError(OneForManyError, ValueError):
    """The data, schema, rules or parameters cannot be used as given.

    Examples
    --------
    >>> issubclass(InputError, ValueError)
    True
    """


class UnsupportedModelError(OneForManyError, TypeError):
    """The classifier is of a kind, or in a state, that no oracle can read.

    Examples
    --------
    >>> issubclass(UnsupportedModelError, TypeError)
    True
    """


class DataUnavailableError(OneForManyError, FileNotFoundError):
    """A data set is neither in the named folder, nor cached, nor downloadable.

    Examples
    --------
    >>> issubclass(DataUnavailableError, FileNotFoundError)
    True
    """


class CertificateError(OneForManyError, ValueError):
    """A result file is unreadable, or what it claims does not hold.

    Examples
    --------
    >>> issubclass(CertificateError, ValueError)
    True
    """


class PredictionMismatchError(OneForManyError, RuntimeError):
    """The user's own model disagrees with its reading by an oracle.

    Examples
    --------
    >>> issubclass(PredictionMismatchError, RuntimeError)
    True
    """


class SolverError(OneForManyError, RuntimeError):
    """The linear or integer programming solver failed, or ended without a usable answer.

    Examples
    --------
    >>> issubclass(SolverError, RuntimeError)
    True
    """


def plain_reason(error: Exception) -> str:
    """Say in plain words why a file cannot be read or written.

    >>> plain_reason(FileNotFoundError(2, "No such file or directory"))
    'there is no such file'
    """
    if isinstance(error, UnicodeDecodeError):
        line = 1 + error.object.count(b"\n", 0, error.start)
        return f"line {line} is not text in {error.encoding} (byte 0x{error.object[error.start]:02x})"
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno} is not JSON ({error.msg})"
    if "integer string conversion" in str(error):
        return "it holds an integer of thousands of digits"
    return REASONS.get(type(error)) or getattr(error, "strerror", None) or str(error)
