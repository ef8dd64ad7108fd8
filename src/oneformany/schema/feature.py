"""One original feature: its name, its levels or cells, and how a raw value finds its own."""

import math
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import chain, pairwise
from numbers import Real
from types import NoneType
from typing import Any, Self, TypeGuard

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.plain import written

Value = bool | int | float
Raw = str | bool | int | float
Special = tuple[tuple[str, tuple[Raw, ...]], ...]  # label and values of special codes

MISSING = "missing"  # label of the cell of missing values
UNSEEN = "unseen in training"  # label of the cell of values that the model was not fitted on
MISSING_TARGET = {"missing": True}  # a missing value as a target in JSON
MOST_TOLD = 20  # names in a message
LONG_NUMBER = re.compile(r"(?<![\d.])\d{4,15}")  # digits before the point
LISTS = ("levels", "edges", "numbers", "groups", "special", "targets", "said")
FLAGS = ("ordered", "missing", "unseen")
ALWAYS_TOLD = ("name", "levels", "ordered", "edges", "numbers", "unit")  # the rest if not as by default


@dataclass(frozen=True)
class Feature:
    """A feature with finitely many levels; a level that holds several values is a cell.

    Raw values reach their level in one of four ways: by label (categories), by ``numbers`` (numbers and
    truth values that are levels themselves), by ``edges`` (numbers that are binned) or by ``groups``
    (several values in one cell). Labels are accepted in every case, so that decoded data can be encoded
    again. After these regular levels come, in this order, the special ones, missing and unseen values.

    Parameters
    ----------
    name : str
        Column of the data frame.
    levels : sequence of str
        One label per level; the code of a level is its index here.
    ordered : bool
        Whether a larger code means more of the feature; one-way rules need it. Only regular levels have
        an order.
    edges : sequence of float, optional
        Bin edges, increasing: level ``v`` holds the numbers above ``edges[v - 1]`` up to and including
        ``edges[v]``; the first and the last level are open-ended.
    numbers : sequence of bool, int or float, optional
        The number or truth value that each level stands for.
    unit : str
        What the numbers count, for messages and reports.
    groups : sequence of sequences, optional
        The values that each regular level holds.
    special : sequence of pairs, optional
        Label and values of each special level, such as ``("no record", (-9, -8))``.
    missing : bool
        Whether a level for missing values follows.
    unseen : bool
        Whether a last level holds every value that has no other; if it is the only level, the feature is one
        that the model does not read, and missing values are there as well.
    targets : sequence, optional
        For each level the value that a row is sent to, ``None`` where it is sent nowhere. Without it
        each regular level stands for itself.
    title : str
        What people call the feature, for sentences, pictures and letters; by default its name.
    said : sequence of str or None, optional
        What people call each level there; ``None``: by its label.

    Examples
    --------
    >>> age = Feature("age", ("<= 25", "> 25"), ordered=True, edges=(25.0,), unit="years")
    >>> age.find(31)
    1
    """

    name: str
    levels: tuple[str, ...]
    ordered: bool = False
    edges: tuple[float, ...] | None = None
    numbers: tuple[Value, ...] | None = None
    unit: str = ""
    groups: tuple[tuple[Raw, ...], ...] | None = None
    special: Special = ()
    missing: bool = False
    unseen: bool = False
    targets: tuple[Raw | None, ...] | None = None
    title: str = ""
    said: tuple[str | None, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"a feature's name must be a non-empty text, not {self.name!r}")
        for name in (*LISTS, *FLAGS):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        for fault in chain(self._faults_of_types(), self._faults_of_levels(), self._faults_of_values()):
            raise InputError(f"feature {self.name!r}{fault}")
        if self.edges is not None:
            object.__setattr__(self, "edges", tuple(map(float, self.edges)))

    @property
    def n_levels(self) -> int:
        """Number of levels, special, missing and unseen ones included."""
        return len(self.levels)

    @property
    def n_regular(self) -> int:
        """Number of levels that are neither special nor missing nor unseen."""
        return len(self.levels) - len(self.special) - self.missing - self.unseen

    @cached_property
    def level_values(self) -> tuple[Raw, ...]:
        """What each level stands for: its number or truth value where it has one, else its label."""
        return (*(self.numbers or ()), *self.levels[len(self.numbers or ()) :])

    @property
    def missing_level(self) -> int | None:
        """The level of missing values, if there is one."""
        if self.unread:
            return 0
        return self.n_levels - 1 - self.unseen if self.missing else None

    @property
    def unread(self) -> bool:
        """Whether every value is in the only level, as nothing depends on it."""
        return self.unseen and self.n_levels == 1

    @property
    def binned(self) -> bool:
        """Whether numbers are put into bins."""
        return self.edges is not None

    def find(self, value: object) -> int | None:
        """Look up the level of a raw value or of a label; ``None`` when there is no such level."""
        if self.unread or is_missing(value):
            return self.missing_level
        try:
            found = self._indices.get(value)
        except TypeError:  # a list, or what else nobody can look up
            return None
        if found is None and self.edges is not None and is_finite(value):
            return bisect_left(self.edges, value)
        return self.n_levels - 1 if found is None and self.unseen else found

    def find_all(self, values: AnyValue) -> IntArray:
        """Look up the levels of many values, numbers in bins all at once; -1 where there is no such level."""
        levels, others = np.full(len(values), -1, dtype=np.int64), list(range(len(values)))
        dtype = getattr(values, "dtype", None)
        if self.edges is not None and isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            numbers = np.asarray(values, dtype=np.float64)
            codes = [code for _, held in self.special for code in held if isinstance(code, Real)]
            levels = np.searchsorted(self.edges, numbers).astype(np.int64)
            others = np.flatnonzero(~np.isfinite(numbers) | np.isin(numbers, codes)).tolist()
        for index in others:
            found = self.find(values[index])
            levels[index] = -1 if found is None else found
        return levels

    def target(self, level: int) -> Raw | None:
        """Give the value that a row is sent to when it moves to a level; ``None``: it cannot.

        Missing values as a target are not-a-number.
        """
        if self.targets is not None:
            return self.targets[level]
        if level >= self.n_regular or self.edges is not None or self.groups is not None:
            return None
        return self.level_values[level]

    def cell_label(self, level: int) -> str:
        """What people call a level, or its label with its unit, for sentences."""
        own = None if self.said is None else self.said[level]
        if own is not None or level >= self.n_regular:
            return own or self.levels[level]
        return self._with_unit(self.levels[level])

    def target_label(self, level: int) -> str:
        """Name the value itself that a row takes at a level, with its unit, for sentences."""
        value = self.target(level)
        if value is None or is_missing(value) or value == self.level_values[level]:
            return self.cell_label(level)
        return self._with_unit(number_label(value)) if level < self.n_regular else number_label(value)

    def value_label(self, value: Raw) -> str:
        """Name a single value, a number with its unit, for sentences."""
        return self._with_unit(number_label(value)) if _is_number(value) else str(value)

    def _with_unit(self, label: str) -> str:
        """Add the unit; numbers of which something is counted are told with a comma for the thousands."""
        if self.unit and (self.edges is not None or self.numbers is not None):
            label = LONG_NUMBER.sub(lambda found: f"{int(found[0]):,}", label)
        return f"{label} {self.unit}".rstrip()

    @property
    def target_values(self) -> tuple[Raw, ...]:
        """What a row has that moves to each level: its target, or what the level stands for."""
        targets = zip(self.level_values, map(self.target, range(self.n_levels)), strict=True)
        return tuple(meant if to is None or is_missing(to) else to for meant, to in targets)

    def with_cells(self, special: Special = (), *, missing: bool = False, unseen: bool = False) -> Self:
        """Add levels for special codes, missing and unseen values where there are none yet."""
        codes = self.special + tuple(code for code in special if code[0] not in dict(self.special))
        missing, unseen = missing or self.missing, unseen or self.unseen
        labels = [*self.levels[: self.n_regular], *dict(codes)]
        if missing:
            labels += self.levels[-1 - self.unseen :][: self.missing] or [free_name(MISSING, labels)]
        if unseen:
            labels += self.levels[-1:][: self.unseen] or [free_name(UNSEEN, labels)]
        targets = self.targets
        if targets is not None:
            targets = tuple(map(dict(zip(self.levels, targets, strict=True)).get, labels))
        said = self.said
        if said is not None:
            said = tuple(map(dict(zip(self.levels, said, strict=True)).get, labels))
        return replace(
            self,
            levels=tuple(labels),
            special=codes,
            missing=missing,
            unseen=unseen,
            targets=targets,
            said=said,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what a feature does not have is left out."""
        kept = [f for f in fields(self) if f.name in ALWAYS_TOLD or getattr(self, f.name) != f.default]
        data = {field.name: written(getattr(self, field.name)) for field in kept}
        if self.targets is not None:
            data["targets"] = [MISSING_TARGET if is_missing(v) and v is not None else v for v in self.targets]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        if not isinstance(data, Mapping):
            raise InputError(f"a feature has a name and levels, not just {data!r}")
        known, plain = [field.name for field in fields(cls)], dict(data)
        for key in plain:
            if key not in known:
                raise InputError(f"{key!r} is not a part of a feature{suggestion(key, known)}")
        if lacking := [key for key in known[:2] if key not in plain]:
            raise InputError(f"the feature {plain.get('name', '')!r} has no {lacking[0]}; add it")
        if isinstance(plain.get("targets"), list):
            plain["targets"] = [math.nan if v == MISSING_TARGET else v for v in plain["targets"]]
        return cls(**plain)

    @property
    def _held(self) -> tuple[tuple[Raw, ...], ...]:
        """The values, beside its label, that each regular and each special level holds."""
        regular = self.groups or tuple(zip(self.numbers or ())) or ((),) * self.n_regular
        return (*regular, *(values for _, values in self.special))

    @cached_property
    def _indices(self) -> dict[object, int]:
        found: dict[object, int] = {label: level for level, label in enumerate(self.levels)}
        return found | {value: level for level, values in enumerate(self._held) for value in values}

    def _faults_of_types(self) -> Iterator[str]:
        kinds: dict[str, tuple[Any, str]] = {
            **dict.fromkeys(LISTS, ((tuple, NoneType), "a list")),
            **dict.fromkeys(FLAGS, (bool, "True or False")),
            "special": (tuple, "a list"),
            "unit": (str, "a text"),
            "title": (str, "a text"),
        }
        for name, (kind, told) in kinds.items():
            if not isinstance(value := getattr(self, name), kind):
                yield f": {name} must be {told}, not {value!r}"
        for group in self.groups or ():
            if not isinstance(group, tuple):
                yield f": a group is a list of values, not {group!r}"
        for code in self.special:
            values = code[1] if isinstance(code, tuple) and len(code) == 2 else None
            if not isinstance(values, tuple) or not all(isinstance(v, (str, int, float)) for v in values):
                yield f": a special level has a label and a list of texts or numbers, not {code!r}"

    def _faults_of_levels(self) -> Iterator[str]:
        if not self.levels:
            yield ": levels must be a list of at least one label"
        yield from (
            f": the label {label!r} is not a text" for label in self.levels if not isinstance(label, str)
        )
        yield from (f" has the level {twice!r} twice" for twice in repeated(self.levels))
        named = tuple(label for label, _ in self.special)
        if self.n_regular < 0 or self.levels[self.n_regular : self.n_regular + len(named)] != named:
            yield f": the special levels {list(named)} must follow the regular ones"
        given = [name for name in ("edges", "numbers", "groups") if getattr(self, name) is not None]
        if len(given) > 1:
            yield f" has both {' and '.join(given)}; give one of them"
        if self.edges is not None:
            edges, bins = list(self.edges), len(self.edges) + 1
            if not all(map(is_finite, edges)):
                yield f": edges must be finite numbers, not {edges}"
            if any(low >= high for low, high in pairwise(edges)):
                yield f": edges must increase, not {list(map(float, edges))}"
            if bins != self.n_regular:
                yield f": {len(edges)} edges make {bins} bins, but {self.n_regular} levels are named"

    def _faults_of_values(self) -> Iterator[str]:
        for number in self.numbers or ():
            if not isinstance(number, bool) and not is_finite(number):
                yield f": {number!r} is neither a number nor a truth value"
        lengths = {
            "numbers": self.n_regular,
            "groups": self.n_regular,
            "targets": self.n_levels,
            "said": self.n_levels,
        }
        for what, n in lengths.items():
            if (values := getattr(self, what)) is not None and len(values) != n:
                yield f" has {len(values)} {what} for {n} levels"
        yield from (
            f": {word!r} is not a text" for word in self.said or () if not isinstance(word, (str, NoneType))
        )
        yield from (f" has the value {twice!r} twice" for twice in repeated([*chain(*self._held)]))
        for level, target in enumerate(self.targets or ()):
            if target is not None and self.find(target) != level:
                yield f": the target {target!r} does not lie in {self.levels[level]!r}"


def is_missing(value: object) -> bool:
    """Whether a single raw value is missing: none, not a number, or not available."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def listed(names: Sequence[object]) -> str:
    """List names, or the first of many, for messages."""
    told = ", ".join(map(repr, names[:MOST_TOLD]))
    return told if len(names) <= MOST_TOLD else f"{told}, ... ({len(names)} in all)"


def no_level(feature: Feature, value: AnyValue, where: str) -> InputError:
    """Say that a value has no level, and where it stands."""
    if is_missing(value):
        return InputError(f"column {feature.name!r}{where}: the value is missing; fill it in or drop the row")
    known = f"{'finite numbers and ' if feature.binned else ''}{listed(feature.levels)}"
    return InputError(
        f"column {feature.name!r}{where}: {plain_value(value)!r} is not one of its levels; known are {known}"
        "; add it to the schema, or name it as special"
    )


def suggestion(name: str, known: Sequence[str]) -> str:
    """Name which of the known names somebody may have meant, or what there is."""
    if close := get_close_matches(name, known, n=1):
        return f"; did you mean {close[0]!r}?"
    return f"; there are {listed(known)}"


def free_name(name: str, taken: Collection[object]) -> str:
    """Let a name of ours give way to those of the user: it ends in "_" where it is taken."""
    while name in taken:
        name += "_"
    return name


def number_label(value: Raw) -> str:
    """Write a number without a needless ".0", everything else as it is."""
    if not _is_number(value) or isinstance(value, int):
        return str(value)
    exact = float(value)
    return str(int(value)) if exact.is_integer() and abs(exact) < 1e15 else repr(exact)


def is_integer(value: object, least: int) -> bool:
    """Whether a value is an integer of at least so much; a truth value is not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= least)


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a number that decimal numbers can come near to; a truth value is not."""
    return _is_number(value) and abs(plain_value(value)) <= sys.float_info.max


def plain_value(value: AnyValue) -> AnyValue:
    """Turn a number of numpy into one of Python; everything else stays."""
    return value.item() if isinstance(value, np.generic) else value


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _frozen(value: AnyValue) -> AnyValue:
    """Turn lists of any kind into tuples, with plain values in them."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(map(_frozen, value))
    return plain_value(value)


def several(values: AnyValue) -> list[Any]:
    """Take a list of any kind, or one value alone."""
    alone = isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Collection)
    return [values] if alone else list(values)


def repeated(items: Sequence[object]) -> list[object]:
    """List what occurs twice or more."""
    return [item for item, count in Counter(items).items() if count > 1]
