"""Comparison of subgroups: each one's distance from the others, with its 95 % interval."""

from __future__ import annotations

from math import isnan

from matplotlib.axes import Axes

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import GREY, INK, PAPER_WIDTH, RED, axes, plain, taken, tidy
from oneformany.studies.audit import MEASURES, Audit


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
        raise InputError(
            f"no two subgroups by {audit.by!r} have rows of which to compare {MEASURES[measure]}"
        )
    ax = axes(ax, PAPER_WIDTH, 1.25 + 0.32 * len(lines))
    factor = 1.0 if measure == "mean_changes" else 100.0
    for height, line in enumerate(lines):
        colour = RED if line.clear else GREY
        ax.plot([factor * line.low, factor * line.high], [height, height], color=colour, linewidth=2)
        ax.plot(factor * line.difference, height, "o", color=colour, markersize=6)
    ax.axvline(0, color=INK, linewidth=0.8)
    names = [f"{plain(line.subgroup)} ({_size(audit, line.subgroup, measure)})" for line in lines]
    ax.set_yticks(range(len(lines)), names)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    unit = "" if measure == "mean_changes" else ", percentage points"
    ax.set_title(f"By {plain(audit.by)}: {MEASURES[measure]}", fontsize=9, loc="left")
    return tidy(ax, f"subgroup less all others{unit}\n95 % intervals, red: clear of chance, grey: not")


def _size(audit: Audit, subgroup: object, measure: str) -> str:
    line = audit.table.iloc[audit.table.index.tolist().index(subgroup)]
    if measure == "mean_changes":
        return f"{line['covered']:.0f} rows"
    base = {"refused": "rows", "beyond_help": "refused", "needs_rare": "covered"}[measure]
    return f"{line[measure]:.0f} of {line[base]:.0f}"
