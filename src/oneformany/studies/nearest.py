"""One row by itself: its nearest change, and several alternatives that differ in what they ask for."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np

from oneformany.exceptions import InputError
from oneformany.problem import Problem
from oneformany.problem.problem import checked_problem
from oneformany.schema.feature import is_integer
from oneformany.stop import Stop


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


def _cheapest_without(problem: Problem, row: int, left_out: frozenset[int]) -> Alternative | None:
    """Find the cheapest change of a row that leaves out some features."""
    from oneformany.engine.solve import accepts, hopeful_problems  # compiled parts are loaded when needed

    for hopeful in hopeful_problems(problem):
        best = _cheapest(hopeful, row, left_out)
        if best is None or accepts(problem, np.array([row]), np.array([best.point])).all():
            return best
    return _cheapest(problem, row, left_out)


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
