"""Print first, save afterwards: a full disk loses nothing; and how a command ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.text import Text

from oneformany.console import INTERRUPTED, NOT_PROVED
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["check_targets", "end", "save_all", "say"]


def check_targets(*paths: Path | None) -> None:
    """Refuse files that could not be written, before any work is done.

    Parameters
    ----------
    *paths : path or None
        Where something is to be saved.
    """
    given = [path for path in paths if path is not None]
    for path in given:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file in it")
        if not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist; make it first")
        if given.count(path) > 1:
            raise InputError(f"{path} is named twice; each file needs a name of its own")


def save_all(savers: Mapping[Path | None, Callable[[Path], object]]) -> None:
    """Write every file that was asked for, even if one of them cannot be written.

    Parameters
    ----------
    savers : mapping of path to function
        Called with the path; entries without a path are passed over.
    """
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


def say(words: str, *, quiet: bool = False) -> None:
    """Print words as they are.

    Parameters
    ----------
    words : str
        Already harmless.
    quiet : bool
        Say nothing.
    """
    if not quiet:
        text = Text(words)
        text.highlight_regex(r"(?m)^(Explanation \d+|Proof|Cannot be helped|Undecided)", "bold")
        Console().print(text, soft_wrap=True)


def end(result: Result) -> None:
    """End a command by what was proved: 0 if all was, 130 if it was interrupted, else 3.

    Parameters
    ----------
    result : Result
        What was found.
    """
    if result.ended == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if result.status == "feasible":
        raise typer.Exit(NOT_PROVED)
