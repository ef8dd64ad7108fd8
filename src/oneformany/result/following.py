"""Follow explanations on frames: covered rows as they are afterwards, new rows under old explanations."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_numeric_dtype

from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray, usual_arithmetic
from oneformany.exceptions import InputError
from oneformany.problem import NumberRestriction
from oneformany.problem.own import OwnValues
from oneformany.result.squares import Square
from oneformany.schema.feature import Feature, is_missing, no_level
from oneformany.schema.frames import NUMBERS, Table, alike, missing_value
from oneformany.schema.rules.compared import NumberRule
from oneformany.schema.rules.rows import CellRule, cell_rule

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result
    from oneformany.schema.schema import Schema

MIXED = {*NUMBERS, "mixed", "mixed-integer"}  # numbers, perhaps beside something else
OUTCOMES = ("none fits", "explained", "already positive", "cannot be read")  # of new rows
NONE_FITS, EXPLAINED, ACCEPTED, UNREAD = range(len(OUTCOMES))
AT_ONCE = 20_000  # so many new rows, each with one goal, are shown to the model together
Decision: TypeAlias = Callable[[pd.DataFrame], BoolArray]


def follow(
    schema: Schema, frame: pd.DataFrame, before: IntArray, after: IntArray, whole: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Move rows of a frame from cells to cells; a value that stays in its cell stays what it is.

    All columns and the index are kept, and types where the targets allow; columns have text names. The
    ``whole`` frame that the rows are of, if it is larger, says what stands for a missing value.
    """
    whole = frame if whole is None else whole
    moved = frame.copy()
    for index, feature in enumerate(schema.features):
        old, new = before[:, index], after[:, index]
        if (old != new).any():
            gap = missing_value(whole[feature.name])
            moved[feature.name] = _moved(feature, frame[feature.name], gap, old, new)
    return moved


def apply(result: Result, frame: AnyFrame, model: AnyModel = None) -> pd.DataFrame:
    """Give rows as they are after following their explanations, with all columns and the index kept.

    Parameters
    ----------
    frame : frame
        The very frame that was explained: its covered rows are given. With a model, any rows: those for
        which :meth:`assign` finds an explanation.
    model : OneForMany or classifier, optional
        As in :meth:`assign`.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> explainer = ofm.OneForMany(DecisionTreeClassifier().fit(frame, [0, 0, 0, 1]), max_changes=2)
    >>> explainer.explain(frame).apply(frame.tail(2), explainer)
       income  savings
    2       2        2
    """
    schema = schema_of(result)
    table = Table.of(frame, needed=schema.names)
    if model is not None:
        placed = put_under(result, table, model)
        rows = np.flatnonzero(placed.numbers >= 0)
        before, after = placed.before[rows], placed.after[rows]
    else:
        covered = result.has_explanation
        other = "give model= too, so that explanations are found for other rows"
        rows = explained_rows(result, len(table.frame), other)[covered]
        before, after = result.codes[covered], result.points[covered]
        check_unchanged(schema, table, rows, before, f"pass that frame, or {other}")
    return table.named(follow(schema, table.frame.iloc[rows], before, after, table.frame))


def check_unchanged(schema: Schema, table: Table, rows: IntArray, before: IntArray, remedy: str) -> None:
    """Refuse rows that are not in the cells in which they were explained."""
    given = schema.cells(table.frame.iloc[rows]) if len(rows) else before
    for row in rows[(given != before).any(axis=1)][:1]:
        label = table.frame.index[row]
        raise InputError(f"row {label} is not as it was when it was explained; {remedy}")


