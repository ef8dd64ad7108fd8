"""The paper's eight tables in its layout, ours beside it, and what it does not print."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pandas as pd

from oneformany.methods import METHODS
from oneformany.paper.runs.prepare import MODEL_KINDS
from oneformany.paper.runs.records import MODELS, PUBLISHED, TITLES, Record, as_published, cell_of, frame_of
from oneformany.paper.text_table import Columns, Heading, TextTable, make_table
from oneformany.result.labels import many

NAMES = {"lr": "the LR model", "nn": "the NN"}
IMPOSSIBLE = "†"
CELL = ["name", "model", "rows", "max_changes"]
PARTS = ["count", "lower_bound", "seconds", "proved", "bound_without_classifier"]
SECONDS, TIMES = "{:.2f}".format, "{:,.0f}".format

# The paper's Tables 1 and 2, side by side; extended features are one-hot columns.
SIZES = ["instances", "original features", "extended features"]
STRUCTURE = ["NN width", "NN depth", "NN accuracy", "LR accuracy"]
PRINTED = {
    "compas": (6172, 5, 15, 10, 2, "0.670", "0.671"),
    "german": (1000, 20, 59, 20, 2, "0.728", "0.724"),
    "students": (395, 30, 85, 14, 3, "0.601", "0.612"),
}
OWN_WEIGHTS = "Our networks have the published widths and depths; their weights are our own."

QUESTION = ["dataset", "protocol", "rows", "max_changes", "threshold", "immutable"]
ASKED_ALIKE = [*QUESTION, "model", "unreachable", "undecided"]
# Columns of the tables that the paper does not print: what they are in a frame, and their headings.
ASKED: dict[str, Heading] = {
    "asked": ("questions", "asked"), "questions_proofs": ("questions", "proofs"),
    "questions_left_open": ("questions", "open"), "questions_seconds": ("questions", "seconds"),
    "points": "points confirmed", "verified": "verified",
}  # fmt: skip
SUMMARY: dict[str, Heading] = {
    "dataset": "data set", "model": "model", "method": "method", "protocol": "rows explained",
    "question": "question", "cells": ("cells", "all"), "proved": ("cells", "proved"),
    "fewer": ("cells", "fewer"), "more": ("cells", "more"), "unreachable": "rows beyond help",
    "seconds": ("seconds", "ours"), "paper_seconds": ("seconds", "paper"), **ASKED,
}  # fmt: skip
KINDS: dict[str, Heading] = {
    "kind": "model", "trained_accuracy": "accuracy", "dataset": "data set", "rows": "|S|",
    "max_changes": "T_max", "count": "y*", "lower_bound": "bound", "status": "status",
    "unreachable": "beyond help", "seconds": "time", **ASKED,
}  # fmt: skip
SUMMARY_NOTES = (
    "proved: no smaller set covers the rows that can be helped.",
    "fewer, more: explanations than published.",
    "asked: one question per distinct row at the start, and those of the search.",
)
FORMS = {
    "seconds": SECONDS, "questions_seconds": SECONDS, "trained_accuracy": "{:.3f}".format,
    "paper_seconds": TIMES,
}  # fmt: skip


def paper_tables(records: Sequence[Record]) -> list[TextTable]:
    """Lay out Tables 1 to 8; of several runs of a cell the last counts, without any our side has dashes."""
    published = [record for record in records if as_published(record)]
    return [*_data_and_models(published), *_results(frame_of(published))]


def _data_and_models(records: Sequence[Record]) -> Iterator[TextTable]:
    """Tables 1 and 2: the data sets, and the models' structure and accuracy."""
    trained = {(cell_of(record).dataset, record["model"]): record["trained"] for record in records}
    lines = []
    for name in TITLES:
        network, regression = (trained.get((name, model), {}) for model in ("nn", "lr"))
        known, hidden = network or regression, network.get("hidden", [])
        sizes = (known.get(part) for part in ("instances", "features", "columns"))
        widths = "/".join(str(width) for width in dict.fromkeys(hidden)) or None
        accuracies = (f"{model['accuracy']:.3f}" if model else None for model in (network, regression))
        lines.append((*PRINTED[name], *sizes, widths, len(hidden) or None, *accuracies))
    told = dict(zip(product(("paper", "ours"), SIZES + STRUCTURE), zip(*lines, strict=True), strict=True))

    def columns(wanted: list[str]) -> Columns:
        return {"data set": TITLES.values(), **{pair: told[pair] for pair in told if pair[1] in wanted}}

    yield make_table("table-1", "Table 1: the data sets", columns(SIZES))
    yield make_table(
        "table-2", "Table 2: the models' structure and accuracy", columns(STRUCTURE), [OWN_WEIGHTS]
    )


