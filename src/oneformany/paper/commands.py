"""``oneformany bench``: run what is not recorded yet, a line per cell, and lay out what was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console
from rich.text import Text

from oneformany.console import names, sizes, tell_errors
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    from oneformany.paper.runs.lines import TextColumn
    from oneformany.paper.runs.run import Settings, Task

OTHER_ROWS = (
    "The paper ran the protocol and the coding called 'published', at threshold 0.5, with all features free; "
    "here its numbers are of other rows, data or questions and give the order of magnitude only."
)
ANY = "any: proved for these rows whatever the classifier is; a smaller count cannot be right."
SUFFIXES = ("png", "pdf", "svg")

Check: TypeAlias = Annotated[bool, typer.Option("--verify", help="Verify every result independently.")]
DataDir: TypeAlias = Annotated[Path | None, typer.Option(help="Folder with data that are not embedded.")]
Files: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Written with bench paper --json.")
]
Immutable: TypeAlias = Annotated[
    str, typer.Option(help="none, or half: every second feature, from the first, cannot change.")
]
Jobs: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Runs side by side; with more than 1 their times suffer.")
]
JsonFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Add a JSON line per run; what is there is not run again."),
]
SaveResults: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder for every result with its proof, as `verify` reads it.")
]
Threshold: TypeAlias = Annotated[float, typer.Option(help="Least probability of a positive point.")]
TimeLimit: TypeAlias = Annotated[float | None, typer.Option(help="Seconds per run.")]

bench = typer.Typer(no_args_is_help=True, help="Run benchmarks, and lay out what they recorded.")


@bench.command()
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
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
    seed: Annotated[int, typer.Option(help="Seed of the method.")] = 0,
    solver: Annotated[str, typer.Option(help="For cg-mip and mip: highs, gurobi, scip.")] = "highs",
    bound_without_classifier: Annotated[
        bool, typer.Option(help="Prove what any classifier needs for lr, too (always shown for nn).")
    ] = False,
    data_dir: DataDir = None,
    json_file: JsonFile = None,
    save_results: SaveResults = None,
    check: Check = False,
) -> None:
    """Run cells of the paper's tables and print its counts and times beside ours.

    Can be stopped at any time; with --json the same command goes on where it was.
    """
    from oneformany.paper.runs.cells import choose
    from oneformany.paper.runs.lines import paper_columns
    from oneformany.paper.runs.records import as_published
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
    asked = bound_without_classifier or "nn" in names(model)
    tasks = plan(cells, settings)
    notes = [ANY] * asked + [OTHER_ROWS] * (not all(as_published(task.key) for task in tasks))
    _show_runs(tasks, settings, paper_columns(asked=asked, checked=check), json_file, jobs, notes)


@bench.command()
@tell_errors
def models(
    *,
    model: Annotated[str | None, typer.Option(help="Only these kinds, several with commas.")] = None,
    dataset: Annotated[str, typer.Option(help="One of the paper's data sets.")] = "german",
    rows: Annotated[int, typer.Option(min=1, help="How many of the rows that are turned down.")] = 100,
    max_changes: Annotated[int, typer.Option(min=1, help="How many features may change.")] = 5,
    threshold: Threshold = 0.5,
    immutable: Immutable = "none",
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
    data_dir: DataDir = None,
    json_file: JsonFile = None,
    save_results: SaveResults = None,
    check: Check = False,
) -> None:
    """Explain the rows that each kind of classifier turns down, and compare.

    Kinds whose library is not installed, or that there are not for the data set, are named at the end.
    """
    from oneformany.paper.runs.cells import Cell, check_names
    from oneformany.paper.runs.lines import model_columns
    from oneformany.paper.runs.prepare import MODEL_KINDS, model_kind
    from oneformany.paper.runs.run import Settings, plan

    if model is not None and not names(model):
        check_names("model", [], [kind.name for kind in MODEL_KINDS])
    asked = MODEL_KINDS if model is None else [model_kind(name) for name in names(model)]
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
    notes = [words for kind in asked if (words := kind.left_out(dataset)) is not None]
    cells = [Cell(dataset, kind.name, rows, max_changes) for kind in asked if not kind.left_out(dataset)]
    if not cells:
        raise InputError("; ".join(notes))
    _show_runs(plan(cells, settings), settings, model_columns(checked=check), json_file, jobs, notes)


@bench.command()
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

    from oneformany.files import write_whole, writing
    from oneformany.paper.runs.cells import check_names
    from oneformany.paper.runs.records import read_all
    from oneformany.paper.tables import more_tables, paper_tables
    from oneformany.paper.text_table import FORMATS

    check_names("format", [form], list(FORMATS))
    suffix, write = FORMATS[form]
    records = read_all(files)
    made = [*paper_tables(records), *more_tables(records)]
    if json_file is not None:
        with writing(json_file):
            write_whole(json_file, json.dumps([table.to_dict() for table in made], indent=1) + "\n")
    if out is None:
        for table in made:
            title = f"# {table.title}\n" if form == "csv" else ""
            typer.echo(f"{title}{write(table)}")
        return
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for table in made:
            write_whole(out / f"{table.name}.{suffix}", write(table))
    _say(f"{len(made)} tables in {out}")


@bench.command()
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

    from oneformany.files import writing
    from oneformany.methods import METHODS
    from oneformany.paper.figures import draw_figures
    from oneformany.paper.runs.cells import MODELS, check_names
    from oneformany.paper.runs.records import read_all

    check_names("model", [model], MODELS)
    check_names("method", [method], METHODS)
    check_names("format", [form], SUFFIXES)
    mpl.use("agg")
    every = dict(draw_figures(read_all(files), model, method))
    for name, drawn in every.items():
        if isinstance(drawn, str):
            _say(f"{name} needs: {drawn}", "yellow")
            continue
        path = out / f"{name}.{form}"
        with writing(path):
            out.mkdir(parents=True, exist_ok=True)
            drawn.savefig(path, dpi=200)
        _say(str(path))
    if any(isinstance(drawn, str) for drawn in every.values()):
        raise typer.Exit(1)


def _say(words: str, style: str = "") -> None:
    Console().print(Text(words, style=style), soft_wrap=True)


def _show_runs(
    tasks: Sequence[Task],
    settings: Settings,
    columns: Sequence[TextColumn],
    json_file: Path | None,
    jobs: int,
    notes: Sequence[str],
) -> None:
    """Run what ``json_file`` does not hold already; print and record each as it ends, then the totals."""
    from oneformany.paper.runs.lines import header, line, totals
    from oneformany.paper.runs.records import append, key_of, resume
    from oneformany.paper.runs.run import Failure, run

    known = {} if json_file is None else {key_of(record): record for record in resume(json_file)}
    records = [known[key_of(task.key)] for task in tasks if key_of(task.key) in known]
    waiting = [task for task in tasks if key_of(task.key) not in known]
    failures = 0
    _say(header(columns), "bold")
    for record in records:
        _say(line(columns, record), "dim")
    try:
        for outcome in run(waiting, settings, jobs):
            if isinstance(outcome, Failure):
                failures += 1
                _say(f"FAILED {outcome.task.title}: {outcome.reason}", "red")
                continue
            if json_file is not None:
                append(json_file, outcome)
            _say(line(columns, outcome))
            records.append(outcome)
    except KeyboardInterrupt:
        kept = "" if json_file is None else f", kept in {json_file}: the same command goes on from there"
        _say(f"stopped; {len(records)} of {len(tasks)} cells are finished{kept}", "yellow")
        raise
    if records:
        _say("\n" + totals(records))
    if failures:
        _say(f"{failures} failed; the same command tries them again", "red")
    for note in notes:
        _say(note)
    if failures:
        raise typer.Exit(1)
