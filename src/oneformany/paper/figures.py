"""The paper's figures from benchmark records."""

from collections.abc import Iterator, Sequence
from typing import cast

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from oneformany.datasets.dataset import schema_of
from oneformany.paper.runs.records import DATASETS, TITLES, Record, as_published, cell_of
from oneformany.plotting.charts import plot_change_counts
from oneformany.plotting.maps import plot_explanations
from oneformany.result.explanation import Explanation

HEAT_MAPS = (("compas", 3, 10), ("compas", 3, 20))


def draw_figures(
    records: Sequence[Record], model: str = "nn", method: str = "exact"
) -> Iterator[tuple[str, Figure | str]]:
    """Draw two heat maps of explanations, and for each data set how often each feature changes.

    Yields the name of each figure with the figure, or where the paper's rows were not run by this method on
    this model, with the command that does it.
    """
    ours: dict[str, list[Record]] = {dataset: [] for dataset in DATASETS}
    for record in records:
        if as_published(record) and (record["model"], record["method"]) == (model, method):
            ours[cell_of(record).dataset].append(record)
    remedy = f"oneformany bench paper --model {model} --method {method} --dataset {{}} --json FILE"
    for number, (dataset, changes, rows) in enumerate(HEAT_MAPS, start=1):
        cells = [run for run in ours[dataset] if (run["max_changes"], run["rows"]) == (changes, rows)]
        name = f"figure-{number}-{dataset}-{changes}-changes-{rows}-rows"
        options = f"{dataset} --rows {rows} --max-changes {changes}"
        yield name, _drawn(cells[-1:], heat_map=True) if cells else remedy.format(options)
    for number, (dataset, cells) in enumerate(ours.items(), start=len(HEAT_MAPS) + 1):
        name = f"figure-{number}-{dataset}-changed-features"
        yield name, _drawn(cells, heat_map=False) if cells else remedy.format(dataset)


def _drawn(records: Sequence[Record], *, heat_map: bool) -> Figure:
    """Draw the explanations of one cell, or count the changes of several."""
    record = records[0]
    explanations = [Explanation(**entry) for run in records for entry in run["explanations"]]
    schema = schema_of(record["dataset"])
    if heat_map:
        ax = plot_explanations(explanations, schema)
        optimal = record["status"] == "optimal"
        proved = "proved minimal" if optimal else f"at least {record['lower_bound']} needed"
        size = f"$|S|={record['rows']}$, $T_{{\\max}}={record['max_changes']}$"
        words = f", {size}: {record['count']} explanations, {proved}"
    else:
        ax = plot_change_counts(explanations, schema)
        words = f": {len(explanations)} explanations of {len(records)} cells"
    ax.set_title(f"{TITLES[cell_of(record).dataset]}, {record['model'].upper()}{words}", fontsize=9)
    figure = cast("Figure", ax.get_figure(root=True))
    plt.close(figure)  # it leaves pyplot's list, and is freed with its last user
    return figure
