"""Line chart: how many rows the largest explanations reach together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREEN, PAPER_WIDTH, axes, tidy
from oneformany.result.sizes import coverage_curve

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["plot_coverage"]


def plot_coverage(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the part of all rows that the 1, 2, 3, ... largest groups of this answer hold.

    These are the groups of one answer; the most that so many explanations can reach at all is drawn by
    :func:`oneformany.plotting.plot_frontier`.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With a line that ends at the part of the rows that is covered.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> plot_coverage(result).get_xlabel()
    'explanations, largest first'
    """
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    reached = coverage_curve(result)
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.plot(
        np.arange(len(reached)), reached, color=GREEN, linewidth=2, marker="o" if len(reached) <= 40 else ""
    )
    ax.set_xlabel("explanations, largest first", fontsize=9)
    ax.set_ylabel("% of the rows", fontsize=9)
    ax.set_ylim(0, 103)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return tidy(ax)
