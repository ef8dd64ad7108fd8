"""A table as a picture: one line per explanation, one column per feature that any of them changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import INK, PAPER_WIDTH, PALE, axes
from oneformany.result.labels import labels_of

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["plot_profiles"]

MOST_LINES = 40
MOST_LETTERS = 18


def plot_profiles(result: Result, ax: Axes | None = None, limit: int = 20) -> Axes:
    """Draw what each explanation changes, in the user's own labels.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.
    limit : int
        Draw at most so many explanations, largest first.

    Returns
    -------
    Axes
        With a shaded cell, holding the new value, for every change.

    Examples
    --------
    >>> plot_profiles(result)  # doctest: +SKIP
    """
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    labels = labels_of(result)
    shown = sorted(result.explanations, key=lambda e: -len(e.members))[: min(limit, MOST_LINES)]
    used = sorted({feature for explanation in shown for feature in explanation.changed})
    ax = axes(ax, max(PAPER_WIDTH, 1.3 + 1.05 * len(used)), 0.9 + 0.3 * len(shown))
    for line, explanation in enumerate(shown):
        for column, feature in enumerate(used):
            if feature not in explanation.changed:
                continue
            ax.add_patch(
                Rectangle((column + 0.04, line + 0.08), 0.92, 0.84, facecolor=PALE, edgecolor="none")
            )
            text = _short(labels.levels[feature][explanation.point[feature]])
            ax.text(column + 0.5, line + 0.5, text, ha="center", va="center", fontsize=7, color=INK)
    ax.set_xlim(0, max(len(used), 1))
    ax.set_ylim(len(shown), 0)
    ax.set_xticks(
        np.arange(len(used)) + 0.5, [_short(labels.features[f].replace("_", " ")) for f in used], fontsize=8
    )
    ax.set_xticks(np.arange(len(used) + 1), minor=True)
    ax.set_yticks(np.arange(len(shown)) + 0.5, [_rows(len(e.members)) for e in shown], fontsize=8)
    ax.xaxis.tick_top()
    plt_rotation = 0 if len(used) <= 6 else 30
    ax.tick_params(length=0)
    for tick in ax.get_xticklabels():
        tick.set_rotation(plt_rotation)
        tick.set_ha("center" if plt_rotation == 0 else "left")
    ax.spines[:].set_visible(False)
    return ax


def _short(text: str) -> str:
    text = text.replace("$", r"\$")
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"
