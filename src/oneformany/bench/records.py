"""One line of JSON per finished cell: append-only, so that a killed run loses only the running cell."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from oneformany.bench.cells import Published
from oneformany.exceptions import InputError

__all__ = ["Key", "Record", "append", "read"]


@dataclass(frozen=True)
class Key:
    """What identifies a run of one cell.

    Attributes
    ----------
    dataset : str
        Name of the coded data set, as :func:`oneformany.datasets.load` takes it.
    model, method, protocol : str
        Classifier, method of ``solve``, and which rows are explained.
    rows, max_changes : int
        Size of the problem.
    time_limit : float or None
        Seconds allowed for it.
    seed : int
        Of the method.
    """

    dataset: str
    model: str
    method: str
    protocol: str
    rows: int
    max_changes: int
    time_limit: float | None
    seed: int


@dataclass(frozen=True)
class Record:
    """What came out of one cell.

    Attributes
    ----------
    key : Key
        What was run.
    status, count, lower_bound : str, int, int
        As in the result.
    seconds : float
        Wall time of ``solve``.
    unreachable : int
        Rows that cannot be helped.
    confirmed : bool
        Whether the classifier itself predicts every point of the answer as positive.
    verified : bool or None
        Whether the independent check accepted the result; ``None``: not asked.
    peak_megabytes : float or None
        Largest memory of the process so far.
    published : Published or None
        What the paper prints for the cell.
    versions : dict
        Of the software.
    """

    key: Key
    status: str
    count: int
    lower_bound: int
    seconds: float
    unreachable: int
    confirmed: bool
    verified: bool | None
    peak_megabytes: float | None
    published: Published | None
    versions: dict[str, str] = field(default_factory=dict)

    def to_line(self) -> str:
        """One flat JSON object on one line."""
        data = asdict(self)
        return json.dumps({**data.pop("key"), **data})

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Rebuild from :meth:`to_line`."""
        data: dict[str, Any] = json.loads(line)
        key = Key(**{part.name: data.pop(part.name) for part in fields(Key)})
        published = data.pop("published")
        return cls(key=key, published=None if published is None else Published(**published), **data)


def append(path: Path, record: Record) -> None:
    """Add a record to a file."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(record.to_line() + "\n")


def read(path: Path) -> list[Record]:
    """Read all records of a file; a last line without its end was cut off by a kill and is removed.

    Parameters
    ----------
    path : Path
        The file; one that does not exist has no records.

    Raises
    ------
    InputError
        A line is no record.
    """
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    whole, _, cut = text.rpartition("\n")
    lines = whole.split("\n") if whole else []
    records = [_record(path, number, line) for number, line in enumerate(lines, start=1)]
    if cut:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return records


def _record(path: Path, number: int, line: str) -> Record:
    try:
        return Record.from_line(line)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"line {number} of {path} is no benchmark record ({type(error).__name__}: {error}); "
            "name another file or remove the line"
        ) from error
