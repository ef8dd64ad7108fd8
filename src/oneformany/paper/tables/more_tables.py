"""What the paper does not print: totals, questions to the classifier, other rows and rules, other models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from oneformany.paper.runs.cells import MODELS
from oneformany.paper.runs.model_kinds import MODEL_KINDS
from oneformany.paper.runs.records import Record, frame_of
from oneformany.paper.tables.table import Heading, TextTable, make_table

SETTING = ["model", "protocol", "threshold", "immutable"]
QUESTION = ["dataset", "method", "protocol", "rows", "max_changes", "threshold", "immutable"]
SUMS = [
    "proved", "fewer", "more", "compared", "seconds", "paper_seconds", "asked", "proofs", "left_open",
    "oracle_seconds", "confirmed", "count", "unreachable",
]  # fmt: skip

# The columns of each table: what they are in a frame, and their headings.
ASKED: dict[str, Heading] = {
    "asked": ("questions", "asked"), "proofs": ("questions", "proofs"), "left_open": ("questions", "open"),
    "oracle_seconds": ("questions", "seconds"),
}  # fmt: skip
SUMMARY: dict[str, Heading] = {
    "dataset": "data set", "model": "model", "method": "method", "protocol": "rows explained",
    "question": "question", "cells": ("cells", "all"), "proved": ("cells", "proved"),
    "fewer": ("cells", "fewer"), "more": ("cells", "more"), "seconds": ("seconds", "ours"),
    "paper_seconds": ("seconds", "paper"), **ASKED, "points": "points confirmed",
}  # fmt: skip
CELLS: dict[str, Heading] = {
    "dataset": "data set", "rows": "|S|", "max_changes": "T_max", "method": "method", "count": "y*",
    "lower_bound": "bound", "status": "status", "beyond": "beyond help", "least": "any classifier",
    "seconds": "time", **ASKED, "points": "confirmed",
}  # fmt: skip
KINDS: dict[str, Heading] = {"kind": "model", "accuracy": "accuracy", **CELLS}
SHORT_PUBLISHED = {
    "dataset": "data set", "model": "model", "method": "method", "cells": "cells", "proved": "proved",
    "fewer": "fewer than published", "more": "more", "seconds": "our seconds",
    "paper_seconds": "published seconds",
}  # fmt: skip
SHORT_BEYOND = {
    "dataset": "data set", "model": "model", "question": "question", "cells": "cells", "proved": "proved",
    "unreachable": "rows beyond help", "asked": "questions asked", "proofs": "proofs", "seconds": "seconds",
}  # fmt: skip
SHORT_KINDS = {
    "kind": "model", "accuracy": "accuracy", "count": "count", "lower_bound": "bound",
    "asked": "questions asked", "proofs": "proofs", "seconds": "seconds",
}  # fmt: skip
SUMMARY_NOTES = (
    "proved: no smaller set covers the rows that can be helped.",
    "fewer, more: explanations than published.",
    "asked: one question per distinct row at the start, and those of the search.",
)


def more_tables(records: Sequence[Record]) -> list[TextTable]:
    """Summarise all runs, and lay out those that are not in the paper."""
    frame, paper = _frames(records)
    title = "All runs: answers, proofs, time and questions to the classifier"
    tables = [_table("summary", title, _sums(paper), SUMMARY, SUMMARY_NOTES)] if len(paper) else []
    for (model, protocol, threshold, immutable), runs in paper[~paper["compared"]].groupby(
        SETTING, sort=False
    ):
        name = f"cells-{model}-{protocol}-{threshold:g}-{immutable}"
        title = f"Beyond the paper's tables: {model}, protocol {protocol}, {runs['question'].iloc[0]}"
        tables.append(_table(name, title, runs, CELLS))
    return tables + _kind_tables(frame, "models", KINDS)


def short_summaries(records: Sequence[Record]) -> list[TextTable]:
    """Sum up our method and the paper's on its tables, our method beyond them, and kinds of classifiers."""
    frame, paper = _frames(records)
    exact, compared = paper["method"] == "exact", paper["compared"]
    parts = (
        ("short-summary", "Our method on the paper's tables", paper[exact & compared], SHORT_PUBLISHED),
        ("short-paper-methods", "The paper's methods, on HiGHS", paper[~exact & compared], SHORT_PUBLISHED),
        ("short-beyond", "Our method beyond the paper's tables", paper[exact & ~compared], SHORT_BEYOND),
    )
    tables = [
        _table(name, title, _sums(runs), headings) for name, title, runs, headings in parts if len(runs)
    ]
    return tables + _kind_tables(frame, "short-models", SHORT_KINDS)


def _kind_tables(frame: pd.DataFrame, name: str, headings: Mapping[str, Heading]) -> list[TextTable]:
    """Lay out the questions that were put to other kinds of classifiers than the paper's."""
    several = [runs for _, runs in frame.groupby(QUESTION, sort=False) if set(runs["model"]) - set(MODELS)]
    return [
        _table(f"{name}-{number}", f"Kinds of classifiers, {runs['question'].iloc[0]}", runs, headings)
        for number, runs in enumerate(several, start=1)
    ]


def _frames(records: Sequence[Record]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All runs with what their tables say, and those on the paper's kinds of models."""
    frame = frame_of(records)
    half = frame["immutable"].map({"half": ", half immutable", "none": ""})
    titles = {kind.name: kind.title for kind in MODEL_KINDS}
    frame = frame.assign(
        question=frame["threshold"].map("P >= {:g}".format) + half,
        kind=frame["model"].map(lambda name: titles.get(name, name)),
        accuracy=frame["accuracy"].map("{:.3f}".format),
        beyond=frame["unreachable"].astype(str) + (frame["undecided"] > 0).map({True: "?", False: ""}),
        paper_seconds=frame["paper_seconds"].where(frame["compared"]),
    )
    return frame, frame[frame["model"].isin(MODELS)]


def _sums(runs: pd.DataFrame) -> pd.DataFrame:
    """Add up the runs of each data set, model, method and question; only the paper's can be compared."""
    groups = runs.groupby(["dataset", "model", "method", "protocol", "question"], sort=False)
    sums = groups[SUMS].sum().reset_index().assign(cells=groups.size().array)
    compared = ["fewer", "more", "paper_seconds"]
    sums[compared] = sums[compared].where(sums["compared"] > 0)
    return sums


def _table(
    name: str, title: str, frame: pd.DataFrame, headings: Mapping[str, Heading], notes: Sequence[str] = ()
) -> TextTable:
    texts = frame.assign(
        seconds=frame["seconds"].map("{:.2f}".format),
        oracle_seconds=frame["oracle_seconds"].map("{:.2f}".format),
        paper_seconds=frame["paper_seconds"].map("{:,.0f}".format, na_action="ignore"),
        points=frame["confirmed"].astype(str) + " of " + frame["count"].astype(str),
    )
    return make_table(name, title, {heading: texts[column] for column, heading in headings.items()}, notes)
