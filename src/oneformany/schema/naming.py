"""What people call columns and their values, in sentences, pictures and letters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from oneformany.anything import AnyValue
from oneformany.exceptions import InputError
from oneformany.schema.cells import by_name
from oneformany.schema.feature import Feature, listed
from oneformany.schema.schema import Schema


@dataclass(frozen=True)
class Label:
    """What people call a column, what its numbers count, and what its values are called.

    Parameters
    ----------
    title : str
        What people call the column.
    unit : str
        What its numbers count, such as "DM" or "years"; numbers are then told as 1,400 DM.
    values : dict of value to str
        What its values, or the labels of its cells, are called.

    Examples
    --------
    >>> Label("loan amount", unit="DM")
    Label(title='loan amount', unit='DM', values={})
    """

    title: str = ""
    unit: str = ""
    values: Mapping[Any, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, text in (("title", self.title), ("unit", self.unit)):
            if not isinstance(text, str):
                raise InputError(f"the {name} of a label must be a text, not {text!r}")
        if not isinstance(self.values, Mapping) or not all(isinstance(v, str) for v in self.values.values()):
            raise InputError(f"the values of a label are a dict of value to text, not {self.values!r}")


Labelled: TypeAlias = str | Sequence[str] | Mapping[Any, str] | Label
"""A title, a title and a unit, names of values, or all of it."""


def labelled(schema: Schema, labels: Mapping[Any, Labelled] | None) -> Schema:
    """Let the features of a schema be called what people call them."""
    given = {name: _label(name, said) for name, said in by_name(labels, "labels").items()}
    for name in given:
        schema.index(name)
    features = schema.features
    return replace(schema, features=tuple(_named(one, given.get(one.name, Label())) for one in features))


def _label(name: str, given: AnyValue) -> Label:
    """Take a label in one of its forms."""
    if isinstance(given, Label):
        return given
    if isinstance(given, str):
        return Label(given)
    if isinstance(given, Mapping):
        return Label(values=given)
    if isinstance(given, Sequence) and 1 <= len(given) <= 2:
        return Label(*given)
    raise InputError(
        f"the label of {name!r} is {given!r}; give a title, a pair of title and unit, a dict of value to "
        "text, or a Label of all three"
    )


def _named(feature: Feature, label: Label) -> Feature:
    said = list(feature.said or [None] * feature.n_levels)
    for value, text in label.values.items():
        level = feature.find(value)
        if level is None:
            raise InputError(
                f"labels of {feature.name!r} name the value {value!r}, which is in none of its cells "
                f"{listed(feature.levels)}"
            )
        said[level] = text
    return replace(
        feature,
        title=label.title or feature.title,
        unit=label.unit or feature.unit,
        said=tuple(said) if any(said) else None,
    )
