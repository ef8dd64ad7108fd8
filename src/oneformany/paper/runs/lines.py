"""Benchmark records as lines of text while they come in, and the totals at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from oneformany.paper.runs.cells import PAPER_LIMIT
from oneformany.paper.runs.records import Record, frame_of

CELL = [
    "dataset", "model", "protocol", "rows", "max_changes", "threshold", "immutable", "unreachable",
    "undecided",
]  # fmt: skip


class TextColumn(NamedTuple):
    """A column of text: its heading and width, and how what stands in it is made of a record's facts."""

    title: str
    width: int
    text: str
    group: str = ""  # a heading above


OUTCOME = (
    TextColumn("count", 7, "{count}"),
    TextColumn("bound", 6, "{lower_bound}"),
    TextColumn("status", 11, "{status}"),
    TextColumn("seconds", 8, "{seconds:.2f}"),
)
QUESTIONS = (
    TextColumn("asked", 7, "{asked}"),
    TextColumn("proofs", 7, "{questions_proofs}"),
    TextColumn("oracle s", 9, "{questions_seconds:.2f}"),
)
VERIFIED = TextColumn("verified", 9, "{checked}")


def paper_columns(*, asked: bool, checked: bool) -> tuple[TextColumn, ...]:
    """Columns that set the paper beside ours; questions count where classifiers are ``asked``."""
    return (
        TextColumn("data set", 18, "{dataset}"),
        TextColumn("model", 6, "{model}"),
        TextColumn("method", 7, "{method}"),
        TextColumn("changes", 8, "{max_changes}"),
        TextColumn("rows", 5, "{rows}"),
        TextColumn("count", 7, "{published_explanations}", "paper"),
        TextColumn("seconds", 11, "{paper_time}"),
        OUTCOME[0]._replace(group="ours"),
        *OUTCOME[1:],
        TextColumn("ratio", 9, "{ratio}"),
        *((TextColumn("any", 5, "{bound_without_classifier}"), *QUESTIONS) if asked else ()),
        *((VERIFIED,) if checked else ()),
    )


def model_columns(*, checked: bool) -> tuple[TextColumn, ...]:
    """Columns that compare kinds of classifiers on one data set; with the check, if results are verified."""
    return (
        TextColumn("model", 23, "{model}"),
        TextColumn("accuracy", 9, "{trained_accuracy:.3f}"),
        *OUTCOME,
        *QUESTIONS,
        TextColumn("confirmed", 10, "{confirmed}/{count}"),
        *((VERIFIED,) if checked else ()),
    )


def header(columns: Sequence[TextColumn]) -> str:
    """Two lines of heading, or one when no column belongs to a group."""
    groups = "".join(f"{column.group:>{column.width}}" for column in columns)
    titles = "".join(f"{column.title:>{column.width}}" for column in columns)
    return f"{groups}\n{titles}" if groups.strip() else titles


def line(columns: Sequence[TextColumn], record: Record) -> str:
    """One record; there is no ratio for a run that did not end with a proof."""
    facts = frame_of([record]).iloc[0]
    paper = facts["paper_seconds"]
    time = f"{paper:.0f} limit" if paper >= PAPER_LIMIT else f"{paper:.2f}"
    texts = {
        **facts.astype(object).where(facts.notna(), "-"),
        "paper_time": "-" if pd.isna(paper) else time,
        "ratio": f"{_times(paper / facts['seconds'])}x" if paper > 0 and facts["proved"] else "-",
        "checked": {True: "yes", False: "NO"}.get(facts["verified"], "-"),
    }
    return "".join(f"{column.text.format(**texts):>{column.width}}" for column in columns)


def totals(records: Sequence[Record]) -> str:
    """Say how all cells together compare with the paper, and what they cost."""
    frame = frame_of(records)
    lines = [_method_total(str(name), runs) for name, runs in frame.groupby("method", sort=False)]
    sums = frame.sum(numeric_only=True)
    fraction = (
        100 if sums["confirmed"] == sums["count"] else min(99, 100 * sums["confirmed"] // sums["count"])
    )
    lines += [
        (
            f"questions to the classifiers: {sums['asked']:,.0f}; of these {sums['questions_proofs']:,.0f} "
            f"ended in a proof that there is no positive point, {sums['questions_left_open']:,.0f} were left "
            f"open; {sums['questions_seconds']:.1f} s"
        ),
        (
            f"points confirmed by the classifier's own predict: {fraction:.0f} % "
            f"({sums['confirmed']:,.0f} of {sums['count']:,.0f})"
        ),
    ]
    checked = frame["verified"].dropna()
    if len(checked):
        lines.append(f"results accepted by the independent check: {int(checked.sum())} of {len(checked)}")
    if frame["peak_megabytes"].notna().any():
        lines.append(f"peak memory: {frame['peak_megabytes'].max():,.0f} MB")
    return "\n".join([*lines, *_agreement(frame)])


def contradictions(frame: pd.DataFrame) -> list[str]:
    """Name the cells in which one method's bound is above another's count: one of them must be wrong."""
    found = []
    for _, runs in frame.groupby(CELL, sort=False):
        bound = runs.sort_values("lower_bound", kind="stable").iloc[-1]
        count = runs.sort_values("count", kind="stable").iloc[0]
        if bound["lower_bound"] > count["count"]:
            found.append(
                f"CONTRADICTION on {bound['dataset']} {bound['model']}, {bound['max_changes']} changes, "
                f"{bound['rows']} rows: {bound['method']} proves that {bound['lower_bound']} are needed, "
                f"{count['method']} has {count['count']}"
            )
    return found


def _agreement(frame: pd.DataFrame) -> list[str]:
    """Say whether methods that ran the same cells agree; nothing when only one did."""
    cells = frame.groupby(CELL, sort=False)["proved"].agg(["size", "sum"])
    several = cells[cells["size"] > 1]
    if several.empty:
        return []
    return contradictions(frame) or [
        (
            f"the methods agree: on {len(several)} cells no count is below what another method proved, "
            f"and on the {(several['sum'] > 1).sum()} that several proved, their counts are equal"
        )
    ]


def _method_total(method: str, runs: pd.DataFrame) -> str:
    """Total of the runs of one method."""
    statuses = ", ".join(f"{n} {status}" for status, n in runs["status"].value_counts(sort=False).items())
    lines = [f"{method}: {len(runs)} cells, {statuses}; solved in {runs['seconds'].sum():.1f} s together"]
    same = runs[runs["compared"]]
    if len(same):
        fewer, more = same["fewer"].sum(), same["more"].sum()
        lines.append(
            f"  explanations against the paper: fewer in {fewer} cells, as many in "
            f"{len(same) - fewer - more}, more in {more}"
        )
    proved = same[same["proved"]]
    if len(proved):
        theirs = proved["paper_seconds"].sum()
        lines.append(
            f"  the paper: {theirs:,.0f} s on the {len(proved)} that ended with a proof here, "
            f"{_times(theirs / proved['seconds'].sum())} times as long"
        )
    return "\n".join(lines)


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
