"""``oneformany bench paper``: the cells of the paper's tables, its numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from oneformany.cli.errors import tell_errors
from oneformany.cli.lists import names, sizes
from oneformany.paper.commands.bench_options import Check, DataDir, Immutable, SaveResults, Threshold
from oneformany.paper.commands.bench_run import show_runs

__all__ = ["paper"]

OTHER_ROWS = (
    "The paper ran the protocol and the coding called 'published', at threshold 0.5, with all features free; "
    "here its numbers are of other rows, data or questions and give the order of magnitude only."
)
ANY = "any: proved for these rows whatever the classifier is; a smaller count cannot be right."


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
    threshold: Threshold = 0.5,
    immutable: Immutable = "none",
    rows: Annotated[str | None, typer.Option(help="Numbers of rows instead of the paper's.")] = None,
    max_changes: Annotated[str | None, typer.Option(help="Budgets instead of the paper's.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per cell and method.")] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Cells to run side by side; with more than 1 their times suffer.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the method.")] = 0,
    solver: Annotated[str, typer.Option(help="For cg-mip and mip: highs, gurobi, scip.")] = "highs",
    bound_without_classifier: Annotated[
        bool, typer.Option(help="Prove what any classifier needs for lr, too (always shown for nn).")
    ] = False,
    data_dir: DataDir = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Add a JSON line per cell; cells already there are not run."
        ),
    ] = None,
    save_results: SaveResults = None,
    check: Check = False,
) -> None:
    """Run cells of the paper's tables and print its counts and times beside ours.

    Can be stopped at any time; with --json the same command goes on where it was.
    """
    from oneformany.paper.runs.cells import choose
    from oneformany.paper.runs.lines import paper_columns
    from oneformany.paper.runs.run import Settings, plan

    cells = choose(names(model), names(dataset), sizes("--rows", rows), sizes("--max-changes", max_changes))
    settings = Settings(
        methods=tuple(names(method)),
        protocol=protocol,
        coding=coding,
        time_limit=time_limit,
        seed=seed,
        data_dir=data_dir,
        results_dir=save_results,
        check=check,
        threshold=threshold,
        immutable=immutable,
        solver=solver,
        bound_without_classifier=bound_without_classifier,
    )
    settings.check_solver()
    console = Console()
    asked = bound_without_classifier or "nn" in names(model)
    columns = paper_columns(asked=asked, checked=check)
    failures = show_runs(console, plan(cells, settings), settings, columns, json_file, jobs)
    notes = [ANY] if asked else []
    notes += [] if settings.as_published else [OTHER_ROWS]
    for note in notes:
        console.print(Text(note), soft_wrap=True)
    if failures:
        raise typer.Exit(1)
