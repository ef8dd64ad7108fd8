"""Bar chart: how many rows each explanation covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREEN, PAPER_WIDTH, axes, tidy
from oneformany.result.sizes import group_sizes

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["plot_group_sizes"]


def plot_group_sizes(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the size of every group, largest first.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one bar per explanation.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> [bar.get_height() for bar in plot_group_sizes(result).patches]
    [np.int64(2)]
    """
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    sizes = np.sort(group_sizes(result))[::-1]
    ax = axes(ax, PAPER_WIDTH, 2.6)
    numbers = np.arange(1, len(sizes) + 1)
    bars = ax.bar(numbers, sizes, color=GREEN, width=0.8 if len(sizes) < 80 else 1.0)
    if len(sizes) <= 30:
        ax.bar_label(bars, padding=1, fontsize=7)
    ax.set_xlabel("explanations, largest first", fontsize=9)
    ax.set_ylabel("rows covered", fontsize=9)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return tidy(ax)
