"""From a frame and a fitted model to the question that the engine answers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import Argument, InputError, PredictionMismatchError
from oneformany.explainer.costs import costs_of
from oneformany.explainer.distances import Spread, in_tables
from oneformany.explainer.settings import all_rules, cells_of, settled, warn_of_few_rows
from oneformany.oracles.protocol import Oracle
from oneformany.problem import Problem, Share
from oneformany.problem.costs import Costs
from oneformany.problem.own import OwnValues
from oneformany.problem.problem import checked_changes
from oneformany.problem.slack import Slack
from oneformany.readers.acceptors import (
    Acceptor,
    Acceptors,
    Decide,
    UnreadError,
    decide_levels,
    known_to_all,
    names_of,
    read_names,
)
from oneformany.readers.inputs import Inputs
from oneformany.readers.own_values import TIME_WAS_UP, Near, ValueCells, read_cells, read_values
from oneformany.result.labels import many
from oneformany.schedule import SCHEDULE
from oneformany.schema.cells import MOST_ASKED, Choice, by_name, checked_edges, infer_schema
from oneformany.schema.feature import Feature, is_finite, is_integer, plain_value, several, suggestion
from oneformany.schema.frames import ColumnValues, Table, refused_value
from oneformany.schema.naming import labelled
from oneformany.schema.rules.combine import (
    RowRule,
    Rule,
    allowed_moves,
    check_rules,
    compared_names,
    named_by_value,
    restrictions_of,
)
from oneformany.schema.rules.moves import Immutable, OnlyDecrease, OnlyIncrease, Range
from oneformany.schema.schema import Schema
from oneformany.schema.targets import beyond_data
from oneformany.stop import Stop

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

MEDIAN, NEAREST = WAYS = ("median", "nearest")  # to choose the value that a cell sends rows to
MANY_NAMES, MOSTLY = 100, 0.9  # values of a column, and for so many of the rows another one each


@dataclass(frozen=True, eq=False)
class Member:
    """A classifier that a row has to convince, as it was read."""

    acceptor: Acceptor
    oracle: Oracle  # as the engine asks it
    says: BoolArray  # (n,): its own decision about the rows as they were given
    unread: str | None = None  # why it was not read but is asked as a black box


@dataclass(frozen=True, eq=False)
class Posed:
    """Everything that is known about the rows before the engine starts."""

    schema: Schema  # cells and targets
    codes: IntArray  # (n, p): cells of all rows of the frame
    oracle: Oracle  # all whom a row has to convince, as the engine asks them
    positive: BoolArray  # (n,): whether rows are accepted as they were given, so that they need no help
    accepts: Decide  # whether the model itself accepts the rows of a frame like this one as they are
    decide: Decide  # whether all whom a row has to convince do
    members: tuple[Member, ...]  # each of them
    limits: dict[str, Any]  # moves, restrictions, costs and slack of a problem
    rules: Sequence[Rule | RowRule] = ()  # all of them: one for each feature that is told to stay, too
    own: OwnValues | None = None  # own values of all rows, where cells do not decide the model's answer
    cells: ValueCells | None = None  # the values in the cells, where the model reads these
    inputs: Inputs | None = None  # and how it does that, where it is only one
    beyond: tuple[str, ...] = ()  # which values that rows can be sent to lie beyond the data

    @property
    def unread(self) -> str | None:
        """Why the model was not read but is asked as a black box; of several, each with its name."""
        several = len(self.members) > 1
        told = [f"{m.acceptor.name}: {m.unread}" if several else m.unread for m in self.members if m.unread]
        return "; ".join(told) or None

    @property
    def ignored(self) -> list[str]:
        """Columns on which the decision does not depend, as far as that is sure."""
        dropped = [] if self.cells is None else self.cells.unread
        return [f.name for f in self.schema.features if f.unread or f.name in dropped]

    @cached_property
    def refused(self) -> IntArray:
        """The rows that the model turns down, by their positions in the frame."""
        rows = np.flatnonzero(~self.positive)
        check_refused(len(rows), len(self.positive))
        return rows

    def problem(self, max_changes: int, share: Share, people: IntArray | None = None) -> Problem:
        """Ask about the refused rows; ``people`` says how many each row of the frame stands for.

        More changes than there are features are as many as there are features.
        """
        rows, own = self.refused, self.own
        if own is not None:
            own = replace(own, values=own.values[rows])  # noqa: PD011 (own values, not those of pandas)
        most = min(max_changes, len(self.schema.features))
        counts = None if people is None else people[rows]
        given = {"share": share, "own": own, "people": counts, **self.limits}
        return Problem(self.codes[rows], self.schema.levels, self.oracle, most, **given)


def check_refused(refused: int, rows: int) -> None:
    """Refuse to explain rows of which the model turns down none."""
    if not refused:
        given = "the only row" if rows == 1 else f"all {rows:,} rows"
        raise InputError(f"the model calls {given} positive: there is nothing to explain")


def pose(asked: OneForMany, table: Table, stop: Stop | None = None) -> Posed:
    """Read the model and the rows; rules and parameters are checked before the model is asked anything.

    A classifier that cannot be read, but answers about the rows, is asked as a black box; so is every model
    when time is up before it is read.
    """
    asked = settled(asked)
    _check_parameters(asked)
    acceptors, posed = acceptors_of(asked), None
    while posed is None:
        try:
            posed = _pose(asked, acceptors, table, stop)
        except UnreadError as error:
            acceptors = acceptors.but(error.number, acceptors.every[error.number].asked(error.reason))
    posed = replace(posed, schema=labelled(posed.schema, asked.labels))
    for member in posed.members:
        if member.unread != TIME_WAS_UP:  # then the model itself answers, as it did before
            _check_reading(posed, member, table.frame.index)
    return posed


def acceptors_of(asked: OneForMany) -> Acceptors:
    """All classifiers that a row has to convince."""
    return Acceptors.of(asked.model, asked.threshold, asked.positive, asked.also, asked.at_least)


def _pose(asked: OneForMany, acceptors: Acceptors, table: Table, stop: Stop | None) -> Posed:
    """Pose the question to models that read the frame itself, or the levels of a schema."""
    reference = None if asked.reference is None else Table.of(asked.reference, "the reference data")
    if acceptors.read_levels(cells_of(asked).schema):
        return _pose_levels(asked, acceptors, table, reference)
    stop = stop or Stop()
    probing, reading = SCHEDULE.probing.of(stop), SCHEDULE.reading.of(stop)
    inputs = acceptors.inputs(table)
    names, read = names_of(inputs), read_names(inputs)
    asked = replace(asked, rules=all_rules(asked, names))
    check_rules(asked.rules, names)
    warn_of_few_rows(asked, names, len(table.frame))
    choices = _choices(asked, table, names, named_by_value(asked.rules, read))
    kept = {str(rule.feature) for rule in asked.rules if isinstance(rule, Immutable)}
    near = _near(asked, names, inputs, table)
    cells = read_cells(inputs, table, reference, choices, kept, probing, near)
    n_rows = len(table.frame)
    spread = partial(_spread, cells, n_rows)
    limits = _limits(asked, cells.schema, cells.reference, spread, cells.numbers_of)
    _warn_of_names(cells.schema, cells.codes, kept)
    decides = [one.decision(table) for one in inputs]
    values = [column for column, _ in cells.columns]
    asked_of = zip(decides, inputs, strict=True)
    says = [_decided(decide, table.frame, values, one.known) for decide, one in asked_of]
    _warn_of_unknown(table.frame, known_to_all(inputs))
    readings, own = read_values(inputs, acceptors.every, cells, reading)
    members = [
        Member(acceptor, reading.oracle, said, reading.unread)
        for acceptor, reading, said in zip(acceptors.every, readings, says, strict=True)
    ]
    each = zip(cells.schema.features, cells.columns, strict=True)
    beyond = tuple(words for feature, column in each for words in beyond_data(feature, *column))
    return Posed(
        cells.schema,
        cells.codes,
        **_together(acceptors, members, decides),
        limits=limits,
        rules=asked.rules,
        own=own,
        cells=cells,
        inputs=inputs[0] if acceptors.single else None,
        beyond=beyond,
    )


def _warn_of_names(schema: Schema, codes: IntArray, kept: Collection[str]) -> None:
    """Say which columns look like names of rows: texts, nearly all of them different."""
    for feature, column in zip(schema.features, codes.T, strict=True):
        texts = feature.edges is None and feature.numbers is None and feature.name not in kept
        found = len(np.unique(column)) if texts and feature.n_levels >= MANY_NAMES else 0
        if found >= max(MANY_NAMES, MOSTLY * len(codes)):
            warnings.warn(
                f"column {feature.name!r} has {found:,} different values in {len(codes):,} rows, as names of "
                "rows have; make it the index, leave it out, or give it an Immutable rule, so that nobody is "
                "told to change it",
                stacklevel=2,
            )


def _warn_of_unknown(frame: pd.DataFrame, known: Mapping[str, Collection[object]]) -> None:
    """Say which categories the model was not fitted on, where it accepts them all the same."""
    for name, kinds in known.items():
        if not kinds or name not in frame.columns:
            continue
        column = frame[name].astype(object)
        strange = column[column.notna() & ~column.isin(list(kinds))]
        if len(strange):
            more = f" (and {many(len(strange) - 1, 'more row')})" if len(strange) > 1 else ""
            warnings.warn(
                f"column {name!r}, row {strange.index[0]}{more}: the model was not fitted on "
                f"{strange.iloc[0]!r}, and takes it for none of its categories; see whether it is misspelled",
                stacklevel=2,
            )


def _pose_levels(asked: OneForMany, acceptors: Acceptors, table: Table, reference: Table | None) -> Posed:
    """A scorecard, or a model that was fitted on the columns that a schema makes."""
    schema = cells_of(asked).schema or infer_schema(table.frame)
    for name in ("edges", "bins", "special", "targets"):
        given = getattr(cells_of(asked), name)
        if given is not None and given != MEDIAN and not (isinstance(given, Mapping) and not given):
            raise InputError(f"{name}= is given, but the model reads the levels of the schema; leave it out")
    asked = replace(asked, rules=all_rules(asked, schema.names))
    check_rules(asked.rules, schema.names)
    codes = schema.encode(table.frame)
    known = codes if reference is None else schema.encode(reference.frame)
    limits = _limits(asked, schema, known, lambda f: Spread.of_levels(schema.features[f], known[:, f]))
    members, decides = [], []
    for acceptor, reading in zip(acceptors.every, acceptors.readings(schema, table.frame), strict=True):
        members.append(Member(acceptor, reading.oracle, reading.verdict(codes), acceptor.unread))
        decides.append(partial(decide_levels, reading.verdict, schema))
    return Posed(schema, codes, **_together(acceptors, members, decides), limits=limits, rules=asked.rules)


def _together(acceptors: Acceptors, members: Sequence[Member], decides: Sequence[Decide]) -> dict[str, Any]:
    """What several classifiers are and say together."""
    return {
        "oracle": acceptors.joined([member.oracle for member in members]),
        "positive": np.all([member.says for member in members[: len(acceptors.deciding)]], axis=0),
        "accepts": acceptors.decided(decides),
        "decide": acceptors.accepted(decides),
        "members": tuple(members),
    }


def _decided(
    decide: Callable[[pd.DataFrame], BoolArray],
    frame: pd.DataFrame,
    columns: Sequence[ColumnValues],
    known: Mapping[str, Collection[object]],
) -> BoolArray:
    """Ask the model about the rows; where it refuses a text, a category or a missing value, say which."""
    try:
        return decide(frame)
    except ValueError as error:
        if found := refused_value(error, columns, known, frame.index):
            raise InputError(found) from error
        gaps, full = frame.isna(), frame.bfill().ffill()
        if full.notna().all(axis=None):
            decide(full)  # else it is not missing values that the model refuses
        for name in gaps.columns[gaps.any()]:
            row = frame.index[int(gaps[name].to_numpy().argmax())]
            try:
                decide(full.assign(**{name: frame[name]}))
            except ValueError:
                raise InputError(
                    f"column {name!r}, row {row}: the value is missing, and the model does not read missing "
                    "values there; fill it, drop the row, or put an imputer into the pipeline"
                ) from error
        raise


def _check_reading(posed: Posed, member: Member, labels: pd.Index) -> None:
    """Refuse to go on when a model was misread, in either direction.

    Rows that only rounding keeps apart are not counted: a library may round otherwise in other company. What
    it says of them here holds.
    """
    values = posed.codes if posed.own is None else posed.own.values  # noqa: PD011 (own values, not pandas')
    oracle, said = member.oracle, member.says
    read = said.copy()
    asked = ~read if member.unread is not None else np.ones_like(read)  # the model itself answers: not twice
    read[asked] = oracle.positive(values[asked])
    wrong = np.flatnonzero(read != said)
    if len(wrong) and hasattr(oracle, "doubtful"):
        wrong = wrong[~(said[wrong] & oracle.doubtful(values[wrong]))]
    if len(wrong) and hasattr(oracle, "turn_down"):
        missed, refused = wrong[said[wrong]], wrong[~said[wrong]]
        wrong = np.union1d(missed, refused[~oracle.turn_down(values[refused])])
    if len(wrong):
        row = int(wrong[0])
        says = "turns it down, but its reading calls it positive"
        if said[row]:
            says = "accepts it, but its reading turns it down"
        more = f" (and {many(len(wrong) - 1, 'more row')})" if len(wrong) > 1 else ""
        raise PredictionMismatchError(
            f"row {labels[row]}{more}: {member.acceptor.name} {says}; a function must answer alike whenever "
            "it is asked, and a model whose predict has a rule of its own can be passed as a function that "
            "returns probabilities; otherwise please report this model"
        )


def moves_to_targets(schema: Schema, allowed: Sequence[BoolArray | None]) -> list[BoolArray | None]:
    """Allow moves only to cells that have a target; where no targets are named, the model reads the cells."""
    moves = list(allowed)
    for index, feature in enumerate(schema.features):
        regular = feature.n_regular if feature.targets is None else 0
        cells = range(feature.n_levels)
        there = np.array([cell < regular or feature.target(cell) is not None for cell in cells])
        if not there.all() and feature.n_levels > 1:
            given = moves[index]
            moves[index] = (there if given is None else given & there) | np.eye(len(there), dtype=np.bool_)
    return moves


def _check_parameters(asked: OneForMany) -> None:
    if isinstance(asked.model, (str, os.PathLike)) and not Path(asked.model).is_file():
        raise InputError(
            f"there is no file {str(asked.model)!r}; a model that is a path must be an ONNX file"
        )
    schema = cells_of(asked).schema
    if schema is not None and not isinstance(schema, Schema):
        raise InputError(f"schema must be a Schema, not {type(schema).__name__}")
    threshold = asked.threshold
    if threshold is not None and not is_finite(threshold):
        raise InputError(
            Argument("threshold", bare=True), f" is {threshold!r}; it must be a number such as 0.5"
        )
    if asked.target is not None and not isinstance(asked.target, str):
        raise InputError(f"target is {asked.target!r}; name what the model tells, such as target='deny'")
    checked_changes(asked.max_changes)
    Slack.of(asked.slack)
    if asked.share not in get_args(Share):
        raise InputError(
            Argument("share", bare=True),
            f" is {asked.share!r}; it must be one of {', '.join(get_args(Share))}",
        )


def _spread(cells: ValueCells, n_rows: int, feature: int) -> Spread:
    """How the reference data lie in the cells of a feature."""
    return Spread.of_values(cells.schema.features[feature], *cells.columns[feature], n_rows)


def _limits(
    asked: OneForMany,
    schema: Schema,
    reference: IntArray,
    spreads: Callable[[int], Spread],
    numbers_of: Callable[[int], FloatArray] | None = None,
) -> dict[str, Any]:
    """What a problem is told of moves, rules and costs; levels stand for numbers unless these are told."""
    allowed = moves_to_targets(schema, allowed_moves(schema, asked.rules))
    costs = asked.costs
    if costs is not None and not isinstance(costs, Costs):
        tables, measure = in_tables(costs, schema, spreads)
        costs = replace(costs_of(tables, schema), measure=measure)
    compared = sorted(map(schema.index, compared_names(asked.rules)))
    numbers = None if numbers_of is None else {at: numbers_of(at) for at in compared}
    restrictions = restrictions_of(schema, asked.rules, reference, allowed, numbers)
    ruled = any(matrix is not None for matrix in allowed)
    rules = {"allowed": allowed if ruled else None, "restrictions": restrictions}
    return {**rules, "costs": costs, "slack": Slack.of(asked.slack)}


def _choices(
    asked: OneForMany, table: Table, names: Sequence[str], apart: Collection[str]
) -> dict[str, Choice]:
    """Check what an explainer is told about cells and targets, all of it of columns that its model reads."""
    cells = cells_of(asked)
    bins = cells.bins
    if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
        numbers = table.frame[list(names)].select_dtypes("number", exclude="timedelta")
        bins = dict.fromkeys(numbers, int(bins))
    given = {"edges": cells.edges, "bins": bins, "special": cells.special, "targets": _named(cells.targets)}
    said = {what: by_name(wish, what) for what, wish in given.items()}
    own = {} if cells.schema is None else {feature.name: feature for feature in cells.schema.features}
    given_for = {**said, "cells of a schema": own}
    for what, name in ((what, name) for what, of in given_for.items() for name in of if name not in names):
        raise InputError(
            f"{what} are given for {name!r}, which is not one of the columns that the model reads"
            f"{suggestion(name, names)}"
        )
    wishes = {name: {w: said[w][name] for w in said if said[w].get(name) is not None} for name in names}
    for rule in asked.rules:
        if isinstance(rule, Range):  # all of which hold
            low, high = wishes[str(rule.feature)].get("limits", (-inf, inf))
            wishes[str(rule.feature)]["limits"] = max(low, rule.low), min(high, rule.high)
    compared = compared_names(asked.rules)
    choices = {name: _choice(name, own.get(name), wishes[name], apart=name in apart) for name in names}
    return {name: replace(choice, compared=name in compared) for name, choice in choices.items()}


def _named(targets: object) -> object:
    """The targets that are named by column; those that are chosen in one of the ways are left out."""
    if isinstance(targets, str) and targets in WAYS:
        return None
    if not isinstance(targets, Mapping):
        return targets
    return {name: told for name, told in targets.items() if not (isinstance(told, str) and told in WAYS)}


def _near(asked: OneForMany, names: Sequence[str], inputs: Sequence[Inputs], table: Table) -> Near | None:
    """Find the columns whose targets are to be near, and whom the model turns down, who may go there."""
    targets = cells_of(asked).targets
    if isinstance(targets, Mapping):
        columns = frozenset(
            str(n) for n, told in targets.items() if isinstance(told, str) and told == NEAREST
        )
    else:
        columns = frozenset(names if targets == NEAREST else ())
    if strange := sorted(columns.difference(names)):
        raise InputError(
            f"targets are given for {strange[0]!r}, which is not one of the columns that the model reads"
            f"{suggestion(strange[0], names)}"
        )
    if not columns:
        return None
    try:
        refused = ~np.all([one.decision(table)(table.frame) for one in inputs], axis=0)
    except ValueError:  # a value that a model refuses is told of where rows are read
        refused = np.ones(len(table.frame), dtype=np.bool_)
    up, down = (
        frozenset(str(rule.feature) for rule in asked.rules if isinstance(rule, way))
        for way in (OnlyIncrease, OnlyDecrease)
    )
    return Near(columns, refused, up, down)


def _choice(name: str, own: Feature | None, wishes: dict[str, Any], *, apart: bool) -> Choice:
    """Check what is said about one column; edges or bins come before the schema."""
    if "bins" in wishes and not (is_integer(wishes["bins"], 2) and wishes["bins"] <= MOST_ASKED):
        span = f"an integer of at least 2, and at most {MOST_ASKED:,}"
        raise InputError(f"bins of {name!r} is {wishes['bins']!r}; it must be {span}")
    if "edges" in wishes:
        wishes["edges"] = checked_edges(name, wishes["edges"])
    if "targets" in wishes and not isinstance(wishes["targets"], Mapping):
        if isinstance(wishes["targets"], (str, bytes)) or not isinstance(wishes["targets"], Collection):
            raise InputError(f"targets of {name!r} must be a list of values or a dict of cell to value")
        wishes["targets"] = tuple(map(plain_value, wishes["targets"]))
    if "special" in wishes:  # a list, with a cell for each code, or a dict of label to codes
        given = wishes["special"]
        cells = given.items() if isinstance(given, Mapping) else [(code, code) for code in several(given)]
        if not cells:
            raise InputError(f"special names no code of {name!r}; leave it out")
        wishes["special"] = tuple((str(label), tuple(several(held))) for label, held in cells)
    return Choice(None if {"edges", "bins"} & wishes.keys() else own, apart=apart, **wishes)
