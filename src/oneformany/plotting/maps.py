"""Explanations as lines of a picture: green one-hot columns as in the paper, or a table of what changes."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREEN, INK, PALE, PAPER_WIDTH, axes, checked, named, plain
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result
from oneformany.schema.schema import Schema

MOST_LETTERS = 20  # of a line in a cell: as many as fit at 7 points
MOST_WRAPPED = 3  # lines of a cell


def plot_explanations(
    explanations: Result | Sequence[Explanation], schema: Schema | None = None, ax: Axes | None = None
) -> Axes:
    """Draw each explanation as a line of one-hot columns: green is 1, white is 0.

    Parameters
    ----------
    explanations : Result or sequence of Explanation
        What to draw, first on top.
    schema : Schema or None
        Names of features and levels; a result has them.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one cell per explanation and one-hot column, and a frame around each feature that rows change.

    Examples
    --------
    >>> import oneformany as ofm
    >>> from oneformany.result import Explanation
    >>> schema = ofm.Schema((ofm.Feature("job", ("none", "steady")), ofm.Feature("home", ("rent", "own"))))
    >>> explanations = [Explanation(point=(1, 0), changed=(0,), members=(0, 1))]
    >>> ax = plot_explanations(explanations, schema)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['2 rows']
    """
    given, schema, sizes = named(explanations, schema)
    if not given:
        raise InputError("there is no explanation to draw")
    points, blocks = np.array([explanation.point for explanation in given]), schema.blocks
    values = schema.one_hot(np.maximum(points, 0))
    for feature, block in enumerate(blocks):  # what rows do not share is -1, and stays white
        values[np.ix_(points[:, feature] < 0, block)] = 0
    pairs = [name.partition("=") for name in schema.one_hot_names]
    labels = [plain(f"{name.replace('_', ' ')}{': ' if of else ''}{of}", 48) for name, _, of in pairs]
    columns, longest = len(labels), max(map(len, labels))
    height = 0.55 + 0.3 * len(given) + 0.045 * longest
    ax = axes(ax, max(PAPER_WIDTH, 1.6 + 0.29 * columns), height)
    white_green = ListedColormap(["white", GREEN])
    ax.pcolormesh(values, cmap=white_green, vmin=0, vmax=1, edgecolors="#c8c8c8", linewidth=0.6)
    for block in blocks[1:]:
        ax.axvline(float(block[0]), color=INK, linewidth=0.9)
    for line, explanation in enumerate(given):
        for block in (blocks[feature] for feature in explanation.changed):
            corner, width = (float(block[0]) + 0.06, line + 0.08), len(block) - 0.12
            ax.add_patch(Rectangle(corner, width, 0.84, fill=False, color=INK, linewidth=1.3))
    ax.set_xlim(0, columns)
    ax.set_xticks(np.arange(columns) + 0.5, labels, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_xlabel("green: 1, white: 0; framed: features that change", fontsize=8)
    return _name_lines(ax, sizes)


def plot_one_hot(result: Result, ax: Axes | None = None, limit: int = 20) -> Axes:
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
    ['1: 2 rows']
    """
    largest = _largest(result, limit)
    explanations = [result.explanations[number] for number in largest]
    ax = plot_explanations(explanations, result.labels.schema, ax)
    ax.set_xlabel("; ".join(filter(None, (ax.get_xlabel(), _cut(result, limit)))), fontsize=8)
    return _name_lines(ax, _numbered(result, largest))


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
        With a shaded cell, holding the new value, for every change; or "own value", where each row has one.

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
    largest, labels = _largest(result, limit), result.labels
    used = sorted({feature for number in largest for feature in result.explanations[number].changed})
    words = {
        (line, used.index(feature)): _wrapped(_new_value(result, number, feature))
        for line, number in enumerate(largest)
        for feature in result.explanations[number].changed
    }
    most_lines = max((word.count("\n") + 1 for word in words.values()), default=1)
    height = 0.9 + (0.18 + 0.12 * most_lines) * len(largest)
    ax = axes(ax, max(PAPER_WIDTH, 1.3 + 1.1 * len(used)), height)
    for (line, column), word in words.items():
        ax.add_patch(Rectangle((column + 0.04, line + 0.08), 0.92, 0.84, facecolor=PALE, linewidth=0))
        ax.text(column + 0.5, line + 0.5, word, ha="center", va="center", fontsize=7, color=INK)
    names = [plain(labels.feature(feature), MOST_LETTERS) for feature in used]
    angle, at = (0, "center") if len(used) <= 6 else (30, "left")
    ax.set_xlim(0, max(len(used), 1))
    ax.set_xticks(np.arange(len(used)) + 0.5, names, rotation=angle, ha=at, rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.spines[:].set_visible(False)
    ax.set_xlabel(_cut(result, limit), fontsize=8)
    return _name_lines(ax, _numbered(result, largest))


def _new_value(result: Result, number: int, feature: int) -> str:
    """Name the value that an explanation sends its rows to, if they share one."""
    explanation = result.explanations[number]
    level = explanation.point[feature]
    shared = explanation.ends is None and level >= 0
    return result.labels.target(feature, level, number) if shared else "own value"


def _wrapped(text: str) -> str:
    """Break a text into short lines; of one that is too long its end is kept: numbers stand there."""
    lines = wrap(plain(text, MOST_LETTERS * MOST_WRAPPED), MOST_LETTERS)
    if len(lines) > MOST_WRAPPED:
        lines = [*lines[: MOST_WRAPPED - 1], f"…{lines[-1]}"]
    return "\n".join(lines)


def _largest(result: Result, limit: int) -> list[int]:
    """Indices of the explanations that cover most people."""
    sizes = checked(result).labels.sizes
    return sorted(range(len(sizes)), key=lambda number: -sizes[number])[:limit]


def _numbered(result: Result, numbers: Sequence[int]) -> list[str]:
    """Say the number of each explanation, as in summaries and tables, and how many it covers."""
    return [f"{number + 1}: {result.labels.counted(result.labels.sizes[number])}" for number in numbers]


def _cut(result: Result, limit: int) -> str:
    """Say that not all explanations are drawn, if so."""
    return f"the {limit} largest of {result.count:,} explanations" if result.count > limit else ""


def _name_lines(ax: Axes, sizes: Sequence[str]) -> Axes:
    """Say how many rows each line covers; the first one is on top."""
    ax.set_ylim(len(sizes), 0)
    ax.set_yticks(np.arange(len(sizes)) + 0.5, sizes)
    ax.tick_params(length=0, labelsize=8)
    return ax
