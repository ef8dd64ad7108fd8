"""Line charts: what each step, each group and each budget adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import BLUE, GREEN, PAPER_WIDTH, axes, taken, tick_integers, tidy
from oneformany.result.sizes import MEASURED, coverage_curve, noun, shown_rounds

if TYPE_CHECKING:
    from oneformany.result.result import Result

# What grows: its name on the axis, the columns that may hold what it buys, and what that is called.
BUDGETS = {
    "max_changes": (
        "features that may change",
        ("value", "count"),
        "explanations needed",
        "proved: no fewer",
    ),
    "explanations": ("explanations", ("value", "covered"), "rows covered", "proved: no more"),
}


@runtime_checkable
class HasFrame(Protocol):
    """A curve that gives its points as a frame, such as :class:`oneformany.Frontier`."""

    def frame(self) -> pd.DataFrame:
        """One line per point."""
        ...


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
    taken(result)
    rounds = shown_rounds(result)
    if not rounds:
        raise InputError("the result has no record of its rounds to draw")
    measured, proved = MEASURED[rounds[0].measure]
    seconds = [step.seconds for step in rounds]
    found = [step.count for step in rounds]
    bounds = [step.bound for step in rounds]
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.step(seconds, found, where="post", color=GREEN, linewidth=2, label="best answer so far")
    ax.step(seconds, bounds, where="post", color=BLUE, linewidth=2, linestyle="--", label=proved)
    ax.set_ylim(bottom=0)
    tick_integers(ax.yaxis)
    _legend(ax)
    return tidy(ax, "seconds", measured)


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
    taken(result)
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    reached = coverage_curve(result)
    ax = axes(ax, PAPER_WIDTH, 2.8)
    mark = "o" if len(reached) <= 40 else ""
    ax.plot(np.arange(len(reached)), reached, color=GREEN, linewidth=2, marker=mark)
    ax.set_ylim(0, 103)
    ax.set_xlim(left=0)
    tick_integers(ax.xaxis)
    return tidy(ax, "explanations, largest first", f"% of the {noun(result, 2)}")


def plot_frontier(frontier: HasFrame | pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what each budget achieves, and the proved bound on it.

    Parameters
    ----------
    frontier : Frontier or DataFrame
        One line per budget: ``max_changes`` or ``explanations``; what was found as ``value`` (or ``count`` of
        explanations, ``covered`` rows); and ``bound``, the proved side, if known.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With a line for what was found and one for the bound.

    Raises
    ------
    InputError
        The frame lacks such columns.

    Examples
    --------
    >>> import pandas as pd
    >>> frontier = pd.DataFrame({"max_changes": [1, 2, 3], "count": [9, 5, 2], "bound": [9, 4, 2]})
    >>> plot_frontier(frontier).get_xlabel()
    'features that may change'
    """
    words = "a Frontier, such as frontier_of_frame(explainer, frame), or its frame()"
    taken(frontier, pd.DataFrame, HasFrame, words=words)
    lines = frontier if isinstance(frontier, pd.DataFrame) else frontier.frame()
    budget = next((name for name in BUDGETS if name in lines.columns), "")
    asked, names, title, proved = BUDGETS.get(budget, ("", (), "", ""))
    value = next((name for name in names if name in lines.columns), "")
    if not value or lines.empty:
        raise InputError(
            f"a frontier needs lines with a column {' or '.join(BUDGETS)}, and what was found as value; this "
            f"one has {len(lines)} lines of {', '.join(map(str, lines.columns))}"
        )
    lines = lines.sort_values(budget)
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.plot(lines[budget], lines[value], color=GREEN, linewidth=2, marker="o", label="found")
    if "bound" in lines.columns:
        ax.plot(lines[budget], lines["bound"], color=BLUE, linewidth=2, ls="--", marker=".", label=proved)
        _legend(ax)
    ax.set_ylim(0, 1.05 * ax.dataLim.ymax)  # a flat curve keeps its marks below the top
    tick_integers(ax.xaxis, ax.yaxis)
    return tidy(ax, asked, title)


def _legend(ax: Axes) -> None:
    """Above the lines, which fill the axes."""
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
