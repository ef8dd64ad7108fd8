"""What the commands ask about rows, model and rules: the same words wherever they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from oneformany.console import names
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.schema.rules import RowRule, Rule

__all__ = [
    "Columns",
    "Encoding",
    "Immutables",
    "IndexColumn",
    "OnlyDown",
    "OnlyUp",
    "Positive",
    "Quiet",
    "ReferenceRows",
    "RulesFile",
    "SchemaFile",
    "Separator",
    "Sharing",
    "Threshold",
    "Trust",
    "chosen_rules",
    "kept_columns",
]

Sharing: TypeAlias = Annotated[
    str, typer.Option(help="What the rows of one explanation share: point, action or features.")
]
Threshold: TypeAlias = Annotated[
    float | None, typer.Option(help="Least probability of a positive row, unless as predict decides.")
]
Positive: TypeAlias = Annotated[str, typer.Option(help="Label of the positive class.")]
RulesFile: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="TOML", help="What may not change, or only in one direction.")
]
Immutables: TypeAlias = Annotated[str, typer.Option(help="Features that cannot change, with commas.")]
OnlyUp: TypeAlias = Annotated[str, typer.Option(help="Features that can only go up.")]
OnlyDown: TypeAlias = Annotated[str, typer.Option(help="Features that can only go down.")]
SchemaFile: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Cells of the features; see oneformany schema.")
]
ReferenceRows: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="ROWS", help="Data that values to change to are taken from.")
]
IndexColumn: TypeAlias = Annotated[str | None, typer.Option(help="Column that names the rows.")]
Columns: TypeAlias = Annotated[str, typer.Option(help="Use only these columns, in this order, with commas.")]
Separator: TypeAlias = Annotated[
    str | None, typer.Option(help="Between the columns of a CSV file, if it is not found out rightly.")
]
Encoding: TypeAlias = Annotated[str | None, typer.Option(help="Of a CSV file, such as utf-8 or cp1252.")]
Trust: TypeAlias = Annotated[bool, typer.Option("--trust-model", help="Load a model file that can run code.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def kept_columns(frame: pd.DataFrame, wanted: list[str], path: Path) -> pd.DataFrame:
    """Keep only the columns that ``--columns`` names, if it names any.

    Parameters
    ----------
    frame : DataFrame
        All columns.
    wanted : list of str
        Those to keep, in this order.
    path : Path
        Where they were read, for the message when one is missing.
    """
    for name in wanted:
        if name not in frame.columns:
            known = ", ".join(shown(column) for column in frame.columns)
            raise InputError(f"--columns names {name!r}, which is not in {path}; it has {known}")
    return frame[wanted] if wanted else frame


def chosen_rules(
    path: Path | None, immutable: str, only_increase: str, only_decrease: str
) -> Iterator[Rule | RowRule]:
    """Yield the rules of a file, then those of the options.

    Parameters
    ----------
    path : Path or None
        A TOML file.
    immutable, only_increase, only_decrease : str
        Names of features, with commas.
    """
    from oneformany.schema.rules import Immutable, OnlyDecrease, OnlyIncrease, rules_from_toml

    if path is not None:
        yield from rules_from_toml(path)
    yield from (Immutable(name) for name in names(immutable))
    yield from (OnlyIncrease(name) for name in names(only_increase))
    yield from (OnlyDecrease(name) for name in names(only_decrease))
