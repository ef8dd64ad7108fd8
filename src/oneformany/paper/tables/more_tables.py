"""What the paper does not print: totals, questions to the classifier, other rows and rules, other models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from oneformany.paper.runs.cells import MODELS
from oneformany.paper.runs.prepare import MODEL_KINDS
from oneformany.paper.runs.records import Record, frame_of
from oneformany.paper.tables.table import Heading, TextTable, make_table

SETTING = ["model", "protocol", "threshold", "immutable"]
QUESTION = ["dataset", "method", "protocol", "rows", "max_changes", "threshold", "immutable"]

# The columns of each table: what they are in a frame, and their headings.
ASKED: dict[str, Heading] = {
    "asked": ("questions", "asked"), "questions_proofs": ("questions", "proofs"),
    "questions_left_open": ("questions", "open"), "questions_seconds": ("questions", "seconds"),
}  # fmt: skip
SUMMARY: dict[str, Heading] = {
    "dataset": "data set", "model": "model", "method": "method", "protocol": "rows explained",
    "question": "question", "cells": ("cells", "all"), "proved": ("cells", "proved"),
    "fewer": ("cells", "fewer"), "more": ("cells", "more"), "seconds": ("seconds", "ours"),
    "paper_seconds": ("seconds", "paper"), **ASKED, "points": "points confirmed",
}  # fmt: skip
CELLS: dict[str, Heading] = {
    "dataset": "data set", "rows": "|S|", "max_changes": "T_max", "method": "method", "count": "y*",
    "lower_bound": "bound", "status": "status", "beyond": "beyond help",
    "bound_without_classifier": "any classifier", "seconds": "time", **ASKED, "points": "confirmed",
}  # fmt: skip
KINDS: dict[str, Heading] = {"kind": "model", "trained_accuracy": "accuracy", **CELLS}
SUMMARY_NOTES = (
    "proved: no smaller set covers the rows that can be helped.",
    "fewer, more: explanations than published.",
    "asked: one question per distinct row at the start, and those of the search.",
)
FORMS = {
    "seconds": "{:.2f}", "questions_seconds": "{:.2f}", "trained_accuracy": "{:.3f}",
    "paper_seconds": "{:,.0f}",
}  # fmt: skip


def more_tables(records: Sequence[Record]) -> list[TextTable]:
    """Summarise all runs, and lay out those that are not in the paper."""
    frame = _questions(records)
    paper = frame[frame["model"].isin(MODELS)]
    title = "All runs: answers, proofs, time and questions to the classifier"
    tables = [_table("summary", title, _sums(paper), SUMMARY, SUMMARY_NOTES)] if len(paper) else []
    for (model, protocol, threshold, immutable), runs in paper[~paper["compared"]].groupby(
        SETTING, sort=False
    ):
        name = f"cells-{model}-{protocol}-{threshold:g}-{immutable}"
        title = f"Beyond the paper's tables: {model}, protocol {protocol}, {runs['question'].iloc[0]}"
        tables.append(_table(name, title, runs, CELLS))
    several = [runs for _, runs in frame.groupby(QUESTION, sort=False) if set(runs["model"]) - set(MODELS)]
    for number, runs in enumerate(several, start=1):
        title = f"Kinds of classifiers, {runs['question'].iloc[0]}"
        tables.append(_table(f"models-{number}", title, runs, KINDS))
    return tables


def _questions(records: Sequence[Record]) -> pd.DataFrame:
    """All runs with what their tables say besides."""
    frame = frame_of(records)
    half = frame["immutable"].map({"half": ", half immutable", "none": ""})
    titles = {kind.name: kind.title for kind in MODEL_KINDS}
    return frame.assign(
        question=frame["threshold"].map("P >= {:g}".format) + half,
        kind=frame["model"].map(titles).fillna(frame["model"]),
        beyond=frame["unreachable"].astype(str) + (frame["undecided"] > 0).map({True: "?", False: ""}),
        paper_seconds=frame["paper_seconds"].where(frame["compared"]),
    )


def _sums(runs: pd.DataFrame) -> pd.DataFrame:
    """Add up the runs of each data set, model, method and question; only the paper's can be compared."""
    groups = runs.groupby(["dataset", "model", "method", "protocol", "question"], sort=False)
    sums = groups.sum(numeric_only=True).reset_index().assign(cells=groups.size().array)
    compared = ["fewer", "more", "paper_seconds"]
    sums[compared] = sums[compared].where(sums["compared"] > 0)
    return sums


def _table(
    name: str, title: str, frame: pd.DataFrame, headings: Mapping[str, Heading], notes: Sequence[str] = ()
) -> TextTable:
    points = frame["confirmed"].astype(str) + " of " + frame["count"].astype(str)
    texts = frame.assign(points=points)
    for column, form in FORMS.items():
        texts[column] = frame[column].map(form.format, na_action="ignore")
    return make_table(name, title, {heading: texts[column] for column, heading in headings.items()}, notes)
