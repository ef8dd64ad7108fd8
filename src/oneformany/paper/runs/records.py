"""What came out of the runs of cells: a line of JSON each, in a file that only grows, and all as a frame.

A killed run loses only the running cell. A record is a dictionary: what was asked (:data:`KEY`), and what
:func:`~oneformany.paper.runs.run.run_task` says came out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from oneformany.exceptions import InputError
from oneformany.files import writing
from oneformany.paper.runs.cells import MODELS, Cell
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result

Record = dict[str, Any]
KEY = (
    "dataset", "model", "method", "protocol", "rows", "max_changes", "time_limit", "seed", "threshold",
    "immutable", "solver",
)  # fmt: skip
STATUSES = ("optimal", "feasible", "infeasible")
COUNTS = ("count", "lower_bound", "unreachable", "confirmed")
FIELDS = {  # what has to be there, in a record and in its parts
    "": {*KEY, *COUNTS, "status", "seconds", "verified", "peak_megabytes", "published", "explanations"},
    "trained": {"instances", "features", "columns", "accuracy", "hidden"},
    "questions": {"known", "points", "proofs", "left_open", "seconds"},
}
BEGINNING = b'{"dataset": "'
# What a frame has of each record; ``questions_seconds`` is ``seconds`` of its ``questions``.
TYPES = {
    **dict.fromkeys(("dataset", "model", "method", "protocol", "immutable", "status", "verified"), "object"),
    **dict.fromkeys(
        ("rows", "max_changes", "unreachable", "undecided", "confirmed", "questions_points",
         "questions_proofs", "questions_left_open"), "int64",
    ),
    **dict.fromkeys(("count", "lower_bound", "bound_without_classifier", "published_explanations"), "Int64"),
    **dict.fromkeys(
        ("time_limit", "threshold", "seconds", "peak_megabytes", "questions_seconds", "trained_accuracy",
         "published_cg_seconds", "published_mip_seconds"), "float64",
    ),
}  # fmt: skip


def key_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What identifies a run of one cell."""
    return tuple(record[name] for name in KEY)


def cell_of(record: Mapping[str, Any]) -> Cell:
    """The cell of a run, with the data set as the paper calls it."""
    dataset = record["dataset"].removesuffix("-published")
    return Cell(dataset, record["model"], record["rows"], record["max_changes"])


def as_published(record: Mapping[str, Any]) -> bool:
    """Whether rows and question of a run are those of the paper's tables."""
    asked = (record["protocol"], record["threshold"], record["immutable"]) == ("published", 0.5, "none")
    coded = record["dataset"] in ("compas", "german", "students-published")
    return asked and coded and record["model"] in MODELS


def questions_of(result: Result) -> dict[str, float]:
    """Count questions "is there a positive point?": one per distinct row at the start, and the search's own.

    ``known`` were answered by a point from an earlier answer, without asking, ``points`` by a new one,
    ``proofs`` by a proof that there is none.
    """
    counters, timings = result.statistics.counters, result.statistics.timings
    codes = [tuple(row) for row in result.problem["codes"]]
    proofs = len({codes[entry.row] for entry in result.unreachable})
    left_open = len({codes[row] for row in result.undecided})
    return {
        "known": counters.get("questions answered by known points", 0),
        "points": counters.get("questions answered by a point", 0) + len(set(codes)) - proofs - left_open,
        "proofs": counters.get("questions answered by a proof", 0) + proofs,
        "left_open": counters.get("questions left open", 0) + left_open,
        "seconds": timings.get("oracle", 0.0) + timings.get("screening", 0.0),
    }


def frame_of(records: Sequence[Record]) -> pd.DataFrame:
    """One row per record, for tables and totals; what is not known is missing.

    ``proved``: no smaller set covers the rows, and no other row can be helped. ``paper_seconds``: the paper's
    time of the same method. ``compared``: the question was the paper's, so that ``fewer`` and ``more``
    explanations than published mean something.
    """
    frame = pd.json_normalize(records, sep="_").reindex(columns=list(TYPES)).astype(TYPES)
    count, paper = frame["count"], frame["published_explanations"]
    as_asked = pd.Series([as_published(record) for record in records], dtype=bool)
    compared = as_asked & paper.notna()
    return frame.assign(
        name=[cell_of(record).dataset for record in records],
        as_published=as_asked,
        proved=((frame["status"] != "feasible") & (count == frame["lower_bound"])).astype(bool),
        paper_seconds=frame["published_cg_seconds"].where(
            frame["method"] != "mip", frame["published_mip_seconds"]
        ),
        asked=frame[["questions_points", "questions_proofs", "questions_left_open"]].sum(axis=1),
        compared=compared,
        fewer=compared & (count < paper).fillna(value=False),
        more=compared & (count > paper).fillna(value=False),
    )


def append(path: Path, record: Record) -> None:
    """Add a record to a file; once this returns, no kill can take it away."""
    with writing(path), path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def read(path: Path) -> list[Record]:
    """Read all records of a file; a last line without its end was cut off by a kill and is left out."""
    records = []
    for number, line in enumerate(_complete_lines(path), start=1):
        try:
            records.append(_checked(json.loads(line)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"line {number} of {path} is not a benchmark record ({type(error).__name__}: {error}); "
                "name another file or remove the line"
            ) from error
    return records


def read_all(paths: Sequence[Path]) -> list[Record]:
    """Read several files; of records with one key the last counts."""
    latest = {key_of(record): record for path in paths for record in read(path)}
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
    complete = path.read_bytes().rfind(b"\n") + 1
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


def _checked(record: Record) -> Record:
    """A record that has all its parts; what is wrong is raised."""
    for part, names in FIELDS.items():
        missing = names - (record[part] if part else record).keys()
        if missing:
            raise ValueError(f"without {', '.join(sorted(missing))}")
    for name in COUNTS:
        if not isinstance(record[name], int):
            raise TypeError(f"{name} is {record[name]!r}")
    if record["status"] not in STATUSES:
        raise ValueError(f"status is {record['status']!r}")
    for entry in record["explanations"]:
        Explanation(**entry)
    return {"undecided": 0, "bound_without_classifier": None, "versions": {}, **record}
