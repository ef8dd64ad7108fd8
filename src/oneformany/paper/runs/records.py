"""One line of JSON per finished cell: append-only, so that a killed run loses only the running cell."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from pathlib import Path

import pandas as pd

from oneformany.exceptions import InputError
from oneformany.paper.runs.record import Key, Record

__all__ = ["append", "frame_of", "read", "read_all", "resume"]

BEGINNING = b'{"dataset": "'


def frame_of(records: Sequence[Record]) -> pd.DataFrame:
    """One row per record, for tables and totals; what is not known is missing.

    ``paper_seconds`` is the paper's time of the same method. ``compared``: the question was the paper's, so
    that ``fewer`` and ``more`` explanations than published mean something.
    """
    values = {name: list(map(attrgetter(path), records)) for name, path in FACTS.items()}
    frame = pd.DataFrame(values).astype(TYPES)
    paper = pd.array([r.published.explanations if r.published else None for r in records], "Int64")
    frame["name"] = frame["dataset"].astype(str).str.removesuffix("-published")
    frame["compared"] = frame["as_published"] & ~paper.isna()
    frame["fewer"] = frame["compared"] & (frame["count"] < paper).fillna(value=False)
    frame["more"] = frame["compared"] & (frame["count"] > paper).fillna(value=False)
    return frame


# what a column is in a record
FACTS = {
    **{part.name: f"key.{part.name}" for part in fields(Key)},
    **{name: name for name in (
        "status", "count", "lower_bound", "seconds", "proved", "paper_seconds", "unreachable", "undecided",
        "confirmed", "verified", "peak_megabytes",
    )},
    "as_published": "key.as_published", "least": "bound_without_classifier", "asked": "questions.asked",
    "proofs": "questions.proofs", "left_open": "questions.left_open", "oracle_seconds": "questions.seconds",
    "accuracy": "trained.accuracy",
}  # fmt: skip
TYPES = {
    **dict.fromkeys(
        ("rows", "max_changes", "asked", "proofs", "left_open", "unreachable", "confirmed"), "int64"
    ),
    **dict.fromkeys(("count", "lower_bound", "least"), "Int64"),
    **dict.fromkeys(
        ("seconds", "paper_seconds", "time_limit", "peak_megabytes", "oracle_seconds"), "float64"
    ),
    **dict.fromkeys(("proved", "as_published"), "bool"),
}


def append(path: Path, record: Record) -> None:
    """Add a record to a file; once this returns, no kill can take it away."""
    try:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(record.to_line() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}") from error


def read(path: Path) -> list[Record]:
    """Read all records of a file; a last line without its end was cut off by a kill and is left out."""
    return [_record(path, number, line) for number, line in enumerate(_complete_lines(path), start=1)]


def read_all(paths: Sequence[Path]) -> list[Record]:
    """Read several files; of records with one key the last counts."""
    latest = {record.key: record for path in paths for record in read(path)}
    if not latest:
        names = ", ".join(str(path) for path in paths)
        raise InputError(
            f"no benchmark record in {names}; write some with: oneformany bench paper --json FILE"
        )
    return list(latest.values())


def resume(path: Path) -> list[Record]:
    """Read what an earlier run finished, and remove what a kill cut off, so that the file can grow again."""
    if not path.exists():
        return []
    records = read(path)
    complete = sum(len(line.encode()) + 1 for line in _complete_lines(path))
    if complete < path.stat().st_size:
        os.truncate(path, complete)
    return records


def _complete_lines(path: Path) -> list[str]:
    try:
        complete, _, cut = path.read_bytes().rpartition(b"\n")
        lines = complete.decode("utf-8").split("\n") if complete else []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if not (cut.startswith(BEGINNING) or BEGINNING.startswith(cut)):
        raise InputError(f"{path} ends in something else than a benchmark record; name another file")
    return lines


def _record(path: Path, number: int, line: str) -> Record:
    try:
        return Record.from_line(line)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"line {number} of {path} is not a benchmark record ({type(error).__name__}: {error}); "
            "name another file or remove the line"
        ) from error
