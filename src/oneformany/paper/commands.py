"""``oneformany bench``: run what is not recorded yet, a line per cell, and lay out what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from oneformany.console import INTERRUPTED, check_names, names, say, sizes, tell_errors
from oneformany.files import check_targets, write_json, write_picture, write_whole, writing
from oneformany.paper.runs.settings import Common, Settings

if TYPE_CHECKING:
    from oneformany.paper.runs.run import Task

ANY_WORDS = (
    "any: proved for these rows whatever the classifier is, for networks; a smaller count cannot be right."
)
OTHER_ROWS = (
    "The paper ran the protocol and the coding called 'published', at threshold 0.5, with all features free; "
    "here its numbers are of other rows, data or questions and give the order of magnitude only."
)
Files = Annotated[list[Path], Argument(metavar="FILE...", help="Written with bench paper --json.")]


def paper(
    *,
    model: Annotated[str, Option(help="Classifiers: lr, nn; several with commas.")] = "lr",
    dataset: Annotated[str, Option(help="Data sets, several with commas.")] = "compas,german,students",
    rows: Annotated[str | None, Option(help="Numbers of rows instead of the paper's.")] = None,
    max_changes: Annotated[str | None, Option(help="Budgets instead of the paper's.")] = None,
    settings: Settings,
) -> None:
    """Run cells of the paper's tables and print its counts and times beside ours.

    Can be stopped at any time; with --json the same command goes on where it was. Exit code 1: a run failed,
    or --verify found a wrong claim.
    """
    from oneformany.methods import METHODS
    from oneformany.paper.methods.solvers import make_solver
    from oneformany.paper.runs.records import as_published, choose
    from oneformany.paper.runs.run import plan

    check_names("method", names(settings.method), METHODS)
    if set(names(settings.method)) - {"exact"}:  # one that is not installed is told before anything is run
        make_solver(settings.solver)
    cells = choose(names(model), names(dataset), sizes("--rows", rows), sizes("--max-changes", max_changes))
    tasks = plan(cells, settings)
    asked_otherwise = not all(as_published(task.key) for task in tasks)
    _show_runs("paper", tasks, settings, [ANY_WORDS, *[OTHER_ROWS] * asked_otherwise])


def models(
    *,
    model: Annotated[str | None, Option(help="Only these kinds, several with commas.")] = None,
    dataset: Annotated[
        Literal["german", "students", "compas"], Option(help="One of the paper's data sets.")
    ] = "german",
    rows: Annotated[int, Option(min=1, help="How many of the rows that are turned down.")] = 100,
    max_changes: Annotated[int, Option(min=1, help="How many features may change.")] = 5,
    common: Common,
) -> None:
    """Explain the rows that each kind of classifier turns down, and compare.

    Kinds whose library is not installed are named at the end.
    """
    from oneformany.paper.runs.prepare import MODEL_KINDS
    from oneformany.paper.runs.records import Cell
    from oneformany.paper.runs.run import plan

    asked = list(MODEL_KINDS) if model is None else names(model)
    check_names("model", asked, list(MODEL_KINDS))
    settings = Settings(**vars(common), protocol="negatives", coding="correct")
    cells = [Cell(dataset, name, rows, max_changes) for name in asked if MODEL_KINDS[name].installed]
    missing = [(name, MODEL_KINDS[name]) for name in asked if not MODEL_KINDS[name].installed]
    notes = [f"not installed: {name} ({kind.title}); pip install {kind.package}" for name, kind in missing]
    _show_runs("models", plan(cells, settings), settings, notes)


def tables(
    files: Files,
    *,
    form: Annotated[
        Literal["text", "csv", "markdown", "latex"], Option("--format", help="How to write them.")
    ] = "text",
    out: Annotated[Path | None, Option(help="Folder for one file per table.")] = None,
    json_file: Annotated[
        Path | None, Option("--json", metavar="FILE", help="Also write all tables to one JSON file.")
    ] = None,
) -> None:
    """Lay out the paper's eight tables with ours beside them, and what goes beyond.

    Its table of notation is not counted. Of several runs of one cell by one method the last counts.
    """
    from oneformany.paper.runs.records import read_all
    from oneformany.paper.tables import more_tables, paper_tables
    from oneformany.paper.text_table import FORMATS, SUFFIXES

    check_targets(files, json_file)
    records = read_all(files)
    made = [*paper_tables(records), *more_tables(records)]
    if json_file is not None:
        told = [{**vars(table), "frame": table.flat.to_dict("records")} for table in made]
        with writing(json_file):
            write_json(told, json_file)
    if out is None:
        for table in made:
            title = f"# {table.title}\n" if form == "csv" else ""
            typer.echo(f"{title}{FORMATS[form](table)}")
        return
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for table in made:
            write_whole(out / f"{table.name}.{SUFFIXES[form]}", FORMATS[form](table))
    say(f"{len(made)} tables in {out}")


def figures(
    files: Files,
    *,
    out: Annotated[Path, Option(help="Folder for the figures.")] = Path("figures"),
    model: Annotated[Literal["nn", "lr"], Option(help="Whose explanations.")] = "nn",
    method: Annotated[Literal["exact", "cg-mip", "mip"], Option(help="Who found them.")] = "exact",
    form: Annotated[Literal["png", "pdf", "svg"], Option("--format", help="How to write them.")] = "png",
) -> None:
    """Draw the paper's figures: explanations as heat maps, and how often each feature changes.

    Exit code 1: the file lacks what some figure needs.
    """
    import matplotlib as mpl

    from oneformany.paper.figures import draw_figures
    from oneformany.paper.runs.records import read_all

    mpl.use("agg")
    missing = False
    for name, drawn in list(draw_figures(read_all(files), model, method)):
        if isinstance(drawn, str):
            missing = True
            say(f"{name} needs: {drawn}", "yellow")
            continue
        path = out / f"{name}.{form}"
        with writing(path):
            out.mkdir(parents=True, exist_ok=True)
            write_picture(drawn, path, dpi=200)
        say(str(path))
    if missing:
        raise typer.Exit(1)


bench = typer.Typer(no_args_is_help=True, help="Run benchmarks, and lay out what they recorded.")
for command in (paper, models, tables, figures):
    bench.command()(tell_errors(command))


def _show_runs(command: str, tasks: list[Task], settings: Settings, notes: list[str]) -> None:
    """Run what is not recorded already; print and record each as it ends, then the totals."""
    from oneformany.paper.runs.records import append, header, key_of, line
    from oneformany.paper.runs.run import Failure, finished, run
    from oneformany.paper.tables import summary
    from oneformany.paper.text_table import FORMATS

    file, known = settings.json_file, finished(settings)
    records = [known[key_of(task.key)] for task in tasks if key_of(task.key) in known]
    waiting = [task for task in tasks if key_of(task.key) not in known]
    failures = 0
    say(header(command), "bold")
    for record in records:
        say(line(command, record), "dim")
    try:
        for outcome in run(waiting, settings):
            if isinstance(outcome, Failure):
                failures += 1
                say(f"FAILED {outcome.task.title}: {outcome.reason}", "red")
                continue
            if file is not None:
                append(file, outcome)
            say(line(command, outcome))
            records.append(outcome)
    except KeyboardInterrupt as error:
        kept = "" if file is None else f", kept in {file}: the same command goes on from there"
        say(f"stopped; {len(records)} of {len(tasks)} cells are finished{kept}", "yellow")
        raise typer.Exit(INTERRUPTED) from error
    if records:
        say("\n" + FORMATS["text"](summary(records)))
    wrong = sum(record["verified"] == "wrong" for record in records)
    bad = [f"{failures} failed; the same command tries them again"] * bool(failures)
    bad += [f"{wrong} WRONG: the check found a claim that does not hold"] * bool(wrong)
    for note in notes:
        say(note)
    for words in bad:
        say(words, "red")
    if bad:
        raise typer.Exit(1)
