"""``oneformany bench figures``: the paper's figures from a file of records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from oneformany.cli.errors import tell_errors
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figures"]

SUFFIXES = ("png", "pdf", "svg")


@tell_errors
def figures(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Written with bench paper --json.")],
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

    from oneformany.methods import METHODS
    from oneformany.paper.figures.figures import Missing, draw_figures
    from oneformany.paper.runs.cells import MODELS
    from oneformany.paper.runs.records import read_all

    for what, name, known in (
        ("model", model, MODELS),
        ("method", method, METHODS),
        ("format", form, SUFFIXES),
    ):
        if name not in known:
            raise InputError(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    mpl.use("agg")
    console = Console()
    missing = 0
    for drawn in draw_figures(read_all(files), model, method):
        if isinstance(drawn, Missing):
            missing += 1
            words = Text(f"{drawn.name} needs: {drawn.remedy}", style="yellow")
        else:
            words = Text(str(_save(drawn.figure, out, f"{drawn.name}.{form}")))
        console.print(words, soft_wrap=True)
    if missing:
        raise typer.Exit(1)


def _save(figure: Figure, out: Path, name: str) -> Path:
    path = out / name
    try:
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=200)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}") from error
    return path
