"""Line chart of a trade-off: how much more budget buys."""

from __future__ import annotations

from typing import Protocol

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import BLUE, GREEN, PAPER_WIDTH, axes, tidy

__all__ = ["plot_frontier"]

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


class HasFrame(Protocol):
    """A curve that gives its points as a frame, such as :class:`oneformany.Frontier`."""

    def frame(self) -> pd.DataFrame:
        """One line per point."""
        ...


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
    lines = frontier if isinstance(frontier, pd.DataFrame) else frontier.frame()
    budget = next((name for name in BUDGETS if name in lines.columns), None)
    value = None
    if budget is not None:
        value = next((name for name in BUDGETS[budget][1] if name in lines.columns), None)
    if budget is None or value is None or lines.empty:
        raise InputError(
            f"a frontier needs lines with a column {' or '.join(BUDGETS)}, and what was found as value; this "
            f"one has {len(lines)} lines of {', '.join(map(str, lines.columns))}"
        )
    lines = lines.sort_values(budget)
    asked, _, title, proved = BUDGETS[budget]
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.plot(lines[budget], lines[value], color=GREEN, linewidth=2, marker="o", label="found")
    if "bound" in lines.columns:
        ax.plot(
            lines[budget], lines["bound"], color=BLUE, linewidth=2, linestyle="--", marker=".", label=proved
        )
        ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    ax.set_xlabel(asked, fontsize=9)
    ax.set_ylabel(title, fontsize=9)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return tidy(ax)
