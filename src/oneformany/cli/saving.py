"""Print first, save afterwards: a full disk loses nothing; and how a command ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oneformany.console import INTERRUPTED, NOT_PROVED
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oneformany.result.result import Result


def check_targets(*paths: Path | None) -> None:
    """Refuse files that could not be written, before any work is done."""
    given = [path for path in paths if path is not None]
    for path in given:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file in it")
        if not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist; make it first")
        if given.count(path) > 1:
            raise InputError(f"{path} is named twice; each file needs a name of its own")


def save_all(savers: Mapping[Path | None, Callable[[Path], object]]) -> None:
    """Call each function with its path, if one was given, even if another one cannot write."""
    failed = []
    for path, save in savers.items():
        if path is None:
            continue
        try:
            save(path)
        except OSError as error:
            failed.append(f"{path} could not be written: {error.strerror or error}")
    if failed:
        raise InputError("; ".join([*failed, "what was found is printed above"]))


def save_json(told: object, path: Path) -> None:
    """Write plain data as JSON, in one step."""
    import json

    from oneformany.files import write_whole

    write_whole(path, json.dumps(told, indent=1) + "\n")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture in the format that the name ends in."""
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InputError(f"{path} cannot be drawn: {error}") from error


def say(words: str, *, quiet: bool = False) -> None:
    """Print words, which are harmless already, as they are."""
    if not quiet:
        text = Text(words)
        text.highlight_regex(r"(?m)^(Explanation \d+|Proof|Cannot be helped|Undecided)", "bold")
        Console().print(text, soft_wrap=True)


def tell_result(result: Result, show: int, *, quiet: bool = False) -> None:
    """Print a result in words, with so many explanations spelled out."""
    from oneformany.result.words import summarise

    say(summarise(result, show, more=f"--show {result.count} spells out all"), quiet=quiet)


def tell_table(columns: Iterable[object], lines: Iterable[Iterable[object]], *, names: bool = False) -> None:
    """Print a table of numbers; with names, the first column has these."""
    table = Table(box=None, pad_edge=False)
    for number, name in enumerate(columns):
        named = names and number == 0
        words = shown(name) if named else str(name).replace("_", " ")
        table.add_column(Text(words), justify="left" if named else "right")
    for line in lines:
        table.add_row(*(Text(shown(text)) for text in line))
    Console().print(table)


def end(result: Result) -> None:
    """End a command by what was proved: 0 if all was, 130 if it was interrupted, else 3."""
    if result.ended == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if result.status == "feasible":
        raise typer.Exit(NOT_PROVED)
