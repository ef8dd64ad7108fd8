"""``oneformany verify FILE``: check a result and its proof with code that shares nothing with the solver."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oneformany.cli.options import JsonFile
from oneformany.cli.saving import check_targets, save_all, save_json
from oneformany.console import tell_errors
from oneformany.exceptions import CertificateError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    from oneformany.verify import Report

EXIT_CODES = {"confirmed": 0, "wrong": 1, "cannot be confirmed": 3}
STYLES = {"confirmed": "green", "wrong": "bold red", "cannot be confirmed": "yellow"}


@tell_errors
def verify(
    file: Annotated[
        Path, typer.Argument(metavar="RESULT", help="A result written with --json or Result.to_json.")
    ],
    *,
    time_limit: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="Leave open what takes longer.")
    ] = 600.0,
    memory_limit: Annotated[
        float, typer.Option(min=0.0, metavar="GB", help="Leave open what needs more memory.")
    ] = 4.0,
    json_file: JsonFile = None,
) -> None:
    """Check a result file: every row, every point, every change, and the proof that no fewer will do.

    Exit code 0: confirmed; 1: wrong; 2: the file cannot be read; 3: cannot be confirmed.
    """
    from oneformany.progress import Progress
    from oneformany.verify import verify as check

    check_targets(json_file)
    try:
        with Progress(shown(file.name)) as progress:
            report = check(file, time_limit=time_limit, memory_limit=memory_limit, progress=progress)
    except CertificateError as error:
        named = str(error) if str(file) in str(error) else f"{file}: {error}"
        raise CertificateError(named) from error
    _show(report, file)
    told = {"outcome": report.outcome, "ok": report.ok, **asdict(report)}
    save_all({json_file: lambda path: save_json(told, path)})
    if not report.ok:
        raise typer.Exit(EXIT_CODES[report.outcome])


def _show(report: Report, file: Path) -> None:
    console = Console()
    table = Table("", "claim", "what was found", box=None, pad_edge=False)
    for entry in report.checks:
        mark = {"confirmed": "ok", "wrong": "WRONG", "cannot be confirmed": "open"}[entry.outcome]
        table.add_row(Text(mark, style=STYLES[entry.outcome]), Text(entry.name), Text(entry.detail))
    console.print(table)
    verdict = Text(report.outcome, style=STYLES[report.outcome])
    console.print(Text.assemble(str(file), ": ", verdict), soft_wrap=True)
