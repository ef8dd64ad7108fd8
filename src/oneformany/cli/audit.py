"""``oneformany audit``: subgroups of a result side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oneformany.cli.rows_file import load_rows
from oneformany.cli.saving import check_targets, save_all, say
from oneformany.console import tell_errors
from oneformany.result.labels import shown

if TYPE_CHECKING:
    from oneformany.studies.audit import Audit

__all__ = ["audit"]


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
    index: Annotated[str | None, typer.Option(help="Column that names the rows, as with explain.")] = None,
    separator: Annotated[
        str | None, typer.Option(help="Between the columns of a CSV file, if it is not found out rightly.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a CSV file, such as utf-8 or cp1252.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="HTML", help="Save the whole report with this part.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Save the tables as JSON.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save a picture, such as audit.png or audit.pdf.")
    ] = None,
) -> None:
    """Compare subgroups: who is refused, who can be helped, and how much they have to change.

    Differences come with 95 % intervals; those that leave out 0 are told in words.
    """
    from oneformany.result.result import Result
    from oneformany.studies.audit import audit as compare

    check_targets(report, json_file, plot)
    result = Result.from_json(file)
    frame = load_rows(rows, separator, encoding, index)
    found = [compare(result, frame, by=name) for name in by]
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
    table = Table(box=None, pad_edge=False)
    table.add_column(Text(shown(found.by)))
    for name in found.table.columns:
        table.add_column(Text(str(name).replace("_", " ")), justify="right")
    for name, line in zip(found.table.index, found.table.to_dict("records"), strict=True):
        texts = (f"{value:.2f}" if isinstance(value, float) else f"{value:,}" for value in line.values())
        table.add_row(Text(shown(name)), *(Text(text) for text in texts))
    Console().print(table)
    say(f"{found.summary()}\n")


def _save_json(found: list[Audit], path: Path) -> None:
    import json

    from oneformany.files import write_whole

    told = [
        {
            "by": one.by,
            "table": json.loads(one.table.reset_index(names="subgroup").to_json(orient="records")),
            "differences": json.loads(one.differences.reset_index().to_json(orient="records")),
            "rare": list(one.rare),
        }
        for one in found
    ]
    write_whole(path, json.dumps(told, indent=1) + "\n")


def _save_plot(found: list[Audit], path: Path) -> None:
    from oneformany.cli.audit_plot import save_picture

    save_picture(found, path)
