"""Charts of bars, lines and points: how large groups are, what is changed, what budgets buy, who differs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isnan
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from oneformany.exceptions import InputError
from oneformany.plotting import canvas
from oneformany.plotting.canvas import PAPER_WIDTH, axes, checked, plain, taken, tick_integers, tidy
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result
from oneformany.result.tables import MEASURED, changes_by_feature, coverage_curve, shown_rounds
from oneformany.schema.schema import Schema
from oneformany.studies.audit import MEASURES, Audit

# What grows: its name on the axis, the columns that may hold what it buys, and what that is called.
BUDGETS = {
    "max_changes": (
        "features that may change",
        ("value", "count"),
        "explanations needed",
        "proved: no fewer",
    ),
    "explanations": ("explanations", ("value", "covered"), "rows covered", "proved: no more"),
}
# What a measure of an audit is counted of.
BASES = {"refused": "rows", "beyond_help": "refused", "needs_rare": "covered"}


@runtime_checkable
class HasFrame(Protocol):
    """A curve that gives its points as a frame, such as :class:`oneformany.Frontier`."""

    def frame(self) -> pd.DataFrame:
        """One line per point."""
        ...


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
    sizes = sorted(checked(result).labels.sizes, reverse=True)
    ax = axes(ax, PAPER_WIDTH, 2.6)
    wide = 0.8 if len(sizes) < 80 else 1.0
    bars = ax.bar(np.arange(1, len(sizes) + 1), sizes, color=canvas.GREEN, width=wide)
    if len(sizes) <= 30:
        ax.bar_label(bars, padding=1, fontsize=7)
    tick_integers(ax.xaxis, ax.yaxis)
    return tidy(ax, "explanations, largest first", f"{result.labels.several} covered")


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
    names = [plain(result.labels.schema.names[feature]) for feature in order]
    label = f"{result.labels.several} that change the feature, of {result.covered:,} covered"
    return _bars(axes(ax, PAPER_WIDTH, 0.9 + 0.22 * len(order)), names, moved[order].tolist(), label)


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
    ax, sizes = axes(ax, PAPER_WIDTH, 0.9 + 0.19 * len(order)), [counts[feature] for feature in order]
    return _bars(ax, names, sizes, "explanations that change the feature")


def plot_bounds(result: Result, ax: Axes | None = None) -> Axes:
    """Draw how the number of explanations fell and the bound rose.

    Parameters
    ----------
    result : Result
        What to draw; it needs its statistics.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With a line for the best answer so far and one for the bound.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> len(plot_bounds(result).lines)
    2
    """
    taken(result)
    rounds = shown_rounds(result)
    if not rounds:
        raise InputError("the result has no record of its rounds to draw")
    measured, proved = MEASURED[rounds[0].measure]
    seconds = [step.seconds for step in rounds]
    ax = axes(ax, PAPER_WIDTH, 2.8)
    lines = [("count", canvas.GREEN, "-", "best answer so far"), ("bound", canvas.BLUE, "--", proved)]
    for name, colour, style, label in lines:
        heights = [getattr(step, name) for step in rounds]
        ax.step(seconds, heights, where="post", color=colour, linewidth=2, linestyle=style, label=label)
    ax.set_ylim(bottom=0)
    tick_integers(ax.yaxis)
    return tidy(ax, "seconds", measured, legend=True)


def plot_coverage(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the part of all rows that the 1, 2, 3, ... largest groups of this answer hold.

    These are the groups of one answer; the most that so many explanations can reach at all is drawn by
    :func:`oneformany.plotting.plot_frontier`.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With a line that ends at the part of the rows that is covered.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0], [0, 0]], (2, 2), oracle, max_changes=1))
    >>> plot_coverage(result).get_xlabel()
    'explanations, largest first'
    """
    reached = coverage_curve(checked(result))
    ax = axes(ax, PAPER_WIDTH, 2.8)
    mark = "o" if len(reached) <= 40 else ""
    ax.plot(np.arange(len(reached)), reached, color=canvas.GREEN, linewidth=2, marker=mark)
    ax.set_ylim(0, 103)
    ax.set_xlim(left=0)
    tick_integers(ax.xaxis)
    return tidy(ax, "explanations, largest first", f"% of the {result.labels.several}")


