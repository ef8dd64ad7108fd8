"""Every error this package raises on purpose; each is also the builtin a caller would expect."""

import json

__all__ = [
    "CertificateError",
    "DataUnavailableError",
    "InputError",
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


class OneForManyError(Exception):
    """Root of all errors of this package.

    Examples
    --------
    >>> import oneformany as ofm
    >>> try:
    ...     ofm.Options(max_nodes=0)
    ... except ofm.OneForManyError as error:
    ...     print(type(error).__name__)
    InputError
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
