"""Bar charts: how large the groups are, and how often each feature changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREEN, PAPER_WIDTH, axes, plain, taken, tick_integers, tidy
from oneformany.result.labels import labels_of
from oneformany.result.sizes import changes_by_feature, group_sizes, noun

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result
    from oneformany.schema.schema import Schema


def plot_group_sizes(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the size of every group, largest first.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one bar per explanation.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> [bar.get_height() for bar in plot_group_sizes(result).patches]
    [np.int64(2)]
    """
    taken(result)
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    sizes = np.sort(group_sizes(result))[::-1]
    ax = axes(ax, PAPER_WIDTH, 2.6)
    bars = ax.bar(np.arange(1, len(sizes) + 1), sizes, color=GREEN, width=0.8 if len(sizes) < 80 else 1.0)
    if len(sizes) <= 30:
        ax.bar_label(bars, padding=1, fontsize=7)
    tick_integers(ax.xaxis, ax.yaxis)
    return tidy(ax, "explanations, largest first", f"{noun(result, 2)} covered")


def plot_changed_features(result: Result, ax: Axes | None = None, limit: int = 30) -> Axes:
    """Count for each feature the rows that change it; most often on top.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.
    limit : int
        Draw at most so many features.

    Returns
    -------
    Axes
        With one bar per feature that at least one row changes.

    Raises
    ------
    InputError
        No row changes anything.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> [label.get_text() for label in plot_changed_features(result).get_yticklabels()]
    ['feature 0']
    """
    taken(result)
    moved = changes_by_feature(result)
    order = [int(feature) for feature in np.argsort(-moved, kind="stable") if moved[feature]][:limit]
    if not order:
        raise InputError("no row changes anything, so there is nothing to draw")
    names = [plain(labels_of(result).features[feature]) for feature in order]
    ax = axes(ax, PAPER_WIDTH, 0.9 + 0.22 * len(order))
    label = f"{noun(result, 2)} that change the feature, of {result.covered:,} covered"
    return _bars(ax, names, moved[order].tolist(), label)


def plot_change_counts(explanations: Iterable[Explanation], schema: Schema, ax: Axes | None = None) -> Axes:
    """Count for each feature the explanations that change it; most often on top.

    Parameters
    ----------
    explanations : iterable of Explanation
        Of one result or of many.
    schema : Schema
        Names of the features.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one bar per feature.

    Examples
    --------
    >>> import oneformany as ofm
    >>> schema = ofm.Schema((ofm.Feature("job", ("none", "steady")), ofm.Feature("home", ("rent", "own"))))
    >>> explanations = [ofm.Explanation(point=(1, 0), changed=(0,), members=(0, 1))]
    >>> ax = plot_change_counts(explanations, schema)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['job', 'home']
    """
    taken(explanations, Iterable, words="explanations, such as result.explanations")
    counts = Counter(feature for explanation in explanations for feature in explanation.changed)
    order = sorted(range(len(schema.features)), key=lambda feature: (-counts[feature], feature))
    names = [schema.names[feature].replace("_", " ") for feature in order]
    ax = axes(ax, PAPER_WIDTH, 0.9 + 0.19 * len(order))
    return _bars(ax, names, [counts[feature] for feature in order], "explanations that change the feature")


def _bars(ax: Axes, names: Sequence[str], counts: Sequence[int], label: str) -> Axes:
    heights = np.arange(len(names))
    bars = ax.barh(heights, counts, color=GREEN, height=0.75)
    ax.bar_label(bars, padding=2, fontsize=7)
    ax.set_yticks(heights, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    tick_integers(ax.xaxis)
    ax.margins(x=0.08)
    return tidy(ax, label)
