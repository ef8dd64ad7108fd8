"""Charts of bars, lines and points: how large groups are, what is changed, what budgets buy, who differs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from oneformany.exceptions import InputError
from oneformany.plotting import canvas
from oneformany.plotting.canvas import PAPER_WIDTH, axes, checked, named, plain, taken, tick_integers, tidy
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result
from oneformany.result.tables import changes_by_feature, coverage_curve, shown_rounds
from oneformany.schema.schema import Schema
from oneformany.studies.audit import MEASURES, SHARES, Audit
from oneformany.studies.curves import Frontier
from oneformany.studies.how_many import Curve

# What grows: its name on the axis, the column of what it buys, what that is called, and its bound.
BUDGETS = {
    "max_changes": ("features that may change", "count", "explanations needed", "proved: no fewer"),
    "explanations": ("explanations", "covered", "{} covered", "proved: no more"),
}


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


def plot_changed_features(result: Result, ax: Axes | None = None) -> Axes:
    """Count for each feature the rows that change it; most often on top.

    Parameters
    ----------
    result : Result
        What to draw.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one bar per feature that at least one row changes, at most 30.

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
    order = [int(feature) for feature in np.argsort(-moved, kind="stable") if moved[feature]][:30]
    if not order:
        raise InputError("no row changes anything, so there is nothing to draw")
    names = [plain(result.labels.feature(feature)) for feature in order]
    label = f"{result.labels.several} that change the feature, of {result.covered:,} covered"
    return _bars(axes(ax, PAPER_WIDTH, 0.9 + 0.22 * len(order)), names, moved[order].tolist(), label)


def plot_change_counts(
    explanations: Result | Iterable[Explanation], schema: Schema | None = None, ax: Axes | None = None
) -> Axes:
    """Count for each feature the explanations that change it; most often on top.

    Parameters
    ----------
    explanations : Result or iterable of Explanation
        Of one result or of many.
    schema : Schema or None
        Names of the features; a result has them.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With one bar per feature.

    Examples
    --------
    >>> import oneformany as ofm
    >>> from oneformany.result import Explanation
    >>> schema = ofm.Schema((ofm.Feature("job", ("none", "steady")), ofm.Feature("home", ("rent", "own"))))
    >>> explanations = [Explanation(point=(1, 0), changed=(0,), members=(0, 1))]
    >>> ax = plot_change_counts(explanations, schema)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['job', 'home']
    """
    given, schema, _ = named(explanations, schema)
    counts = Counter(feature for explanation in given for feature in explanation.changed)
    order = sorted(range(len(schema.features)), key=lambda feature: (-counts[feature], feature))
    names = [one.title or one.name.replace("_", " ") for one in map(schema.features.__getitem__, order)]
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
    rounds, counted, proved = shown_rounds(result)
    if not rounds:
        raise InputError("the result has no record of its rounds to draw")
    seconds = [step.seconds for step in rounds]
    ax = axes(ax, PAPER_WIDTH, 2.8)
    lines = [("count", canvas.GREEN, "-", "best answer so far"), ("bound", canvas.BLUE, "--", proved)]
    for name, colour, style, label in lines:
        heights = [getattr(step, name) for step in rounds]
        ax.step(seconds, heights, where="post", color=colour, linewidth=2, linestyle=style, label=label)
    ax.set_ylim(bottom=0)
    tick_integers(ax.yaxis)
    return tidy(ax, "seconds", counted, legend=True)


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


