"""Axes to draw on: the given ones, or new ones of a size at which labels stay readable in print."""

from __future__ import annotations

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator

from oneformany.exceptions import InputError
from oneformany.result.labels import shown
from oneformany.result.result import Result

PAPER_WIDTH = 6.3  # inches between the margins of an A4 page
GREEN, PALE, BLUE, INK, GREY, RED = "#3a9d4f", "#cfe8d6", "#2457a6", "#202020", "#7a828a", "#9b2335"


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Take the given axes, or make a figure of so many inches."""
    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=(width, height), layout="constrained")
    return new


def taken(
    given: object, *kinds: type, words: str = "a Result, such as OneForMany(...).explain(frame)"
) -> None:
    """Refuse what a plot does not take: by default anything but a result."""
    if not isinstance(given, kinds or Result):
        raise InputError(f"this plot takes {words}, not {type(given).__name__}")


def plain(text: object, most: int = 24) -> str:
    """Make a name fit to be drawn: short, without control characters, dollar signs not read as formulas."""
    words = shown(text)
    short = words if len(words) <= most else words[: most - 1] + "…"
    return short.replace("$", r"\$")


def tick_integers(*directions: Axis) -> None:
    """Let what is counted have no ticks between integers."""
    for axis in directions:
        axis.set_major_locator(MaxNLocator(integer=True))


def tidy(ax: Axes, x_label: str, y_label: str | None = None) -> Axes:
    """Name the axes; small ticks, no frame on top and at the right."""
    ax.set_xlabel(x_label, fontsize=9)
    if y_label is not None:
        ax.set_ylabel(y_label, fontsize=9)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
