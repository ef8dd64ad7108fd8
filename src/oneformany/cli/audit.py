"""``oneformany audit``: subgroups of a result side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oneformany.cli.options import Encoding, JsonFile, People, Picture, Separator
from oneformany.cli.rows_file import load_rows, people_in_column
from oneformany.cli.saving import check_targets, save_all, save_figure, save_json, say, tell_table
from oneformany.console import tell_errors
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    from oneformany.studies.audit import Audit


@tell_errors
def audit(
    file: Annotated[Path, typer.Argument(metavar="RESULT", help="Written with explain --json.")],
    rows: Annotated[
        Path, typer.Argument(metavar="ROWS", help="The very rows that were explained; more columns are fine.")
    ],
    *,
    by: Annotated[
        list[str], typer.Option(help="Column that makes the subgroups; may be given several times.")
    ],
    people: People = None,
    index: Annotated[str | None, typer.Option(help="Column that names the rows, as with explain.")] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    report: Annotated[
        Path | None, typer.Option(metavar="HTML", help="Save the whole report with this part.")
    ] = None,
    json_file: JsonFile = None,
    plot: Picture = None,
) -> None:
    """Compare subgroups: who is refused, who can be helped, and how much they have to change.

    Differences come with 95 % intervals; those that leave out 0 are told in words.
    """
    from oneformany.result.result import Result
    from oneformany.studies.audit import audit as compare

    check_targets(report, json_file, plot)
    result = Result.from_json(file)
    frame = load_rows(rows, separator, encoding, index)
    counts = None if people is None else people_in_column(frame, people)
    found = [compare(result, frame, by=name, people=counts) for name in by]
    for one in found:
        _show(one)
    save_all(
        {
            report: lambda path: result.report(path, audits=found),
            json_file: lambda path: _save_json(found, path),
            plot: lambda path: _save_plot(found, path),
        }
    )


def _show(found: Audit) -> None:
    lines = zip(found.table.index, found.table.to_dict("records"), strict=True)
    tell_table(
        (found.by, *found.table.columns),
        (
            (name, *(f"{v:.2f}" if isinstance(v, float) else f"{v:,}" for v in line.values()))
            for name, line in lines
        ),
        names=True,
    )
    say(f"{found.summary()}\n")


def _save_json(found: list[Audit], path: Path) -> None:
    import json

    told = [
        {
            "by": one.by,
            "table": json.loads(one.table.reset_index(names="subgroup").to_json(orient="records")),
            "differences": json.loads(one.differences.reset_index().to_json(orient="records")),
            "rare": list(one.rare),
        }
        for one in found
    ]
    save_json(told, path)


def _save_plot(found: list[Audit], path: Path) -> None:
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
    save_figure(figure, path)
