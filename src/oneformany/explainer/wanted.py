"""Which answer of the model is wanted, as results tell it; and a question where it looks wrong."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.exceptions import Argument, InputError, InputWarning
from oneformany.explainer.posing import Posed, acceptors_of
from oneformany.readers.registry import is_function
from oneformany.schema.feature import plain_value
from oneformany.schema.frames import Table

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

LEAST_ROWS = 30  # fewer answers say nothing about how usual a class is
# Refusals are 7 to 30 % of the rows in the usual data on credit, churn and fraud; a half instead would ask in
# most cases in which nothing is wrong.
RARE = 1 / 3
RARER = 1 / 2  # of "yes" where nobody said to what: a column such as "deny" says so of refusals
NEARLY_ALL = 0.9  # of the rows to explain have the wanted answer: they are hardly those that were turned down
MOST_ASKED = 200  # rows of the reference data, which tell a third from a half
REFUSING = re.compile(
    r"\b(arrears|bad|bankrupt\w*|churn\w*|declin\w*|default\w*|delinquen\w*|den(?:y|ied|ial\w*)|fail\w*"
    r"|fraud\w*|refus\w*|reject\w*|turned down)\b"
)
NEGATED = re.compile(r"\b(no|non|not|never|without)\b")
AFFIRMING = ("yes", "y", "true", "t", "1", "1.0")  # which say nothing of what it is that they affirm


def wanted_answer(asked: OneForMany) -> dict[str, Any]:
    """Plain data: the wanted ``answer``, ``None`` of a function; what it is an answer ``for``, if told.

    With a ``threshold``, ``measure`` says of what.
    """
    first = acceptors_of(asked).every[0]
    model, positive = first.model, plain_value(first.positive)
    function, threshold, measure = is_function(type(model)), asked.threshold, "probability"
    if function:
        owner = getattr(getattr(model, "function", model), "__self__", None)
        unnamed, threshold = positive == 1 and not hasattr(owner, "classes_"), threshold or 0.5
    elif unnamed := isinstance(model, dict):  # a scorecard
        measure = "points"
    elif hasattr(model, "decision_function") and not hasattr(model, "predict_proba"):
        measure = "score"
    plain = positive if isinstance(positive, (bool, int, float, str)) else str(positive)
    return {
        "answer": None if unnamed else plain,
        "for": asked.target,
        "threshold": None if threshold is None else float(threshold),
        "measure": None if threshold is None else measure,
    }


def ask_about_wanted(asked: OneForMany, posed: Posed) -> None:
    """Ask, once, whether the wanted class is the right one, where it looks like the one that nobody wants."""
    answer = wanted_answer(asked)["answer"]
    label, target = (_words(text) for text in (answer, asked.target))
    sign = _sign_of_refusing(label, target)
    unsure = label in AFFIRMING and (asked.positive is None or isinstance(asked.positive, str))
    if sign is None and unsure:
        least = RARER if label == "yes" and not target else RARE
        sign = _sign_of_numbers(posed.positive, _answers_on_reference(asked, posed), least)
    if sign is not None:
        known = np.asarray(getattr(acceptors_of(asked).every[0].model, "classes_", ())).ravel().tolist()
        other = next((other for other in known if other != answer), None)
        warnings.warn(
            InputWarning(
                f"is {answer!r} what people want? {sign}. Explanations lead to {answer!r}; if nobody wants "
                "that, name the other class with ",
                Argument("positive", other),
            ),
            stacklevel=3,
        )


def _sign_of_refusing(label: str, target: str) -> str | None:
    """Why the names of the class and of what is told look as if the class were a refusal."""
    for name, affirmed in ((label, True), (target, label in AFFIRMING)):
        found = REFUSING.search(name)
        if affirmed and found and not NEGATED.search(name):
            return f"The name {name!r} speaks of a refusal"
    return None


def _sign_of_numbers(rows: BoolArray, reference: BoolArray | None, least: float) -> str | None:
    """Why the numbers of wanted and other answers look as if the class were a refusal."""
    usual, where = (rows, "given rows") if reference is None else (reference, "reference rows looked at")
    if len(rows) >= LEAST_ROWS and rows.mean() > NEARLY_ALL:
        return f"{int(rows.sum()):,} of {len(rows):,} given rows have that answer already"
    if len(usual) >= LEAST_ROWS and 0 < usual.mean() < least:
        return f"Only {int(usual.sum()):,} of {len(usual):,} {where} have that answer"
    return None


def _answers_on_reference(asked: OneForMany, posed: Posed) -> BoolArray | None:
    """The model's answers about some reference rows; a function, which may be slow, is not asked."""
    if asked.reference is None or posed.inputs is None or hasattr(posed.oracle, "asked"):
        return None
    frame = Table.of(asked.reference, "the reference data").frame
    some = np.unique(np.linspace(0, len(frame) - 1, MOST_ASKED).astype(np.int64))
    try:
        return posed.decide(frame.iloc[some])
    except (InputError, KeyError):  # values that the rows do not have, or columns that it lacks
        return None


def _words(text: object) -> str:
    """A label in small letters, its words apart."""
    return "" if text is None else re.sub(r"[\W_]+", " ", str(text).replace("1.0", "1")).strip().lower()
