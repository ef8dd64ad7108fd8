"""What is made of a result file: ``oneformany report``, ``oneformany audit`` and ``oneformany verify``."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

import oneformany as ofm
from oneformany import files
from oneformany.cli import options, saving
from oneformany.cli.rows_file import load_rows, people_in_column
from oneformany.console import say
from oneformany.exceptions import CertificateError, InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    from oneformany.studies import Audit

# Outcomes of a check: exit code, colour.
OUTCOMES = {"confirmed": (0, "green"), "wrong": (1, "bold red"), "cannot be confirmed": (3, "yellow")}


def report(
    file: Annotated[Path, Argument(metavar="RESULT", help="Written with --json or Result.to_json.")],
    *,
    out: Annotated[Path, Option("--out", "-o", metavar="HTML", help="Where to.")] = Path("report.html"),
    title: options.Title = None,
    quiet: options.Quiet = False,
) -> None:
    """Make one self-contained HTML page from a result file."""
    files.check_targets([file], out)
    result = ofm.Result.from_json(file)
    saving.save_all({out: partial(result.report, title=title, file=str(file))}, printed=False)
    if not quiet:
        say(f"Saved as {shown(out)}.")


def audit(
    file: Annotated[Path, Argument(metavar="RESULT", help="Written with explain --json.")],
    rows: Annotated[Path, Argument(metavar="ROWS", help="The explained rows; more columns are fine.")],
    *,
    by: Annotated[
        list[str],
        Option(help="Column that makes the subgroups, or several with commas; may be given several times."),
    ],
    recourse: Annotated[bool, Option("--recourse", help="Also measure recourse over all advice.")] = False,
    budget: Annotated[float | None, Option(help="For --recourse: what it may cost.")] = None,
    people: options.People = None,
    index: Annotated[str | None, Option(help="Column that names the rows, as with explain.")] = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    report: Annotated[Path | None, Option(metavar="HTML", help="Save the report with this part.")] = None,
    json_file: options.JsonFile = None,
    plot: options.Picture = None,
) -> None:
    """Compare subgroups: who is refused, who can be helped, and how much they have to change.

    Differences come with 95 % intervals; those that leave out 0 are told in words.
    """
    files.check_targets((file, rows), report, json_file, picture=plot)
    result = ofm.Result.from_json(file)
    frame = load_rows(rows, separator, encoding, index)
    counts = None if people is None else people_in_column(frame, people)
    crossed = [name.split(",") if "," in name and name not in frame.columns else name for name in by]
    asked: dict[str, Any] = {"people": counts, "recourse": recourse, "budget": budget}
    found = [ofm.audit(result, frame, by=columns, **asked) for columns in crossed]
    for one in found:
        table = one.table.copy()
        table.insert(0, shown(one.by), [*map(shown, table.index)], allow_duplicates=True)
        saving.tell_table(table, decimals=2)
        say(f"{one.summary()}\n")
        if one.recourse is not None:
            measures = one.recourse.by_group.copy()
            measures.insert(0, shown(one.by), [*map(shown, measures.index)], allow_duplicates=True)
            saving.tell_table(measures, decimals=3)
            say(f"{one.recourse.summary()}\n")
    told = [
        {
            "by": one.by,
            "table": saving.plain_lines(one.table.reset_index(names="subgroup")),
            "differences": saving.plain_lines(one.differences.reset_index()),
            "rare": list(one.rare),
            "recourse": None
            if one.recourse is None
            else saving.plain_lines(one.recourse.by_group.reset_index(names="subgroup")),
        }
        for one in found
    ]
    saving.save_all(
        {
            report: partial(result.report, audits=found, file=str(file)),
            json_file: partial(files.write_json, told),
            plot: partial(_draw, found),
        }
    )


def _draw(found: list[Audit], path: Path) -> None:
    """Draw each measure of each comparison below the other."""
    from matplotlib.figure import Figure

    from oneformany.plotting.canvas import PAPER_WIDTH, plain
    from oneformany.studies.audit import MEASURES

    parts = [(one, measure) for one in found for measure in MEASURES]
    heights = [1.1 + 0.3 * (1 if len(one.table) == 2 else len(one.table)) for one, _ in parts]
    figure = Figure(figsize=(PAPER_WIDTH, sum(heights)), layout="constrained")
    panels = figure.subplots(len(parts), 1, height_ratios=heights, squeeze=False).flat
    for ax, (one, measure) in zip(panels, parts, strict=True):
        try:
            one.plot(ax, measure)
        except InputError as error:
            ax.set_axis_off()
            ax.set_title(plain(error, 90), fontsize=9, loc="left")
    files.write_picture(figure, path, dpi=150)


def verify(
    file: Annotated[Path, Argument(metavar="RESULT", help="A result written with --json or Result.to_json.")],
    *,
    time_limit: Annotated[float, Option(min=0.0, metavar="SECONDS", help="The rest is left open.")] = 600.0,
    memory_limit: Annotated[float, Option(min=0.0, metavar="GB", help="Leave open what needs more.")] = 4.0,
    json_file: options.JsonFile = None,
) -> None:
    """Check a result file: every row, every point, every change, and the proof that no fewer will do.

    Exit code 0: confirmed; 1: wrong; 2: the file cannot be read; 3: cannot be confirmed.
    """
    files.check_targets([file], json_file)
    try:
        with ofm.Progress(shown(file.name)) as progress:
            found = ofm.verify(file, time_limit=time_limit, memory_limit=memory_limit, progress=progress)
    except CertificateError as error:
        named = str(error) if str(file) in str(error) else f"{file}: {error}"
        raise CertificateError(named) from error
    marks = {f"(?<=: ){outcome}": style for outcome, (_, style) in OUTCOMES.items()}
    say("\n".join(map(shown, f"{file}: {found}".split("\n"))), marks=marks)
    data = {"outcome": found.outcome, "ok": found.ok, **asdict(found)}
    saving.save_all({json_file: partial(files.write_json, data)})
    raise typer.Exit(OUTCOMES[found.outcome][0])
