"""What one letter says, as plain data: the reasons, the advice, and what was proved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.result.labels import Labels, shown
from oneformany.result.result import Result
from oneformany.result.tables import outcomes
from oneformany.schema.feature import is_missing
from oneformany.studies.reason_codes import ReasonCode
from oneformany.studies.reasons import RESPONSIVE, Reason

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Change:
    """One value of a person that would have to be another one.

    Attributes
    ----------
    feature : str
        What people call it.
    before, after : str
        The value of the application, and the one that is advised.
    stated : bool
        Whether the application has a value there at all.

    Examples
    --------
    >>> Change("loan amount", "4,500 DM", "1,400 DM").after
    '1,400 DM'
    """

    feature: str
    before: str
    after: str
    stated: bool = True


@dataclass(frozen=True)
class ToldReason:
    """A reason of the refusal, as a letter tells it.

    Attributes
    ----------
    text : str
        The words of the lender's list, or the feature with its value.
    code : str
        Its number in that list; empty without one.
    feature, value : str
        What it is about, and the value of the application.
    responsive : str
        "yes", "proved no" or "unknown".

    Examples
    --------
    >>> ToldReason("Insufficient income", "3", "income", "900", "yes").code
    '3'
    """

    text: str
    code: str
    feature: str
    value: str
    responsive: str


@dataclass(frozen=True)
class Letter:
    """What one refused person is told.

    Attributes
    ----------
    row : str
        What the user's frame calls the person.
    outcome : str
        "explained", "already positive", "left out", "cannot be helped" or "undecided".
    reasons : tuple of ToldReason
        What counted most against the person.
    advice : tuple of Change
        What together would have changed the decision; nothing where that is not known or not possible.
    explanation : int or None
        The number of the explanation that the advice is, if it is shared.
    others : int
        How many other people share that advice.
    max_changes : int
        With how many changes at most advice was looked for.
    needed_changes : int or None
        How many would help somebody whom so many do not help, if that is known.

    Examples
    --------
    >>> letter = Letter("7", "undecided", (), (), None, 0, 2)
    >>> letter.advice
    ()
    """

    row: str
    outcome: str
    reasons: tuple[ToldReason, ...]
    advice: tuple[Change, ...]
    explanation: int | None
    others: int
    max_changes: int
    needed_changes: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        lists = {"reasons": [vars(one) for one in self.reasons], "advice": [vars(one) for one in self.advice]}
        return {**vars(self), **lists}


def letters_of(
    result: Result,
    frame: pd.DataFrame,
    rows: IntArray,
    reasons: Sequence[tuple[Reason, ...]],
    listed: Mapping[str, ReasonCode],
) -> Iterator[Letter]:
    """Tell every refused person; ``rows`` say where they stand in the frame."""
    labels, needed = result.labels, {entry.row: entry.needed_changes for entry in result.unreachable}
    codes = [listed.get(name) for name in labels.schema.names]
    names = [_called(labels, feature) for feature in range(len(labels.schema.names))]
    columns = [frame[name].array for name in labels.schema.names]
    known: dict[tuple[int, object], str] = {}
    for given, outcome in enumerate(outcomes(result)):
        number, row = result.assignment[given], int(rows[given])
        before, after = result.codes[given].tolist(), result.points[given].tolist()
        alone = [one for one in reasons[given] if one.end is not None]
        if number < 0 and alone:  # nobody shares the advice then
            after = list(min(alone, key=lambda one: one.least_changes or len(before)).end or ())
        values = [_said(labels, feature, column[row], known) for feature, column in enumerate(columns)]
        yield Letter(
            row=labels.row(given),
            outcome=outcome,
            reasons=tuple(
                _told(names[one.feature], values[one.feature], one, codes[one.feature])
                for one in reasons[given]
            ),
            advice=tuple(
                Change(
                    names[f],
                    values[f],
                    labels.target(f, new, number if number >= 0 else None),
                    stated=not is_missing(columns[f][row]),
                )
                for f, (old, new) in enumerate(zip(before, after, strict=True))
                if new >= 0 and new != old
            ),
            explanation=number + 1 if number >= 0 else None,
            others=labels.sizes[number] - 1 if number >= 0 else 0,
            max_changes=int(result.problem["max_changes"]),
            needed_changes=needed.get(given),
        )


def _told(name: str, value: str, reason: Reason, listed: ReasonCode | None) -> ToldReason:
    code = listed or ReasonCode("", name)
    return ToldReason(shown(code.text), shown(code.code), name, value, RESPONSIVE[reason.responsive])


def _said(labels: Labels, feature: int, value: AnyValue, known: dict[tuple[int, object], str]) -> str:
    """Say a value of an application; of thousands of people many have the same ones."""
    if is_missing(value):
        return NOT_STATED
    try:
        if (feature, value) not in known:
            known[feature, value] = labels.value(feature, value)
        return known[feature, value]
    except TypeError:  # what nobody can look up, such as a list
        return labels.value(feature, value)


def _called(labels: Labels, feature: int) -> str:
    """Call a feature as people do, or by the words in its name."""
    one = labels.schema.features[feature]
    return labels.feature(feature) if one.title else labels.feature(feature).replace("_", " ")
