"""Rows from files as people have them: CSV of any separator and encoding, Parquet, JSON lines."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.arrays import IntArray

SEPARATORS = (",", ";", "\t", "|")
PROBED_LINES = 200
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def load_rows(
    path: Path, separator: str | None = None, encoding: str | None = None, index: str | None = None
) -> pd.DataFrame:
    """Read a table of rows by its ending; separator and encoding of CSV are found out unless told."""
    import pandas as pd

    why = f"{path} cannot be read as a table of rows"
    if path.is_dir() or not path.exists():
        raise InputError(f"{why}: {'it is a folder' if path.is_dir() else 'there is no such file'}")
    ending = path.suffix.lower()
    try:
        if ending in {".parquet", ".pq"}:
            frame = pd.read_parquet(path)
        elif ending in {".jsonl", ".ndjson"}:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
            frame = pd.DataFrame([json.loads(line) for line in lines if line.strip()])
        else:
            frame = _read_csv(path, separator, encoding)
    except (OSError, ValueError, LookupError, EOFError, ImportError) as error:
        raise InputError(f"{why}: {error}") from error
    if frame.empty:
        has = listed(frame) or "none"
        raise InputError(f"{path} has a header but no rows below it (columns: {has}); give at least one row")
    if index is None:
        return frame
    if index not in frame.columns:
        raise InputError(f"{path} has no column {index!r} to name the rows by; it has {listed(frame)}")
    if (again := frame[index].duplicated()).any():
        raise InputError(
            f"{path}: {shown(frame[index][again].iloc[0])!r} stands twice in {index!r}, which has to name "
            "each row apart"
        )
    return frame.set_index(index)


def people_in_column(frame: pd.DataFrame, name: str) -> IntArray:
    """How many people each row stands for, as the column of ``--people`` says."""
    if name not in frame.columns:
        raise InputError(f"--people: the rows have no column {name!r}; they have {listed(frame)}")
    return frame[name].to_numpy()


def listed(frame: pd.DataFrame) -> str:
    """The names of the columns in a sentence."""
    return ", ".join(shown(name) for name in frame.columns)


def _read_csv(path: Path, separator: str | None, encoding: str | None) -> pd.DataFrame:
    content = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    if not content.strip():
        raise InputError(f"{path} is empty; its first line has to name the columns")
    if b"\x00" in content[:4096] and not content.startswith(tuple(MARKS)):
        raise InputError(
            f"{path} is not a text file, so it cannot be read as CSV; end its name in what it is"
        )
    text = content.decode(encoding or _encoding(content))
    mark = _separator(text) if separator is None else separator.encode().decode("unicode_escape")
    if len(mark) != 1:
        raise InputError(f"--separator is {shown(separator)!r}; it must be one character, such as ; or \\t")
    frame, other = (_parsed(text, mark, decimal) for decimal in (".", "," if mark != "," else "."))
    points, commas = (found.select_dtypes("number").shape[1] for found in (frame, other))
    return other if commas > points else frame


def _parsed(text: str, separator: str, decimal: str) -> pd.DataFrame:
    import pandas as pd

    with warnings.catch_warnings():  # a line longer than the header is an error, not a column lost
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(
                io.StringIO(text), sep=separator, skipinitialspace=True, decimal=decimal, index_col=False
            )
        except pd.errors.ParserWarning as error:
            raise ValueError("some lines have more columns than the first line names") from error


def _encoding(content: bytes) -> str:
    """Find out how text is written: by its mark, as UTF-8 if it is valid, or as most others are."""
    for mark, name in MARKS.items():
        if content.startswith(mark):
            return name
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252" if not set(content) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else "latin-1"
    return "utf-8"


def _separator(text: str) -> str:
    """Find what cuts the header into most columns while nearly all lines have as many."""
    lines = text.splitlines()[:PROBED_LINES]
    found = {}
    for mark in SEPARATORS:
        widths = [len(line) for line in csv.reader(lines, delimiter=mark) if line]
        alike = sum(width == widths[0] for width in widths) / len(widths) if widths else 0.0
        found[mark] = widths[0] if alike >= 0.9 else 0
    return max(SEPARATORS, key=lambda mark: found[mark])
