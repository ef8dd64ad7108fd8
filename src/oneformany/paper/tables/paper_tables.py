"""The paper's eight tables in its layout, ours beside it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import pandas as pd

from oneformany.methods import METHODS
from oneformany.paper.runs.cells import DATASETS, TITLES, published_table
from oneformany.paper.runs.lines import contradictions
from oneformany.paper.runs.records import Record, as_published, cell_of, frame_of
from oneformany.paper.tables.table import Columns, TextTable, make_table

MODELS = {"lr": "the LR model", "nn": "the NN"}
IMPOSSIBLE = "†"
CELL = ["name", "model", "rows", "max_changes"]
PARTS = ["count", "lower_bound", "seconds", "proved", "bound_without_classifier", "time_limit"]
SECONDS = "{:.2f}".format
WEIGHTS = "Our networks have the published widths and depths; their weights are our own."

# The paper's Tables 1 and 2, side by side; extended features are one-hot columns.
SIZES = ("instances", "original features", "extended features")
STRUCTURE = ("NN width", "NN depth", "NN accuracy", "LR accuracy")
PRINTED = {
    "compas": (6172, 5, 15, 10, 2, "0.670", "0.671"),
    "german": (1000, 20, 59, 20, 2, "0.728", "0.724"),
    "students": (395, 30, 85, 14, 3, "0.601", "0.612"),
}


def paper_tables(records: Sequence[Record]) -> list[TextTable]:
    """Lay out Tables 1 to 8; of several runs of a cell the last counts, without any our side has dashes."""
    results = [
        make_table(f"table-{number}", f"Table {number}: {title}", _columns(cells), notes)
        for number, (title, cells, notes) in enumerate(_groups(records), start=3)
    ]
    return [*_data_and_models(records), *results]


def _data_and_models(records: Sequence[Record]) -> list[TextTable]:
    """Tables 1 and 2: the data sets, and the models' structure and accuracy."""
    trained = {
        (cell_of(record).dataset, record["model"]): record["trained"]
        for record in records
        if as_published(record)
    }
    ours = [_as_printed(trained.get((name, "nn"), {}), trained.get((name, "lr"), {})) for name in DATASETS]
    columns: Columns = {
        (side, heading): values
        for side, lines in (("paper", PRINTED.values()), ("ours", ours))
        for heading, values in zip((*SIZES, *STRUCTURE), zip(*lines, strict=True), strict=True)
    }

    def table(name: str, title: str, headings: Sequence[str], *notes: str) -> TextTable:
        shown = {key: values for key, values in columns.items() if key[1] in headings}
        return make_table(name, title, {"data set": TITLES.values(), **shown}, notes)

    return [
        table("table-1", "Table 1: the data sets", SIZES),
        table("table-2", "Table 2: the models' structure and accuracy", STRUCTURE, WEIGHTS),
    ]


def _as_printed(network: Record, regression: Record) -> tuple[object, ...]:
    """What the two tables say about a data set and its models; what is not known is missing."""
    known, hidden = network or regression, network.get("hidden", [])
    widths = "/".join(str(width) for width in dict.fromkeys(hidden))
    accuracies = [f"{model['accuracy']:.3f}" if model else None for model in (network, regression)]
    sizes = (known.get(name) for name in ("instances", "features", "columns"))
    return (*sizes, widths or None, len(hidden) or None, *accuracies)


def _groups(records: Sequence[Record]) -> Iterator[tuple[str, pd.DataFrame, list[str]]]:
    """For each result table its title, its cells with our runs as "count exact" and so on, and notes."""
    runs = frame_of([record for record in records if as_published(record)])
    runs = runs.drop_duplicates([*CELL, "method"], keep="last")
    cells = published_table().rename(columns={"dataset": "name"})
    for method in METHODS:
        own = runs.loc[runs["method"] == method, [*CELL, *PARTS]]
        cells = cells.merge(own.rename(columns={part: f"{part} {method}" for part in PARTS}), "left", CELL)
    least = cells[[f"bound_without_classifier {method}" for method in METHODS]].max(axis=1)
    bounds = cells[[f"lower_bound {method}" for method in METHODS]].max(axis=1)
    ours = bounds.where(cells["model"] == "lr")  # the paper's network is another than ours
    needed = pd.concat([least, ours], axis=1).max(axis=1).fillna(0)
    # A compact model too large for its limit gives up at once; otherwise it uses the time it has.
    gave_up = cells["seconds mip"] < cells["time_limit mip"] / 2
    cells = cells.assign(
        least=least,
        impossible=(cells["explanations"] < needed).astype(bool),
        not_started=gave_up & ~cells["proved mip"].fillna(value=True).astype(bool),
    )
    for (name, model), group in cells.groupby(["name", "model"], sort=False):
        title = f"{TITLES[str(name)]}, {MODELS[str(model)]}"
        same = runs[(runs["name"] == name) & (runs["model"] == model)]
        yield title, group, list(_notes(group, same))


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
    for method in METHODS:
        if method in methods or method == "exact":
            columns[method, "y*"] = cells[f"count {method}"]
            columns[method, "bound"] = cells[f"lower_bound {method}"]
            columns[method, "time"] = cells[f"seconds {method}"].map(SECONDS, na_action="ignore")
        if method == "exact":  # no comparison with a run that did not end with a proof
            proved = cells["proved exact"].fillna(value=False).astype(bool)
            times = (cells["cg_seconds"] / cells["seconds exact"]).where(proved)
            columns["exact", "CG/exact"] = times.map("{:,.0f}".format, na_action="ignore")
    if {"cg-mip", "mip"} <= set(methods):
        columns["ours", "gap"] = cells["count cg-mip"] - cells["count mip"]
    if set(methods) - {"exact"}:
        columns["time in this run", "exact : cg-mip : mip"] = map(_ratio, cells.to_dict("records"))
    return columns


def _ratio(cell: dict[Hashable, Any]) -> str | None:
    if pd.isna(cell["seconds exact"]):
        return None
    parts = ["1"]
    for method in METHODS[1:]:
        missing = pd.isna(cell[f"seconds {method}"]) or (method == "mip" and cell["not_started"])
        times = f"{cell[f'seconds {method}'] / cell['seconds exact']:,.0f}"
        parts.append("-" if missing else f"{'' if cell[f'proved {method}'] else '>'}{times}")
    return " : ".join(parts)


def _notes(cells: pd.DataFrame, runs: pd.DataFrame) -> Iterator[str]:
    exact = runs[runs["method"] == "exact"]
    if len(exact):
        yield (
            f"Exact: {exact['proved'].sum()} of {len(exact)} cells proved optimal, {exact['fewer'].sum()} "
            f"with fewer explanations than published, {exact['seconds'].sum():.2f} s together; "
            f"the paper's CG: {exact['paper_seconds'].sum():,.2f} s."
        )
    if cells["not_started"].any():
        yield "mip without a ratio: the model was too large to be started; its count is the first solution's."
    if cells["impossible"].any():
        yield f"{IMPOSSIBLE}: below what is proved for these rows, so it cannot be right for them."
    yield from contradictions(runs)