def score_on_codes(
    result: Result, score: AnyValue, model: AnyModel, frame: AnyFrame
) -> Callable[[IntArray], FloatArray] | None:
    """Give the verifier a score of points as codes: the caller's, or what a model says of the moved rows."""
    frames = (
        "score takes an array of codes; a model or a function that reads frames is given as model=, and the "
        "rows that were explained as frame="
    )
    if model is not None and frame is not None:
        table = Table.of(frame)
        _, decide = _decisions(model, schema_of(result), table, result.problem.get("model", {}))
        moved = apply(result, table.frame)
        accepted = [] if decide is None or not len(moved) else decide(moved).tolist()
        covered, ends = result.has_explanation, result.points[result.has_explanation]
        if (written := result.problem.get("own")) is not None:
            own = OwnValues.from_dict(written)
            ends = own.follow(own.values[covered], ends, np.array(True))  # noqa: PD011 (not those of pandas)
        refused = {tuple(end) for end, yes in zip(ends.tolist(), accepted, strict=True) if not yes}
        return lambda points: np.array([-np.inf if tuple(p) in refused else np.inf for p in points.tolist()])
    of_frames = result.schema is not None and hasattr(getattr(score, "__self__", score), "predict")
    if model is not None or frame is not None or of_frames:
        raise InputError(frames)

    def checked(points: IntArray) -> FloatArray:
        try:
            scores = np.asarray(score(points), dtype=np.float64)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"score does not answer about codes ({error}); {frames}") from error
        if scores.shape != (len(points),):
            raise InputError(f"score returned shape {scores.shape} for {len(points)} points; {frames}")
        return scores

    return None if score is None else checked


def explained_rows(result: Result, length: int, instead: str) -> IntArray:
    """Tell where the explained rows stand in their frame; one of another length is refused."""
    rows = np.asarray(result.problem.get("rows", range(len(result.assignment))), dtype=np.int64)
    total = len(rows) + len(result.problem.get("already_positive", ()))
    if length == total:
        return rows
    words = f"the frame has {length} rows, {total} were explained; pass the very frame that was explained, or"
    if "rows_read" in result.problem:
        words = (
            f"the rows were read in batches, and only the {total} distinct ones that are refused were kept: "
            "which rows of this frame they are is not known;"
        )
    raise InputError(f"{words} {instead}")


@dataclass(frozen=True, eq=False)
class Placed:
    """New rows under old explanations."""

    numbers: IntArray  # (n,): the index of each row's explanation; -1 where it has none
    before: IntArray  # (n, p): its cells; -1 where a value has none
    after: IntArray  # (n, p): those after following
    outcomes: list[str]  # what becomes of it
    reasons: list[str | None]  # the value without a cell, if any, of one that has no explanation and needs it


