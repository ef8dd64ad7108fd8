"""Print first, save afterwards: a full disk loses nothing; and how a command ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

import oneformany as ofm
from oneformany import files
from oneformany.anything import AnyValue
from oneformany.console import INTERRUPTED, NOT_PROVED, as_option, say
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd


def save_all(savers: Mapping[Path | None, Callable[[Path], object]], *, printed: bool = True) -> None:
    """Call each function with its path, if one was given, even if another one cannot write."""
    failed = []
    for path, save in savers.items():
        if path is not None:
            try:
                with files.writing(path):
                    save(path)
            except InputError as error:
                failed.append(error.spelled(as_option))
    if failed:
        raise InputError("; ".join([*failed, *["what was found is printed above"] * printed]))


def plain_lines(frame: pd.DataFrame) -> AnyValue:
    """The lines of a frame as JSON has them."""
    return json.loads(frame.to_json(orient="records"))


def tell_result(result: ofm.Result, max_changes: int, show: int) -> None:
    """Print a result in words, with so many explanations spelled out."""
    from oneformany.result.words import summarise

    tell_changes(max_changes, len(result.problem["levels"]))
    say(summarise(result, show, more=f"--show {result.count} spells out all", spell=as_option))


def tell_changes(asked: int, features: int) -> None:
    """Say what more changes mean than there are features."""
    if asked > features:
        say(f"--max-changes {asked} means all features here: there are {features}.\n")


def tell_table(frame: pd.DataFrame, decimals: int) -> None:
    """Print a table as pandas does, without its index; a heading of two words takes two lines."""
    import pandas as pd

    heads = pd.MultiIndex.from_tuples([("", *name.rsplit("_", 1))[-2:] for name in frame.columns])
    form = f"{{:.{decimals}f}}".format
    lines = frame.set_axis(heads, axis=1).to_string(index=False, na_rep="", float_format=form)
    say(re.sub(r"^ *\n", "", lines))


def end(*, interrupted: bool, proved: bool) -> None:
    """End a command by what was proved: 0 if all was, 130 if it was interrupted, else 3."""
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not proved:
        raise typer.Exit(NOT_PROVED)
