"""What came out of one run of one cell, as plain data, and the file that keeps it.

The file has one line of JSON per finished cell and only grows: a killed run loses only the running cell.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd

from oneformany.exceptions import InputError
from oneformany.files import writing
from oneformany.paper.runs.cells import MODELS, Cell, Published
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result

STATUSES = ("optimal", "feasible", "infeasible")
BEGINNING = b'{"dataset": "'


@dataclass(frozen=True)
class Key:
    """What identifies a run of one cell."""

    dataset: str  # name of the coded data set, as :func:`oneformany.datasets.load` takes it
    model: str
    method: str  # of ``solve``
    protocol: str  # which rows are explained
    rows: int
    max_changes: int
    time_limit: float | None  # seconds allowed for it
    seed: int  # of the method
    threshold: float = 0.5  # least probability of a positive point
    immutable: str = "none"  # none, half: which features cannot change
    solver: str = "highs"  # who solves the mixed-integer programs

    @property
    def cell(self) -> Cell:
        """The cell, with the data set as the paper calls it."""
        return Cell(self.dataset.removesuffix("-published"), self.model, self.rows, self.max_changes)

    @property
    def as_published(self) -> bool:
        """Whether rows and question are those of the paper's tables."""
        asked = (self.protocol, self.threshold, self.immutable) == ("published", 0.5, "none")
        coded = self.dataset in ("compas", "german", "students-published")
        return asked and coded and self.model in MODELS


@dataclass(frozen=True)
class Trained:
    """The data and the classifier behind a record."""

    instances: int
    features: int
    columns: int  # one-hot: the paper's extended features
    accuracy: float  # fraction of the test half that the classifier's own ``predict`` gets right
    hidden: tuple[int, ...] = ()  # widths of the hidden layers; empty for other models than networks

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))


@dataclass(frozen=True)
class Questions:
    """Questions "is there a positive point?", by who answered them."""

    known: int = 0  # answered by a point from an earlier answer, without asking
    points: int = 0  # answered by a new point
    proofs: int = 0  # answered by a proof that there is none
    left_open: int = 0
    seconds: float = 0.0  # spent in the classifier's oracle

    @property
    def asked(self) -> int:
        """Questions that reached the oracle."""
        return self.points + self.proofs + self.left_open

    @classmethod
    def of(cls, result: Result) -> Questions:
        """Count the questions of a run: one per distinct row at its start, and those of its search."""
        counters, timings = result.statistics.counters, result.statistics.timings
        codes = [tuple(row) for row in result.problem["codes"]]
        proofs = len({codes[entry.row] for entry in result.unreachable})
        left_open = len({codes[row] for row in result.undecided})
        return cls(
            known=counters.get("questions answered by known points", 0),
            points=counters.get("questions answered by a point", 0) + len(set(codes)) - proofs - left_open,
            proofs=counters.get("questions answered by a proof", 0) + proofs,
            left_open=counters.get("questions left open", 0) + left_open,
            seconds=timings.get("oracle", 0.0) + timings.get("screening", 0.0),
        )


@dataclass(frozen=True)
class Record:
    """What came out of one cell."""

    key: Key  # what was run
    status: str
    count: int
    lower_bound: int
    seconds: float  # wall time of ``solve``
    unreachable: int  # rows that are proved to be beyond help
    confirmed: int  # how many points of the answer the classifier itself predicts as positive
    verified: bool | None  # whether the independent check accepted the result; ``None``: not asked
    peak_megabytes: float | None  # largest memory of the process so far
    published: Published | None  # what the paper prints for the cell
    trained: Trained  # the data and the classifier
    questions: Questions = field(default_factory=Questions)  # how often the classifier was asked
    # proved: no classifier whatsoever allows fewer explanations for these rows; ``None``: not asked
    bound_without_classifier: int | None = None
    undecided: int = 0  # rows of which nobody knows whether they can be helped
    explanations: tuple[Explanation, ...] = ()  # the answer itself
    versions: dict[str, str] = field(default_factory=dict)  # of the software

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

    @property
    def paper_seconds(self) -> float | None:
        """Time of the paper's run of the same method: its MIP for "mip", else its column generation."""
        if self.published is None:
            return None
        return self.published.mip_seconds if self.key.method == "mip" else self.published.cg_seconds

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


# what a column is in a record
FACTS = {
    **{part.name: f"key.{part.name}" for part in fields(Key)}, "name": "key.cell.dataset",
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


def frame_of(records: Sequence[Record]) -> pd.DataFrame:
    """One row per record, for tables and totals; what is not known is missing.

    ``paper_seconds`` is the paper's time of the same method. ``compared``: the question was the paper's, so
    that ``fewer`` and ``more`` explanations than published mean something.
    """
    values = {name: list(map(attrgetter(path), records)) for name, path in FACTS.items()}
    frame = pd.DataFrame(values).astype(TYPES)
    paper = pd.array([r.published.explanations if r.published else None for r in records], "Int64")
    frame["compared"] = frame["as_published"] & ~paper.isna()
    frame["fewer"] = frame["compared"] & (frame["count"] < paper).fillna(value=False)
    frame["more"] = frame["compared"] & (frame["count"] > paper).fillna(value=False)
    return frame


def append(path: Path, record: Record) -> None:
    """Add a record to a file; once this returns, no kill can take it away."""
    with writing(path), path.open("a", encoding="utf-8") as stream:
        stream.write(record.to_line() + "\n")
        stream.flush()
        os.fsync(stream.fileno())


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
