"""The last word: what the user's own model says about a point, and how precisely it computes that."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import Argument, InputError, OneForManyError, UnsupportedModelError
from oneformany.oracles.protocol import Oracle

DOUBLE = 2.0**-53  # largest relative error of one operation in float64
SINGLE = 2.0**-24  # the same in float32


@dataclass(frozen=True, eq=False)
class Verdict:
    """Ask a fitted classifier itself whether points are positive.

    Parameters
    ----------
    model : object
        Has ``predict``, and ``predict_proba`` or ``decision_function`` when a threshold is given.
    inputs : callable
        Turns ``(n, p)`` codes into what the model reads.
    threshold : float or None
        Least probability (or decision value, for models without probabilities) of a positive point;
        ``None``: as ``predict`` decides.
    positive : object
        Label of the positive class.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier(strategy="constant", constant=1).fit([[0], [1]], [0, 1])
    >>> Verdict(model, lambda codes: codes)([[0], [1]]).tolist()
    [True, True]
    """

    model: Any
    inputs: Callable[[Any], Any]
    threshold: float | None = None
    positive: object = 1

    def __call__(self, codes: AnyValue) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive."""
        index = class_index(self.model, self.positive)
        data = self.inputs(codes)
        if self.threshold is None:
            known = classes_of(self.model)
            label = None if known is None else known[index]
            return np.asarray(said(self.model, "predict", data) == label, dtype=np.bool_)
        if hasattr(self.model, "predict_proba"):
            scores = said(self.model, "predict_proba", data)[:, index]
        elif not hasattr(self.model, "decision_function"):
            raise InputError(
                f"{type(self.model).__name__} has neither probabilities nor decision values to compare with "
                "a threshold; leave ",
                Argument("threshold"),
                " out to ask for what it predicts",
            )
        else:
            scores = said(self.model, "decision_function", data)
            scores = scores * (1 if index else -1) if scores.ndim == 1 else scores[:, index]
        return np.asarray(scores >= self.threshold, dtype=np.bool_)


def said(model: AnyModel, answer: str, data: AnyValue) -> AnyValue:
    """Ask a fitted classifier or a function for one of its answers, and tell whatever it raises instead."""
    try:
        answers = np.asarray(getattr(model, answer)(data))
    except (MemoryError, OneForManyError):
        raise
    except Exception as error:
        told = error if isinstance(error, ValueError) else f"{type(error).__name__} {error}"
        raise InputError(f"{type(model).__name__} does not answer about the rows: {told}") from error
    if answer == "predict" and answers.shape != (len(data),):
        raise InputError(
            f"{type(model).__name__} predicts an array of shape {answers.shape} for {len(data)} rows, not "
            "one class for each; fit it on classes in one column, XGBoost on two classes with "
            "binary:logistic, or name a threshold="
        )
    return answers