def plot_frontier(frontier: Frontier | pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what each budget achieves, and the proved bound on it.

    Parameters
    ----------
    frontier : Frontier or DataFrame
        As :func:`oneformany.studies.frontier` gives it, or its ``frame()``: ``max_changes`` and ``count``, or
        ``explanations`` and ``covered``; and ``bound``, the proved side.
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
    taken(frontier, pd.DataFrame, Frontier, words=words)
    lines = frontier if isinstance(frontier, pd.DataFrame) else frontier.frame()
    results = getattr(frontier, "results", ())
    budget = next((name for name in BUDGETS if name in lines.columns), "max_changes")
    asked, value, title, proved = BUDGETS[budget]
    if lines.empty or not {budget, value, "bound"} <= set(lines.columns):
        raise InputError(
            f"a frontier needs lines with the columns max_changes, count and bound, or explanations, covered "
            f"and bound; this one has {len(lines)} lines of {', '.join(map(str, lines.columns))}"
        )
    ax = axes(ax, PAPER_WIDTH, 2.8)
    ax.plot(lines[budget], lines[value], color=canvas.GREEN, linewidth=2, marker="o", label="found")
    ax.plot(lines[budget], lines["bound"], color=canvas.BLUE, linewidth=2, ls="--", marker=".", label=proved)
    ax.set_ylim(0, 1.05 * ax.dataLim.ymax)  # a flat curve keeps its marks below the top
    tick_integers(ax.xaxis, ax.yaxis)
    counted = results[0].labels.several if results else "rows"
    return tidy(ax, asked, title.format(counted), legend=True)


def plot_curve(curve: Curve, ax: Axes | None = None) -> Axes:
    """Draw how many people 1, 2, 3, ... explanations help, and what that costs them.

    Parameters
    ----------
    curve : Curve
        From :meth:`oneformany.OneForMany.curve`.
    ax : Axes or None
        Where to draw.

    Returns
    -------
    Axes
        With people on the left scale, cost on the right one, each with its bound, and a line where it bends.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> model = DecisionTreeClassifier().fit(frame, [0, 0, 0, 1])
    >>> plot_curve(ofm.OneForMany(model, max_changes=1).curve(frame)).get_xlabel()
    'explanations'
    """
    taken(curve, Curve, words="a Curve, such as OneForMany(...).curve(frame)")
    lines, first = curve.frame(), curve.results[0]
    ax = axes(ax, PAPER_WIDTH, 3.0)
    x = lines["explanations"]
    ax.plot(x, lines["covered"], color=canvas.GREEN, linewidth=2, marker="o", label="helped")
    bound: dict[str, Any] = {"linewidth": 1.2, "linestyle": "--", "marker": "."}
    ax.plot(x, lines["covered_bound"], color=canvas.GREEN, label="proved: no more", **bound)
    paid = "changes" if first.problem.get("costs") is None else "cost"
    right = ax.twinx()
    right.plot(x, lines["cost"], color=canvas.BLUE, linewidth=2, marker="s", markersize=4)
    right.plot(x, lines["cost_bound"].astype(float), color=canvas.BLUE, **bound)
    ax.plot([], [], color=canvas.BLUE, linewidth=2, marker="s", markersize=4, label=f"{paid} (right)")
    ax.plot([], [], color=canvas.BLUE, label="proved: no less", **bound)
    right.set_ylim(bottom=0)
    right.set_ylabel(f"{paid} of all together", fontsize=9)
    right.tick_params(labelsize=8)
    right.spines[["top"]].set_visible(False)
    ax.axvline(curve.elbow, color=canvas.GREY, linewidth=0.8, linestyle=":")
    ax.set_ylim(0, 1.05 * max(1, int(lines["covered_bound"].max())))
    tick_integers(ax.xaxis, ax.yaxis)
    return tidy(ax, "explanations", f"{first.labels.several} helped", legend=True)


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
        words = f"no two subgroups by {audit.by!r} have rows of which to compare {audit.words(measure)}"
        raise InputError(words)
    ax = axes(ax, PAPER_WIDTH, 1.25 + 0.32 * len(lines))
    factor, unit = (1.0, "") if measure == "mean_changes" else (100.0, ", percentage points")
    known, names = audit.table.index.tolist(), []
    for height, line in enumerate(lines):
        colour = canvas.RED if line.clear else canvas.GREY
        ax.plot([factor * line.low, factor * line.high], [height, height], color=colour, linewidth=2)
        ax.plot(factor * line.difference, height, "o", color=colour, markersize=6)
        counts = audit.table.iloc[known.index(line.subgroup)]
        size = f"{counts['covered']:.0f} {audit.table.columns[0]}"
        if measure in SHARES:
            size = f"{counts[measure]:.0f} of {counts.iloc[SHARES[measure]]:.0f}"
        names.append(f"{plain(line.subgroup)} ({size})")
    ax.axvline(0, color=canvas.INK, linewidth=0.8)
    ax.set_yticks(range(len(lines)), names)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.set_title(f"By {plain(audit.by)}: {audit.words(measure)}", fontsize=9, loc="left")
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
