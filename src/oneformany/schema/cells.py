"""The cells of columns and their targets: values, what a model tells apart, or round bins."""

import math
import warnings
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, Raw, Special, is_integer, listed, number_label
from oneformany.schema.frames import Column, ColumnValues, Table
from oneformany.schema.schema import Schema

ANY_VALUE = "any value"
ANY_NUMBER = "any number"
MOST_CELLS = 8  # of a feature, unless the user or the model's own steps say otherwise
MOST_ASKED = 2**20  # bins of a column: as many levels as a result file carries
MOST_BINS = 32  # so many groups of numbers that a pipeline's steps do not tell apart are bins of its own
SMALLEST_SHARE = 0.02  # of the reference rows must be in a cell between two weighty splits
HALVINGS = 60  # how often the weight of a number that most rows have is cut down to that of one bin
MOST_NAMED = 4
DIGITS = 15
ENTRIES_AT_ONCE = 1 << 20
LONG = 256  # bytes
Groups = tuple[tuple[Raw, ...], ...]
Targets = Mapping[object, Raw | None] | Sequence[Raw]  # values by cells, or values


@dataclass(frozen=True)
class Choice:
    """What the user says about the cells of a column, and what is known of them."""

    feature: Feature | None = None  # the cells themselves
    edges: tuple[float, ...] | None = None
    bins: int | None = None  # how many, of about equally many reference rows
    most: int = MOST_CELLS  # so many numbers are not cut but cells of their own
    special: Special = ()
    targets: Targets | None = None
    limits: tuple[float, float] = (-math.inf, math.inf)  # of the numbers that rules let rows go to
    known: frozenset[object] | None = None  # categories that the model was fitted on; None: not known
    apart: bool = False  # a rule looks at values: those that the model does not tell apart stay apart
    compared: bool = False  # a rule compares numbers: all are values of their own
    unread: bool = False  # the model surely does not read the column


@dataclass(frozen=True, eq=False)
class Told:
    """What a model tells apart in a column."""

    kinds: IntArray  # one per value; values of one kind are the same to the model
    splits: FloatArray | None = None  # how much weighs what separates a value from the one before, if known

    @classmethod
    def of(cls, rows: FloatArray, splits: FloatArray | None = None) -> Self:
        """Tell values apart by a row of numbers that a model has for each."""
        return cls(same_rows(rows), splits)

    def only(self, some: BoolArray) -> Self:
        """The same of some of the values."""
        return type(self)(self.kinds[some], None if self.splits is None else self.splits[some])


def infer_schema(
    frame: AnyFrame,
    *,
    columns: Sequence[Hashable] | None = None,
    edges: Mapping[Any, Sequence[float]] | None = None,
    bins: int | None = 4,
    max_levels: int = 10,
) -> Schema:
    """Make a schema from the columns of a frame.

    Texts and truth values become levels, categories keep their order; numbers with few distinct values
    become ordered levels, other numbers are cut into bins. Missing values are a level of their own.

    Parameters
    ----------
    frame : frame
        Best the data that the model was fitted on, so that every value of interest occurs.
    columns : sequence of names, optional
        Which columns are features; by default all.
    edges : mapping of column to bin edges, optional
        Bins of one's own; a bin includes its right edge.
    bins : int or None
        How many bins of about equally many rows numbers are cut into, at round numbers; ``None``: never cut,
        every distinct number is a level.
    max_levels : int
        Numbers with at most so many distinct values are levels, not bins.

    Raises
    ------
    InputError
        A column is not there, or holds neither texts, truth values nor numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> schema = infer_schema(pd.DataFrame({"job": ["no", "yes"], "rooms": [1, 2]}))
    >>> schema.names, schema.levels
    (('job', 'rooms'), (2, 2))
    """
    if bins is not None and not (is_integer(bins, 2) and bins <= MOST_ASKED):
        raise InputError(
            f"bins is {bins!r}; it must be None or an integer of at least 2, and at most {MOST_ASKED:,}"
        )
    if not is_integer(max_levels, 0):
        raise InputError(f"max_levels is {max_levels!r}; it must be an integer of at least 0")
    own_edges = {name: checked_edges(name, cuts) for name, cuts in by_name(edges, "edges").items()}
    names = None if columns is None else list(map(str, columns))
    read = Table.of(frame, needed=None if names is None else [*names, *own_edges]).frame
    names = list(read.columns) if names is None else names
    if stray := [name for name in own_edges if name not in names]:
        raise InputError(f"edges are given for {stray[0]!r}, which is not one of the columns {listed(names)}")
    return Schema(tuple(_read(read[name], own_edges.get(name), bins, max_levels) for name in names))


