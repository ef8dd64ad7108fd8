"""Heat map of explanations: one line each, green where a one-hot column is 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import PAPER_WIDTH, axes, plain, rows_words
from oneformany.result.explanation import Explanation
from oneformany.schema.schema import Schema

__all__ = ["plot_explanations"]

WHITE_GREEN = ListedColormap(["white", "#3a9d4f"])
GRID = "#c8c8c8"
CHANGED = "#202020"


def plot_explanations(
    explanations: Sequence[Explanation],
    schema: Schema,
    ax: Axes | None = None,
    *,
    outline_changed: bool = True,
) -> Axes:
    """Draw each explanation as a line of one-hot columns: green is 1, white is 0.

    Parameters
    ----------
    explanations : sequence of Explanation
        What to draw, first on top.
    schema : Schema
        Names of features and levels.
    ax : Axes or None
        Where to draw.
    outline_changed : bool
        Frame the columns of the features that the rows of an explanation change.

    Returns
    -------
    Axes
        With one cell per explanation and one-hot column.

    Examples
    --------
    >>> import oneformany as ofm
    >>> schema = ofm.Schema((ofm.Feature("job", ("none", "steady")), ofm.Feature("home", ("rent", "own"))))
    >>> explanations = [ofm.Explanation(point=(1, 0), changed=(0,), members=(0, 1))]
    >>> ax = plot_explanations(explanations, schema)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['2 rows']
    """
    if not explanations:
        raise InputError("there is no explanation to draw")
    points = np.array([explanation.point for explanation in explanations])
    values = schema.one_hot(np.maximum(points, 0))
    for feature, block in enumerate(schema.blocks):  # what rows do not share is -1, and stays white
        values[np.ix_(points[:, feature] < 0, block)] = 0
    lines, columns = values.shape
    labels = _labels(schema)
    longest = max(len(label) for label in labels)
    ax = axes(ax, max(PAPER_WIDTH, 1.6 + 0.29 * columns), 0.55 + 0.3 * lines + 0.045 * longest)
    ax.pcolormesh(values, cmap=WHITE_GREEN, vmin=0, vmax=1, edgecolors=GRID, linewidth=0.6)
    for block in schema.blocks[1:]:
        ax.axvline(float(block[0]), color=CHANGED, linewidth=0.9)
    if outline_changed:
        for line, explanation in enumerate(explanations):
            for feature in explanation.changed:
                block = schema.blocks[feature]
                corner = (float(block[0]) + 0.06, line + 0.08)
                ax.add_patch(
                    Rectangle(corner, len(block) - 0.12, 0.84, fill=False, color=CHANGED, linewidth=1.3)
                )
    ax.set_xlim(0, columns)
    ax.set_ylim(lines, 0)
    ax.set_xticks(np.arange(columns) + 0.5, labels, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(np.arange(lines) + 0.5, [rows_words(len(e.members)) for e in explanations])
    ax.tick_params(length=0, labelsize=8)
    framed = "; framed: features that the rows change" if outline_changed else ""
    ax.set_xlabel(f"green: 1, white: 0{framed}", fontsize=8)
    return ax


def _labels(schema: Schema) -> list[str]:
    """One label per one-hot column, features and levels told apart by a colon."""
    pairs = [name.partition("=") for name in schema.one_hot_names]
    return [
        plain(f"{feature.replace('_', ' ')}{': ' if level else ''}{level}", 48) for feature, _, level in pairs
    ]
