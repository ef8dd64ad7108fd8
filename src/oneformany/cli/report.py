"""``oneformany report``: a page for the audit file, from a result file alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from oneformany.cli.options import Quiet
from oneformany.cli.saving import check_targets, save_all, say
from oneformany.console import tell_errors
from oneformany.result.labels import shown


@tell_errors
def report(
    file: Annotated[Path, typer.Argument(metavar="RESULT", help="Written with --json or Result.to_json.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="HTML", help="Where to.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    quiet: Quiet = False,
) -> None:
    """Make one self-contained HTML page from a result file."""
    from oneformany.result.result import Result

    check_targets(out)
    result = Result.from_json(file)
    save_all({out: lambda path: result.report(path, title)})
    say(f"Saved as {shown(out)}.", quiet=quiet)