def by_name(given: object, what: str) -> dict[str, Any]:
    """Take what is given by column, whose names become texts."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{what} must be a dict of column to what is wanted, not {type(given).__name__}")
    return {str(name): value for name, value in (given or {}).items()}


def checked_edges(name: str, edges: AnyValue) -> tuple[float, ...]:
    """Refuse edges that are not a list; whether they are numbers that increase is seen when they are used."""
    if isinstance(edges, (str, Mapping)) or not isinstance(edges, Collection):
        raise InputError(f"edges of {name!r} must be a list of numbers, not {edges!r}")
    return tuple(edges)


def _read(column: Column, edges: tuple[float, ...] | None, bins: int | None, max_levels: int) -> Feature:
    """Make a feature of a column; truth values and categories are levels also where they do not occur."""
    values = ColumnValues.of(column)
    if isinstance(values.array, pd.Categorical):
        values = values.with_values(values.array.categories.tolist())
    elif values.kind == "boolean":
        values = values.with_values([False, True])
    n_values = int((~values.gaps).sum())
    cut = values.kind == "number" and edges is None and n_values > max_levels
    counts = np.bincount(values.codes, minlength=len(values.array))
    return decide_cells(values, counts, None, Choice(None, edges, bins if cut else None, most=n_values))


def decide_cells(
    values: ColumnValues, counts: IntArray, told: Told | None = None, choice: Choice | None = None
) -> Feature:
    """Decide the cells of a column whose values occur so often in the reference data.

    Without ``told`` nobody can look inside the model. Targets are not chosen yet.
    """
    choice = choice or Choice()
    if choice.unread:
        return Feature(values.name, (ANY_VALUE,), unseen=True)
    known = choice.known if values.kind == "category" else None
    coded = {code for _, codes in choice.special for code in codes}
    _warn_of_slips(values, choice.special)
    special = np.array([value in coded for value in values.plain])
    unseen = ~values.gaps & ~special & [known is not None and value not in known for value in values.plain]
    regular = ~(values.gaps | special | unseen)
    plain = [value for value, kept in zip(values.plain, regular, strict=True) if kept]
    if told is not None:
        told = told.only(regular)
    if choice.feature is not None:
        feature = choice.feature
    elif not plain:
        feature = Feature(values.name, (ANY_NUMBER if values.kind == "number" else ANY_VALUE,), edges=())
    elif values.kind == "number":
        if choice.edges is not None and not len(choice.edges):
            raise InputError(f"column {values.name!r} has an empty list of edges; give at least one number")
        numbers = values.numbers[regular]
        edges = _edges(numbers, counts[regular], told, choice)
        if edges is None:
            feature = levels_of_values(values.name, plain, ordered=True)
        else:
            feature = bins_of(values.name, edges, numbers)
    else:
        groups = _groups(values, plain, told, choice)
        feature = levels_of_values(values.name, plain, ordered=values.ordered)
        if len(groups) < len(plain):
            labels = group_labels(groups)
            feature = Feature(values.name, labels, ordered=values.ordered, groups=groups)
    return feature.with_cells(choice.special, missing=bool(values.gaps.any()), unseen=bool(unseen.any()))


def _warn_of_slips(values: ColumnValues, special: Special) -> None:
    """Warn of special codes that nobody has."""
    for label, codes in special:
        if not any(code in values.plain for code in codes):
            told = f"special names {label!r} of column {values.name!r}, which never occurs there"
            warnings.warn(f"{told}; see whether it is misspelled", UserWarning, stacklevel=2)


def _edges(
    numbers: FloatArray, counts: IntArray, told: Told | None, choice: Choice
) -> Sequence[float] | None:
    """Choose edges between numbers, a few that a model tells apart; ``None``: each is a cell of its own."""
    if choice.edges is not None:
        return choice.edges
    if choice.bins is not None:
        return _quantile_edges(numbers, counts, choice.bins)
    if told is not None:
        differs = told.kinds[1:] != told.kinds[:-1]
        n_cells = int(differs.sum()) + 1
        few = n_cells <= min(MOST_BINS, len(numbers) // 2)
        if told.splits is not None:
            few = n_cells < len(numbers) or len(numbers) > MOST_CELLS
            if n_cells > MOST_CELLS:
                differs = _weightiest(differs, told.splits[1:], counts)
        if few:  # a cell includes its right edge
            last, first = numbers[:-1][differs].tolist(), numbers[1:][differs].tolist()
            below = (math.nextafter(number, -math.inf) for number in first)
            edges = [roundest(*ends, ends[0]) for ends in zip(last, below, strict=True)]
            if not choice.apart or len(edges) + 1 >= MOST_CELLS:
                return edges
            if len(numbers) > choice.most:
                return sorted({*edges, *_quantile_edges(numbers, counts, MOST_CELLS)})
    return _quantile_edges(numbers, counts, MOST_CELLS) if len(numbers) > choice.most else None


def bin_labels(edges: Sequence[float], *, integers: bool = False) -> tuple[str, ...]:
    """Name the bins between increasing edges, such as ``"<= 1.5"``, ``"above 1.5 up to 2"``, ``"> 2"``.

    A bin includes its right edge. Where only integers occur, its first and last one name it: ``"19-33"``.
    """
    labels = [f"<= {number_label(edges[0])}"]
    for low, high in pairwise(edges):
        first, last = math.floor(low) + 1, math.floor(high)
        if integers and first <= last:
            labels.append(f"{first}-{last}" if first < last else f"{first}")
        else:
            labels.append(f"above {number_label(low)} up to {number_label(high)}")
    return (*labels, f"> {number_label(edges[-1])}")


def bins_of(name: str, edges: Sequence[float], numbers: FloatArray) -> Feature:
    """Make a feature of bins, named by integers if all the numbers are; one bin where there is no edge."""
    n_bins = len(edges) + 1
    integers = bool(((numbers == np.floor(numbers)) & (np.abs(numbers) < 1e15)).all())  # and told as such
    made = Feature(name, tuple(map(str, range(n_bins))), ordered=True, edges=tuple(edges))  # checks them
    return replace(made, levels=bin_labels(edges, integers=integers) if len(edges) else (ANY_NUMBER,))


def levels_of_values(name: str, values: Sequence[Any], *, ordered: bool = False) -> Feature:
    """Make every value a level of its own."""
    labels = tuple(number_label(value) for value in values)
    if all(isinstance(value, str) for value in values):
        return Feature(name, labels, ordered=ordered)
    if all(isinstance(value, (bool, int, float)) for value in values):
        return Feature(name, labels, ordered=ordered, numbers=tuple(values))
    if len(set(labels)) < len(labels):
        labels = tuple(repr(value) for value in values)
    return Feature(name, labels, ordered=ordered, groups=tuple((value,) for value in values))


def same_rows(rows: FloatArray) -> IntArray:
    """Number the rows of a table so that equal rows, missing values included, have equal numbers."""
    if rows.shape[1] == 1:
        _, first, number = np.unique(rows[:, 0], return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[number]
    numbers: dict[bytes, int] = {}
    found = np.zeros(len(rows), dtype=np.int64)
    size = max(1, ENTRIES_AT_ONCE // max(1, rows.shape[1]))
    for begin in range(0, len(rows), size):
        some = rows[begin : begin + size]
        plain = np.where(np.isnan(some), np.nan, some + 0.0)  # one not-a-number, no -0.0
        for index, row in enumerate(plain, begin):  # of long rows only digests are kept
            key = row.tobytes()
            key = key if len(key) <= LONG else sha256(key).digest()
            found[index] = numbers.setdefault(key, len(numbers))
    return found


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
    shares = (np.arange(1, bins)[:, None] + (-0.25, 0.0, 0.25)) / bins
    quantiles = np.minimum(np.searchsorted(below, shares * below[-1]), len(numbers) - 1)
    edges: list[float] = []
    for low, near, high in numbers[quantiles].tolist():
        edge = roundest(low, high, near)
        in_cell = (numbers > (edges or [-np.inf])[-1]) & (numbers <= edge)
        if in_cell.any() and edge < numbers[-1]:
            edges.append(edge)
    if not edges and len(numbers) > 1:
        edges = [float(numbers[-2])]
    return edges


def _groups(values: ColumnValues, plain: list[Raw], told: Told | None, choice: Choice) -> Groups:
    """Group categories that are the same to the model; only neighbours where there is an order."""
    if choice.edges is not None or choice.bins is not None:
        what = "edges are" if choice.edges is not None else "a number of bins is"
        raise InputError(f"{what} given for column {values.name!r} of {values.kind} values; leave it out")
    kinds = np.arange(len(plain)) if told is None or choice.apart else told.kinds
    runs = np.append(0, np.cumsum(np.diff(kinds) != 0)) * values.ordered
    groups: dict[tuple[int, int], list[Raw]] = {}
    for value, run, kind in zip(plain, runs.tolist(), kinds.tolist(), strict=True):
        groups.setdefault((run, kind), []).append(value)
    return tuple(map(tuple, groups.values()))


def group_labels(groups: Groups) -> tuple[str, ...]:
    """Name cells of categories, each unlike the cells before it and the categories that are not in it."""
    labels: dict[str, None] = {}
    others = Counter(number_label(value) for group in groups for value in group)
    for group in groups:
        own = Counter(map(number_label, group))
        for name, count in own.items():  # for now only those of the others
            others[name] -= count
            if not others[name]:
                del others[name]
        label = _group_label(group, others)
        while label in others or label in labels:
            label += "_"
        labels[label] = None
        others.update(own)
    return tuple(labels)


def _group_label(group: Sequence[Raw], others: Counter[str]) -> str:
    """Name a cell of several categories: the first of them, or the one that is not among them."""
    if not others:
        return ANY_VALUE
    if len(others) == 1 < len(group):
        return f"not {next(iter(others))}"
    more = f" or {len(group) - MOST_NAMED} more" if len(group) > MOST_NAMED else ""
    return " or ".join(map(number_label, group[:MOST_NAMED])) + more


def roundest(low: float, high: float, near: float) -> float:
    """Find the multiple of the largest step, 1, 2 or 5 times a power of ten, in an interval: the nearest."""
    if low >= high:
        return low
    top = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for power in range(top, top - DIGITS, -1):
        for step in (5, 2, 1):
            if not (unit := float(f"{step}e{power}")):  # among the smallest numbers that there are
                return low
            count = round(near / unit)
            tried = (float(f"{multiple * step}e{power}") for multiple in (count, count - 1, count + 1))
            inside = [number for number in tried if low <= number <= high]
            if inside:
                return min(inside, key=lambda number: abs(number - near))
    return low
