"""What the user says about cells, targets and costs, by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.schema.cells import Choice
from oneformany.schema.feature import Raw, is_integer
from oneformany.schema.frames import Table
from oneformany.schema.schema import Schema

MOST_SCALE = 10_000  # costs have at most four digits after the point


@dataclass(frozen=True)
class Wishes:
    """What the user says about cells and targets, by column; as :class:`~oneformany.OneForMany` takes it."""

    schema: Schema | None = None
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    bins: Mapping[str, int] = field(default_factory=dict)
    special: Mapping[str, tuple[tuple[str, tuple[Raw, ...]], ...]] = field(default_factory=dict)
    targets: Mapping[str, Any] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()  # columns whose categories rules name

    def choice(self, name: str, known: frozenset[object] | None) -> Choice:
        """Collect what concerns one column."""
        cut = name in self.edges or name in self.bins
        own = {feature.name: feature for feature in self.schema.features} if self.schema else {}
        return Choice(
            None if cut else own.get(name),
            tuple(self.edges[name]) if name in self.edges else None,
            self.bins.get(name),
            self.special.get(name, ()),
            known,
            name in self.apart,
        )

    @classmethod
    def of(
        cls,
        schema: Schema | None,
        edges: Mapping[Any, Sequence[float]] | None,
        bins: Mapping[Any, int] | int | None,
        special: Mapping[Any, Any] | None,
        targets: Mapping[Any, Any] | None,
        table: Table,
    ) -> Wishes:
        """Check the parameters of the front door, which are called as there."""
        if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
            bins = dict.fromkeys(table.frame.select_dtypes("number", exclude="timedelta"), int(bins))
        codes_of = {name: _special(name, given) for name, given in _by_name(special, "special").items()}
        checked = _by_name(bins, "bins")
        for name, count in checked.items():
            if not is_integer(count, 2):
                raise InputError(f"bins of {name!r} is {count!r}; it must be an integer of at least 2")
        own_edges = _by_name(edges, "edges")
        for name, cuts in own_edges.items():
            if isinstance(cuts, (str, bytes)) or not list(cuts):
                raise InputError(f"column {name!r} has an empty list of edges; give at least one number")
        return cls(schema, own_edges, checked, codes_of, _by_name(targets, "targets"))

    def check(self, names: Sequence[str]) -> None:
        """Refuse what is said about other columns than these, which a model reads."""
        known = ", ".join(map(repr, names[:20]))
        for what in ("edges", "bins", "special", "targets"):
            if stray := [name for name in getattr(self, what) if name not in names]:
                raise InputError(
                    f"{what} are given for {stray[0]!r}, which is none of the columns that the model reads: "
                    f"{known}"
                )
        if stray := [name for name in (self.schema.names if self.schema else ()) if name not in names]:
            raise InputError(
                f"the schema has a feature {stray[0]!r}, which the model does not read; it reads {known}"
            )


def _by_name(given: object, what: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must be a dict of column to what is wanted, not {type(given).__name__}")
    return {str(name): value for name, value in given.items()}


def _special(name: str, codes: object) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Read special codes: a list (a cell each) or a dict of label to codes."""
    if not isinstance(codes, Mapping):
        codes = {code: code for code in _several(codes)}
    if not codes:
        raise InputError(f"special names no code of {name!r}; leave it out")
    return tuple((str(label), tuple(_several(values))) for label, values in codes.items())


def _several(values: AnyValue) -> Iterable[Any]:
    return values if isinstance(values, (list, tuple, set, frozenset, np.ndarray)) else (values,)


def integer_costs(given: AnyValue, schema: Schema) -> tuple[tuple[IntArray, ...], int]:
    """Turn costs into integer tables and what they were multiplied by.

    They are given by feature: what a change costs, or a table of moves ``[from, to]``; 1 if not named.
    """
    tables = []
    named = _by_name(given, "costs")
    for name in named:
        schema.index(name)
    for feature in schema.features:
        try:
            table = np.asarray(named.get(feature.name, 1), dtype=np.float64)
        except (TypeError, ValueError):  # words, or lines of different lengths
            table = np.asarray(np.nan)
        if table.ndim == 0:
            table = table * (1 - np.eye(feature.n_levels))
        if table.shape != (feature.n_levels,) * 2 or not np.isfinite(table).all() or (table < 0).any():
            raise InputError(
                f"costs of {feature.name!r} must be a number of at least 0, or a table of "
                f"{feature.n_levels} x {feature.n_levels} such numbers, not {named.get(feature.name)!r}"
            )
        tables.append(table)
    scale = 1
    while scale < MOST_SCALE and any((np.abs(t * scale - np.rint(t * scale)) > 1e-9).any() for t in tables):
        scale *= 10
    return tuple(np.rint(table * scale).astype(np.int64) for table in tables), scale
