"""Comparison of subgroups: each measure with the 95 % interval of its distance from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from oneformany.plotting.canvas import PAPER_WIDTH, axes

if TYPE_CHECKING:
    from oneformany.subgroups import Audit

__all__ = ["plot_subgroups"]

CLEAR, UNCLEAR = "#9b2335", "#7a828a"


def plot_subgroups(audit: Audit, ax: Axes | None = None, measure: str = "refused") -> Axes:
    """Draw one measure: every subgroup's difference from the others, with its interval.

    Parameters
    ----------
    audit : Audit
        From :func:`oneformany.audit`.
    ax : Axes or None
        Where to draw.
    measure : {"refused", "beyond_help", "mean_changes", "needs_rare"}
        What to compare.

    Returns
    -------
    Axes
        A point and an interval per subgroup; coloured where the interval leaves out 0.

    Examples
    --------
    >>> plot_subgroups(audit, measure="mean_changes")  # doctest: +SKIP
    """
    from oneformany.subgroups import WORDS

    lines = audit.differences.xs(measure, level="measure").iloc[::-1]
    ax = axes(ax, PAPER_WIDTH, 0.9 + 0.32 * len(lines))
    heights = np.arange(len(lines))
    factor = 1.0 if measure == "mean_changes" else 100.0
    clear = (lines["low"] > 0) | (lines["high"] < 0)
    for height, (_, line), is_clear in zip(heights, lines.iterrows(), clear, strict=True):
        colour = CLEAR if is_clear else UNCLEAR
        ax.plot([factor * line["low"], factor * line["high"]], [height, height], color=colour, linewidth=2)
        ax.plot(factor * line["difference"], height, "o", color=colour, markersize=6)
    ax.axvline(0, color="#202020", linewidth=0.8)
    ax.set_yticks(heights, [str(name).replace("$", r"\$") for name in lines.index], fontsize=8)
    ax.set_ylim(-0.6, len(lines) - 0.4)
    unit = "" if measure == "mean_changes" else ", percentage points"
    ax.set_xlabel(f"{WORDS[measure]}: difference from all others{unit}", fontsize=9)
    ax.tick_params(axis="x", labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