def _results(runs: pd.DataFrame) -> Iterator[TextTable]:
    """Tables 3 to 8: the paper's cells, and our runs of them as "count exact" and so on."""
    runs = runs.drop_duplicates([*CELL, "method"], keep="last")
    cells = PUBLISHED.rename(columns={"dataset": "name"})
    for method in METHODS:
        own = runs.loc[runs["method"] == method, [*CELL, *PARTS]]
        cells = cells.merge(own.rename(columns={part: f"{part} {method}" for part in PARTS}), "left", CELL)
    least = cells[[f"bound_without_classifier {method}" for method in METHODS]].max(axis=1)
    bounds = cells[[f"lower_bound {method}" for method in METHODS]].max(axis=1)
    ours = bounds.where(cells["model"] == "lr")  # the paper's network is another than ours
    needed = pd.concat([least, ours], axis=1).max(axis=1).fillna(0)
    cells = cells.assign(least=least, impossible=(cells["explanations"] < needed).astype(bool))
    for number, ((name, model), group) in enumerate(cells.groupby(["name", "model"], sort=False), start=3):
        title = f"Table {number}: {TITLES[str(name)]}, {NAMES[str(model)]}"
        same = runs[(runs["name"] == name) & (runs["model"] == model)]
        yield make_table(f"table-{number}", title, _columns(group), _notes(group, same))


def _columns(cells: pd.DataFrame) -> Columns:
    methods = [method for method in METHODS if cells[f"count {method}"].notna().any()]
    impossible = cells["impossible"].map({True: IMPOSSIBLE, False: ""})
    columns: Columns = {
        "|S|": cells["rows"],
        "T_max": cells["max_changes"],
        ("paper", "y*"): cells["explanations"].astype(str) + impossible,  # what cannot be right has a mark
        ("paper", "gap"): cells["gap_to_mip"],
        ("paper", "CG time"): cells["cg_seconds"].map(SECONDS),
        ("paper", "MIP time"): cells["mip_seconds"].map(SECONDS),
    }
    if cells["least"].notna().any():
        columns["any classifier", "least"] = cells["least"]
    ratios = {"CG": cells["cg_seconds"] / cells["seconds exact"]}
    for method in dict.fromkeys(["exact", *methods]):
        columns[method, "y*"] = cells[f"count {method}"]
        columns[method, "bound"] = cells[f"lower_bound {method}"]
        columns[method, "time"] = cells[f"seconds {method}"].map(SECONDS, na_action="ignore")
        if method != "exact":
            ratios[method] = cells[f"seconds {method}"] / cells["seconds exact"]
    if {"cg-mip", "mip"} <= set(methods):
        columns["ours", "gap"] = cells["count cg-mip"] - cells["count mip"]
    for method, ratio in ratios.items():  # no comparison with a run that did not end with a proof
        ended = cells["proved exact"] & cells.get(f"proved {method}", default=True)
        times = ratio.where(ended.fillna(value=False).astype(bool))
        columns["times as long as exact", method] = times.map(TIMES, na_action="ignore")
    return columns


def _notes(cells: pd.DataFrame, runs: pd.DataFrame) -> Iterator[str]:
    exact = runs[runs["method"] == "exact"]
    if len(exact):
        yield (
            f"Exact: {exact['proved'].sum()} of {len(exact)} cells proved optimal, {exact['fewer'].sum()} "
            f"with fewer explanations than published, {exact['seconds'].sum():.2f} s together; "
            f"the paper's CG: {exact['paper_seconds'].sum():,.2f} s."
        )
    if cells["impossible"].any():
        yield f"{IMPOSSIBLE}: below what is proved for these rows, so it cannot be right for them."
    yield from contradictions(runs)


