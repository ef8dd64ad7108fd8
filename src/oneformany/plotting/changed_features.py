"""Bar chart: how many rows change each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREEN, PAPER_WIDTH, axes, plain, tidy
from oneformany.result.labels import labels_of
from oneformany.result.sizes import changes_by_feature

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["plot_changed_features"]


def plot_changed_features(result: Result, ax: Axes | None = None, limit: int = 30) -> Axes:
    """Count for each feature the rows that change it; most often on top.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.
    limit : int
        Draw at most so many features.

    Returns
    -------
    Axes
        With one bar per feature that at least one row changes.

    Raises
    ------
    InputError
        No row changes anything.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> [label.get_text() for label in plot_changed_features(result).get_yticklabels()]
    ['feature 0']
    """
    moved = changes_by_feature(result)
    order = [int(feature) for feature in np.argsort(-moved, kind="stable") if moved[feature]][:limit]
    if not order:
        raise InputError("no row changes anything, so there is nothing to draw")
    labels = labels_of(result)
    ax = axes(ax, PAPER_WIDTH, 0.9 + 0.22 * len(order))
    heights = np.arange(len(order))
    bars = ax.barh(heights, moved[order], color=GREEN, height=0.75)
    ax.bar_label(bars, padding=2, fontsize=7)
    ax.set_yticks(heights, [plain(labels.features[feature]) for feature in order])
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel(f"rows that change the feature, of {result.covered:,} covered", fontsize=9)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.margins(x=0.08)
    return tidy(ax)
