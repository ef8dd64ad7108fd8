"""The second objective: as few explanations for as many people as before, at the least cost."""

from oneformany.engine.context import Context
from oneformany.engine.sources.protocol import ColumnSource
from oneformany.engine.standing import CostStanding, Standing


def cheapen(source: ColumnSource, run: Context, first: Standing) -> CostStanding | None:
    """Make an answer cheaper; ``None`` where nobody asked for it, or nothing could be done.

    An answer for everybody, or for the most people, keeps whom it covers; one for a share of the people
    keeps that share.
    """
    if not run.cheaply or not len(first.chosen) or run.stop.expired():
        return None
    return source.cheaper(run, first)