def contradictions(frame: pd.DataFrame) -> list[str]:
    """Name the cells in which one method's bound is above another's count: one of them must be wrong."""
    found = []
    for _, runs in frame.groupby(ASKED_ALIKE, sort=False):
        bound = runs.sort_values("lower_bound", kind="stable").iloc[-1]
        count = runs.sort_values("count", kind="stable").iloc[0]
        if bound["lower_bound"] > count["count"]:
            found.append(
                f"CONTRADICTION on {bound['dataset']} {bound['model']}, {bound['max_changes']} changes, "
                f"{bound['rows']} rows: {bound['method']} proves that {bound['lower_bound']} are needed, "
                f"{count['method']} has {count['count']}"
            )
    return found


def more_tables(records: Sequence[Record]) -> list[TextTable]:
    """Summarise all runs, and lay out those of kinds of classifiers."""
    frame = _with_words(records)
    several = [
        runs
        for _, runs in frame.groupby([*QUESTION, "method"], sort=False)
        if set(runs["model"]) - set(MODELS)
    ]
    tables = [summary(records)]
    for number, runs in enumerate(several, start=1):
        title = f"Kinds of classifiers, {runs['question'].iloc[0]}"
        tables.append(_table(f"models-{number}", title, runs, KINDS))
    return tables


def summary(records: Sequence[Record]) -> TextTable:
    """Add up the runs of each method on each data set, and all together."""
    frame = _with_words(records)
    same = ["dataset", "model", "method", "protocol", "question"]
    together = frame.assign(**{**dict.fromkeys(same), "dataset": "together"})
    groups = pd.concat([frame, together]).groupby(same, sort=False, dropna=False)
    sums = groups.sum(numeric_only=True, min_count=1).reset_index().assign(cells=groups.size().array)
    compared = ["fewer", "more"]  # only with the paper's own cells
    sums[compared] = sums[compared].where(sums["compared"] > 0)
    alike = frame.groupby(ASKED_ALIKE, sort=False)["proved"].agg(["size", "sum"])
    several = alike[alike["size"] > 1]
    agreed = (
        f"The methods agree: on {many(len(several), 'cell')} no count is below what another method proved, "
        f"and on the {(several['sum'] > 1).sum()} that several proved, their counts are equal."
    )
    notes = [*SUMMARY_NOTES, *(contradictions(frame) or [agreed] * bool(len(several)))]
    if frame["peak_megabytes"].notna().any():
        notes.append(f"Peak memory: {frame['peak_megabytes'].max():,.0f} MB.")
    title = "All runs: answers, proofs, time and questions to the classifier"
    return _table("summary", title, sums, SUMMARY, notes)


def _with_words(records: Sequence[Record]) -> pd.DataFrame:
    """The frame of the records with what tables call a question and a kind."""
    frame = frame_of(records)
    half = frame["immutable"].map({"half": ", half immutable", "none": ""})
    titles = {name: kind.title for name, kind in MODEL_KINDS.items()}
    return frame.assign(
        question=frame["threshold"].map("P >= {:g}".format) + half,
        kind=frame["model"].map(titles),
        paper_seconds=frame["paper_seconds"].where(frame["compared"]),
        verified=frame["verified"].eq("confirmed").where(frame["verified"].notna()).astype("boolean"),
    )


def _table(
    name: str, title: str, frame: pd.DataFrame, headings: Mapping[str, Heading], notes: Sequence[str] = ()
) -> TextTable:
    texts = frame.assign(points=frame["confirmed"].astype(str) + " of " + frame["count"].astype(str))
    for column, form in FORMS.items():
        texts[column] = frame[column].map(form, na_action="ignore")
    return make_table(name, title, {heading: texts[column] for column, heading in headings.items()}, notes)
