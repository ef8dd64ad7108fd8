"""``oneformany bench tables`` and ``oneformany bench figures``: lay out what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console
from rich.text import Text

from oneformany.console import tell_errors
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figures", "tables"]

SUFFIXES = ("png", "pdf", "svg")
Files: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Written with bench paper --json.")
]


@tell_errors
def tables(
    files: Files,
    *,
    form: Annotated[str, typer.Option("--format", help="text, csv, markdown or latex.")] = "text",
    out: Annotated[Path | None, typer.Option(help="Folder for one file per table.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write all tables to one JSON file.")
    ] = None,
) -> None:
    """Lay out the paper's Tables 1 to 8 with ours beside them, and what goes beyond.

    Of several runs of one cell by one method the last counts.
    """
    import json

    from oneformany.files import write_whole
    from oneformany.paper.runs.cells import check_names
    from oneformany.paper.runs.records import read_all
    from oneformany.paper.tables.more_tables import more_tables
    from oneformany.paper.tables.paper_tables import paper_tables
    from oneformany.paper.tables.table import FORMATS

    check_names("format", [form], list(FORMATS))
    chosen = FORMATS[form]
    records = read_all(files)
    made = [*paper_tables(records), *more_tables(records)]
    if json_file is not None:
        write_whole(json_file, json.dumps([table.to_dict() for table in made], indent=1) + "\n")
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


@tell_errors
def figures(
    files: Files,
    *,
    out: Annotated[Path, typer.Option(help="Folder for the figures.")] = Path("figures"),
    model: Annotated[str, typer.Option(help="Whose explanations: nn, as in the paper, or lr.")] = "nn",
    method: Annotated[str, typer.Option(help="Who found them: exact, cg-mip or mip.")] = "exact",
    form: Annotated[str, typer.Option("--format", help="png, pdf or svg.")] = "png",
) -> None:
    """Draw the paper's figures: explanations as heat maps, and how often each feature changes.

    Exit code 1: the file lacks what some figure needs.
    """
    import matplotlib as mpl

    from oneformany.methods import METHODS
    from oneformany.paper.figures.figures import draw_figures
    from oneformany.paper.runs.cells import MODELS, check_names
    from oneformany.paper.runs.records import read_all

    check_names("model", [model], MODELS)
    check_names("method", [method], METHODS)
    check_names("format", [form], SUFFIXES)
    mpl.use("agg")
    console = Console()
    missing = 0
    for name, drawn in draw_figures(read_all(files), model, method):
        if isinstance(drawn, str):
            missing += 1
            words = Text(f"{name} needs: {drawn}", style="yellow")
        else:
            words = Text(str(_save(drawn, out, f"{name}.{form}")))
        console.print(words, soft_wrap=True)
    if missing:
        raise typer.Exit(1)


def _save(figure: Figure, out: Path, name: str) -> Path:
    path = out / name
    try:
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=200)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}") from error
    return path
