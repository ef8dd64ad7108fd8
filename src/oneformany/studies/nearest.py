"""One row by itself: its nearest change, and several alternatives that differ in what they ask for."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import usual_arithmetic
from oneformany.engine.again import accepts, until_accepted
from oneformany.exceptions import InputError
from oneformany.explainer.posing import pose
from oneformany.problem import Problem
from oneformany.problem.problem import checked_problem
from oneformany.result.facts import TurnedDownError
from oneformany.schema.feature import is_integer
from oneformany.schema.frames import Table
from oneformany.stop import Stop
from oneformany.studies.curves import checked_explainer

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany


@dataclass(frozen=True)
class Alternative:
    """A change of one row that the classifier accepts.

    Attributes
    ----------
    row : int
        The given row.
    point : tuple of int
        Its cells afterwards.
    changed : tuple of int
        The features in which it moves.
    cost : int
        What that costs it.

    Examples
    --------
    >>> Alternative(row=4, point=(1, 2), changed=(1,), cost=1).changed
    (1,)
    """

    row: int
    point: tuple[int, ...]
    changed: tuple[int, ...]
    cost: int


def nearest_change(problem: Problem, row: int) -> Alternative | None:
    """Find the cheapest change of a row that the classifier accepts; ``None``: proved that there is none.

    Parameters
    ----------
    problem : Problem
        Rows, classifier, number of changes, allowed moves, costs; of a frame, ``explainer.problem(frame)``.
    row : int
        Which of the given rows.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 2]], threshold=2)
    >>> nearest_change(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=2), row=0)
    Alternative(row=0, point=(0, 1), changed=(1,), cost=1)
    """
    return next(iter(alternatives(problem, row, count=1)), None)


@usual_arithmetic()
def alternatives(problem: Problem, row: int, count: int = 3) -> tuple[Alternative, ...]:
    """Find several changes of a row, each the cheapest that does not include an earlier one.

    A change includes another when it moves in all the features in which the other one moves: whoever
    follows it has no need of the rest. So no two of the list ask for the same features, and each is optimal
    given the earlier ones.

    Parameters
    ----------
    problem : Problem
        Rows, classifier, number of changes, allowed moves, costs; of a frame, ``explainer.problem(frame)``.
    row : int
        Which of the given rows.
    count : int
        How many at most; fewer where there are no more.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 2], [0, 1]], threshold=2)
    >>> problem = ofm.Problem([[0, 0, 0]], (2, 2, 2), oracle, max_changes=2)
    >>> [found.changed for found in alternatives(problem, row=0)]
    [(1,), (0, 2)]
    """
    last = len(checked_problem(problem).codes) - 1
    if not is_integer(row, 0) or row > last:
        raise InputError(f"row is {row!r}; it must be an integer from 0 to {last}")
    if not is_integer(count, 1):
        raise InputError(f"count is {count!r}; it must be an integer of at least 1")
    cheapest = cache(partial(_cheapest_without, problem, int(row)))
    found: list[Alternative] = []
    while len(found) < count:  # a change that includes none of the earlier ones leaves out a feature of each
        ways = dict.fromkeys(map(frozenset, product(*(one.changed for one in found))))
        others = [one for one in map(cheapest, ways) if one is not None]
        if not others:
            break
        found.append(min(others, key=lambda one: (one.cost, len(one.changed), one.changed)))
    return tuple(found)


@usual_arithmetic()
def alternatives_of_frame(
    explainer: "OneForMany", frame: AnyFrame, row: Hashable, count: int = 3
) -> pd.DataFrame:
    """Find several changes of one row of a frame, each the cheapest that does not include an earlier one.

    Parameters
    ----------
    explainer : OneForMany
        Model, number of changes, rules, costs.
    frame : frame
        The row among others, from which new values are taken if the explainer has no reference data.
    row : object
        Its label in the index of the frame.
    count : int
        How many at most; fewer where there are no more.

    Returns
    -------
    DataFrame
        One line per alternative, numbered from 1: its ``cost``, then the new values by feature, missing
        where the row stays as it is. No line: proved that no change helps.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from oneformany import OneForMany
    >>> frame = pd.DataFrame({"job": [0, 0, 1, 1], "rooms": [1, 2, 1, 2]}, index=["Ada", "Ben", "Cem", "Dil"])
    >>> model = LogisticRegression(C=100).fit(frame, [0, 0, 0, 1])
    >>> alternatives_of_frame(OneForMany(model, max_changes=2), frame, "Ben").to_dict("records")
    [{'cost': 1, 'job': 1}]
    """
    table = Table.of(frame)
    posed = pose(checked_explainer(explainer), table)
    found = table.frame.index.get_indexer_for(pd.Index([row]))
    if len(found) > 1 or found[0] < 0:
        number = "no row" if found[0] < 0 else f"{len(found)} rows"
        raise InputError(f"the frame has {number} labelled {row!r}; give a label that one row has")
    if posed.positive[found[0]]:
        raise InputError(f"row {row}: the model accepts it already; there is nothing to change")
    problem, schema = posed.problem(explainer.max_changes, explainer.share), posed.schema
    scale = 1 if problem.costs is None else problem.costs.scale
    lines = [
        {
            "cost": one.cost if scale == 1 else one.cost / scale,
            **{schema.names[f]: schema.features[f].target_values[one.point[f]] for f in one.changed},
        }
        for one in alternatives(problem, int(np.searchsorted(posed.refused, found[0])), count)
    ]
    index = pd.RangeIndex(1, len(lines) + 1, name="alternative")
    return pd.DataFrame(lines, index=index, columns=None if lines else ["cost"])


def _cheapest_without(problem: Problem, row: int, left_out: frozenset[int]) -> Alternative | None:
    """Find the cheapest change of a row that leaves out some features."""

    def answer(asked: Problem) -> Alternative | None:
        best = _cheapest(asked, row, left_out)
        if best is None or asked is problem:
            return best
        if not accepts(problem, np.array([row]), np.array([best.point])).all():
            raise TurnedDownError
        return best

    return until_accepted(problem, answer, Stop())


def _cheapest(problem: Problem, row: int, left_out: frozenset[int]) -> Alternative | None:
    from oneformany.engine.listing.batches import Batches
    from oneformany.engine.listing.ground import Ground
    from oneformany.engine.listing.single_rows import cheapest

    ground = Ground.of(problem, only=np.array([problem.row_of[row]]))
    features = np.setdiff1d(ground.changeable, np.array(list(left_out), dtype=np.int64))
    budget = min(problem.max_changes, len(features))
    first = np.zeros(1, dtype=np.int64)
    costs, cells = cheapest(ground, Batches(ground, Stop()), first, features, budget)
    if costs[0] < 0:
        return None
    before = ground.rows[0]
    point = np.where(cells[0] >= 0, cells[0], before)
    changed = np.flatnonzero(point != before)
    return Alternative(row, tuple(point.tolist()), tuple(changed.tolist()), int(costs[0]))
