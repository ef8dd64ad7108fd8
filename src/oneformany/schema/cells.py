"""Decide the cells of a column: values, what a model tells apart, or bins with round edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.discretise import ANY_VALUE, bins_of, levels_of_values
from oneformany.schema.feature import Feature, Raw, number_label
from oneformany.schema.round_numbers import roundest
from oneformany.schema.values import ColumnValues

MOST_CELLS = 8
"""How many cells a feature has at most, unless the user or the model's own steps say otherwise."""

MOST_BINS = 32
"""Up to so many groups of numbers that a pipeline's steps do not tell apart are bins of its own."""

SMALLEST_SHARE = 0.02
"""Share of the reference rows that a cell between two weighty splits must hold."""

HALVINGS = 60
"""How often the weight of a number that most rows have is cut down to that of one bin."""

ANY_NUMBER = "any number"
MOST_NAMED = 4


@dataclass(frozen=True)
class Choice:
    """What the user says about the cells of a column."""

    feature: Feature | None = None  # the cells themselves
    edges: tuple[float, ...] | None = None
    bins: int | None = None  # how many, of about equally many reference rows
    special: tuple[tuple[str, tuple[Raw, ...]], ...] = ()  # label and values of special codes
    known: frozenset[object] | None = None  # categories that the model was fitted on; None: not known
    apart: bool = False  # categories that the model does not tell apart stay apart, as a rule names them
    unread: bool = False  # the model surely does not read the column


@dataclass(frozen=True, eq=False)
class Told:
    """What a model tells apart in a column."""

    rows: FloatArray  # one per value; values with equal rows are the same to the model
    splits: FloatArray | None = None  # how much weighs what separates a value from the one before, if known


def decide_cells(
    values: ColumnValues, counts: IntArray, told: Told | None = None, choice: Choice | None = None
) -> Feature:
    """Decide the cells of a column; targets are not chosen yet.

    ``counts`` say how often each value occurs in the reference data. Without ``told`` nobody can look inside
    the model.
    """
    choice = choice or Choice()
    if choice.unread:
        return Feature(values.name, (ANY_VALUE,), unseen=True)
    coded = {code for _, codes in choice.special for code in codes}
    plain = values.plain
    unseen = np.array(
        [choice.known is not None and value is not None and value not in choice.known for value in plain]
    )
    special = np.array([value in coded for value in plain])
    regular = ~values.gaps & ~special & ~(unseen & (values.kind == "category"))
    if choice.feature is not None:
        feature = choice.feature
    elif not regular.any():
        feature = Feature(values.name, (ANY_NUMBER if values.kind == "number" else ANY_VALUE,), edges=())
    elif values.kind == "number":
        feature = _number_cells(values, counts, told, choice, regular)
    else:
        feature = _category_cells(values, told, choice, regular)
    return feature.with_cells(
        choice.special,
        missing=bool(values.gaps.any()),
        unseen=values.kind == "category" and bool((unseen & ~special).any()),
    )


def same_rows(rows: FloatArray) -> IntArray:
    """Number the rows of a table so that equal rows, missing values included, have equal numbers."""
    plain = np.ascontiguousarray(np.where(np.isnan(rows), np.nan, rows + 0.0))  # one not-a-number, no -0.0
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in plain], dtype=np.int64)


