"""Axes to draw on: the given ones, or new ones of a size at which labels stay readable in print."""

from __future__ import annotations

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

__all__ = ["BLUE", "GREEN", "INK", "PALE", "PAPER_WIDTH", "axes", "tidy"]

PAPER_WIDTH = 6.3  # inches between the margins of an A4 page
GREEN, PALE, BLUE, INK = "#3a9d4f", "#cfe8d6", "#2457a6", "#202020"


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