@dataclass(frozen=True, eq=False)
class ProbabilityVerdict:
    """Ask a model without ``predict`` for the probabilities of its classes, which are numbered.

    Parameters
    ----------
    probabilities : callable
        Turns columns into an ``(n, classes)`` array.
    inputs : callable
        Turns ``(n, p)`` codes into columns.
    threshold : float or None
        Least probability of a positive point; ``None``: the class has the largest one, and of several with
        the largest it is the first, which is what ``argmax`` predicts.
    positive : int
        Number of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> both = lambda rows: np.hstack([1 - rows, rows])
    >>> verdict = ProbabilityVerdict(both, lambda codes: codes / 2, 0.5, 1)
    >>> verdict(np.array([[0], [1], [2]])).tolist()
    [False, True, True]
    """

    probabilities: Callable[[FloatArray], FloatArray]
    inputs: Callable[[Any], FloatArray]
    threshold: float | None
    positive: int

    def __call__(self, codes: AnyValue) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive."""
        chances = self.probabilities(self.inputs(codes))
        if self.threshold is None:
            return np.asarray(chances.argmax(axis=1) == self.positive)
        return np.asarray(chances[:, self.positive] >= self.threshold, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Reading:
    """A model as the engine asks it, and as it answers itself.

    Attributes
    ----------
    oracle : Oracle
        Answers the engine. Where rounding could decide, the verdict does: an oracle with a ``decided_by``
        is given it. (Some libraries add up in another order for one row than for many, and then contradict
        themselves about a row whose score is the threshold up to its last bit.)
    verdict : callable
        Says for ``(n, p)`` codes whether the user's own model calls them positive.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> oracle = AdditiveOracle([[0.0, 1.0]], threshold=0.5)
    >>> Reading(oracle, oracle.positive).oracle.levels
    (2,)
    """

    oracle: Oracle
    verdict: Callable[[IntArray], BoolArray]

    def __post_init__(self) -> None:
        decided_by = getattr(self.oracle, "decided_by", None)
        if decided_by is not None:
            object.__setattr__(self, "oracle", decided_by(self.verdict))


def is_detector(model: AnyModel) -> bool:
    """Whether a model, or what a pipeline ends in, says what is usual: 1, and -1 of the rest."""
    while isinstance(getattr(model, "steps", None), list) and model.steps:
        model = model.steps[-1][1]
    return any(base.__name__ == "OutlierMixin" for base in type(model).__mro__)


def classes_of(model: AnyModel) -> Sequence[Any] | None:
    """The classes that a fitted model tells apart; ``None``: it is not fitted, or knows no labels."""
    fitted = hasattr(model, "n_features_in_") or not is_detector(model)
    known: Sequence[Any] | None = getattr(
        model, "classes_", [-1, 1] if fitted and is_detector(model) else None
    )
    return known


def positive_class(model: AnyModel, positive: object) -> object:
    """Which class is the positive one: that which was named, and otherwise 1 of a model of two classes."""
    known = classes_of(model)
    classes = _labels(model, () if known is None else known)
    if positive is None and hasattr(model, "parameters"):  # of PyTorch: the last ones belong to the outputs
        sizes = [weight.shape[:1] for weight in model.parameters()]
        classes = list(range(sum(sizes[-1]))) if sizes else []
    if positive is None and len(classes) > 2:
        raise InputError(
            f"the model tells {len(classes)} classes apart ({', '.join(map(repr, classes))}); name the "
            "positive one, such as ",
            Argument("positive", classes[0]),
        )
    return 1 if positive is None else positive


def _labels(model: AnyModel, classes: Sequence[Any]) -> list[Any]:
    if isinstance(classes, list) and any(map(np.ndim, classes)):
        kind = type(model).__name__
        raise UnsupportedModelError(f"{kind} predicts {len(classes)} outputs; fit one model for each")
    labels: list[Any] = np.asarray(classes).tolist()
    return labels


def class_index(model: AnyModel, positive: object, classes: Sequence[Any] | None = None) -> int:
    """Find the positive class among those of a fitted classifier, or among given ones."""
    kind = type(model).__name__
    if classes is None:
        if is_regressor(type(model)):
            raise UnsupportedModelError(f"{kind} is a regressor; explanations need a classifier")
        if (classes := classes_of(model)) is None:
            raise UnsupportedModelError(f"{kind} is not fitted: call its fit first")
    labels = _labels(model, classes)
    if len(labels) < 2:
        raise UnsupportedModelError(f"{kind} knows only the class {labels[0]!r}; fit it on rows of two")
    if positive not in labels:
        named = " and ".join([", ".join(map(repr, labels[:-1])), repr(labels[-1])])
        raise InputError(
            f"the positive class {positive!r} is not one of the model's classes {named}; "
            "name one of them with ",
            Argument("positive"),
        )
    return labels.index(positive)


def class_number(positive: object, whose: str) -> int:
    """Check the number of a class of a model that knows no labels."""
    if isinstance(positive, bool) or not isinstance(positive, (int, np.integer)):
        raise InputError(
            Argument("positive", bare=True), f" is {positive!r}; the classes of {whose} are numbered from 0"
        )
    return int(positive)


def is_regressor(kind: type) -> bool:
    """Whether a class of models predicts numbers rather than classes."""
    return any(base.__name__ == "RegressorMixin" for base in kind.__mro__)


def least_probability(threshold: float | None, n_classes: int = 2) -> float:
    """Check a threshold; without one it is where ``predict`` switches between two classes."""
    if threshold is None:
        if n_classes > 2:
            raise UnsupportedModelError(
                f"with {n_classes} classes predict takes the likeliest, which is not a threshold on one "
                "probability; name a threshold"
            )
        return 0.5
    if not isinstance(threshold, Real) or not 0 < threshold < 1:
        raise InputError(f"the threshold is {threshold!r}; it is a probability, strictly between 0 and 1")
    return float(threshold)


def log_odds(chance: float) -> float:
    """Where the logistic function takes a value."""
    return math.log(chance) - math.log1p(-chance)


def too_near(chance: float) -> UnsupportedModelError:
    """What is said of a probability so near 0 or 1 that no sum tells it from these."""
    end = 0 if chance < 0.5 else 1
    return UnsupportedModelError(f"a probability of {chance} is too near {end} to be turned into a sum")


def are_round(numbers: FloatArray, bits: int, below: float) -> bool:
    """Whether numbers are small multiples of ``2**-bits``, so that no sum of them is rounded."""
    units = numbers * 2**bits
    return bool((units == np.rint(units)).all() and np.abs(numbers).max(initial=0.0) < below)


def both_classes(second: ArrayLike) -> FloatArray:
    """Columns for the probabilities of both classes, from those of the second."""
    chances = np.asarray(second, dtype=np.float64)
    return np.stack([1 - chances, chances], axis=1)
