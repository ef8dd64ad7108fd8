"""The command line: names and help only; the commands live in the other files."""

from typing import Annotated

import typer

import oneformany as ofm
from oneformany.cli.demo import demo
from oneformany.cli.explain import explain, frontier, schema
from oneformany.cli.letters import letters
from oneformany.cli.results import audit, report, verify
from oneformany.console import tell_errors
from oneformany.paper.commands import bench

app = typer.Typer(
    name="oneformany", no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False
)
for command in (demo, explain, schema, report, letters, audit, frontier, verify):
    app.command()(tell_errors(command))
app.add_typer(bench, name="bench")


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"oneformany {ofm.__version__}")
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Find the provably smallest set of group counterfactual explanations for a binary classifier."""
