"""All actions of a row under a network: its first sums are additive over moves, the layers behind are not.

So the first sums of a row after an action are those that it has now plus a line of numbers for each move.
Actions with the same first moves go through the layers together, and are left out where the range of each
unit over all their last moves says that none is accepted.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.oracles.actions import Actions
from oneformany.oracles.dense import DenseJudge
from oneformany.oracles.network.action_kernels import judge_row_of_network
from oneformany.oracles.network.kernels import Arrays


class NetworkJudge(DenseJudge[float]):
    """Judges all actions of rows under a network.

    Sums are added up in another order than that of scores; what rounding, at most ``slack``, may decide is
    near.
    """

    def __init__(
        self, net: Arrays, slack: float, actions: Actions, needed: Callable[[], tuple[float, float]]
    ) -> None:
        super().__init__(actions, needed)
        self._net, self._slack = net, slack
        # How many pairs of slots there are from each slot on
        self._pairs = actions.ways[2] if actions.most > 1 else np.zeros(len(actions.owner) + 1, np.int64)

    def sums(
        self,
        values: IntArray,
        may: NDArray[np.int8],
        start: int,
        most: int,
        needed: tuple[float, float],
        judged: NDArray[np.int8],
    ) -> None:
        """Send the sums through the layers."""
        slots = self.actions.owner, self.actions.goals, self.actions.after, self._pairs
        span = start, most
        judge_row_of_network(self._net, values, may, span, slots, needed, self._slack, judged)
