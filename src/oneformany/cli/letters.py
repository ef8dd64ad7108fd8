"""Letters to the people who were refused: ``oneformany letters``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

import oneformany as ofm
from oneformany import files
from oneformany.cli import options
from oneformany.cli.rows_file import load_rows
from oneformany.console import say
from oneformany.exceptions import InputError
from oneformany.result.labels import shown


def letters(
    file: Annotated[Path, Argument(metavar="RESULT", help="Written with explain --json.")],
    rows: Annotated[Path, Argument(metavar="ROWS", help="The explained rows.")],
    *,
    out: Annotated[Path, Option("--out", "-o", metavar="FOLDER", help="Where to.")] = Path("letters"),
    codes: Annotated[
        Path | None, Option(metavar="TOML", help="Your list of reasons: by column a code and a text.")
    ] = None,
    template: Annotated[
        Path | None, Option(metavar="TEXT", help="Another text of the letters, in the language of jinja2.")
    ] = None,
    index: Annotated[str | None, Option(help="Column that names the rows, as with explain.")] = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    time_limit: options.TimeLimit = None,
    quiet: options.Quiet = False,
) -> None:
    """Write a letter to every refused person: why, and what would have changed the decision.

    The folder gets letters.html to print, letters.csv and letters.json with a line per person, and a text
    for each.
    """
    files.check_targets([file, rows, codes, template])
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; name a folder")
    result = ofm.Result.from_json(file)
    frame = load_rows(rows, separator, encoding, index)
    written = result.letters(frame, template=template, codes=codes, time_limit=time_limit)
    with files.writing(out):
        written.write(out)
    if not quiet:
        say(f"{len(written):,} letters are in {shown(out)}; open letters.html there to read or print them.")
