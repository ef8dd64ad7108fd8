"""``oneformany verify FILE``: check a result and its proof with code that shares nothing with the solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oneformany.cli.errors import tell_errors

if TYPE_CHECKING:
    from oneformany.verify.report import Report

__all__ = ["verify"]

REJECTED = 1


@tell_errors
def verify(
    file: Annotated[Path, typer.Argument(help="A result written with --json or Result.to_json.")],
    *,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the checks as JSON.")
    ] = None,
) -> None:
    """Check a result file: every row, every point, every change, and the proof that no fewer will do.

    Exit code 0: accepted; 1: rejected; 2: the file cannot be read.
    """
    from oneformany.verify import verify as check

    report = check(file)
    if json_file is not None:
        _write(report, json_file)
    _show(report, file)
    if not report.ok:
        raise typer.Exit(REJECTED)


def _show(report: Report, file: Path) -> None:
    console = Console()
    table = Table("", "claim", "what was found", box=None, pad_edge=False)
    for entry in report.checks:
        mark = Text("ok", style="green") if entry.ok else Text("WRONG", style="bold red")
        table.add_row(mark, Text(entry.name), Text(entry.detail))
    console.print(table)
    for caveat in report.caveats:
        console.print(Text(f"Not examined: {caveat}", style="yellow"), soft_wrap=True)
    verdict = Text("accepted", style="bold green") if report.ok else Text("rejected", style="bold red")
    console.print(Text.assemble(str(file), ": ", verdict), soft_wrap=True)


def _write(report: Report, path: Path) -> None:
    import json
    from dataclasses import asdict

    from oneformany.files import write_whole

    write_whole(path, json.dumps({"ok": report.ok, **asdict(report)}, indent=1) + "\n")
