"""Where the rows of an explanation end, for each way to share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.claims import Explanation
from oneformany.verify.problem import Problem

__all__ = ["cells_after"]


def cells_after(problem: Problem, explanation: Explanation) -> NDArray[np.int64]:
    """Tell the cells of each member after following: the point's, the advice's, or the member's own end."""
    if explanation.ends is not None:
        return explanation.ends
    if problem.share == "point":
        return np.tile(np.array(explanation.point, dtype=np.int64), (len(explanation.members), 1))
    cells = problem.codes[list(explanation.members)]
    changed = list(explanation.changed)
    cells[:, changed] = np.array(explanation.point, dtype=np.int64)[changed]
    return cells
