"""The cells of the paper's result tables, and what came out of their runs.

A record is what was asked (:data:`KEY`) and what came out: a line of JSON in a file that only grows, so that
a killed run loses only the running cell. For tables, all records are one frame.
"""

import json
import os
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pandas as pd

import oneformany as ofm
from oneformany.anything import AnyValue
from oneformany.console import check_names
from oneformany.datasets.dataset import schema_of
from oneformany.exceptions import plain_reason
from oneformany.files import writing
from oneformany.methods import METHODS
from oneformany.paper.runs.prepare import MODEL_KINDS
from oneformany.paper.runs.settings import Immutable, Protocol, SolverName
from oneformany.result import Explanation
from oneformany.schema.feature import is_integer

TITLES = {"compas": "COMPAS", "german": "German Credit", "students": "Students performance"}
DATASETS = tuple(TITLES)
MODELS = ("lr", "nn")

Record = dict[str, Any]
KEY = (
    "dataset", "model", "method", "protocol", "rows", "max_changes", "time_limit", "seed", "threshold",
    "immutable", "solver",
)  # fmt: skip
BEGINNING = b'{"dataset": "'
# The texts of a record, and what each may be.
TEXTS: dict[str, Sequence[str | None]] = {
    "dataset": (*DATASETS, "students-published"),
    "model": tuple(MODEL_KINDS),
    "method": METHODS,
    "protocol": get_args(Protocol),
    "immutable": get_args(Immutable),
    "solver": get_args(SolverName),
    "status": ("optimal", "feasible", "infeasible"),
    "verified": (None, "confirmed", "wrong", "cannot be confirmed"),
}
# Its numbers, and what they are in a frame; ``questions_seconds`` is ``seconds`` of its ``questions``.
NUMBERS = {
    name: kind
    for kind, names in {
        "int64": "rows max_changes seed unreachable undecided confirmed questions_points questions_proofs "
        "questions_left_open trained_instances trained_features trained_columns",
        "Int64": "count lower_bound bound_without_classifier published_explanations",
        "float64": "threshold seconds questions_seconds trained_accuracy time_limit peak_megabytes "
        "published_cg_seconds published_mip_seconds",
    }.items()
    for name in names.split()
}
OPTIONAL = ("bound_without_classifier", "time_limit", "peak_megabytes", "published_")  # begin so
LARGEST = 10**15
TYPES = {**dict.fromkeys(TEXTS, "object"), **NUMBERS}


# Lines printed while runs end, by command: heading, width, and how the text is made of a record's facts.
ENDED = [
    ("count", 6, "{count}"), ("bound", 6, "{lower_bound}"), ("status", 11, "{status}"),
    ("seconds", 8, "{seconds:.2f}"), ("asked", 6, "{asked}"), ("proofs", 7, "{questions_proofs}"),
    ("oracle s", 9, "{questions_seconds:.2f}"), ("confirmed", 10, "{confirmed}/{count}"),
    ("verified", 9, "{verified}"),
]  # fmt: skip
LINES = {
    "paper": [
        ("data set", 18, "{dataset}"), ("model", 6, "{model}"), ("method", 7, "{method}"),
        ("changes", 8, "{max_changes}"), ("rows", 5, "{rows}"), ("published", 10, "{published_explanations}"),
        ("paper's s", 10, "{paper_seconds}"), ("ratio", 9, "{ratio}"),
        ("any", 4, "{bound_without_classifier}"), *ENDED,
    ],
    "models": [("model", 23, "{model}"), ("accuracy", 9, "{trained_accuracy:.3f}"), *ENDED],
}  # fmt: skip


class Cell(NamedTuple):
    """One problem of the tables, or one of the same kind beyond them."""

    dataset: str  # as the paper calls it
    model: str  # lr, nn: logistic regression or neural network
    rows: int  # how many rows are explained, and how many features one explanation may change
    max_changes: int


# The paper's six result tables, a line per cell in its order: its number of explanations, by column
# generation; these less those of its compact MIP; and both times.
PUBLISHED = pd.read_csv(Path(__file__).with_name("published.csv"))
PUBLISHED_CELLS = PUBLISHED.set_index(list(Cell._fields)).to_dict("index")  # by cell


def choose(
    models: Sequence[str] = ("lr",),
    datasets: Sequence[str] = DATASETS,
    rows: Sequence[int] | None = None,
    max_changes: Sequence[int] | None = None,
) -> list[Cell]:
    """Pick cells, of the paper's sizes or of others, which have no published answer."""
    check_names("model", models, MODELS)
    check_names("data set", datasets, DATASETS)
    cells = []
    for model, dataset in product(models, datasets):
        table = PUBLISHED.query("dataset == @dataset and model == @model")
        asked = product(max_changes or table["max_changes"].unique(), rows or table["rows"].unique())
        cells += [Cell(dataset, model, int(n), int(changes)) for changes, n in asked]
    return cells


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


