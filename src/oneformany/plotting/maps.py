"""Explanations as lines of a picture: green one-hot columns as in the paper, or a table of what changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREEN, INK, PALE, PAPER_WIDTH, axes, plain, taken
from oneformany.result.labels import labels_of
from oneformany.result.sizes import noun, people_in
from oneformany.result.words import target_words

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result
    from oneformany.schema.schema import Schema

WHITE_GREEN = ListedColormap(["white", GREEN])
GRID = "#c8c8c8"
MOST_LETTERS = 20
FEW_FEATURES = 6


def plot_explanations(
    explanations: Sequence[Explanation],
    schema: Schema,
    ax: Axes | None = None,
    *,
    outline_changed: bool = True,
) -> Axes:
    """Draw each explanation as a line of one-hot columns: green is 1, white is 0.

    Parameters
    ----------
    explanations : sequence of Explanation
        What to draw, first on top.
    schema : Schema
        Names of features and levels.
    ax : Axes or None
        Where to draw.
    outline_changed : bool
        Frame the columns of the features that the rows of an explanation change.

    Returns
    -------
    Axes
        With one cell per explanation and one-hot column.

    Examples
    --------
    >>> import oneformany as ofm
    >>> schema = ofm.Schema((ofm.Feature("job", ("none", "steady")), ofm.Feature("home", ("rent", "own"))))
    >>> explanations = [ofm.Explanation(point=(1, 0), changed=(0,), members=(0, 1))]
    >>> ax = plot_explanations(explanations, schema)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['2 rows']
    """
    taken(explanations, Sequence, words="explanations, such as result.explanations")
    if not explanations:
        raise InputError("there is no explanation to draw")
    points, blocks = np.array([explanation.point for explanation in explanations]), schema.blocks
    values = schema.one_hot(np.maximum(points, 0))
    for feature, block in enumerate(blocks):  # what rows do not share is -1, and stays white
        values[np.ix_(points[:, feature] < 0, block)] = 0
    labels = _column_labels(schema)
    columns, longest = len(labels), max(len(label) for label in labels)
    height = 0.55 + 0.3 * len(explanations) + 0.045 * longest
    ax = axes(ax, max(PAPER_WIDTH, 1.6 + 0.29 * columns), height)
    ax.pcolormesh(values, cmap=WHITE_GREEN, vmin=0, vmax=1, edgecolors=GRID, linewidth=0.6)
    for block in blocks[1:]:
        ax.axvline(float(block[0]), color=INK, linewidth=0.9)
    framed = "; framed: features that the rows change" if outline_changed else ""
    for line, explanation in enumerate(explanations if outline_changed else ()):
        for block in (blocks[feature] for feature in explanation.changed):
            corner, width = (float(block[0]) + 0.06, line + 0.08), len(block) - 0.12
            ax.add_patch(Rectangle(corner, width, 0.84, fill=False, color=INK, linewidth=1.3))
    ax.set_xlim(0, columns)
    ax.set_xticks(np.arange(columns) + 0.5, labels, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_xlabel(f"green: 1, white: 0{framed}", fontsize=8)
    sizes = [len(explanation.members) for explanation in explanations]
    return _name_lines(ax, [f"{n:,} row{'' if n == 1 else 's'}" for n in sizes])


def plot_one_hot(
    result: Result, ax: Axes | None = None, limit: int = 20, *, outline_changed: bool = True
) -> Axes:
    """Draw each explanation of a result as a line of one-hot columns: green is 1, white is 0.

    Features that the rows of an explanation do not share are left white.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.
    limit : int
        Draw at most so many explanations, largest first.
    outline_changed : bool
        Frame the columns of the features that the rows of an explanation change.

    Returns
    -------
    Axes
        With one cell per explanation and one-hot column.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> [label.get_text() for label in plot_one_hot(result).get_yticklabels()]
    ['2 rows']
    """
    taken(result)
    largest = _largest(result, limit)
    ax = plot_explanations(largest, labels_of(result).schema, ax, outline_changed=outline_changed)
    ax.set_xlabel("; ".join([ax.get_xlabel(), *_cut(result, limit)]), fontsize=8)
    return _name_lines(ax, _sizes(result, largest))


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
    taken(result)
    if not result.explanations:
        raise InputError("there is no explanation to draw")
    labels, largest = labels_of(result), _largest(result, limit)
    used = sorted({feature for explanation in largest for feature in explanation.changed})
    ax = axes(ax, max(PAPER_WIDTH, 1.3 + 1.1 * len(used)), 0.9 + 0.3 * len(largest))
    for line, explanation in enumerate(largest):
        for feature in explanation.changed:
            column, level = used.index(feature), explanation.point[feature]
            ax.add_patch(Rectangle((column + 0.04, line + 0.08), 0.92, 0.84, facecolor=PALE, linewidth=0))
            shared = explanation.ends is None and level >= 0
            word = target_words(result, explanation, feature, level, labels) if shared else ""
            word = plain(word, MOST_LETTERS)
            ax.text(column + 0.5, line + 0.5, word, ha="center", va="center", fontsize=7, color=INK)
    names = [plain(labels.features[feature], MOST_LETTERS) for feature in used]
    angle, at = (0, "center") if len(used) <= FEW_FEATURES else (30, "left")
    ax.set_xlim(0, max(len(used), 1))
    ax.set_xticks(np.arange(len(used)) + 0.5, names, rotation=angle, ha=at, rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.spines[:].set_visible(False)
    ax.set_xlabel(" ".join(_cut(result, limit)), fontsize=8)
    return _name_lines(ax, _sizes(result, largest))


def _largest(result: Result, limit: int) -> list[Explanation]:
    return sorted(result.explanations, key=lambda one: -people_in(result, one.members))[:limit]


def _cut(result: Result, limit: int) -> list[str]:
    """Say that not all explanations are drawn, if so."""
    return [f"the {limit} largest of {result.count:,} explanations"] if result.count > limit else []


def _sizes(result: Result, explanations: Sequence[Explanation]) -> list[str]:
    sizes = [people_in(result, explanation.members) for explanation in explanations]
    return [f"{size:,} {noun(result, size)}" for size in sizes]


def _name_lines(ax: Axes, sizes: Sequence[str]) -> Axes:
    """Say how many rows each line covers; the first one is on top."""
    ax.set_ylim(len(sizes), 0)
    ax.set_yticks(np.arange(len(sizes)) + 0.5, sizes)
    ax.tick_params(length=0, labelsize=8)
    return ax


def _column_labels(schema: Schema) -> list[str]:
    """One label per one-hot column, features and levels told apart by a colon."""
    pairs = [name.partition("=") for name in schema.one_hot_names]
    return [
        plain(f"{feature.replace('_', ' ')}{': ' if level else ''}{level}", 48) for feature, _, level in pairs
    ]
