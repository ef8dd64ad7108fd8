"""What a formulation needs of an embedded classifier, and how far an embedding is from the real one."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import SolverError
from oneformany.oracles.protocol import Oracle
from oneformany.paper.methods.highs import Highs
from oneformany.paper.methods.model import Affine, Model, Objective
from oneformany.paper.methods.one_hot import OneHot

__all__ = ["Embedding", "embedding_error", "require_positive"]

SMALLEST = 1e-9  # what solvers take for zero
ROUNDING = 1e-9  # more than float64 loses in a row scaled to 1


class Embedding(Protocol):
    """A classifier's score as linear constraints on one-hot columns."""

    @property
    def one_hot(self) -> OneHot:
        """The columns it reads."""
        ...

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this."""
        ...

    @property
    def slack(self) -> float:
        """Proved: no embedded score is further than this from the classifier's."""
        ...

    def add(self, model: Model, x: IntArray) -> Affine:
        """Add what defines the score of the point ``x``, and return the score."""
        ...

    def hidden(self, point: IntArray) -> FloatArray:
        """Values at a point of the variables that :meth:`add` adds, in their order."""
        ...


def require_positive(model: Model, score: Affine, threshold: float, slack: float) -> None:
    """Add ``score >= threshold - slack``, scaled to coefficients of size 1.

    The row never excludes a positive point: what is lost in dropped coefficients and rounding is given
    to the slack. A point that only the slack lets in is for the caller to reject.
    """
    scale = float(np.abs(score.values).max(initial=0.0)) or 1.0
    values = score.values / scale
    kept = np.abs(values) >= SMALLEST
    dropped = score.columns[~kept]
    reach = np.maximum(np.abs(model.variables.lower[dropped]), np.abs(model.variables.upper[dropped]))
    lost = float(np.abs(values[~kept]) @ reach) + ROUNDING
    model.constraints.add(
        score.columns[kept], values[kept], lower=(threshold - slack - score.constant) / scale - lost
    )


def embedding_error(embedding: Embedding, oracle: Oracle, codes: IntArray) -> float:
    """Largest distance of the embedded score from the classifier's at given points.

    Each point is fixed in the model and the score there minimised and maximised, so that constraints
    which leave the score too much room, or none, are found as well.

    Raises
    ------
    SolverError
        The embedding excludes a point.
    """
    solver = Highs()
    model = Model()
    x = embedding.one_hot.add_point(model, 1)[0]
    score = embedding.add(model, x)
    error = 0.0
    for point, true in zip(np.atleast_2d(codes), oracle.score(np.atleast_2d(codes)), strict=True):
        fixed = replace(model, variables=model.variables.fixed(x, embedding.one_hot.encode(point)[0]))
        for maximise in (False, True):
            objective = Objective(score.columns, score.values, maximise)
            outcome = solver.solve(replace(fixed, objective=objective))
            if outcome.status != "optimal":
                raise SolverError(f"the embedded classifier excludes the point {point.tolist()}")
            error = max(error, abs(score.at(outcome.solutions[0].values) - float(true)))
    return error
