"""Print first, save afterwards: a full disk loses nothing; and how a command ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.text import Text

import oneformany as ofm
from oneformany import files
from oneformany.anything import AnyValue
from oneformany.console import INTERRUPTED, NOT_PROVED, in_options
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd


PICTURES = (".png", ".pdf", ".svg", ".eps", ".jpg", ".jpeg")


def check_targets(*paths: Path | None, picture: Path | None = None) -> None:
    """Refuse files that could not be written, and pictures that could not be drawn, before work is done."""
    given = [path for path in (*paths, picture) if path is not None]
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise InputError(f"{picture} cannot be drawn; end its name in .png, .pdf or .svg")
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
        if path is not None:
            try:
                with files.writing(path):
                    save(path)
            except InputError as error:
                failed.append(str(error))
    if failed:
        raise InputError("; ".join([*failed, "what was found is printed above"]))


def save_json(told: object, path: Path) -> None:
    """Write plain data as JSON, in one step."""
    files.write_whole(path, json.dumps(told, indent=1) + "\n")


def plain_lines(frame: pd.DataFrame) -> AnyValue:
    """The lines of a frame as JSON has them."""
    return json.loads(frame.to_json(orient="records"))


def say(words: str, *, quiet: bool = False) -> None:
    """Print words, which are harmless already, as they are."""
    if not quiet:
        text = Text(words)
        text.highlight_regex(r"(?m)^(Explanation \d+|Proof|Cannot be helped|Undecided)", "bold")
        Console().print(text, soft_wrap=True)


def tell_result(result: ofm.Result, show: int, *, quiet: bool = False) -> None:
    """Print a result in words, with so many explanations spelled out."""
    from oneformany.result.words import summarise

    parts = summarise(result, show, more=f"--show {result.count} spells out all").split("\n\n")
    of_people = ("Explanation ", "Cannot be helped", "Undecided")  # with their own names and values
    told = [part if part.startswith(of_people) else in_options(part) for part in parts]
    say("\n\n".join(told), quiet=quiet)


def tell_changes(asked: int, features: int, *, quiet: bool = False) -> None:
    """Say what more changes mean than there are features."""
    if asked > features:
        say(f"--max-changes {asked} means all features here: there are {features}.\n", quiet=quiet)


def tell_table(frame: pd.DataFrame, decimals: int, name: str | None = None) -> None:
    """Print a table of numbers; with a name, what the index says stands first.

    A heading may take several lines, however wide the screen is; no word of it is cut in two.
    """
    import pandas as pd

    heads, texts = ([], []) if name is None else ([shown(name)], [[shown(label) for label in frame.index]])
    for head in frame.columns:
        told = {True: "yes", False: "no"} if frame[head].dtype == bool else {}
        form = f"{{:.{decimals}f}}" if frame[head].dtype == float else "{:,}"
        heads.append(head.replace("_", " "))
        texts.append([told.get(value) or form.format(value) for value in frame[head].tolist()])
    table = pd.DataFrame(zip(*texts, strict=True))
    table.columns = pd.MultiIndex.from_tuples([("", *head.rsplit(" ", 1))[-2:] for head in heads])
    lines = table.to_string(index=False).split("\n")
    say("\n".join(lines if lines[0].strip() else lines[1:]))


def end(*, interrupted: bool, proved: bool) -> None:
    """End a command by what was proved: 0 if all was, 130 if it was interrupted, else 3."""
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not proved:
        raise typer.Exit(NOT_PROVED)