@usual_arithmetic()
def put_under(result: Result, table: Table, model: AnyModel) -> Placed:
    """Find the explanation of each row; of rows without one, a warning names values that have no cell."""
    schema, problem, frame = schema_of(result), result.problem, table.frame
    if model is None and (result.share != "point" or problem.get("own") is not None):
        raise InputError("whether new rows are accepted after following is for the model to say: pass model=")
    codes = schema.cells(frame)
    known = np.asarray((codes >= 0).all(axis=1))
    outcomes = np.where(known, NONE_FITS, UNREAD)
    now, decide = _decisions(model, schema, table, problem.get("model", {}))
    if now is not None:
        outcomes = _as_they_are(now, frame[list(schema.names)], codes < 0)
    allowed = {f: Square.read(of, np.bool_) for f, of in enumerate(problem.get("allowed") or ()) if of}
    rules = [cell_rule(data) for data in problem.get("restrictions") or ()]
    found, ends = np.full(len(codes), -1, dtype=np.int64), codes.copy()
    for number, explanation in enumerate(result.explanations):
        goals, size = _goals(explanation, problem["levels"]), 1
        while some := list(islice(goals, size)):  # each row takes the first goal that helps it
            waiting = np.flatnonzero(outcomes == NONE_FITS)
            size = min(2 * size, 1 + AT_ONCE // (1 + len(waiting)))
            rows, goal = np.repeat(waiting, len(some)), np.tile(some, (len(waiting), 1))
            before = codes[rows]
            after = np.where(goal >= 0, goal, before)
            joins = np.ones(len(rows), dtype=np.bool_)
            if result.share == "point":
                joins &= (after == np.asarray(explanation.point)).all(axis=1)
            for feature, moves in allowed.items():
                old, new = before[:, feature], after[:, feature]
                joins &= (old == new) | ((old >= 0) & moves.at(old, new))
            if rules:
                joins &= known[rows]
            if joins.any() and (rules or decide is not None):
                stood = frame.iloc[rows[joins]]
                moved = follow(schema, stood, before[joins], after[joins], frame)
                kept = _permitted(rules, schema, (stood, moved), before[joins], after[joins])
                if decide is not None and kept.any():
                    kept[kept] = decide(moved[kept])
                joins[joins] = kept
            joined, first = np.unique(rows[joins], return_index=True)
            found[joined], ends[joined], outcomes[joined] = number, after[joins][first], EXPLAINED
    unread = (codes < 0) & np.isin(outcomes, [NONE_FITS, UNREAD])[:, None]
    told = [OUTCOMES[outcome] for outcome in outcomes.tolist()]
    return Placed(found, codes, ends, told, _told(schema, frame, unread))


def _permitted(
    rules: Sequence[CellRule | NumberRule],
    schema: Schema,
    frames: tuple[pd.DataFrame, pd.DataFrame],
    before: IntArray,
    after: IntArray,
) -> BoolArray:
    """Whether rules on whole rows let rows of one frame become those of another, from cells to cells."""
    stood, moved = frames
    held = np.ones(len(moved), dtype=np.bool_)
    for rule in rules:
        if not isinstance(rule, NumberRestriction):
            held &= rule.holds(before, after)
            continue
        told: list[Any] = [_numbers(schema, moved, after, rule.numbers)]
        if getattr(rule, "looks_back", False):
            told.append(_numbers(schema, stood, before, rule.numbers))
        held &= rule.holds(before, after, *told)
    return held


def _numbers(
    schema: Schema, frame: pd.DataFrame, cells: IntArray, features: Iterable[int]
) -> dict[int, FloatArray]:
    """The numbers of some features in a frame; none where a cell holds a code, or nothing."""
    found = {}
    for at in features:
        feature = schema.features[at]
        given = pd.to_numeric(frame[feature.name], errors="coerce").to_numpy(np.float64, na_value=np.nan)
        found[at] = np.where(cells[:, at] < feature.n_regular, given, np.nan)
    return found


def _told(schema: Schema, frame: pd.DataFrame, unread: BoolArray) -> list[str | None]:
    """Name for each row its first value that has no cell; of each column the first row in a warning."""
    reasons: list[str | None] = [None] * len(unread)
    for feature, unknown in zip(schema.features, unread.T, strict=True):
        for nth, row in enumerate(np.flatnonzero(unknown).tolist()):
            fault = no_level(feature, frame[feature.name].iloc[row], f", row {frame.index[row]}")
            words = str(fault).split(";")[0]
            reasons[row] = reasons[row] or words
            if nth == 0:
                told = f"the row and {unknown.sum() - 1:,} more" if unknown.sum() > 1 else "the row"
                warnings.warn(f"{words}; no explanation was found for {told}", stacklevel=4)
    return reasons


def _as_they_are(decide: Decision, frame: pd.DataFrame, strays: BoolArray) -> IntArray:
    """Say what the model does with rows as they are; it may not be able to read values without a cell."""
    outcomes, odd = np.full(len(frame), UNREAD), strays.any(axis=1)
    if not odd.all():
        outcomes[~odd] = np.where(decide(frame.iloc[np.flatnonzero(~odd)]), ACCEPTED, NONE_FITS)
    alike = defaultdict[Any, list[int]](list)  # rows by what is not known of them
    for row in np.flatnonzero(odd).tolist():
        alike[tuple((f, str(frame.iloc[row, f])) for f in np.flatnonzero(strays[row]).tolist())].append(row)
    for rows in alike.values():
        with suppress(InputError, TypeError, ValueError):
            outcomes[rows] = np.where(decide(frame.iloc[rows]), ACCEPTED, NONE_FITS)
    return outcomes


def _goals(explanation: Explanation, levels: Sequence[int]) -> Iterator[IntArray]:
    """Where the rows of an explanation may go, -1 where they stay.

    That is its point, or, where it names features only, every choice of cells for these; those that its rows
    went to come first.
    """
    changed, ends = list(explanation.changed), explanation.ends
    every = product(*(range(levels[feature]) for feature in changed)) if ends else ()
    known = Counter(tuple(end[feature] for feature in changed) for end in ends or [explanation.point])
    for cells in chain(dict(known.most_common()), (cells for cells in every if cells not in known)):
        goal = np.full(len(levels), -1, dtype=np.int64)
        goal[changed] = cells
        yield goal


def _decisions(
    model: AnyModel, schema: Schema, table: Table, record: Mapping[str, Any]
) -> tuple[Decision | None, Decision | None]:
    """Ask a model about rows like the new ones, as the explainer does or, by its record, did.

    Whether it accepts them as they are, and whether all do whom a row has to convince. A model that cannot be
    read is asked itself. Columns that a text, or nothing at all, has made objects are columns of numbers
    again for rows that have numbers there.
    """
    from oneformany.readers.acceptors import Acceptors, UnreadError

    if model is None:
        return None, None
    if hasattr(model, "max_changes"):
        given = model.model, model.threshold, model.positive, model.also, model.at_least
        acceptors, own = Acceptors.of(*given), model.given_schema
    else:
        if "acceptors" in record:
            raise InputError(
                "the result was found with several classifiers that have to accept a row; pass the "
                "explainer, which has all of them, as model="
            )
        acceptors = Acceptors.of(model, record.get("threshold"), record.get("positive", 1))
        made = getattr(model, "n_features_in_", None) == len(schema.one_hot_names) != len(schema.names)
        own = schema if made else None  # which made the columns that the model was fitted on
    decides = None
    while decides is None:
        try:
            decides = acceptors.decisions(schema, own, table)
        except UnreadError as error:
            acceptors = acceptors.but(error.number, acceptors.every[error.number].asked(error.reason))
    objects = [name for name in schema.names if table.frame[name].dtype == object]
    mixed = [name for name in objects if infer_dtype(table.frame[name]) in MIXED]

    def typed(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(**{name: rows[name].infer_objects() for name in mixed})

    now, after = acceptors.decided(decides), acceptors.accepted(decides)
    return lambda rows: now(typed(rows)), lambda rows: after(typed(rows))


def schema_of(result: Result) -> Schema:
    """Give the schema of a result that was found for a frame."""
    if result.schema is None:
        raise InputError("the result has no schema, so it knows no frames; OneForMany(...).explain gives one")
    return result.schema


def _moved(
    feature: Feature, column: pd.Series[Any], gap: AnyValue, before: IntArray, after: IntArray
) -> pd.Series[Any]:
    """Let values take the targets of other cells, in the column's own type where that holds them."""
    moves = np.flatnonzero(before != after)
    values = {cell: _target(feature, column, before, cell) for cell in np.unique(after[moves]).tolist()}
    taken = [gap if is_missing(values[cell]) else values[cell] for cell in after[moves].tolist()]
    new = pd.Series(taken, dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):
        more = [value for value in new.dropna().unique() if value not in column.cat.categories]
        column = column.cat.add_categories(more)
    new = alike(new, column.dtype)
    if new.dtype != column.dtype:
        numbers = infer_dtype(new, skipna=False) in NUMBERS and is_numeric_dtype(column.dtype)
        column = column.astype(np.float64 if numbers else object)
    moved = column.copy()
    moved.iloc[moves] = new.astype(column.dtype).array
    return moved


def _target(feature: Feature, column: pd.Series[Any], before: IntArray, cell: int) -> AnyValue:
    """What rows take in a cell: its target, or else the lower median of the rows there, or its label."""
    target, here = feature.target(cell), column[before == cell]
    if target is None and len(here) and feature.binned and is_numeric_dtype(column.dtype):
        return here.sort_values().tolist()[(len(here) - 1) // 2]
    return feature.levels[cell] if target is None else target
