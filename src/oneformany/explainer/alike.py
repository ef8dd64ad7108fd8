"""Explanations that help groups alike: the shares of their people who are helped differ by little."""

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyValue
from oneformany.arrays import IntArray, usual_arithmetic
from oneformany.exceptions import InputError
from oneformany.explainer.asking import Asking, asking
from oneformany.problem.goal import Goal
from oneformany.result.facts import TurnedDownError
from oneformany.result.result import Result
from oneformany.schema.feature import suggestion
from oneformany.schema.frames import as_pandas
from oneformany.stop import Stop

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

MOST_GROUPS = 50  # more are names or numbers; each takes part in every step of the search


def explain_alike(
    explainer: "OneForMany",
    frame: AnyFrame,
    between: AnyValue,
    within: float,
    *,
    explanations: int | None,
    coverage: float | None,
    time_limit: float | None,
    people: AnyValue = None,
) -> Result:
    """Answer as :meth:`oneformany.OneForMany.explain` does, with groups helped alike."""
    if (explanations is None) == (coverage is None):
        raise InputError(
            "between= needs explanations= or coverage=, and one of them: where everybody who can be helped "
            "is helped, the shares are what the model and the rules allow"
        )
    if isinstance(within, bool) or not isinstance(within, (int, float)) or not 0 <= within <= 1:
        raise InputError(f"within is {within!r}; give a difference of shares from 0 to 1, such as 0.05")
    from oneformany.engine.context import Context  # compiled parts are loaded when they are needed
    from oneformany.engine.fair import Groups, solve_fair

    table = as_pandas(frame, "the rows")
    name, values = _values(table, between)
    read = table
    if isinstance(explainer.reference, pd.DataFrame) and name in table.columns:
        known = set(map(str, explainer.reference.columns))
        read = table[[column for column in table.columns if str(column) in known or column != name]]
    stop = Stop(time_limit)
    with stop.on_interrupt(), usual_arithmetic():
        question = asking(explainer, read, stop, people)
        problem, refused = question.problem, question.posed.refused
        told = values.iloc[refused]
        groups = pd.Categorical(told.astype(object).where(told.notna(), "missing"))
        if not 2 <= len(groups.categories) <= MOST_GROUPS:
            raise InputError(
                f"the refused rows have {len(groups.categories)} values of {name!r}; between= needs 2 to "
                f"{MOST_GROUPS} groups"
            )
        counts = np.zeros((len(problem.rows), len(groups.categories)), dtype=np.int64)
        codes = np.asarray(groups.codes, dtype=np.int64)
        each = np.ones(len(codes), dtype=np.int64) if problem.people is None else np.asarray(problem.people)
        np.add.at(counts, (problem.row_of, codes), each)
        goal, share = Goal(explanations, coverage), Fraction(str(within))
        names = [*map(str, groups.categories)]

        def noting(free: Result, helped: IntArray, bound: int) -> Asking:
            noted = _record(name, names, codes, counts, share, free, helped, bound)
            return replace(question, noted={**question.noted, "between": noted})

        try:
            return solve_fair(Context(problem, goal, stop), Groups(counts, share), noting).result
        except TurnedDownError as error:
            raise InputError(
                "the model decides some rows at its threshold differently each time; name a threshold="
            ) from error


def _values(frame: pd.DataFrame, between: AnyValue) -> tuple[str, "pd.Series[Any]"]:
    """The group of each row, and what groups are called together."""
    if isinstance(between, str) or not hasattr(between, "__len__"):
        if between not in frame.columns:
            known = list(map(str, frame.columns))
            hint = suggestion(str(between), known)
            raise InputError(f"the frame has no column {between!r} of groups to help alike{hint}")
        return str(between), pd.Series(frame[between])
    values = pd.Series(np.asarray(between), index=frame.index)
    return str(getattr(between, "name", None) or "group"), values


def _record(
    name: str,
    names: list[str],
    codes: IntArray,
    counts: IntArray,
    within: Fraction,
    free: Result,
    helped: IntArray,
    bound: int,
) -> dict[str, Any]:
    """Say who was helped alike, and what that costs, as plain data."""
    return {
        "by": name,
        "names": names,
        "groups": codes.tolist(),
        "people": counts.sum(axis=0).tolist(),
        "helped": helped.tolist(),
        "within": [within.numerator, within.denominator],
        "bound": bound,
        "without": {
            "count": free.count,
            "lower_bound": free.lower_bound,
            "covered": free.covered,
            "covered_bound": free.covered_bound,
        },
    }
