"""What the user says about cells, targets and costs, by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.schema.cells import Choice
from oneformany.schema.feature import Special, is_integer, several
from oneformany.schema.frames import Table
from oneformany.schema.schema import Schema

SCALES = (1, 10, 100, 1_000, 10_000)  # costs have at most four digits after the point


@dataclass(frozen=True)
class Wishes:
    """What the user says about cells and targets, by column; as :class:`~oneformany.OneForMany` takes it."""

    schema: Schema | None = None
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    bins: Mapping[str, int] = field(default_factory=dict)
    special: Mapping[str, Special] = field(default_factory=dict)
    targets: Mapping[str, Any] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()  # columns whose categories rules name

    def choice(self, name: str, known: frozenset[object] | None) -> Choice:
        """Collect what concerns one column."""
        edges, bins = self.edges.get(name), self.bins.get(name)
        features = () if self.schema is None or edges is not None or bins else self.schema.features
        own = next((feature for feature in features if feature.name == name), None)
        cuts = None if edges is None else tuple(edges)
        return Choice(own, cuts, bins, self.special.get(name, ()), known, name in self.apart)

    @classmethod
    def of(cls, asked: AnyValue, table: Table) -> Self:
        """Check the parameters of the front door, an explainer, which are called as there."""
        bins = asked.bins
        if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
            bins = dict.fromkeys(table.frame.select_dtypes("number", exclude="timedelta"), int(bins))
        cuts, counts = by_name(asked.edges, "edges"), by_name(bins, "bins")
        codes = by_name(asked.special, "special")
        for name, given in codes.items():  # a list, with a cell for each code, or a dict of label to codes
            cells = given if isinstance(given, Mapping) else {code: code for code in several(given)}
            if not cells:
                raise InputError(f"special names no code of {name!r}; leave it out")
            codes[name] = tuple((str(label), tuple(several(held))) for label, held in cells.items())
        for name, count in counts.items():
            if not is_integer(count, 2):
                raise InputError(f"bins of {name!r} is {count!r}; it must be an integer of at least 2")
        for name, given in cuts.items():
            if isinstance(given, (str, bytes)) or not list(given):
                raise InputError(f"column {name!r} has an empty list of edges; give at least one number")
        return cls(asked.schema, cuts, counts, codes, by_name(asked.targets, "targets"))

    def check(self, names: Sequence[str]) -> None:
        """Refuse what is said about other columns than these, which a model reads."""
        known = ", ".join(map(repr, names[:20]))
        for what in ("edges", "bins", "special", "targets"):
            for name in getattr(self, what):
                if name not in names:
                    raise InputError(
                        f"{what} are given for {name!r}, which is none of the columns that the model reads: "
                        f"{known}"
                    )
        for name in self.schema.names if self.schema else ():
            if name not in names:
                raise InputError(
                    f"the schema has a feature {name!r}, which the model does not read; it reads {known}"
                )


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
