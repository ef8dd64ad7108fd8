"""From data frames to codes and back, and to the numeric columns a model is fitted on."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from oneformany.anything import AnyFrame, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.encoding import Encoding, as_table, code_faults
from oneformany.schema.feature import Feature, no_level, repeated, suggestion
from oneformany.schema.frames import Table

MOST_LINES = 30  # features in a table
MOST_SHOWN = 12  # levels of one of them: usual cells, special codes and missing values


@dataclass(frozen=True)
class Schema:
    """The features of a problem, in order.

    Parameters
    ----------
    features : sequence of Feature
        At least one, with different names.

    Examples
    --------
    >>> import pandas as pd
    >>> from oneformany import Feature
    >>> schema = Schema((Feature("job", ("no", "yes")), Feature("housing", ("rent", "own"))))
    >>> schema.encode(pd.DataFrame({"job": ["yes"], "housing": ["own"]})).tolist()
    [[1, 1]]
    """

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        if isinstance(self.features, (Feature, str)) or not isinstance(self.features, Iterable):
            told = f"a schema needs a list of features, not {type(self.features).__name__}"
            raise InputError(f"{told}; write Schema([feature]), or infer_schema(frame)")
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise InputError("a schema needs at least one feature")
        for feature in self.features:
            if not isinstance(feature, Feature):
                raise InputError(f"a schema holds Feature objects, not {type(feature).__name__}")
        for name in repeated(self.names):
            raise InputError(f"the schema has two features named {name!r}")

    def _repr_html_(self) -> str:
        lines = []
        for one in self.features[:MOST_LINES]:
            values = "truth values" if {*map(type, one.numbers or ())} == {bool} else "numbers"
            kind = "cells of numbers" if one.binned else values if one.numbers else "labels"
            told = ", ".join(one.levels[:MOST_SHOWN])
            more = f", ... {one.n_levels - MOST_SHOWN} more" if one.n_levels > MOST_SHOWN else ""
            order, unit = one.ordered and not one.binned, f" ({one.unit})" if one.unit else ""
            lines.append((one.name, kind + ", in order" * order, told + more + unit))
        if (hidden := len(self.features) - MOST_LINES) > 0:
            lines.append(("...", "", f"{hidden} more"))
        return html_table(("feature", "kind", "levels"), lines)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return tuple(feature.n_levels for feature in self.features)

    def index(self, name: Hashable) -> int:
        """Find the index of a feature by its name, or by the number that a frame has as its name."""
        if (text := str(name)) not in self._index_of:
            raise InputError(f"there is no feature {name!r}{suggestion(text, self.names)}")
        return self._index_of[text]

    @cached_property
    def _index_of(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def encode(self, frame: AnyFrame) -> IntArray:
        """Turn rows into codes.

        Parameters
        ----------
        frame : frame
            Has every feature as a column; further columns are ignored.

        Returns
        -------
        (n, p) array of int64
            One level per row and feature.

        Raises
        ------
        InputError
            A column is missing or there twice, a value is missing or has no level, or there is no row.
        """
        frame = Table.of(frame, needed=self.names).frame
        codes = self.cells(frame)
        for row, index in np.argwhere(codes.T < 0)[:, ::-1].tolist():
            feature = self.features[index]
            raise no_level(feature, frame[feature.name].iloc[row], f", row {frame.index[row]}")
        return codes

    def cells(self, frame: pd.DataFrame) -> IntArray:
        """Find the level of each value of a frame that has all features as columns; -1 where it has none."""
        return np.stack([_find_levels(feature, frame[feature.name]) for feature in self.features], axis=1)

    def decode(self, codes: ArrayLike, index: pd.Index | None = None) -> pd.DataFrame:
        """Turn codes into rows: numbers and truth values that are levels, labels otherwise.

        Parameters
        ----------
        codes : (n, p) array, or one point of p codes
            One level per feature.
        index : Index, optional
            Row labels of the frame.
        """
        both = zip(self.features, self._checked_codes(codes).T, strict=True)
        columns = {one.name: pd.Series(one.level_values).take(own).array for one, own in both}
        return pd.DataFrame(columns, index=index)

    def one_hot(self, codes: ArrayLike) -> FloatArray:
        """Turn ``(n, p)`` codes, or one point, into the columns of :meth:`encoding`."""
        return self.encoding().encode(self._checked_codes(codes))

    @property
    def one_hot_names(self) -> tuple[str, ...]:
        """Names of the columns of :meth:`one_hot`, such as ``"sex=female"``."""
        names: list[str] = []
        for one in self.features:
            labels = one.levels[1:] if one.n_levels == 2 else one.levels
            names += [one.name] if one.n_levels == 1 else [f"{one.name}={label}" for label in labels]
        return tuple(names)

    @property
    def blocks(self) -> tuple[IntArray, ...]:
        """For each feature the columns it fills in :meth:`one_hot`."""
        return self.encoding().columns

    def encoding(self) -> Encoding:
        """One 0/1 column per level; a feature with two levels is one column, 1 for its second level.

        A feature with a single level is a column of zeros, so that every feature has a column.
        """
        blocks = [np.arange(float(n))[:, None] if n <= 2 else np.eye(n) for n in self.levels]
        return Encoding.from_blocks(blocks, self.one_hot_names)

    def code_encoding(self) -> Encoding:
        """One column per feature that holds the code."""
        return Encoding.from_blocks([np.arange(n)[:, None] for n in self.levels], self.names)

    def number_encoding(self) -> Encoding:
        """One column per feature that holds the number or truth value of its level.

        Raises
        ------
        InputError
            A feature has labels, bins or a level for missing values, which are not numbers that a model could
        read.
        """
        for one in self.features:
            if one.numbers is None or one.n_regular < one.n_levels:
                named = "bins" if one.binned else "labels"
                kind = named if one.numbers is None else f"the level {one.levels[-1]!r}"
                raise InputError(
                    f"feature {one.name!r} has {kind}, no numbers of its own; fit the model on the schema's "
                    "one-hot columns"
                )
        return Encoding.from_blocks([np.array(one.numbers)[:, None] for one in self.features], self.names)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"features": [feature.to_dict() for feature in self.features]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        if not isinstance(data, Mapping) or not isinstance(data.get("features"), Sequence):
            raise InputError(
                'a schema has a list of "features", in TOML each begun by [[features]]; this has none'
            )
        return cls(tuple(Feature.from_dict(feature) for feature in data["features"]))

    def _checked_codes(self, codes: ArrayLike) -> IntArray:
        table = np.atleast_2d(as_table(codes, "codes"))
        for fault in code_faults(table, self.levels, self.names):
            raise InputError(fault)
        return table.astype(np.int64)


@dataclass(frozen=True)
class ValueSchema(Schema):
    """A schema in which every value is a level, with the values in their own types."""

    # arrays[l][v]: what stands in a frame for value v of feature l; labels: what frames call the columns
    arrays: tuple[Any, ...] = field(default=(), compare=False)
    labels: dict[str, Hashable] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, names: Sequence[str], arrays: Sequence[Any], labels: dict[str, Hashable]) -> Self:
        """Number the values of each column; nobody reads their labels."""
        both = zip(names, arrays, strict=True)
        features = (Feature(name, tuple(map(str, range(len(array))))) for name, array in both)
        return cls(tuple(features), tuple(arrays), labels)


def _find_levels(feature: Feature, column: AnyValue) -> IntArray:
    """Find the level of each value of a column; -1 where it has none."""
    if feature.unread:
        return np.zeros(len(column), dtype=np.int64)
    try:
        indices, distinct = pd.factorize(column, use_na_sentinel=False)
    except TypeError as error:
        raise InputError(f"column {feature.name!r} holds more than single values: {error}") from error
    return feature.find_all(distinct)[indices]


def html_table(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Lay out lines below the names of their columns, for notebooks; what they show is escaped."""
    head, *body = (
        "<tr>" + "".join(f"<{cell}>{escape(str(text))}</{cell}>" for text in line) + "</tr>"
        for cell, line in [("th", columns), *(("td", line) for line in lines)]
    )
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"
