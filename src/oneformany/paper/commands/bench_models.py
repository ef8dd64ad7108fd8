"""``oneformany bench models``: one data set, one question, every kind of classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from oneformany.cli.errors import tell_errors
from oneformany.cli.lists import names
from oneformany.paper.commands.bench_options import Check, DataDir, Immutable, SaveResults, Threshold
from oneformany.paper.commands.bench_run import show_runs

__all__ = ["models"]


@tell_errors
def models(
    *,
    model: Annotated[str | None, typer.Option(help="Only these kinds, several with commas.")] = None,
    dataset: Annotated[str, typer.Option(help="One of the paper's data sets.")] = "german",
    rows: Annotated[int, typer.Option(min=1, help="How many of the rows that are turned down.")] = 100,
    max_changes: Annotated[int, typer.Option(min=1, help="How many features may change.")] = 5,
    threshold: Threshold = 0.5,
    immutable: Immutable = "none",
    time_limit: Annotated[float | None, typer.Option(help="Seconds per kind.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Kinds to run side by side.")] = 1,
    data_dir: DataDir = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Add a JSON line per kind; kinds already there are not run."
        ),
    ] = None,
    save_results: SaveResults = None,
    check: Check = False,
) -> None:
    """Explain the rows that each kind of classifier turns down, and compare.

    Kinds whose library is not installed are named at the end.
    """
    from oneformany.paper.runs.cells import Cell
    from oneformany.paper.runs.lines import model_columns
    from oneformany.paper.runs.model_kinds import MODEL_KINDS, model_kind
    from oneformany.paper.runs.run import Settings, plan

    if model is None:
        kinds = [kind for kind in MODEL_KINDS if kind.installed]
        missing = [kind for kind in MODEL_KINDS if not kind.installed]
    else:
        kinds, missing = [model_kind(name) for name in names(model)], []
    settings = Settings(
        protocol="negatives",
        coding="correct",
        time_limit=time_limit,
        data_dir=data_dir,
        results_dir=save_results,
        check=check,
        threshold=threshold,
        immutable=immutable,
    )
    cells = [Cell(dataset, kind.name, rows, max_changes) for kind in kinds]
    console = Console()
    columns = model_columns(checked=check)
    failures = show_runs(console, plan(cells, settings), settings, columns, json_file, jobs)
    for kind in missing:
        words = f"not installed: {kind.name} ({kind.title}); pip install {kind.package}"
        console.print(Text(words, style="yellow"), soft_wrap=True)
    if failures:
        raise typer.Exit(1)
