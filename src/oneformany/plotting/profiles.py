"""A table as a picture: one line per explanation, one column per feature that any of them changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import INK, PALE, PAPER_WIDTH, axes, plain, rows_words
from oneformany.result.labels import Labels, labels_of

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result

__all__ = ["plot_profiles"]

MOST_LETTERS = 20
FEW_FEATURES = 6


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
        With a shaded cell, holding the new value, for every change; a cell without a word means a value of
        each row's own.

    Raises
    ------
    InputError
        There is no explanation.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> [text.get_text() for text in plot_profiles(result).texts]
    ['level 1']
    """
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    labels = labels_of(result)
    largest = sorted(result.explanations, key=lambda explanation: -len(explanation.members))[:limit]
    used = sorted({feature for explanation in largest for feature in explanation.changed})
    ax = axes(ax, max(PAPER_WIDTH, 1.3 + 1.1 * len(used)), 0.9 + 0.3 * len(largest))
    for line, explanation in enumerate(largest):
        for column, feature in enumerate(used):
            if feature in explanation.changed:
                ax.add_patch(Rectangle((column + 0.04, line + 0.08), 0.92, 0.84, facecolor=PALE, linewidth=0))
                word = _target(explanation, feature, labels)
                ax.text(column + 0.5, line + 0.5, word, ha="center", va="center", fontsize=7, color=INK)
    ax.set_xlim(0, max(len(used), 1))
    ax.set_ylim(len(largest), 0)
    few = len(used) <= FEW_FEATURES
    names = [plain(labels.features[feature], MOST_LETTERS) for feature in used]
    ax.set_xticks(
        np.arange(len(used)) + 0.5, names, rotation=0 if few else 30, ha="center" if few else "left"
    )
    ax.set_yticks(np.arange(len(largest)) + 0.5, [rows_words(len(e.members)) for e in largest])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=8)
    ax.spines[:].set_visible(False)
    return ax


def _target(explanation: Explanation, feature: int, labels: Labels) -> str:
    if explanation.ends is not None or explanation.point[feature] < 0:
        return ""
    return plain(labels.target(feature, explanation.point[feature]), MOST_LETTERS)
