"""Compiled: additive scores of many rows after many choices of moves."""

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import lean
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE


@lean()
def judge_sums(
    base: IntArray,
    gains: IntArray,
    may: NDArray[np.bool_],
    choices: IntArray,
    needed: IntArray,
    judged: NDArray[np.int8],
) -> None:
    """Judge each row, whose score is ``base``, after each choice of a cell per feature that moves.

    ``gains`` and ``may`` ``(m, k, cells)`` tell what a row gains at a cell, and whether it may go there;
    ``needed`` has the sum below which nothing is positive, and that from which on everything is.
    """
    for row in range(len(base)):
        for number in range(len(choices)):
            total, able = base[row], True
            for j in range(choices.shape[1]):
                cell = choices[number, j]
                able = able and may[row, j, cell]
                total += gains[row, j, cell]
            if not able or total < needed[0]:
                judged[row, number] = NEGATIVE
            else:
                judged[row, number] = POSITIVE if total >= needed[1] else NEAR
