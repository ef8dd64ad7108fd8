"""Axes to draw on: the given ones, or new ones of a size at which labels stay readable in print."""

from __future__ import annotations

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

__all__ = ["PAPER_WIDTH", "axes"]

PAPER_WIDTH = 6.3  # inches between the margins of an A4 page


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
