"""The paper's figures from benchmark records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from oneformany.datasets.dataset import schema_of
from oneformany.paper.runs.cells import DATASETS, TITLES
from oneformany.paper.runs.records import Record, as_published, cell_of
from oneformany.plotting.charts import plot_change_counts
from oneformany.plotting.maps import plot_explanations
from oneformany.result.explanation import Explanation
from oneformany.schema.schema import Schema

HEAT_MAPS = (("compas", 3, 10), ("compas", 3, 20))


def draw_figures(
    records: Sequence[Record], model: str = "nn", method: str = "exact"
) -> Iterator[tuple[str, Figure | str]]:
    """Draw two heat maps of explanations, and for each data set how often each feature changes.

    Yields the name of each figure with the figure, or where the paper's rows were not run by this method on
    this model, with the command that does it.
    """
    ours = [run for run in records if as_published(run) and (run["model"], run["method"]) == (model, method)]
    remedy = f"oneformany bench paper --model {model} --method {method} {{}} --json FILE"
    for number, (dataset, changes, rows) in enumerate(HEAT_MAPS, start=1):
        cells = [run for run in _of(ours, dataset) if (run["max_changes"], run["rows"]) == (changes, rows)]
        name = f"figure-{number}-{dataset}-{changes}-changes-{rows}-rows"
        options = f"--dataset {dataset} --rows {rows} --max-changes {changes}"
        yield name, _heat_map(cells[-1]) if cells else remedy.format(options)
    for number, dataset in enumerate(DATASETS, start=len(HEAT_MAPS) + 1):
        cells = _of(ours, dataset)
        name = f"figure-{number}-{dataset}-changed-features"
        yield name, _bars(cells) if cells else remedy.format(f"--dataset {dataset}")


def _of(records: Sequence[Record], dataset: str) -> list[Record]:
    return [record for record in records if cell_of(record).dataset == dataset]


def _heat_map(record: Record) -> Figure:
    ax = plot_explanations(_explanations([record]), _schema(record))
    optimal = record["status"] == "optimal"
    proved = "proved minimal" if optimal else f"at least {record['lower_bound']} needed"
    size = f"$|S|={record['rows']}$, $T_{{\\max}}={record['max_changes']}$"
    return _titled(ax, record, f", {size}: {record['count']} explanations, {proved}")


def _bars(records: Sequence[Record]) -> Figure:
    explanations = _explanations(records)
    ax = plot_change_counts(explanations, _schema(records[0]))
    return _titled(ax, records[0], f": {len(explanations)} explanations of {len(records)} cells")


def _titled(ax: Axes, record: Record, words: str) -> Figure:
    """Name data set and model, and take the figure out of pyplot's list: it is freed with its last user."""
    ax.set_title(f"{TITLES[cell_of(record).dataset]}, {record['model'].upper()}{words}", fontsize=9)
    figure = cast("Figure", ax.get_figure(root=True))
    plt.close(figure)
    return figure


def _explanations(records: Sequence[Record]) -> list[Explanation]:
    return [Explanation(**entry) for record in records for entry in record["explanations"]]


def _schema(record: Record) -> Schema:
    """Features of a data set, which are known without its file."""
    return schema_of(record["dataset"])
