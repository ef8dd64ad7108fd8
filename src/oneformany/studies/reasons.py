"""Why a person was refused: what scored against them, and which of it they could do something about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.explainer.posing import pose
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.described import leaves_open
from oneformany.oracles.protocol import Oracle, Question
from oneformany.problem import Problem
from oneformany.problem.ruled import ruled
from oneformany.result.following import check_unchanged, explained_rows, schema_of
from oneformany.result.question import question_of
from oneformany.result.result import Result
from oneformany.schema.feature import is_integer
from oneformany.schema.frames import Table
from oneformany.stop import Stop
from oneformany.studies.additive_reasons import AdditiveReasons
from oneformany.studies.reason_codes import ReasonCode, reason_codes

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

MOST_REASONS = 4  # more are not thought helpful to a person who was refused
RESPONSIVE = {True: "yes", False: "proved no", None: "unknown"}
COLUMNS = ("feature", "rank", "responsive", "gain", "least_changes", "change")


@dataclass(frozen=True)
class Reason:
    """What one feature of a refused row has to do with the refusal.

    Attributes
    ----------
    feature : int
        Which.
    gain : float
        By how much the score would rise if this alone had the value that the classifier likes best.
    responsive : bool or None
        Whether changing it is part of an allowed change that the classifier accepts; ``False``: proved that
        it is not; ``None``: not known.
    end : tuple of int or None
        The cells of the row after such a change.
    least_changes : int or None
        With how few features such a change can do, if that is proved.

    Examples
    --------
    >>> Reason(feature=2, gain=0.5, responsive=False).end is None
    True
    """

    feature: int
    gain: float
    responsive: bool | None
    end: tuple[int, ...] | None = None
    least_changes: int | None = None


def reasons(
    result: Result,
    frame: AnyFrame,
    model: "OneForMany | None" = None,
    *,
    codes: Mapping[str, Any] | str | Path | None = None,
    most: int = MOST_REASONS,
    time_limit: float | None = None,
) -> pd.DataFrame:
    """Tell for every refused person why, with reasons that they can respond to where there are any.

    See :meth:`oneformany.Result.reasons`.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]}, index=list("abcd"))
    >>> explainer = ofm.OneForMany(DecisionTreeClassifier().fit(frame, [0, 0, 0, 1]), max_changes=2)
    >>> explainer.explain(frame).reasons(frame).loc["c", ["feature", "responsive", "change"]].tolist()
    ['savings', 'yes', 'savings: 1 -> 2']
    """
    listed, names = reason_codes(codes), schema_of(result).names
    told = principal_reasons(result, Table.of(frame), model, listed, most=most, stop=Stop(time_limit))
    lines: list[dict[str, object]] = []
    people: list[int] = []
    for given, own in enumerate(told):
        people += [given] * len(own)
        for rank, reason in enumerate(own, start=1):
            line = _line(result, given, rank, reason)
            if (code := listed.get(names[reason.feature])) is not None:
                line |= {"code": code.code, "text": code.text}
            lines.append(line)
    columns = [*COLUMNS, *(("code", "text") if listed else ())]
    table = pd.DataFrame(lines, result.index.to_pandas().take(people), columns)
    return table.astype({"least_changes": "Int64"})


def principal_reasons(
    result: Result,
    table: Table,
    model: "OneForMany | None",
    listed: Mapping[str, ReasonCode],
    *,
    most: int,
    stop: Stop,
) -> list[tuple[Reason, ...]]:
    """The most important reasons of every given row; see :func:`reasons`."""
    if not is_integer(most, 1):
        raise InputError(f"most is {most!r}; it must be an integer of at least 1")
    schema = schema_of(result)
    for column in listed:
        schema.index(column)
    surely, perhaps = _asked(result, table, model)
    codes = [listed.get(name) for name in schema.names]
    distinct = np.unique(surely.row_of).tolist()
    told = {}
    together = None
    if perhaps is surely and isinstance(surely.oracle, AdditiveOracle):
        together = AdditiveReasons(surely, surely.oracle)
    for row in distinct:
        if together is not None and together.possible:
            found = _looked_up(together, row, lambda known: _enough(known, codes, most))
        else:
            found = reasons_of(surely, perhaps, row, stop, lambda known: _enough(known, codes, most))
        told[row] = principal(found, codes, most)
    return [told[row] for row in surely.row_of.tolist()]


def reasons_of(
    surely: Problem,
    perhaps: Problem,
    row: int,
    stop: Stop,
    enough: Callable[[Sequence[Reason]], bool] = lambda _: False,
) -> list[Reason]:
    """Look at every feature of a distinct row, the weightiest first, until that is enough.

    The first problem accepts what surely is positive, so that its "yes" holds; the second one what perhaps
    is, so that its "no" does.
    """
    question = surely.question(row)
    gains = _gains(surely, row, question.anchor)
    yes = ruled(surely, row)
    no = yes if perhaps is surely else ruled(perhaps, row)
    found: list[Reason] = []
    for feature in np.argsort(-gains, kind="stable").tolist():
        if enough(found):
            break
        domain, free = question.domain.copy(), question.free.copy()
        domain[feature, question.anchor[feature]] = False
        free[feature] = True  # and without its own value it has to move
        asked = replace(question, domain=domain, free=free, extra=surely.max_changes - 1, stop=stop)
        reason = Reason(feature, float(gains[feature]), None)
        if not domain[feature].any():
            reason = replace(reason, responsive=False)
        elif not stop.expired():
            reason = _answered(reason, surely, yes, no, asked)
        found.append(reason)
    return found


def _looked_up(
    together: AdditiveReasons, row: int, enough: Callable[[Sequence[Reason]], bool]
) -> list[Reason]:
    """The same where all rows were worked out together."""
    found: list[Reason] = []
    for feature in together.features(row):
        if enough(found):
            break
        least, gain = int(together.least[row, feature]), float(together.gains[row, feature])
        end = together.end(row, feature) if least else None
        found.append(Reason(feature, gain, responsive=least > 0, end=end, least_changes=least or None))
    return found


def _answered(reason: Reason, problem: Problem, yes: Oracle, no: Oracle, asked: Question) -> Reason:
    """Ask for a change that uses the feature, with as few others as possible."""
    fewer_excluded = none = True
    for extra in range(asked.extra + 1):
        question = replace(asked, extra=extra)
        answer = yes.reach(question)
        if answer.point is not None:
            end = tuple(problem.cells_of(answer.point).tolist())
            least = extra + 1 if fewer_excluded else None
            return replace(reason, responsive=True, end=end, least_changes=least)
        none = (answer if no is yes else no.reach(question)).proved_none
        fewer_excluded &= none
    return replace(reason, responsive=False) if none else reason


def _gains(problem: Problem, row: int, anchor: IntArray) -> FloatArray:
    """By how much the score rises at most when one feature alone changes, whatever rules say of that."""
    features, goals = np.nonzero(problem.targets(row, [None] * problem.n_features))
    own = anchor[None]
    points = own.repeat(len(features), axis=0)
    points[np.arange(len(features)), features] = goals
    gains = np.zeros(problem.n_features)
    np.maximum.at(gains, features, problem.oracle.score(points) - problem.oracle.score(own))
    return gains


def _enough(known: Sequence[Reason], codes: Sequence[ReasonCode | None], most: int) -> bool:
    """Whether the reasons known so far are all that are told: as many that one can respond to."""
    return len({codes[one.feature] or one.feature for one in known if one.responsive}) >= most


def principal(every: Sequence[Reason], codes: Sequence[ReasonCode | None], most: int) -> tuple[Reason, ...]:
    """Take the most important reasons: responsive ones if there are any, of those with one code the first."""
    kept = [reason for reason in every if reason.responsive] or [one for one in every if one.gain > 0]
    found: dict[object, Reason] = {}
    for reason in sorted(kept, key=lambda one: (-one.gain, one.feature)):
        found.setdefault(codes[reason.feature] or reason.feature, reason)
    return tuple(found.values())[:most]


def _asked(result: Result, table: Table, model: "OneForMany | None") -> tuple[Problem, Problem]:
    """The question of a result again: of the explainer, or as far as the file knows the classifier."""
    rows = explained_rows(result, len(table.frame), "explain these rows first")
    check_unchanged(schema_of(result), table, rows, result.codes, "pass that frame")
    surely = asked_again(result, table, model)
    if model is not None:
        return surely, surely
    open_points = leaves_open(result.problem["oracle"])
    return surely, question_of(result.problem, perhaps=True) if open_points else surely


def asked_again(result: Result, table: Table, model: "OneForMany | None") -> Problem:
    """The question of a result again: as its explainer poses it, or as the result itself holds it."""
    if model is not None:
        problem = pose(model, table).problem(model.max_changes, model.share)
        if not np.array_equal(problem.codes, result.codes):
            raise InputError("the explainer is not the one that found this result: rows or cells differ")
        return problem
    try:
        return question_of(result.problem)
    except UnsupportedModelError as error:
        raise InputError(f"{error}; pass the explainer as model=") from error


def _line(result: Result, given: int, rank: int, reason: Reason) -> dict[str, object]:
    """Tell one reason of a given row."""
    labels, before, words = result.labels, result.codes[given].tolist(), []
    for feature, after in enumerate(reason.end or ()):
        if after != before[feature]:
            old, new = labels.level(feature, before[feature]), labels.target(feature, after)
            words.append(f"{labels.feature(feature)}: {old} -> {new}")
    told = (
        result.labels.schema.names[reason.feature],
        rank,
        RESPONSIVE[reason.responsive],
        reason.gain,
        reason.least_changes,
        "; ".join(words) or None,
    )
    return dict(zip(COLUMNS, told, strict=True))
