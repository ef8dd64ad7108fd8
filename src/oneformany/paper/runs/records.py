"""One line of JSON per finished cell: append-only, so that a killed run loses only the running cell."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from oneformany.exceptions import InputError
from oneformany.paper.runs.cells import Published
from oneformany.paper.runs.questions import Questions
from oneformany.paper.runs.subjects import Trained
from oneformany.result.result import Explanation

__all__ = ["Key", "Record", "append", "read", "read_all", "resume"]

STATUSES = ("optimal", "feasible", "infeasible")
BEGINNING = b'{"dataset": "'


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
    threshold : float
        Least probability of a positive point.
    immutable : {"none", "half"}
        Which features cannot change.
    solver : str
        Who solves the mixed-integer programs.
    """

    dataset: str
    model: str
    method: str
    protocol: str
    rows: int
    max_changes: int
    time_limit: float | None
    seed: int
    threshold: float = 0.5
    immutable: str = "none"
    solver: str = "highs"

    @property
    def as_published(self) -> bool:
        """Whether rows and question are those of the paper's tables."""
        return (
            self.dataset in ("compas", "german", "students-published")
            and self.model in ("lr", "nn")
            and self.protocol == "published"
            and self.threshold == 0.5
            and self.immutable == "none"
        )


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
    confirmed : int
        How many points of the answer the classifier itself predicts as positive.
    verified : bool or None
        Whether the independent check accepted the result; ``None``: not asked.
    peak_megabytes : float or None
        Largest memory of the process so far.
    published : Published or None
        What the paper prints for the cell.
    trained : Trained
        The data and the classifier.
    questions : Questions
        How often the classifier was asked.
    bound_without_classifier : int or None
        Proved: no classifier whatsoever allows fewer explanations for these rows; ``None``: not asked.
    explanations : tuple of Explanation
        The answer itself.
    versions : dict
        Of the software.
    """

    key: Key
    status: str
    count: int
    lower_bound: int
    seconds: float
    unreachable: int
    confirmed: int
    verified: bool | None
    peak_megabytes: float | None
    published: Published | None
    trained: Trained
    questions: Questions = field(default_factory=Questions)
    bound_without_classifier: int | None = None
    explanations: tuple[Explanation, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status is {self.status!r}")
        for name in ("count", "lower_bound", "unreachable", "confirmed"):
            if not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} is {getattr(self, name)!r}")

    @property
    def proved(self) -> bool:
        """Whether it is proved that no smaller set covers the rows, and that no other row can be helped."""
        return self.status != "feasible" and self.count == self.lower_bound

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
        return cls(
            key=key,
            published=None if published is None else Published(**published),
            trained=Trained(**data.pop("trained")),
            questions=Questions(**data.pop("questions")),
            explanations=tuple(Explanation(**entry) for entry in data.pop("explanations")),
            **data,
        )


def append(path: Path, record: Record) -> None:
    """Add a record to a file; once this returns, no kill can take it away.

    Parameters
    ----------
    path : Path
        The file.
    record : Record
        What to add.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(record.to_line() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}") from error


def read(path: Path) -> list[Record]:
    """Read all records of a file; a last line without its end was cut off by a kill and is left out.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        The file cannot be read, or a line is no record.
    """
    return [_record(path, number, line) for number, line in enumerate(_whole_lines(path), start=1)]


def read_all(paths: Sequence[Path]) -> list[Record]:
    """Read several files; of records with one key the last counts.

    Parameters
    ----------
    paths : sequence of Path
        The files.

    Raises
    ------
    InputError
        A file cannot be read, or there is no record at all.
    """
    latest = {record.key: record for path in paths for record in read(path)}
    if not latest:
        names = ", ".join(str(path) for path in paths)
        raise InputError(
            f"no benchmark record in {names}; write some with: oneformany bench paper --json FILE"
        )
    return list(latest.values())


def resume(path: Path) -> list[Record]:
    """Read what an earlier run finished, and remove what a kill cut off, so that the file can grow again.

    Parameters
    ----------
    path : Path
        The file; one that does not exist has no records.

    Raises
    ------
    InputError
        The file cannot be read, or a line is no record.
    """
    if not path.exists():
        return []
    records = read(path)
    whole = sum(len(line.encode()) + 1 for line in _whole_lines(path))
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    return records


def _whole_lines(path: Path) -> list[str]:
    try:
        whole, _, cut = path.read_bytes().rpartition(b"\n")
        lines = whole.decode("utf-8").split("\n") if whole else []
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
            f"line {number} of {path} is no benchmark record ({type(error).__name__}: {error}); "
            "name another file or remove the line"
        ) from error
