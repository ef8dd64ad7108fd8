"""A run with first columns, as ``solve`` starts it."""

from __future__ import annotations

import numpy as np

from engine.problems import parts_of
from oneformany.engine.context import Context
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.options import Options
from oneformany.engine.pool import Generated
from oneformany.engine.sources.searched import Searched
from oneformany.stop import Stop


def run_of(problem, options=None, seconds=None, progress=None):
    """Make a run whose pool covers every row that can be helped, with the greedy cover as its best."""
    space, _, oracle = parts_of(problem)
    points = [problem.oracle.reach(problem.question(int(row))).point for row in space.helpable]
    asked = Context(problem, stop=Stop(seconds), options=options or Options(), progress=progress)
    run = Generated(asked, space, oracle)
    run.pool.add(run.first_columns(points))
    run.offer(greedy_cover(run.pool.columns, len(space.rows)))
    return run


def searched(run):
    """The source whose columns the run generates, as long as nobody is beyond help."""
    return Searched(run, np.zeros(len(run.space.problem.rows), dtype=np.bool_))
