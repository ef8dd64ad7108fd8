"""Axes to draw on: the given ones, or new ones of a size at which labels stay readable in print."""

from __future__ import annotations

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from oneformany.result.labels import shown

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "INK",
    "PALE",
    "PAPER_WIDTH",
    "RED",
    "axes",
    "plain",
    "rows_words",
    "tidy",
]

PAPER_WIDTH = 6.3  # inches between the margins of an A4 page
GREEN, PALE, BLUE, INK, GREY, RED = "#3a9d4f", "#cfe8d6", "#2457a6", "#202020", "#7a828a", "#9b2335"


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Take the given axes, or make a figure.

    Parameters
    ----------
    ax : Axes or None
        What the caller gave.
    width, height : float
        Of a new figure, in inches.
    """
    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=(width, height), layout="constrained")
    return new


def plain(text: object, most: int = 24) -> str:
    """Make a name fit to be drawn: short, without control characters, dollar signs not read as formulas.

    Parameters
    ----------
    text : object
        A name or a label.
    most : int
        Letters.
    """
    words = shown(text)
    short = words if len(words) <= most else words[: most - 1] + "…"
    return short.replace("$", r"\$")


def rows_words(rows: int) -> str:
    """Count rows in words."""
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def tidy(ax: Axes) -> Axes:
    """Small ticks, no frame on top and at the right.

    Parameters
    ----------
    ax : Axes
        What was drawn on.
    """
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
