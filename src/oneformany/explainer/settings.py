"""What an explainer is told, in today's words: cells in one object, and a rule for each fixed feature."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from oneformany.exceptions import Argument, InputError, InputWarning
from oneformany.schema.feature import is_integer, suggestion
from oneformany.schema.rules.combine import RowRule, Rule
from oneformany.schema.rules.moves import Immutable
from oneformany.schema.schema import Schema

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany

# With fewer rows, eight cells of a number hold fewer than about six each: where they end, and which values
# rows are sent to, is an accident of these rows.
FEW_ROWS = 50


@dataclass(frozen=True)
class Cells:
    """What is known beforehand about the cells of columns, and about the values that rows are sent to.

    Columns that are not named have cells that are chosen: a few distinct values remain as they are; values
    that a tree or the steps of a pipeline do not distinguish form one cell; other numbers are cut at the most
    important splits of a boosted model, or at round quantiles of the reference data, into at most eight.

    Parameters
    ----------
    schema : Schema, optional
        The cells of some or all columns in full; for a model that was fitted on the columns that a schema
        makes, that schema.
    edges : dict of column to list of numbers, optional
        Boundaries of the cells; each cell includes its right edge.
    bins : dict of column to int, or int, optional
        Number of cells, each with about equally many reference rows.
    special : dict of column to codes, optional
        Numbers that are really codes, such as ``{"x": [-9, -8]}`` or ``{"x": {"no record": -9}}``: each is
        a cell of its own, and never a target.
    targets : str or dict of column to values, optional
        Values that rows are sent to, as a list (each value in its cell) or a dict of cell to value.
        ``None``: nobody is sent there; ``{"missing": "missing"}`` makes the missing value a target. For all
        columns or for one: "median", as by default, or "nearest": in a cell of numbers a value at the side
        from which most refused rows may come, rounded.

    Examples
    --------
    >>> Cells(edges={"age": [25, 40]}, special={"income": [-9]}).bins is None
    True
    """

    schema: Schema | None = None
    edges: Mapping[Any, Sequence[float]] | None = None
    bins: Mapping[Any, int] | int | None = None
    special: Mapping[Any, Any] | None = None
    targets: Mapping[Any, Any] | str | None = None


def settled(asked: OneForMany) -> OneForMany:
    """A copy that is told everything in today's words, with the reference data of ``fit`` if that was called.

    Older words are warned of.
    """
    cells, reference = asked.cells, getattr(asked, "reference_", asked.reference)
    if isinstance(cells, Schema):
        cells = Cells(schema=cells)
    if not isinstance(cells, Cells | None):
        kind = type(cells).__name__
        raise InputError(
            Argument("cells", bare=True),
            f" is a {kind}; give Cells(bins=..., special=...) and the like, or a Schema",
        )
    parts = [field.name for field in fields(Cells)]
    old = {name: given for name in parts if (given := getattr(asked, name)) is not None}
    for name in old:
        warnings.warn(
            f"{name}= of OneForMany is now a part of cells=: write cells=Cells({name}=...); the old name "
            "works for one release",
            FutureWarning,
            stacklevel=3,
        )
    if is_integer(reference, 0):
        raise InputError(
            f"reference is {reference!r}, which is not data; write ", Argument("max_changes", reference)
        )
    forgotten: dict[str, Any] = dict.fromkeys(parts)
    return replace(asked, cells=replace(cells or Cells(), **old), reference=reference, **forgotten)


def cells_of(asked: OneForMany) -> Cells:
    """What an explainer, once settled, is told about cells."""
    assert isinstance(asked.cells, Cells)  # noqa: S101 (see settled)
    return asked.cells


def all_rules(asked: OneForMany, names: Sequence[str]) -> Sequence[Rule | RowRule]:
    """The rules as they are given, and one for each feature that is immutable or that does not vary."""
    fixed = list(_named("immutable", asked.immutable))
    if asked.vary is not None:
        free = _named("vary", asked.vary)
        for name in free:
            if name not in names:
                raise InputError(
                    Argument("vary", bare=True), f": there is no feature {name!r}{suggestion(name, names)}"
                )
        if both := sorted(set(free) & set(fixed)):
            raise InputError(
                Argument("immutable", bare=True),
                " and ",
                Argument("vary", bare=True),
                f" both name {both[0]!r}; leave it out of one of them",
            )
        fixed += [name for name in names if name not in free]
    if not fixed or not isinstance(asked.rules, Sequence) or isinstance(asked.rules, str):
        return asked.rules  # which are checked next
    kept = {str(rule.feature) for rule in asked.rules if isinstance(rule, Immutable)}
    return [*asked.rules, *(Immutable(name) for name in dict.fromkeys(fixed) if name not in kept)]


def _named(argument: str, given: object) -> list[str]:
    """Names of features, by texts as schemas have them."""
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InputError(
            Argument(argument, bare=True),
            f" is {given!r}; give a list of features, such as ",
            Argument(argument, ["age"]),
        )
    return list(map(str, given))


def warn_of_few_rows(asked: OneForMany, names: Sequence[str], n_rows: int) -> None:
    """Say where cells and values to go to are taken from a handful of rows."""
    schema = cells_of(asked).schema
    described = () if schema is None else schema.names
    if asked.reference is None and n_rows < FEW_ROWS and not set(names) <= set(described):
        warnings.warn(
            InputWarning(
                f"cells, and the values that rows are sent to, are taken from {n_rows} rows, which is few: "
                "give more with ",
                Argument("reference"),
                ", such as the data that the model was fitted on",
            ),
            stacklevel=2,
        )
