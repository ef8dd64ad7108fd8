"""What the paper does not print: totals, questions to the classifier, other rows and rules, other models."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from oneformany.paper.runs.model_kinds import MODEL_KINDS
from oneformany.paper.runs.records import Record, frame_of
from oneformany.paper.tables.table import Columns, TextTable, make_table

__all__ = ["more_tables", "short_summaries"]

SETTING = ["model", "protocol", "threshold", "immutable"]
QUESTION = ["dataset", "method", "protocol", "rows", "max_changes", "threshold", "immutable"]
SECONDS = "{:.2f}".format
SUMS = (
    "proved", "fewer", "more", "compared", "seconds", "paper_seconds", "asked", "proofs", "left_open",
    "oracle_seconds", "confirmed", "count",
)  # fmt: skip
PUBLISHED = {
    "dataset": "data set", "model": "model", "method": "method", "cells": "cells", "proved": "proved",
    "fewer": "fewer than published", "more": "more", "seconds": "our seconds",
    "paper_seconds": "published seconds",
}  # fmt: skip
BEYOND = {
    "dataset": "data set", "model": "model", "question": "question", "cells": "cells", "proved": "proved",
    "unreachable": "rows beyond help", "asked": "questions asked", "proofs": "proofs", "seconds": "seconds",
}  # fmt: skip
KINDS = {
    "model": "model", "accuracy": "accuracy", "y*": "count", "bound": "bound", "asked": "questions asked",
    "proofs": "proofs", "time": "seconds",
}  # fmt: skip
SUMMARY_NOTES = (
    "proved: no smaller set covers the rows that can be helped.",
    "fewer, more: explanations than published.",
    "asked: one question per distinct row at the start, and those of the search.",
)


def more_tables(records: Sequence[Record]) -> list[TextTable]:
    """Summarise all runs, and lay out those that are not in the paper."""
    frame = _with_questions(records)
    paper = frame[frame["model"].isin(("lr", "nn"))]
    tables = [_summary(paper)] if len(paper) else []
    for (model, protocol, threshold, immutable), runs in paper[~paper["compared"]].groupby(
        SETTING, sort=False
    ):
        title = f"Beyond the paper's tables: {model}, protocol {protocol}, {runs['question'].iloc[0]}"
        tables.append(
            make_table(f"cells-{model}-{protocol}-{threshold:g}-{immutable}", title, _cell_columns(runs))
        )
    return tables + _kind_tables(frame)


def _kind_tables(frame: pd.DataFrame) -> list[TextTable]:
    """Lay out the questions that were put to other kinds of classifiers than the paper's."""
    titles = {kind.name: kind.title for kind in MODEL_KINDS}
    several = [runs for _, runs in frame.groupby(QUESTION, sort=False) if set(runs["model"]) - {"lr", "nn"}]
    tables = []
    for number, runs in enumerate(several, start=1):
        columns: Columns = {
            "model": [titles.get(name, name) for name in runs["model"]],
            "accuracy": runs["accuracy"].map("{:.3f}".format),
            **_cell_columns(runs),
        }
        title = f"Kinds of classifiers, {runs['question'].iloc[0]}"
        tables.append(make_table(f"models-{number}", title, columns))
    return tables


def short_summaries(records: Sequence[Record]) -> list[TextTable]:
    """Sum up our method and the paper's on its tables, our method beyond them, and kinds of classifiers."""
    frame = _with_questions(records)
    paper = frame[frame["model"].isin(("lr", "nn"))]
    exact, compared = paper["method"] == "exact", paper["compared"]
    tables = []
    for name, title, runs, headings in (
        ("short-summary", "Our method on the paper's tables", paper[exact & compared], PUBLISHED),
        ("short-paper-methods", "The paper's methods, on HiGHS", paper[~exact & compared], PUBLISHED),
        ("short-beyond", "Our method beyond the paper's tables", paper[exact & ~compared], BEYOND),
    ):
        groups = runs.groupby(["dataset", "model", "method", "question"], sort=False)
        sums = groups[[*SUMS, "unreachable"]].sum().reset_index().assign(cells=groups.size().array)
        for part in ("seconds", "paper_seconds"):
            sums[part] = sums[part].map(SECONDS)
        tables += [make_table(name, title, _renamed(sums, headings))] if len(runs) else []
    return tables + [
        make_table(f"short-{table.name}", table.title, _renamed(table.frame.droplevel(0, axis=1), KINDS))
        for table in _kind_tables(frame)
    ]


def _renamed(frame: pd.DataFrame, headings: dict[str, str]) -> Columns:
    return {title: frame[column] for column, title in headings.items()}


def _with_questions(records: Sequence[Record]) -> pd.DataFrame:
    frame = frame_of(records)
    half = frame["immutable"].map({"half": ", half immutable", "none": ""})
    return frame.assign(question=frame["threshold"].map("P >= {:g}".format) + half)


def _summary(frame: pd.DataFrame) -> TextTable:
    """Add up the runs of each data set, model, method and question."""
    frame = frame.assign(paper_seconds=frame["paper_seconds"].where(frame["compared"]))
    groups = frame.groupby(["dataset", "model", "method", "protocol", "question"], sort=False)
    sums = groups[[*SUMS]].sum().reset_index()
    sums["cells"] = groups.size().array
    published = sums["compared"] > 0
    columns: Columns = {
        "data set": sums["dataset"],
        "model": sums["model"],
        "method": sums["method"],
        "rows explained": sums["protocol"],
        "question": sums["question"],
        ("cells", "all"): sums["cells"],
        ("cells", "proved"): sums["proved"],
        ("cells", "fewer"): sums["fewer"].where(published),
        ("cells", "more"): sums["more"].where(published),
        ("seconds", "ours"): sums["seconds"].map(SECONDS),
        ("seconds", "paper"): sums["paper_seconds"].map("{:,.0f}".format).where(published),
        ("questions", "asked"): sums["asked"],
        ("questions", "proofs"): sums["proofs"],
        ("questions", "open"): sums["left_open"],
        ("questions", "seconds"): sums["oracle_seconds"].map(SECONDS),
        "points confirmed": [f"{a} of {b}" for a, b in zip(sums["confirmed"], sums["count"], strict=True)],
    }
    return make_table(
        "summary", "All runs: answers, proofs, time and questions to the classifier", columns, SUMMARY_NOTES
    )


def _cell_columns(runs: pd.DataFrame) -> Columns:
    doubt = runs["undecided"] > 0  # there may be more
    return {
        "data set": runs["dataset"],
        "|S|": runs["rows"],
        "T_max": runs["max_changes"],
        "method": runs["method"],
        "y*": runs["count"],
        "bound": runs["lower_bound"],
        "status": runs["status"],
        "beyond help": runs["unreachable"].astype(str) + doubt.map({True: "?", False: ""}),
        "any classifier": runs["least"],
        "time": runs["seconds"].map(SECONDS),
        ("questions", "asked"): runs["asked"],
        ("questions", "proofs"): runs["proofs"],
        ("questions", "open"): runs["left_open"],
        ("questions", "seconds"): runs["oracle_seconds"].map(SECONDS),
        "confirmed": [f"{a} of {b}" for a, b in zip(runs["confirmed"], runs["count"], strict=True)],
    }
