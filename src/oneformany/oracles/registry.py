"""Which reader understands which model, decided by the names of its type: no framework is imported for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.columns import encoding_for, inputs_for
from oneformany.oracles.encoding import Encoding
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.verdict import Reading, Verdict
from oneformany.schema.encode import Schema

__all__ = ["READERS", "Reader", "named", "oracle_for", "read_model", "reader_for"]


@dataclass(frozen=True)
class Reader:
    """A kind of model and the function that reads it.

    Attributes
    ----------
    kind : str
        What it reads, in words, for messages.
    matches : callable
        Says whether a type is of this kind.
    path : str
        Where the reading function is, as ``"package.module:function"``.
    reads : {"columns", "rows"}
        Whether the model reads numeric columns; then the function is called with ``(model, encoding,
        threshold, positive)`` and returns an oracle. Otherwise it is called with ``(model, schema,
        threshold, positive)`` and returns a :class:`Reading`.
    """

    kind: str
    matches: Callable[[type], bool]
    path: str
    reads: Literal["columns", "rows"] = "columns"

    def load(self) -> Callable[..., Any]:
        """Import the reading function."""
        module, _, name = self.path.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function


def named(package: str, *names: str) -> Callable[[type], bool]:
    """Match types that are, or derive from, one of the named classes of a package.

    Parameters
    ----------
    package : str
        Top-level package of the classes.
    *names : str
        Names of the classes.
    """

    def matches(kind: type) -> bool:
        return any(
            base.__module__.split(".")[0] == package and base.__name__ in names for base in kind.__mro__
        )

    return matches


READERS: list[Reader] = [
    Reader(
        "linear classifiers of scikit-learn",
        named(
            "sklearn",
            "LinearDiscriminantAnalysis",
            "LinearSVC",
            "LogisticRegression",
            "Perceptron",
            "RidgeClassifier",
            "RidgeClassifierCV",
            "SGDClassifier",
        ),
        "oneformany.oracles.linear:read_linear",
    ),
    Reader(
        "naive Bayes classifiers of scikit-learn",
        named("sklearn", "BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
        "oneformany.oracles.linear:read_linear",
    ),
    Reader(
        "CalibratedClassifierCV (sigmoid, one calibrator) over these",
        named("sklearn", "CalibratedClassifierCV"),
        "oneformany.oracles.linear:read_linear",
    ),
    Reader(
        "scorecards (dict of feature to level to points)",
        named("builtins", "dict"),
        "oneformany.oracles.scorecard:scorecard_reading",
        reads="rows",
    ),
]


def reader_for(model: object) -> Reader:
    """Find the first reader that understands a model.

    Parameters
    ----------
    model : object
        A fitted classifier.

    Raises
    ------
    UnsupportedModelError
        There is none.
    """
    for reader in READERS:
        if reader.matches(type(model)):
            return reader
    kinds = "; ".join(reader.kind for reader in READERS)
    what = type(model).__name__
    if any(base.__name__ == "RegressorMixin" for base in type(model).__mro__):
        what += ", a regressor,"
    raise UnsupportedModelError(f"{what} cannot be read as a classifier; supported are: {kinds}")


def read_model(
    model: object, source: Schema | Encoding, threshold: float | None = None, positive: object = 1
) -> Reading:
    """Read a model for the engine, and keep its own verdict at hand.

    Parameters
    ----------
    model : object
        A fitted classifier.
    source : Schema or Encoding
        The features, or how their codes become the columns that the model reads.
    threshold : float or None
        Least probability (or decision value, for models without probabilities) of a positive point;
        ``None``: as the model's ``predict`` decides.
    positive : object
        Label of the positive class.
    """
    reader = reader_for(model)
    if reader.reads == "rows":
        if isinstance(source, Encoding):
            raise InputError(f"{type(model).__name__} reads rows by name: pass a schema, not an encoding")
        reading: Reading = reader.load()(model, source, threshold, positive)
        return reading
    encoding = source if isinstance(source, Encoding) else encoding_for(model, source)
    oracle: Oracle = reader.load()(model, encoding, threshold, positive)
    return Reading(oracle, Verdict(model, inputs_for(model, encoding), threshold, positive))


def oracle_for(
    model: object, source: Schema | Encoding, threshold: float | None = None, positive: object = 1
) -> Oracle:
    """Read a model for the engine; see :func:`read_model`.

    Parameters
    ----------
    model : object
        A fitted classifier.
    source : Schema or Encoding
        The features, or how their codes become the columns that the model reads.
    threshold : float or None
        Least probability or decision value of a positive point.
    positive : object
        Label of the positive class.
    """
    return read_model(model, source, threshold, positive).oracle