def _number_cells(  # noqa: PLR0911 (one return per way to choose)
    values: ColumnValues, counts: IntArray, told: Told | None, choice: Choice, regular: BoolArray
) -> Feature:
    numbers, counts = values.numbers[regular], counts[regular]
    if choice.edges is not None:
        return _bins(values, choice.edges, numbers)
    if choice.bins is not None:
        return _bins(values, _quantile_edges(numbers, counts, choice.bins), numbers)
    if told is not None:
        kinds = same_rows(told.rows[regular])
        differs = kinds[1:] != kinds[:-1]
        n_cells = int(differs.sum()) + 1
        if n_cells == 1 and len(numbers) > 1:
            return Feature(values.name, (ANY_NUMBER,), ordered=True, edges=())
        if told.splits is not None:
            if n_cells > MOST_CELLS:
                differs = _weightiest(differs, told.splits[regular][1:], counts)
            if n_cells < len(numbers) or len(numbers) > MOST_CELLS:
                return _bins(values, _edges_at(numbers, differs), numbers)
        elif n_cells <= min(MOST_BINS, len(numbers) // 2):
            return _bins(values, _edges_at(numbers, differs), numbers)
    if len(numbers) <= MOST_CELLS:
        plain = [value for value, kept in zip(values.plain, regular, strict=True) if kept]
        return levels_of_values(values.name, plain, ordered=True)
    return _bins(values, _quantile_edges(numbers, counts, MOST_CELLS), numbers)


def _bins(values: ColumnValues, edges: Sequence[float], numbers: FloatArray) -> Feature:
    if not len(edges):
        return Feature(values.name, (ANY_NUMBER,), ordered=True, edges=())
    return bins_of(values.name, edges, numbers)


def _edges_at(numbers: FloatArray, differs: BoolArray) -> list[float]:
    """Find a round edge between numbers that differ; a cell includes its right edge."""
    return [
        roundest(float(numbers[at]), float(np.nextafter(numbers[at + 1], -np.inf)), float(numbers[at]))
        for at in np.flatnonzero(differs).tolist()
    ]


def _weightiest(differs: BoolArray, weights: FloatArray, counts: IntArray) -> BoolArray:
    """Keep the boundaries that weigh most, as long as each cell holds some of the reference rows."""
    below = np.cumsum(counts)
    least = max(1.0, SMALLEST_SHARE * below[-1])
    kept: list[int] = []
    candidates = np.flatnonzero(differs)
    for at in candidates[np.argsort(-weights[candidates], kind="stable")].tolist():
        if len(kept) == MOST_CELLS - 1:
            break
        left = max((below[other] for other in kept if other < at), default=0)
        right = min((below[other] for other in kept if other > at), default=below[-1])
        if below[at] - left >= least and right - below[at] >= least:
            kept.append(at)
    chosen = np.zeros_like(differs)
    chosen[kept or candidates[:1].tolist()] = True
    return chosen


def _quantile_edges(numbers: FloatArray, counts: IntArray, bins: int) -> list[float]:
    """Find round numbers near the quantiles of the reference rows.

    A number that most rows have, such as a capital gain of 0, counts as one bin, so that it does not take
    the place of others.
    """
    weights = counts.astype(np.float64) if counts.any() else np.ones(len(numbers))
    for _ in range(HALVINGS):
        weights = np.minimum(weights, weights.sum() / bins)
    below = np.cumsum(weights)
    total = float(below[-1])

    def quantile(share: float) -> float:
        return float(numbers[min(int(np.searchsorted(below, share * total)), len(numbers) - 1)])

    edges: list[float] = []
    for step in range(1, bins):
        low, high = quantile((step - 0.25) / bins), quantile((step + 0.25) / bins)
        edge = roundest(low, high, quantile(step / bins))
        if numbers[0] <= edge < numbers[-1] and (not edges or edge > edges[-1]):
            edges.append(edge)
    if not edges and len(numbers) > 1:
        edges = [float(numbers[-2])]
    return edges


def _category_cells(values: ColumnValues, told: Told | None, choice: Choice, regular: BoolArray) -> Feature:
    if choice.edges is not None or choice.bins is not None:
        what = "edges are" if choice.edges is not None else "a number of bins is"
        raise InputError(f"{what} given for column {values.name!r}, which holds {values.kind} values")
    plain = [value for value, kept in zip(values.plain, regular, strict=True) if kept]
    groups = [[value] for value in plain]
    if told is not None and len(plain) > 1 and not choice.apart:
        groups = _told_apart(plain, same_rows(told.rows[regular]), ordered=values.ordered)
    if len(groups) == len(plain):
        return levels_of_values(values.name, plain, ordered=values.ordered)
    labels = tuple(_group_label(group, plain) for group in groups)
    return Feature(values.name, labels, ordered=values.ordered, groups=tuple(map(tuple, groups)))


def _told_apart(plain: list[Raw], kinds: IntArray, *, ordered: bool) -> list[list[Raw]]:
    """Group values that are the same to the model; only neighbours where there is an order."""
    groups: dict[tuple[int, int], list[Raw]] = {}
    run = 0
    for index, value in enumerate(plain):
        if ordered and index and kinds[index] != kinds[index - 1]:
            run += 1
        groups.setdefault((run, int(kinds[index])), []).append(value)
    return list(groups.values())


def _group_label(group: list[Raw], plain: list[Raw]) -> str:
    n_rest = len(plain) - len(group)
    if n_rest == 0:
        return ANY_VALUE
    if len(group) <= MOST_NAMED and (n_rest > 1 or len(group) == 1):
        return " or ".join(map(number_label, group))
    if n_rest <= MOST_NAMED:
        rest = [number_label(value) for value in plain if value not in group]
        return f"not {rest[0]}" if n_rest == 1 else "neither " + " nor ".join(rest)
    return " or ".join(map(number_label, group[:MOST_NAMED])) + f" or {len(group) - MOST_NAMED} more"
