"""``oneformany bench paper``: the cells of the paper's tables, its numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from oneformany.commands.errors import tell_errors
from oneformany.commands.lists import names, sizes

__all__ = ["paper"]

OTHER_ROWS = (
    "The paper ran the protocol and the coding called 'published'; here its numbers are of other rows or "
    "data and give the order of magnitude only."
)


@tell_errors
def paper(
    *,
    model: Annotated[str, typer.Option(help="Classifiers: lr, nn; several with commas.")] = "lr",
    dataset: Annotated[str, typer.Option(help="Data sets, several with commas.")] = "compas,german,students",
    method: Annotated[str, typer.Option(help="Methods: exact, cg-mip, mip; several with commas.")] = "exact",
    protocol: Annotated[
        str, typer.Option(help="Explain the first test rows (published) or those turned down (negatives).")
    ] = "published",
    coding: Annotated[
        str, typer.Option(help="Students data as published, with its slip, or correct.")
    ] = "published",
    rows: Annotated[str | None, typer.Option(help="Numbers of rows instead of the paper's.")] = None,
    max_changes: Annotated[str | None, typer.Option(help="Budgets instead of the paper's.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per cell.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the method.")] = 0,
    data_dir: Annotated[Path | None, typer.Option(help="Folder with data that are not embedded.")] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Add a JSON line per cell; cells already there are not run."
        ),
    ] = None,
    save_results: Annotated[
        Path | None, typer.Option(help="Folder for every result with its proof, as `verify` reads it.")
    ] = None,
    check: Annotated[bool, typer.Option("--verify", help="Verify every result independently.")] = False,
) -> None:
    """Run cells of the paper's tables and print its counts and times beside ours."""
    from oneformany.bench.cells import choose
    from oneformany.bench.records import append, read
    from oneformany.bench.run import Settings, run
    from oneformany.bench.tables import header, line, totals
    from oneformany.progress import Progress

    cells = choose(names(model), names(dataset), sizes("--rows", rows), sizes("--max-changes", max_changes))
    settings = Settings(
        tuple(names(method)), protocol, coding, time_limit, seed, data_dir, save_results, check
    )
    done = [] if json_file is None else read(json_file)
    console = Console()
    records = []
    console.print(Text(header(), style="bold"), soft_wrap=True)
    for record in run(cells, settings, Progress, done):
        if json_file is not None and record not in done:
            append(json_file, record)
        console.print(Text(line(record)), soft_wrap=True)
        records.append(record)
    console.print(Text("\n" + totals(records)), soft_wrap=True)
    if not settings.as_published:
        console.print(Text(OTHER_ROWS), soft_wrap=True)
