"""Bar chart: in how many explanations each feature changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.plotting.canvas import PAPER_WIDTH, axes
from oneformany.result.explanation import Explanation
from oneformany.schema.schema import Schema

__all__ = ["plot_change_counts"]

BAR = "#3a9d4f"


def plot_change_counts(explanations: Iterable[Explanation], schema: Schema, ax: Axes | None = None) -> Axes:
    """Count for each feature the explanations that change it; most often on top.

    Parameters
    ----------
    explanations : iterable of Explanation
        Of one result or of many.
    schema : Schema
        Names of the features.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one bar per feature.

    Examples
    --------
    >>> import oneformany as ofm
    >>> schema = ofm.Schema((ofm.Feature("job", ("none", "steady")), ofm.Feature("home", ("rent", "own"))))
    >>> explanations = [ofm.Explanation(point=(1, 0), changed=(0,), members=(0, 1))]
    >>> ax = plot_change_counts(explanations, schema)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['job', 'home']
    """
    counts = Counter(feature for explanation in explanations for feature in explanation.changed)
    order = sorted(range(len(schema.features)), key=lambda feature: (-counts[feature], feature))
    heights = [counts[feature] for feature in order]
    ax = axes(ax, PAPER_WIDTH, 0.9 + 0.19 * len(order))
    indices = np.arange(len(order))
    bars = ax.barh(indices, heights, color=BAR, height=0.75)
    ax.bar_label(bars, padding=2, fontsize=7)
    ax.set_yticks(indices, [schema.names[feature].replace("_", " ") for feature in order], fontsize=8)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("explanations that change the feature", fontsize=9)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.tick_params(axis="x", labelsize=8)
    ax.margins(x=0.08)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
