"""``oneformany bench tables``: the paper's tables from a file of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from oneformany.cli.errors import tell_errors
from oneformany.exceptions import InputError

__all__ = ["tables"]


@tell_errors
def tables(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Written with bench paper --json.")],
    *,
    form: Annotated[str, typer.Option("--format", help="text, csv, markdown or latex.")] = "text",
    out: Annotated[Path | None, typer.Option(help="Folder for one file per table.")] = None,
) -> None:
    """Lay out the paper's Tables 1 to 8 with ours beside them, and what goes beyond.

    Of several runs of one cell by one method the last counts.
    """
    from oneformany.files import write_whole
    from oneformany.paper.runs.records import read_all
    from oneformany.paper.tables.more_tables import more_tables
    from oneformany.paper.tables.paper_tables import paper_tables
    from oneformany.paper.tables.table import FORMATS

    if form not in FORMATS:
        raise InputError(f"there is no format {form!r}; choose from {', '.join(FORMATS)}")
    chosen = FORMATS[form]
    records = read_all(files)
    made = [*paper_tables(records), *more_tables(records)]
    if out is None:
        for table in made:
            title = f"# {table.title}\n" if form == "csv" else ""
            typer.echo(f"{title}{chosen.write(table)}")
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        for table in made:
            write_whole(out / f"{table.name}.{chosen.suffix}", chosen.write(table))
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error}") from error
    Console().print(f"{len(made)} tables in {out}", soft_wrap=True, markup=False, highlight=False)
