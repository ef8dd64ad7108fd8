"""Benchmark records as lines of text while they come in, and the totals at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from oneformany.paper.runs.cells import PAPER_LIMIT
from oneformany.paper.runs.records import Key, Record

__all__ = [
    "Column",
    "compare",
    "contradictions",
    "header",
    "line",
    "model_columns",
    "paper_columns",
    "totals",
]


class Column(NamedTuple):
    """One column: two lines of heading, its width, and what stands in it."""

    group: str
    title: str
    width: int
    text: Callable[[Record], str]


def paper_columns(*, asked: bool, checked: bool) -> tuple[Column, ...]:
    """Columns that set the paper beside ours.

    Parameters
    ----------
    asked : bool
        Whether there are classifiers that have to be asked, so that questions are worth counting.
    checked : bool
        Whether results are verified.
    """
    columns = [*CELL, *PAPER, *OURS]
    if asked:
        columns += [Column("", "any", 5, _least), *ORACLE]
    if checked:
        columns.append(Column("", "verified", 9, _verified))
    return tuple(columns)


def model_columns(*, checked: bool) -> tuple[Column, ...]:
    """Columns that compare kinds of classifiers on one data set.

    Parameters
    ----------
    checked : bool
        Whether results are verified.
    """
    columns = [
        Column("", "model", 23, lambda record: record.key.model),
        Column("", "accuracy", 9, lambda record: f"{record.trained.accuracy:.3f}"),
        *OUTCOME,
        *ORACLE,
        Column("", "confirmed", 10, lambda record: f"{record.confirmed}/{record.count}"),
    ]
    if checked:
        columns.append(Column("", "verified", 9, _verified))
    return tuple(columns)


def header(columns: Sequence[Column]) -> str:
    """Two lines of heading, or one when no column belongs to a group."""
    groups = "".join(f"{column.group:>{column.width}}" for column in columns)
    titles = "".join(f"{column.title:>{column.width}}" for column in columns)
    return f"{groups}\n{titles}" if groups.strip() else titles


def line(columns: Sequence[Column], record: Record) -> str:
    """One record."""
    return "".join(f"{column.text(record):>{column.width}}" for column in columns)


def totals(records: Sequence[Record]) -> str:
    """Say how all cells together compare with the paper, and what they cost."""
    methods = dict.fromkeys(record.key.method for record in records)
    lines = [_method_total([record for record in records if record.key.method == name]) for name in methods]
    lines += [_questions(records), _confirmed(records)]
    checked = [record.verified for record in records if record.verified is not None]
    if checked:
        lines.append(f"results accepted by the independent check: {sum(checked)} of {len(checked)}")
    peaks = [record.peak_megabytes for record in records if record.peak_megabytes is not None]
    if peaks:
        lines.append(f"peak memory: {max(peaks):,.0f} MB")
    return "\n".join([*lines, *_agreement(records)])


def compare(record: Record) -> int:
    """-1, 0 or 1: fewer, as many or more explanations than published."""
    if record.published is None:
        return 0
    difference = record.count - record.published.explanations
    return (difference > 0) - (difference < 0)


def contradictions(records: Sequence[Record]) -> list[str]:
    """Name the cells in which one method's bound is above another's count: one of them must be wrong.

    Parameters
    ----------
    records : sequence of Record
        Any runs; those of one cell by several methods are compared.
    """
    found = []
    for runs in _by_cell(records):
        bound = max(runs, key=lambda record: record.lower_bound)
        count = min(runs, key=lambda record: record.count)
        if bound.lower_bound > count.count:
            found.append(
                f"CONTRADICTION on {_words(bound.key)}: {bound.key.method} proves that "
                f"{bound.lower_bound} are needed, {count.key.method} has {count.count}"
            )
    return found


def _agreement(records: Sequence[Record]) -> list[str]:
    """Say whether methods that ran the same cells agree; nothing when only one did."""
    several = [runs for runs in _by_cell(records) if len(runs) > 1]
    if not several:
        return []
    proved = sum(sum(record.proved for record in runs) > 1 for runs in several)
    wrong = contradictions(records)
    if wrong:
        return wrong
    return [
        (
            f"the methods agree: on {len(several)} cells no count is below what another method proved, "
            f"and on the {proved} that several proved, their counts are equal"
        )
    ]


def _by_cell(records: Sequence[Record]) -> list[list[Record]]:
    """Group the runs that must agree: the same rows, of which the same can be helped."""
    cells: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        cells.setdefault((*_cell(record.key), record.unreachable), []).append(record)
    return list(cells.values())


def published_seconds(record: Record) -> float | None:
    """Time of the paper's run of the same kind: its MIP for "mip", else its column generation."""
    if record.published is None:
        return None
    return record.published.mip_seconds if record.key.method == "mip" else record.published.cg_seconds


