"""What the user says about cells, targets and costs, by column."""

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.schema.cells import Choice
from oneformany.schema.feature import Feature, is_integer, several
from oneformany.schema.frames import Table
from oneformany.schema.rules.combine import named_by_value
from oneformany.schema.schema import Schema

SCALES = (1, 10, 100, 1_000, 10_000)  # costs have at most four digits after the point


def choices_of(asked: AnyValue, table: Table, names: Sequence[str]) -> dict[str, Choice]:
    """Check what an explainer is told about cells and targets, all of it of columns that its model reads."""
    bins = asked.bins
    if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
        numbers = table.frame[list(names)].select_dtypes("number", exclude="timedelta")
        bins = dict.fromkeys(numbers, int(bins))
    given = {"edges": asked.edges, "bins": bins, "special": asked.special, "targets": asked.targets}
    said = {what: by_name(wish, what) for what, wish in given.items()}
    own = {} if asked.schema is None else {feature.name: feature for feature in asked.schema.features}
    known, apart = ", ".join(map(repr, names[:20])), named_by_value(asked.rules)
    strays = ((what, name) for what in said for name in said[what] if name not in names)
    for what, name in strays:
        raise InputError(
            f"{what} are given for {name!r}, which is none of the columns that the model reads: {known}"
        )
    for name in (name for name in own if name not in names):
        raise InputError(
            f"the schema has a feature {name!r}, which the model does not read; it reads {known}"
        )
    wishes = {name: {what: said[what][name] for what in said if name in said[what]} for name in names}
    return {name: _choice(name, own.get(name), wishes[name], apart=name in apart) for name in names}


def _choice(name: str, own: Feature | None, wishes: dict[str, Any], *, apart: bool) -> Choice:
    """Check what is said about one column; edges or bins come before the schema."""
    if "bins" in wishes and not is_integer(wishes["bins"], 2):
        raise InputError(f"bins of {name!r} is {wishes['bins']!r}; it must be an integer of at least 2")
    if (edges := wishes.get("edges")) is not None:
        if isinstance(edges, (str, bytes)) or not list(edges):
            raise InputError(f"column {name!r} has an empty list of edges; give at least one number")
        wishes["edges"] = tuple(edges)
    targets = wishes.get("targets", ())
    if isinstance(targets, (str, bytes)) or not isinstance(targets, (Mapping, Sequence, NoneType)):
        raise InputError(f"targets of {name!r} must be a list of values or a dict of cell to value")
    if "special" in wishes:  # a list, with a cell for each code, or a dict of label to codes
        given = wishes["special"]
        cells = given if isinstance(given, Mapping) else {code: code for code in several(given)}
        if not cells:
            raise InputError(f"special names no code of {name!r}; leave it out")
        wishes["special"] = tuple((str(label), tuple(several(held))) for label, held in cells.items())
    return Choice(None if {"edges", "bins"} & wishes.keys() else own, apart=apart, **wishes)


def by_name(given: object, what: str) -> dict[str, Any]:
    """Take what is given by column, whose names become texts."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{what} must be a dict of column to what is wanted, not {type(given).__name__}")
    return {str(name): value for name, value in (given or {}).items()}


def integer_costs(given: AnyValue, schema: Schema) -> tuple[tuple[IntArray, ...], int]:
    """Turn costs into integer tables and what they were multiplied by.

    They are given by feature: what a change costs, or a table of moves ``[from, to]``; 1 if not named.
    """
    tables, named = [], by_name(given, "costs")
    for name in named:
        schema.index(name)
    for feature in schema.features:
        n, cost = feature.n_levels, named.get(feature.name, 1)
        try:
            table = np.asarray(cost, dtype=np.float64)
        except (TypeError, ValueError):  # words, or lines of different lengths
            table = np.asarray(np.nan)
        if table.ndim == 0:
            table = table * (1 - np.eye(n))
        if table.shape != (n, n) or not np.isfinite(table).all() or (table < 0).any():
            raise InputError(
                f"costs of {feature.name!r} must be a number of at least 0, or a table of {n} x {n} such "
                f"numbers, not {cost!r}"
            )
        tables.append(table)
    exact = (s for s in SCALES if all((np.abs(t * s - np.rint(t * s)) <= 1e-9).all() for t in tables))
    scale = next(exact, SCALES[-1])
    return tuple(np.rint(table * scale).astype(np.int64) for table in tables), scale
