"""Proofs that there is no positive point, kept to answer later questions."""

from __future__ import annotations

import numpy as np

from oneformany.oracles.protocol import Question

ENTRIES = 250_000  # that can be looked at while a classifier answers
NEVER = 2**40  # more than any budget of changes


class NoGoods:
    """The latest questions answered by "none", and whether a further question asks about no other points.

    A question charges a point 1 for each change that is not free, and admits it up to ``extra``. If all
    points of a further question are admitted, there is none among them either.

    Parameters
    ----------
    n_features, n_levels : int
        Features, and the largest number of levels of one.
    """

    def __init__(self, n_features: int, n_levels: int) -> None:
        self._features = np.arange(n_features)
        self._kept = 1 + ENTRIES // (n_features * n_levels)
        self._charges = np.zeros((0, n_features, n_levels), dtype=np.int64)
        self._extra = np.zeros(0, dtype=np.int64)

    def learn(self, question: Question) -> None:
        """Remember that the question has no positive point."""
        charges = np.where(question.domain, 1 - question.free[:, None], NEVER)
        stays = self._features[~question.free]
        charges[stays, question.anchor[stays]] = 0
        self._charges = np.concatenate((charges[None], self._charges[: self._kept - 1]))
        self._extra = np.concatenate(([question.extra], self._extra[: self._kept - 1]))

    def answer(self, question: Question) -> bool:
        """Whether a known "none" covers every point of the question."""
        stay = self._charges[:, self._features, question.anchor]
        move = np.where(question.domain, self._charges, 0).max(axis=2)
        least = np.where(question.free, move, stay)
        worse = np.where(question.free, 0, np.maximum(move - stay, 0))
        worse = -np.sort(-worse, axis=1)[:, : question.extra]
        return bool((least.sum(axis=1) + worse.sum(axis=1) <= self._extra).any())
