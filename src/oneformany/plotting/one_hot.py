"""Heat map of a result's explanations as one-hot columns, as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from oneformany.plotting.explanations import plot_explanations
from oneformany.result.labels import labels_of

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["plot_one_hot"]


def plot_one_hot(
    result: Result, ax: Axes | None = None, limit: int = 20, *, outline_changed: bool = True
) -> Axes:
    """Draw each explanation as a line of one-hot columns: green is 1, white is 0.

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
    largest = sorted(result.explanations, key=lambda explanation: -len(explanation.members))[:limit]
    return plot_explanations(largest, labels_of(result).schema, ax, outline_changed=outline_changed)
