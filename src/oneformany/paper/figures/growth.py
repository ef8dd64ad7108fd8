"""Log-log plot: time of several methods against the size of the problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, ScalarFormatter

from oneformany.plotting.canvas import PAPER_WIDTH, axes

__all__ = ["Timing", "plot_growth"]

STYLES = {"exact": ("#3a9d4f", "o"), "cg-mip": ("#d9822b", "s"), "mip": ("#5b6bb5", "^")}
OTHER = ("#606060", "D")
CLOSEST = 0.065  # of the axis, between two labels


@dataclass(frozen=True)
class Timing:
    """How long one size took.

    Attributes
    ----------
    size : int
        Rows, features or changes.
    seconds : float
        Until it ended.
    finished : bool
        Whether it ended with a proof; if not, it would have taken longer.
    """

    size: int
    seconds: float
    finished: bool


def plot_growth(timings: Mapping[str, Sequence[Timing]], size: str, ax: Axes | None = None) -> Axes:
    """Draw seconds against size, both logarithmic; a hollow mark is a run that did not end with a proof.

    Parameters
    ----------
    timings : mapping of method to sequence of Timing
        What was measured.
    size : str
        What the sizes are, for the axis.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one line per method.

    Examples
    --------
    >>> plot_growth({"exact": [Timing(10, 0.1, True), Timing(20, 0.3, True)]}, "rows")  # doctest: +SKIP
    """
    ax = axes(ax, PAPER_WIDTH / 2, 2.8)
    for method, points in timings.items():
        color, marker = STYLES.get(method, OTHER)
        sizes = [point.size for point in points]
        seconds = [point.seconds for point in points]
        ax.plot(sizes, seconds, color=color, linewidth=1.3, label=method)
        for point in points:
            face = color if point.finished else "white"
            ax.plot(
                point.size, point.seconds, marker, color=color, markerfacecolor=face, markersize=5, label="_"
            )
    if not all(point.finished for points in timings.values() for point in points):
        ax.plot([], [], "o", color=OTHER[0], markerfacecolor="white", markersize=5, label="no proof in time")
    ax.set_xscale("log")
    ax.set_yscale("log")
    every = sorted({point.size for points in timings.values() for point in points})
    ax.xaxis.set_major_locator(FixedLocator(_apart(every)))
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(size, fontsize=9)
    ax.set_ylabel("seconds", fontsize=9)
    ax.tick_params(labelsize=8)
    ax.grid(visible=True, which="major", color="#e4e4e4", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _apart(sizes: Sequence[int]) -> list[int]:
    """Leave out sizes whose labels would touch on a logarithmic axis."""
    nearest = (sizes[-1] / sizes[0]) ** CLOSEST
    kept = [sizes[0]]
    for size in sizes[1:]:
        if size / kept[-1] >= nearest:
            kept.append(size)
    return kept
