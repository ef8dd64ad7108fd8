"""What a change costs by how far it goes: shares of the reference data, steps, or tenths of the range."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias, cast, get_args

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.cells import by_name
from oneformany.schema.feature import Feature, is_finite, suggestion
from oneformany.schema.frames import ColumnValues
from oneformany.schema.schema import Schema

Kind: TypeAlias = Literal["percentile", "log-percentile", "steps", "range"]
KINDS: tuple[str, ...] = get_args(Kind)
# Finer costs tell ways apart that no person would; every digit makes the least cost harder to prove
FINEST = 0.01


@dataclass(frozen=True)
class Distance:
    """Let a change cost what it takes: the distance from the cell that a row leaves to the value it takes.

    Parameters
    ----------
    kind : {"percentile", "log-percentile", "steps", "range"}
        "percentile": the share of the reference data that is passed. "log-percentile": by how much the share
        of the reference data with more, or its inverse, grows, as a logarithm: the last few per cent are the
        hardest. "steps": how many cells are passed. "range": tenths of the range of the reference data. A
        change of a category, and from or to a missing value or a special code, costs 1 in all of them.
    weights : dict of column to number, optional
        How many times as much a change of the column costs; 1 for columns that are not named.

    Examples
    --------
    >>> Distance("percentile", weights={"savings": 2}).weight("savings")
    2.0
    """

    kind: Kind
    weights: Mapping[Any, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"costs are {self.kind!r}{suggestion(str(self.kind), KINDS)}")
        for name, weight in by_name(self.weights, "weights of costs").items():
            if not is_finite(weight) or weight < 0:
                raise InputError(f"the weight of {name!r} is {weight!r}; it must be a number of at least 0")

    def weight(self, name: str) -> float:
        """How many times as much a change of this column costs."""
        return float(by_name(self.weights, "weights of costs").get(name, 1))


@dataclass(frozen=True, eq=False)
class Spread:
    """How the reference data lie in the cells of a column.

    Attributes
    ----------
    numbers : (values,) array
        The distinct values, or their ranks where they are not numbers.
    counts : (values,) integer array
        How many reference rows have each.
    cell_of : (values,) integer array
        The cell of each.
    targets : (cells,) integer array
        The value that each cell sends rows to; -1: it sends nobody.
    """

    numbers: FloatArray
    counts: IntArray
    cell_of: IntArray
    targets: IntArray

    @classmethod
    def of_values(cls, feature: Feature, column: ColumnValues, cell_of: IntArray, n_rows: int) -> Self:
        """Look at the values of a column whose reference data follow so many rows."""
        ranks = np.arange(len(column.array), dtype=np.float64)
        wanted = [feature.target(cell) for cell in range(feature.n_levels)]
        return cls(
            column.numbers if column.kind == "number" else ranks,
            np.bincount(column.codes[n_rows:], minlength=len(ranks)),
            cell_of,
            np.array([-1 if value is None else column.index_of(value) for value in wanted]),
        )

    @classmethod
    def of_levels(cls, feature: Feature, codes: IntArray) -> Self:
        """Let each level stand for itself."""
        levels = np.arange(feature.n_levels)
        numbers = np.array(feature.numbers or levels[: feature.n_regular], dtype=np.float64)
        padded = np.pad(numbers, (0, feature.n_levels - len(numbers)))
        return cls(padded, np.bincount(codes, minlength=len(levels)), levels, levels)


def in_tables(
    given: AnyValue, schema: Schema, spreads: Callable[[int], Spread]
) -> tuple[AnyValue, str | None]:
    """Turn distances among costs into tables ``[from, to]``; the second is the one distance of all columns.

    Parameters
    ----------
    given : str, Distance or dict
        Costs as the user names them; a dict may name a distance for a column.
    schema : Schema
        The cells.
    spreads : callable
        How the reference data lie in the cells of a feature, by its index.
    """
    if isinstance(given, str):
        given = Distance(cast("Kind", given))  # which says what there is, if it is none of them
    if isinstance(given, Distance):
        for name in by_name(given.weights, "weights of costs"):
            schema.index(name)
        named: dict[str, Any] = dict.fromkeys(schema.names, given)
    elif isinstance(given, Mapping):
        named = by_name(given, "costs")
    else:
        return given, None
    for name, told in named.items():
        cost = Distance(cast("Kind", told)) if isinstance(told, str) and told in KINDS else told
        if isinstance(cost, Distance):
            index = schema.index(name)
            feature = schema.features[index]
            table = _lengths(cost.kind, feature, spreads(index)) * cost.weight(name)
            moves = ~np.eye(feature.n_levels, dtype=np.bool_)
            # A change is never free unless its weight is 0
            least = FINEST if cost.weight(name) else 0.0
            named[name] = np.where(moves, np.maximum(np.round(table / FINEST) * FINEST, least), 0)
    return named, given.kind if isinstance(given, Distance) else None


def _lengths(kind: str, feature: Feature, spread: Spread) -> FloatArray:
    """How far it is from each cell to the value that each cell sends rows to; 1 where there is no order."""
    n, regular = feature.n_levels, feature.n_regular
    lengths = np.ones((n, n))
    inside = spread.cell_of < regular
    if not feature.ordered or regular < 2 or not spread.counts[inside].sum():
        return lengths
    positions = _positions(kind, spread, inside)
    left = np.array([_middle(positions, spread.counts, spread.cell_of == cell) for cell in range(regular)])
    reached = spread.targets[:regular]
    taken = np.where(reached >= 0, positions[reached], left)
    lengths[:regular, :regular] = np.abs(left[:, None] - taken[None, :])
    return lengths


def _positions(kind: str, spread: Spread, inside: BoolArray) -> FloatArray:
    """Where each value stands on the scale of a distance."""
    if kind == "steps":
        return spread.cell_of.astype(np.float64)
    counts = np.where(inside, spread.counts, 0)
    if kind == "range":
        seen = spread.numbers[counts > 0]
        return spread.numbers * 10 / ((seen.max() - seen.min()) or 1)
    order = np.argsort(spread.numbers, kind="stable")  # missing values come last
    below = np.empty(len(counts))
    below[order] = np.cumsum(counts[order]) - counts[order]
    # Of the reference data those below a value, and half of those at it
    shares: FloatArray = (below + counts / 2) / counts.sum()
    if kind == "percentile":
        return shares
    return np.asarray(-np.log1p(-np.minimum(shares, 1 - 0.5 / counts.sum())))


def _middle(positions: FloatArray, counts: IntArray, here: BoolArray) -> float:
    """Where the reference data of a cell stand on average; without any, all values of the cell."""
    weights = counts[here] if counts[here].any() else np.ones(int(here.sum()))
    return float(np.average(positions[here], weights=weights)) if len(weights) else 0.0
