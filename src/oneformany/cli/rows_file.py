"""Rows from files as people have them: CSV of any separator and encoding, Parquet, JSON lines."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneformany.exceptions import InputError, plain_reason
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.arrays import IntArray

SEPARATORS = (",", ";", "\t", "|")
PROBED_LINES = 200
ENCODINGS = "utf-8, cp1252, latin-1, utf-16"  # that most people have
EXAMPLE = '{"age": 30, "job": "none"}'


def load_rows(
    path: Path, separator: str | None = None, encoding: str | None = None, index: str | None = None
) -> pd.DataFrame:
    """Read a table of rows by its ending; separator and encoding of CSV are found out unless told."""
    import pandas as pd

    ending = path.suffix.lower()
    try:
        if ending in {".parquet", ".pq"}:
            frame = pd.read_parquet(path)
        elif ending in {".json", ".jsonl", ".ndjson"}:
            content = path.read_bytes()
            frame = pd.DataFrame(_read_json(content.decode(_encoding(content))))
        else:
            frame = _read_csv(path, separator, encoding)
    except ImportError as error:
        raise InputError("Parquet needs the package pyarrow: pip install 'oneformany[parquet]'") from error
    except (OSError, ValueError, LookupError, EOFError, RecursionError, csv.Error) as error:
        raise InputError(f"{path} cannot be read as a table of rows: {plain_reason(error)}") from error
    if frame.empty:
        has = ", ".join(map(shown, frame.columns))[:200] or "none"
        raise InputError(f"{path} has no rows (columns: {has}); give at least one")
    if index is None:
        return frame
    check_columns(frame, [index], f"--index: {path}")
    unfit = frame[index].isna() | frame[index].duplicated()
    if unfit.any():
        name = shown(frame[index][unfit].iloc[0])
        raise InputError(f"{path}: {name!r} in {index!r} is missing or stands twice; name each row apart")
    return frame.set_index(index)


def check_columns(frame: pd.DataFrame, wanted: Iterable[str], whose: str) -> None:
    """Refuse names that no column has."""
    from oneformany.schema.feature import suggestion

    known = list(map(str, frame.columns))
    for name in wanted:
        if name not in known:
            raise InputError(f"{whose} has no column {name!r}{suggestion(name, known)}")


def people_in_column(frame: pd.DataFrame, name: str) -> IntArray:
    """How many people each row stands for, as the column of ``--people`` says."""
    from oneformany.schema.feature import is_integer

    check_columns(frame, [name], "--people: the table")
    for row, count in frame[name].items():
        if not is_integer(count, 1):
            raise InputError(f"--people: column {name!r}, row {row}: {count!r} is not an integer from 1 on")
    return frame[name].to_numpy()


def _read_json(text: str) -> list[Any]:
    """Read a list of objects, or objects one below the other: a list without its brackets and commas."""
    if not text.lstrip().startswith("["):
        text = "[" + re.sub(r"(?<=\})(\s*\n\s*)(?=\S)", r",\1", text.rstrip()) + "]"
    rows: list[Any] = json.loads(text)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"row {number} is not an object such as {EXAMPLE}")
        for name, value in row.items():
            if isinstance(value, (dict, list)):
                raise InputError(f"row {number} holds a whole list in {name!r}; one value is needed there")
    return rows


def _read_csv(path: Path, separator: str | None, encoding: str | None) -> pd.DataFrame:
    content = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    if not content.strip():
        raise InputError("the file is empty; its first line has to name the columns")
    likely = _encoding(content)
    try:
        text = content.decode(encoding or likely)
    except LookupError as error:
        raise InputError(f"--encoding {encoding} is not known; use {ENCODINGS}, or leave it out") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{plain_reason(error)}; try --encoding {likely}, or leave it out") from error
    if "\x00" in text:
        raise InputError("it is not a text file; save it as CSV, or let its name say what it is: .parquet")
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # of the whole program: never lower it
    found = _separator(text)
    mark = found if separator is None else separator.replace("\\t", "\t")
    if not mark[:1].strip("\r\n") or not mark.isascii() or mark[1:].strip(" "):
        raise InputError(
            f"--separator is {shown(separator)!r}; it must be one character of ASCII, such as ; or \\t, and "
            "a space after it if spaces there do not belong to the values"
        )
    frame = _parsed(text, mark, ".")
    if mark != found and found in str(frame.columns[0]) and frame.shape[1] == 1:
        raise InputError(
            f"--separator {mark} makes one column {shown(frame.columns[0])!r}; try {found!r}, or leave it out"
        )
    other = frame if mark[0] == "," else _parsed(text, mark, ",")  # decimal commas
    return max(frame, other, key=lambda read: read.select_dtypes("number").shape[1])


def _parsed(text: str, separator: str, decimal: str) -> pd.DataFrame:
    import pandas as pd

    reading: dict[str, Any] = {"delimiter": separator[0], "skipinitialspace": separator[1:] != ""}
    lines = csv.reader(io.StringIO(text, newline=None), **reading)
    header = next(filter(any, lines), [])
    for name, times in Counter(filter(None, header)).most_common(1):
        if times > 1:
            raise InputError(f"the first line names {name!r} twice; each column needs a name of its own")
    with warnings.catch_warnings():  # a line longer than the header is an error, not a column lost
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            reading |= {"decimal": decimal, "index_col": False, "low_memory": False}
            made: pd.DataFrame = pd.read_csv(io.StringIO(text), **reading)
        except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
            for line in lines:
                if len(line) > len(header):
                    raise InputError(
                        f"line {lines.line_num} has {len(line)} columns, the first line names {len(header)}; "
                        "put values with the separator in them into quotes, or give another --separator"
                    ) from error
            raise InputError("a quotation mark is opened and not closed") from error
    return made


def _encoding(content: bytes) -> str:
    """Find out how text is written: by its mark, as UTF-8 if it is valid, or as most others are."""
    found = json.detect_encoding(content)
    try:
        content.decode(found)
    except UnicodeDecodeError:
        return "cp1252" if not set(content) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else "latin-1"
    return found


def _separator(text: str) -> str:
    """Find what cuts the header into most columns while nearly all lines have as many.

    Spaces belong to it where the header has one behind each of its separators, otherwise to the values.
    """
    lines = text.splitlines()[:PROBED_LINES]
    found = {}
    for mark in SEPARATORS:
        widths = [len(line) for line in csv.reader(lines, delimiter=mark) if line]
        alike = sum(width == widths[0] for width in widths) / len(widths) if widths else 0.0
        found[mark] = alike >= 0.9 and widths[0] > 1, widths[:1]
    best = max(SEPARATORS, key=lambda mark: found[mark])
    _, *others = next(csv.reader(filter(str.strip, lines), delimiter=best), [""])
    return f"{best} " if others and all(name.startswith(" ") for name in others) else best
