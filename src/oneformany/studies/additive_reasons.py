"""Reasons of all rows at once, where the score is a sum over features that decides exactly."""

from collections.abc import Iterator

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem


class AdditiveReasons:
    """What each feature of each distinct row has to do with its refusal, worked out for all rows together.

    A change that uses a feature moves it to the best other cell that its row may go to, and up to
    ``max_changes`` less one of the other features that lift the score most. It is accepted if that makes up
    for the deficit; with as few others as that takes, it is as small as possible.
    """

    def __init__(self, problem: Problem, oracle: AdditiveOracle) -> None:
        from oneformany.engine.listing.ground import Ground  # compiled parts are loaded when they are needed
        from oneformany.engine.listing.kernels import NO_MOVE

        ground = Ground.of(problem)
        self.possible = ground.decided and problem.slack is None
        if not self.possible:
            return
        n, p = ground.rows.shape
        rows = np.arange(n)
        self.cells = ground.rows
        self.moves, self.goals = np.full((n, p), -np.inf), np.zeros((n, p), dtype=np.int64)
        self.gains = np.zeros((n, p))
        for feature in range(p):
            gain = ground.gain(feature, rows)
            gain[rows, ground.rows[:, feature]] = NO_MOVE
            best = gain.argmax(axis=1)
            found = gain[rows, best]
            self.moves[:, feature] = np.where(found == NO_MOVE, -np.inf, found)
            self.goals[:, feature] = best
            self.gains[:, feature] = _largest_gain(problem, oracle, feature)
        self.deficit = ground.deficit
        lifts = np.maximum(self.moves, 0.0)
        self._order = np.argsort(-lifts, axis=1, kind="stable")
        self._rank = np.argsort(self._order, axis=1, kind="stable")
        self._sums = np.cumsum(np.take_along_axis(lifts, self._order, axis=1), axis=1)
        self._sums = np.insert(self._sums, 0, 0.0, axis=1)
        self.least = self._least_changes(problem.max_changes, lifts)

    def features(self, row: int) -> Iterator[int]:
        """The features of a row, the weightiest first."""
        yield from np.argsort(-self.gains[row], kind="stable").tolist()

    def end(self, row: int, feature: int) -> tuple[int, ...]:
        """The cells of a row after the smallest accepted change that uses a feature."""
        end = self.cells[row].copy()
        others = [other for other in self._order[row].tolist() if other != feature]
        for moved in [feature, *others[: int(self.least[row, feature]) - 1]]:
            end[moved] = self.goals[row, moved]
        return tuple(end.tolist())

    def _least_changes(self, most: int, lifts: FloatArray) -> IntArray:
        """With how few changes one that uses a feature is accepted, ``(n, p)``; 0: with none."""
        least = np.zeros(self.moves.shape, dtype=np.int64)
        features = self.moves.shape[1]
        for others in range(min(most, features)):
            inside = self._rank < others  # then one further feature takes its turn
            together = self._sums[:, [others]]
            further = self._sums[:, [min(others + 1, features)]]
            lifted = np.where(inside, further - lifts, together)
            accepted: BoolArray = self.moves + lifted >= self.deficit[:, None]
            least[accepted & (least == 0)] = others + 1
        return least


def _largest_gain(problem: Problem, oracle: AdditiveOracle, feature: int) -> FloatArray:
    """By how much the score of each distinct row rises at most when one feature alone changes."""
    units = oracle.units[feature]
    own = units[problem.values[:, feature]]
    levels = problem.levels[feature]
    targets = np.arange(levels) if problem.own is None else problem.own.targets[feature]
    offered = targets[targets >= 0]
    most = units[offered].max() if len(offered) else units.min()
    return np.asarray(np.maximum(most - own, 0) / 10**oracle.digits)
