"""The paper's figures from benchmark records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from oneformany.datasets import load
from oneformany.datasets.compas import SCHEMA as COMPAS
from oneformany.paper.runs.cells import DATASETS, TITLES
from oneformany.paper.runs.records import Record
from oneformany.plotting.bars import plot_change_counts
from oneformany.plotting.maps import plot_explanations
from oneformany.schema.schema import Schema

HEAT_MAPS = (("compas", 3, 10), ("compas", 3, 20))


def draw_figures(
    records: Sequence[Record], model: str = "nn", method: str = "exact"
) -> Iterator[tuple[str, Figure | str]]:
    """Draw two heat maps of explanations, and for each data set how often each feature changes.

    Yields the name of each figure with the figure, or where the paper's rows were not run by this method on
    this model, with the command that does it.
    """
    ours = [
        record
        for record in records
        if record.key.as_published and (record.key.model, record.key.method) == (model, method)
    ]
    remedy = f"oneformany bench paper --model {model} --method {method} {{}} --json FILE"
    for number, (dataset, max_changes, rows) in enumerate(HEAT_MAPS, start=1):
        size = (max_changes, rows)
        runs = [run for run in _of(ours, dataset) if (run.key.max_changes, run.key.rows) == size]
        name = f"figure-{number}-{dataset}-{max_changes}-changes-{rows}-rows"
        options = f"--dataset {dataset} --rows {rows} --max-changes {max_changes}"
        yield name, _heat_map(runs[-1]) if runs else remedy.format(options)
    for number, dataset in enumerate(DATASETS, start=len(HEAT_MAPS) + 1):
        runs = _of(ours, dataset)
        name = f"figure-{number}-{dataset}-changed-features"
        yield name, _bars(runs) if runs else remedy.format(f"--dataset {dataset}")


def _of(records: Sequence[Record], dataset: str) -> list[Record]:
    return [record for record in records if record.key.cell.dataset == dataset]


def _heat_map(record: Record) -> Figure:
    key = record.key
    ax = plot_explanations(record.explanations, _schema(key.dataset))
    proved = "proved minimal" if record.status == "optimal" else f"at least {record.lower_bound} needed"
    size = f"$|S|={key.rows}$, $T_{{\\max}}={key.max_changes}$"
    return _titled(ax, record, f", {size}: {record.count} explanations, {proved}")


def _bars(records: Sequence[Record]) -> Figure:
    explanations = [explanation for record in records for explanation in record.explanations]
    ax = plot_change_counts(explanations, _schema(records[0].key.dataset))
    return _titled(ax, records[0], f": {len(explanations)} explanations of {len(records)} cells")


def _titled(ax: Axes, record: Record, words: str) -> Figure:
    """Name data set and model, and take the figure out of pyplot's list: it is freed with its last user."""
    ax.set_title(f"{TITLES[record.key.cell.dataset]}, {record.key.model.upper()}{words}", fontsize=9)
    figure = cast("Figure", ax.get_figure(root=True))
    plt.close(figure)
    return figure


def _schema(dataset: str) -> Schema:
    """Features of a data set; those of compas are known without its file."""
    return COMPAS if dataset == "compas" else load(dataset).schema
