"""Classes by their names, what they answer in a way of their own, and those that pass rows on to others."""

from collections.abc import Callable, Sequence
from pathlib import PurePath

from oneformany.anything import AnyModel
from oneformany.exceptions import UnsupportedModelError
from oneformany.readers.verdict import class_index

ANSWERS = ("predict", "predict_proba", "decision_function")
NEAREST = 1e-6  # thresholds nearer to 0 or 1 are not read


def named(package: str, *names: str) -> Callable[[type], bool]:
    """Match types that are, or derive from, one of the named classes of a top-level package."""
    return lambda kind: any(
        base.__module__.split(".")[0] == package and base.__name__ in names for base in kind.__mro__
    )


def is_graph(kind: type) -> bool:
    """Whether models of a type are ONNX graphs, or paths to one."""
    return issubclass(kind, (str, PurePath)) or named("onnx", "ModelProto")(kind)


def model_name(model: AnyModel) -> str:
    """Name a model for people: a function by its own name, others by their type."""
    return "the ONNX graph" if is_graph(type(model)) else getattr(model, "__name__", type(model).__name__)


# Classifiers that pass rows on, and where they have the one that answers
WRAPPERS = {
    "BaseSearchCV": ("best_estimator_",),
    "FrozenEstimator": ("estimator",),
    "FixedThresholdClassifier": ("estimator_", "estimator"),
    "TunedThresholdClassifierCV": ("estimator_",),
}
is_wrapper = named("sklearn", *WRAPPERS)
has_threshold = named("sklearn", "FixedThresholdClassifier", "TunedThresholdClassifierCV")


def own_answer(
    model: AnyModel, matches: Callable[[type], bool], answers: Sequence[str] = ANSWERS, *, added: bool = True
) -> str | None:
    """Name an answer that a model gives in another way than the class that matches, or adds to it."""
    bases = type(model).__mro__
    known = max(number for number, base in enumerate(bases) if matches(base))
    for own in (getattr(model, "__dict__", {}), *map(vars, bases[:known])):
        for name in answers:
            if name in own and (added or hasattr(bases[known], name)):
                return name
    return None


def _inside(model: AnyModel) -> AnyModel:
    """Find the classifier to which a wrapper passes rows on; ``None``: the model answers itself."""
    if not is_wrapper(type(model)) or own_answer(model, is_wrapper):
        return None
    kind = next(name for name in WRAPPERS if named("sklearn", name)(type(model)))
    for attribute in WRAPPERS[kind]:
        if hasattr(model, attribute):
            return getattr(model, attribute)
    raise UnsupportedModelError(f"{type(model).__name__} is not fitted, or was with refit=False")


def unwrapped(model: AnyModel) -> AnyModel:
    """Take the model out of a parameter search, a ``FrozenEstimator`` or what has a threshold of its own."""
    while (inner := _inside(model)) is not None:
        model = inner
    return model


def threshold_inside(model: AnyModel, threshold: float | None, positive: object) -> float | None:
    """Which score the model inside a wrapper has to reach: the one asked for, or that of the wrapper.

    A threshold on the score of the other class is turned around. A tie then seems to go to either class; it
    is within the margin of every reading, where the wrapper itself decides.
    """
    while threshold is None and (inner := _inside(model)) is not None:
        if has_threshold(type(model)):
            threshold = _own_threshold(model, inner, positive)
        model = inner
    return threshold


def _own_threshold(model: AnyModel, inner: AnyModel, positive: object) -> float:
    chances = hasattr(inner, "predict_proba")
    least = model.threshold if hasattr(model, "threshold") else model.best_threshold_
    if least == "auto":
        least = 0.5 if chances else 0.0
    scorer = getattr(model, "_curve_scorer", None)  # which knows the label, where it was tuned
    label = getattr(scorer, "_get_pos_label", lambda: model.pos_label)()
    if class_index(model, positive) != (1 if label is None else class_index(model, label)):
        least = 1 - least if chances else -least
    if chances and (model.response_method == "decision_function" or not NEAREST < least < 1 - NEAREST):
        raise UnsupportedModelError(
            f"{type(model).__name__} has a threshold that is not a probability between 0 and 1; pass a "
            "function that returns 1.0 for what it accepts and 0.0 for the rest"
        )
    return float(least)
