"""Line chart: best answer and proved bound over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import BLUE, GREEN, PAPER_WIDTH, axes, tidy
from oneformany.result.sizes import MEASURED, shown_rounds

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["plot_bounds"]


def plot_bounds(result: Result, ax: Axes | None = None) -> Axes:
    """Draw how the number of explanations fell and the bound rose.

    Parameters
    ----------
    result : Result
        What to draw; it needs its statistics.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With a line for the best answer so far and one for the bound.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> len(plot_bounds(result).lines)
    2
    """
    rounds = shown_rounds(result)
    if not rounds:
        raise InputError("the result has no record of its rounds to draw")
    measured, proved = MEASURED[rounds[0].measure]
    seconds = [step.seconds for step in rounds]
    ax = axes(ax, PAPER_WIDTH, 2.8)
    found = [step.count for step in rounds]
    bounds = [step.bound for step in rounds]
    ax.step(seconds, found, where="post", color=GREEN, linewidth=2, label="best answer so far")
    ax.step(seconds, bounds, where="post", color=BLUE, linewidth=2, linestyle="--", label=proved)
    ax.set_xlabel("seconds", fontsize=9)
    ax.set_ylabel(measured, fontsize=9)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return tidy(ax)
