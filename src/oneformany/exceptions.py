"""Every error this package raises on purpose; each is also the builtin a caller would expect."""

__all__ = [
    "CertificateError",
    "DataUnavailableError",
    "InputError",
    "OneForManyError",
    "PredictionMismatchError",
    "SolverError",
    "UnsupportedModelError",
]


class OneForManyError(Exception):
    """Root of all errors of this package."""


class InputError(OneForManyError, ValueError):
    """The data, schema, rules or parameters cannot be used as given."""


class UnsupportedModelError(OneForManyError, TypeError):
    """The classifier is of a kind, or in a state, that no oracle can read."""


class DataUnavailableError(OneForManyError, FileNotFoundError):
    """A data set is neither in the named folder, nor cached, nor downloadable."""


class CertificateError(OneForManyError, ValueError):
    """A result file is unreadable, or what it claims does not hold."""


class PredictionMismatchError(OneForManyError, RuntimeError):
    """The user's own model disagrees with its reading by an oracle."""


class SolverError(OneForManyError, RuntimeError):
    """The linear or integer programming solver failed, or ended without a usable answer."""
