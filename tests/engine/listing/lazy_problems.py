"""Problems whose classifier has to be asked, and what brute force says about them."""

from __future__ import annotations

import numpy as np

from engine.listing.sharing_problems import draw_oracle, draw_own, draw_problem
from oneformany.engine.options import Options
from oneformany.problem import Problem
from reference import smallest_cover
from reference_sharing import all_groups, maximal

KINDS = ("tree", "network", "black box")
LAZY = Options(way="listing", least_cost=False)


def drawn(seed, kind):
    return draw_problem(np.random.default_rng(seed), kind, "point", costed=False)


def truth(problem):
    groups = maximal(all_groups(problem), problem.multiplicity)
    masks = [sum(1 << row for row in group) for group in groups]
    reached = sorted(set().union(*groups))
    return len(smallest_cover(masks, sum(1 << row for row in reached))), reached


def larger(seed, kind, rows=60):
    """Own values of many rows, of which a classifier accepts some together and some not."""
    rng = np.random.default_rng(seed)
    levels = (3, 3, 2, 3, 2, 3)
    codes = rng.integers(levels, size=(rows, len(levels)))
    own = draw_own(rng, codes, levels)
    oracle = draw_oracle(rng, kind, tuple(len(cells) for cells in own.cell_of))
    return Problem(codes, levels, oracle, 3, own=own)