def plot_frontier(frontier: HasFrame | pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what each budget achieves, and the proved bound on it.

    Parameters
    ----------
    frontier : Frontier or DataFrame
        One line per budget: ``max_changes`` or ``explanations``; what was found as ``value`` (or ``count`` of
        explanations, ``covered`` rows); and ``bound``, the proved side, if known.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With a line for what was found and one for the bound.

    Raises
    ------
    InputError
        The frame lacks such columns.

    Examples
    --------
    >>> import pandas as pd
    >>> frontier = pd.DataFrame({"max_changes": [1, 2, 3], "count": [9, 5, 2], "bound": [9, 4, 2]})
    >>> plot_frontier(frontier).get_xlabel()
    'features that may change'
    """
    words = "a Frontier, such as frontier_of_frame(explainer, frame), or its frame()"
    taken(frontier, pd.DataFrame, HasFrame, words=words)
    lines = frontier if isinstance(frontier, pd.DataFrame) else frontier.frame()
    budget = next((name for name in BUDGETS if name in lines.columns), "")
    asked, names, title, proved = BUDGETS.get(budget, ("", (), "", ""))
    value = next((name for name in names if name in lines.columns), "")
    if not value or lines.empty:
        raise InputError(
            f"a frontier needs lines with a column {' or '.join(BUDGETS)}, and what was found as value; this "
            f"one has {len(lines)} lines of {', '.join(map(str, lines.columns))}"
        )
    lines, bounded = lines.sort_values(budget), "bound" in lines.columns
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.plot(lines[budget], lines[value], color=canvas.GREEN, linewidth=2, marker="o", label="found")
    if bounded:
        blue = canvas.BLUE
        ax.plot(lines[budget], lines["bound"], color=blue, linewidth=2, ls="--", marker=".", label=proved)
    ax.set_ylim(0, 1.05 * ax.dataLim.ymax)  # a flat curve keeps its marks below the top
    tick_integers(ax.xaxis, ax.yaxis)
    return tidy(ax, asked, title, legend=bounded)


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
        A point and an interval per subgroup; red where the interval leaves out 0, as is said below.

    Raises
    ------
    InputError
        There is no such measure, or nothing to compare.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> model = DecisionTreeClassifier().fit(frame, [0, 0, 0, 1])
    >>> result = ofm.OneForMany(model, max_changes=2).explain(frame)
    >>> audit = ofm.audit(result, frame.assign(sex=["f", "m", "f", "m"]), by="sex")
    >>> [label.get_text() for label in plot_subgroups(audit).get_yticklabels()]
    ['f (2 of 2)']
    """
    taken(audit, Audit, words="an Audit, such as oneformany.audit(result, frame, by)")
    if measure not in MEASURES:
        raise InputError(f"measure is {measure!r}; it must be one of {', '.join(MEASURES)}")
    lines = [line for line in audit.told() if line.measure == measure and not isnan(line.low)]
    if not lines:
        words = f"no two subgroups by {audit.by!r} have rows of which to compare {MEASURES[measure]}"
        raise InputError(words)
    ax = axes(ax, PAPER_WIDTH, 1.25 + 0.32 * len(lines))
    factor, unit = (1.0, "") if measure == "mean_changes" else (100.0, ", percentage points")
    known, names = audit.table.index.tolist(), []
    for height, line in enumerate(lines):
        colour = canvas.RED if line.clear else canvas.GREY
        ax.plot([factor * line.low, factor * line.high], [height, height], color=colour, linewidth=2)
        ax.plot(factor * line.difference, height, "o", color=colour, markersize=6)
        counts = audit.table.iloc[known.index(line.subgroup)]
        size = f"{counts['covered']:.0f} rows"
        if measure in BASES:
            size = f"{counts[measure]:.0f} of {counts[BASES[measure]]:.0f}"
        names.append(f"{plain(line.subgroup)} ({size})")
    ax.axvline(0, color=canvas.INK, linewidth=0.8)
    ax.set_yticks(range(len(lines)), names)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.set_title(f"By {plain(audit.by)}: {MEASURES[measure]}", fontsize=9, loc="left")
    return tidy(ax, f"subgroup less all others{unit}\n95 % intervals, red: clear of chance, grey: not")


def _bars(ax: Axes, names: Sequence[str], counts: Sequence[int], label: str) -> Axes:
    heights = np.arange(len(names))
    bars = ax.barh(heights, counts, color=canvas.GREEN, height=0.75)
    ax.bar_label(bars, padding=2, fontsize=7)
    ax.set_yticks(heights, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    tick_integers(ax.xaxis)
    ax.margins(x=0.08)
    return tidy(ax, label)
