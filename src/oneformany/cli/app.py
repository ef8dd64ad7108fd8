"""The command line: names and help only; each command lives in its own file."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from oneformany.cli.audit import audit
from oneformany.cli.demo import demo
from oneformany.cli.explain import explain
from oneformany.cli.frontier import frontier
from oneformany.cli.report import report
from oneformany.cli.schema import schema
from oneformany.cli.verify import verify
from oneformany.paper.commands import bench

app = typer.Typer(
    name="oneformany",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

app.command()(demo)
app.command()(explain)
app.command()(schema)
app.command()(report)
app.command()(audit)
app.command()(frontier)
app.command()(verify)
app.add_typer(bench, name="bench")


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"oneformany {version('oneformany')}")
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Find the provably smallest set of group counterfactual explanations for a binary classifier."""