def _cell(key: Key) -> tuple[object, ...]:
    return (
        key.dataset,
        key.model,
        key.protocol,
        key.rows,
        key.max_changes,
        key.threshold,
        key.immutable,
    )


def _words(key: Key) -> str:
    return f"{key.dataset} {key.model}, {key.max_changes} changes, {key.rows} rows"


def _method_total(records: Sequence[Record]) -> str:
    """Total of the runs of one method."""
    ours = sum(record.seconds for record in records)
    method = records[0].key.method
    lines = [f"{method}: {len(records)} cells, {_statuses(records)}; solved in {ours:.1f} s together"]
    same = [record for record in records if record.published is not None and record.key.as_published]
    if same:
        fewer, equal, more = (sum(compare(record) == sign for record in same) for sign in (-1, 0, 1))
        lines.append(
            f"  explanations against the paper: fewer in {fewer} cells, as many in {equal}, more in {more}"
        )
    proved = [record for record in same if record.proved]
    if proved:
        theirs = sum(published_seconds(record) or 0.0 for record in proved)
        ratio = theirs / sum(record.seconds for record in proved)
        lines.append(
            f"  the paper: {theirs:,.0f} s on the {len(proved)} that ended with a proof here, "
            f"{_times(ratio)} times as long"
        )
    return "\n".join(lines)


def _statuses(records: Sequence[Record]) -> str:
    counts: dict[str, int] = {}
    for record in records:
        counts[record.status] = counts.get(record.status, 0) + 1
    return ", ".join(f"{number} {status}" for status, number in counts.items())


def _questions(records: Sequence[Record]) -> str:
    asked = sum(record.questions.asked for record in records)
    proofs = sum(record.questions.proofs for record in records)
    left_open = sum(record.questions.left_open for record in records)
    seconds = sum(record.questions.seconds for record in records)
    return (
        f"questions to the classifiers: {asked:,}; of these {proofs:,} ended in a proof that there is no "
        f"positive point, {left_open:,} were left open; {seconds:.1f} s"
    )


def _confirmed(records: Sequence[Record]) -> str:
    confirmed, points = (sum(getattr(record, name) for record in records) for name in ("confirmed", "count"))
    share = 100 if confirmed == points else min(99, 100 * confirmed // points)
    return f"points confirmed by the classifier's own predict: {share} % ({confirmed:,} of {points:,})"


def _published_count(record: Record) -> str:
    return "-" if record.published is None else str(record.published.explanations)


def _published_time(record: Record) -> str:
    seconds = published_seconds(record)
    if seconds is None:
        return "-"
    return f"{seconds:.0f} limit" if seconds >= PAPER_LIMIT else f"{seconds:.2f}"


def _ratio(record: Record) -> str:
    """How many times as long the paper took; no comparison for a run that did not end with a proof."""
    seconds = published_seconds(record)
    if seconds is None or not record.proved:
        return "-"
    return f"{_times(seconds / record.seconds)}x"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"


def _least(record: Record) -> str:
    return "-" if record.bound_without_classifier is None else str(record.bound_without_classifier)


def _verified(record: Record) -> str:
    return {True: "yes", False: "NO", None: "-"}[record.verified]


CELL = (
    Column("", "data set", 18, lambda record: record.key.dataset),
    Column("", "model", 6, lambda record: record.key.model),
    Column("", "method", 7, lambda record: record.key.method),
    Column("", "changes", 8, lambda record: str(record.key.max_changes)),
    Column("", "rows", 5, lambda record: str(record.key.rows)),
)
PAPER = (
    Column("paper", "count", 7, _published_count),
    Column("", "seconds", 11, _published_time),
)
OUTCOME = (
    Column("", "count", 7, lambda record: str(record.count)),
    Column("", "bound", 6, lambda record: str(record.lower_bound)),
    Column("", "status", 11, lambda record: record.status),
    Column("", "seconds", 8, lambda record: f"{record.seconds:.2f}"),
)
OURS = (
    OUTCOME[0]._replace(group="ours"),
    *OUTCOME[1:],
    Column("", "ratio", 9, _ratio),
)
ORACLE = (
    Column("", "asked", 7, lambda record: str(record.questions.asked)),
    Column("", "proofs", 7, lambda record: str(record.questions.proofs)),
    Column("", "oracle s", 9, lambda record: f"{record.questions.seconds:.2f}"),
)
