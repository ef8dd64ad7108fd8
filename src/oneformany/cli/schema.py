"""``oneformany schema``: a schema of the rows of a file, to be edited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from oneformany.cli.options import Encoding, Separator
from oneformany.cli.rows_file import load_rows
from oneformany.cli.saving import check_targets, save_all
from oneformany.cli.settings_files import schema_toml
from oneformany.console import names, tell_errors


@tell_errors
def schema(
    rows: Annotated[Path, typer.Argument(metavar="ROWS", help="CSV, Parquet or JSON lines.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to, TOML or JSON by its name; else printed."),
    ] = None,
    columns: Annotated[str, typer.Option(help="Only these columns, with commas; else all.")] = "",
    bins: Annotated[int, typer.Option(min=2, help="How many cells numbers are cut into.")] = 4,
    separator: Separator = None,
    encoding: Encoding = None,
) -> None:
    """Write the features of the rows, their levels and cells: a file to edit and pass to explain --schema."""
    from oneformany.files import write_whole
    from oneformany.schema.discretise import infer_schema

    check_targets(out)
    frame = load_rows(rows, separator, encoding)
    made = infer_schema(frame, columns=names(columns) or None, bins=bins)
    as_json = out is not None and out.suffix.lower() == ".json"
    text = json.dumps(made.to_dict(), indent=1) + "\n" if as_json else schema_toml(made)
    if out is None:
        typer.echo(text, nl=False)
    save_all({out: lambda path: write_whole(path, text)})