def frame_of(records: Sequence[Record]) -> pd.DataFrame:
    """One row per record, for tables and totals; what is not known is missing.

    ``proved``: no smaller set covers the rows, and no other row can be helped. ``compared``: the question was
    the paper's, so that ``fewer`` and ``more`` explanations than published mean something.
    """
    frame = pd.json_normalize(records, sep="_").reindex(columns=list(TYPES)).astype(TYPES)
    count, paper = frame["count"], frame["published_explanations"]
    compared = pd.Series([as_published(record) for record in records], dtype=bool) & paper.notna()
    is_mip = frame["method"] == "mip"
    return frame.assign(
        name=[cell_of(record).dataset for record in records],
        proved=frame["status"] != "feasible",
        paper_seconds=frame["published_mip_seconds"].where(is_mip, frame["published_cg_seconds"]),
        asked=frame[["questions_points", "questions_proofs", "questions_left_open"]].sum(axis=1),
        compared=compared,
        fewer=compared & (count < paper).fillna(value=False),
        more=compared & (count > paper).fillna(value=False),
    )


def header(command: str) -> str:
    """Headings of the lines that a command prints."""
    return "".join(f"{title:>{width}}" for title, width, _ in LINES[command])


def line(command: str, record: Record) -> str:
    """One record in a line; there is no ratio for a run that did not end with a proof."""
    facts = frame_of([record]).iloc[0]
    ratio = facts["paper_seconds"] / facts["seconds"] if facts["proved"] else None
    texts = {
        **facts.astype(object).where(facts.notna(), "-"),
        "paper_seconds": "-" if pd.isna(facts["paper_seconds"]) else f"{facts['paper_seconds']:.2f}",
        "ratio": "-" if pd.isna(ratio) else f"{ratio:,.{0 if ratio >= 10 else 1}f}x",
        "verified": {"confirmed": "yes", "wrong": "WRONG", None: "-"}.get(record["verified"], "open"),
    }
    return "".join(f"{text.format(**texts):>{width}}" for _, width, text in LINES[command])


def append(path: Path, record: Record) -> None:
    """Add a record to a file; once this returns, no kill can take it away."""
    with writing(path), path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def checked(record: Record) -> Record:
    """Refuse what no run records, and name the field that holds it."""
    if not isinstance(record, dict):
        raise TypeError("it is not an object")
    flat: dict[Any, Any] = pd.json_normalize([record], sep="_").to_dict("records")[0]
    for name, known in TEXTS.items():
        if (text := flat.get(name)) not in known:
            raise ValueError(f'"{name}" is {text!r}, not one of {", ".join(map(str, known))}')
    for name, kind in NUMBERS.items():
        if not _fits(name, flat.get(name)):
            what = "a number" if kind == "float64" else "an integer"
            raise ValueError(f'"{name}" is {flat.get(name)!r}, not {what} from 0 to {LARGEST:,}')
    count, bound, status = (flat[name] for name in ("count", "lower_bound", "status"))
    if bound > count or (bound < count and status != "feasible") or (count and status == "infeasible"):
        raise ValueError(f'"status" is {status!r}, with a "lower_bound" of {bound} and a "count" of {count}')
    hidden = flat.get("trained_hidden")
    if not (isinstance(hidden, list) and all(is_integer(width, 1) for width in hidden)):
        raise ValueError(f'"trained_hidden" is {hidden!r}, not a list of integers')
    try:
        for entry in record["explanations"]:
            _check_explanation(Explanation(**entry), schema_of(record["dataset"]).levels)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f'"explanations": {error}') from error
    return record


def _fits(name: str, number: AnyValue) -> bool:
    """Whether a field may hold this number, or none."""
    if number is None:
        return name.startswith(OPTIONAL)
    kinds = (int, float) if NUMBERS[name] == "float64" else (int,)
    return type(number) in kinds and 0 <= number <= LARGEST


def _check_explanation(one: Explanation, levels: Sequence[int]) -> None:
    """Refuse an explanation of other features than those that have these levels."""
    codes = zip(one.point, levels, strict=True)
    if not all(0 <= code < n for code, n in codes) or not set(one.changed) <= set(range(len(levels))):
        raise ValueError(f"point {one.point} and changes {one.changed} do not fit the levels {levels}")


def read(path: Path, *, cut: bool = False) -> list[Record]:
    """Read all records of a file; a last line without its end was cut off by a kill and is left out.

    With ``cut`` the file may be missing, and that last line is removed, so that the file can grow again.
    """
    if cut:
        with writing(path):  # what cannot grow is told before anything is run
            path.open("ab").close()
    try:
        complete, end, rest = path.read_bytes().rpartition(b"\n")
        lines = complete.decode("utf-8").split("\n") if complete else []
    except (OSError, UnicodeDecodeError) as error:
        raise ofm.InputError(f"{path} cannot be read: {plain_reason(error)}") from error
    if not (rest.startswith(BEGINNING) or BEGINNING.startswith(rest)):
        raise ofm.InputError(f"{path} ends in something else than a benchmark record; name another file")
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(checked(json.loads(line)))
        except (TypeError, ValueError, RecursionError) as error:
            raise ofm.InputError(
                f"line {number} of {path} is not a benchmark record ({plain_reason(error)}); "
                "name another file or remove the line"
            ) from error
    if cut and rest:
        os.truncate(path, len(complete) + len(end))
    return records


def read_all(paths: Sequence[Path]) -> list[Record]:
    """Read several files; of records with one key the last counts."""
    latest = {key_of(record): record for path in paths for record in read(path)}
    if not latest:
        files = ", ".join(str(path) for path in paths)
        raise ofm.InputError(
            f"no benchmark record in {files}; write some with: oneformany bench paper --json FILE"
        )
    return list(latest.values())
