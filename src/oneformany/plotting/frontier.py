"""Line chart of a trade-off: how much more budget buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import BLUE, GREEN, PAPER_WIDTH, axes, tidy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["plot_frontier"]

BUDGETS = {"max_changes": "features that may change", "explanations": "explanations"}
VALUES = {
    "count": ("explanations needed", "found", "proved: no fewer"),
    "covered": ("rows covered", "found", "proved: no more"),
    "cost": ("total cost", "found", "proved: no less"),
}


def plot_frontier(frontier: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what each budget achieves, and the proved bound on it.

    Parameters
    ----------
    frontier : DataFrame
        One line per budget: ``max_changes`` or ``explanations``; what was found: ``count``, ``covered`` or
        ``cost``; and ``bound``, the proved side, if known.
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
    budget = next((name for name in BUDGETS if name in frontier.columns), None)
    value = next((name for name in VALUES if name in frontier.columns), None)
    if budget is None or value is None or frontier.empty:
        raise InputError(
            f"a frontier needs lines with a column {' or '.join(BUDGETS)} and one of {', '.join(VALUES)}; "
            f"this one has {len(frontier)} lines of {', '.join(map(str, frontier.columns))}"
        )
    lines = frontier.sort_values(budget)
    title, found, proved = VALUES[value]
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.plot(lines[budget], lines[value], color=GREEN, linewidth=2, marker="o", label=found)
    if "bound" in lines.columns:
        ax.plot(
            lines[budget], lines["bound"], color=BLUE, linewidth=2, linestyle="--", marker=".", label=proved
        )
        ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    ax.set_xlabel(BUDGETS[budget], fontsize=9)
    ax.set_ylabel(title, fontsize=9)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return tidy(ax)
