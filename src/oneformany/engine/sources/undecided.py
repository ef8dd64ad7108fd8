"""Rows of which nothing is known: looked at where time is left."""

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.engine.context import Context
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import Reached, reach_rows


def reach_undecided(run: Context, examined: BoolArray) -> Reached | None:
    """Look at the rows that were not examined; ``None`` where there are none, or no time.

    Without a time limit everybody was examined as long as any other limit allowed.
    """
    if examined.all() or not 0 < run.stop.remaining() < np.inf:
        return None
    with run.statistics.timed("listing"):
        return reach_rows(Ground.of(run.problem), run.stop, ~examined)
