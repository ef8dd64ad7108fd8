"""Why explanations are nearly as many as rows: which features keep the rows apart, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oneformany.arrays import IntArray

if TYPE_CHECKING:
    from oneformany.result.result import Result

MOST_ROWS = 400  # are compared with each other
MOST_FEATURES = 5  # are named
# What ended a run before it was known how many explanations are needed, and what to do.
REMEDIES = {
    "time limit": ("the time was up", "more time (time_limit), or fewer rows at once"),
    "interrupted": ("the run was interrupted", "let it run to its end"),
    "limit": ("a limit was reached", "fewer rows at once, or fewer changes, all of which can be listed"),
}


def apart_words(result: Result) -> str:
    """Say what keeps rows apart and what to do, where explanations are more than half as many as rows."""
    rows, changes = np.flatnonzero(result.has_explanation), int(result.problem["max_changes"])
    if len(rows) < 2 or 2 * result.count <= len(rows):
        return ""
    head, besides = f"Why so many: {result.count} explanations for {len(rows)} rows.", ""
    if 2 * result.lower_bound <= len(rows) and result.ended in REMEDIES:
        needed = f"{result.lower_bound} {'is' if result.lower_bound == 1 else 'are'} proved to be needed"
        why, remedy = REMEDIES[result.ended]
        head += (
            f" That is what was found until {why}; only {needed}, and how many fewer would do is not known. "
            f"What to do first: {remedy}."
        )
        besides = " besides"
    more = f"more changes (max_changes={changes + 1} or more)"
    if result.share != "point":
        only = ', or rows that share only which features change (share="features")'
        return (
            f"{head} What keeps rows apart{besides}: few are accepted after the same change of at most "
            f"{changes} features. What to do: {more}, fewer rules{only if result.share == 'action' else ''}."
        )
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.int64)]
    features, distance = _keep_apart(result.codes[some], changes)
    names = [f"{result.labels.feature(f)} ({result.problem['levels'][f]} cells)" for f in features]
    return (
        f"{head} Rows of one explanation agree in all but {changes} of {len(result.problem['levels'])} "
        f"features, and a row differs from the one most like it in {distance} (median). What keeps "
        f"rows apart{besides or ' most'}: {', '.join(names)}. "
        f"What to do: coarser cells for these (bins= or edges=), {more}, or rows that share the advice only "
        '(share="action").'
    )


def _keep_apart(codes: IntArray, changes: int) -> tuple[list[int], int]:
    """Name the features that keep rows apart, and how many a row and the one most like it differ in.

    Features are named one after the other: the one that, put into one cell, would bring most rows within
    so many changes of another row, as long as that helps.
    """
    differs = [column[:, None] != column for column in codes.T]
    left = np.asarray(np.sum(differs, axis=0, dtype=np.int16))
    np.fill_diagonal(left, np.iinfo(np.int16).max)
    distance, named = int(np.median(left.min(axis=1))), list[int]()
    while len(named) < min(MOST_FEATURES, len(differs) - changes):
        nearest = {f: (left - differs[f]).min(axis=1) for f in range(len(differs)) if f not in named}
        best = min(nearest, key=lambda f: (-(nearest[f] <= changes).sum(), nearest[f].sum()))
        if nearest[best].sum() >= left.min(axis=1).sum():
            break
        named.append(best)
        left = left - differs[best]
    return named, distance
