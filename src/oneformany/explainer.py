"""The front door: a fitted classifier and a data frame in, explanations with proof out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from oneformany.exceptions import InputError, PredictionMismatchError
from oneformany.oracles.columns import own_columns
from oneformany.oracles.encoding import Encoding
from oneformany.oracles.protocol import IntArray
from oneformany.oracles.registry import read_model, reader_for
from oneformany.oracles.verdict import Reading
from oneformany.problem import Problem
from oneformany.result import Result
from oneformany.schema.discretise import infer_schema
from oneformany.schema.encode import Schema
from oneformany.schema.rules import Rule, allowed_moves
from oneformany.statistics import Round

__all__ = ["OneForMany"]


@dataclass(eq=False)
class OneForMany:
    """Explain what a classifier turned down with the fewest points, each good for many rows.

    Parameters
    ----------
    model : object
        A fitted binary classifier.
    max_changes : int
        How many features one explanation may change.
    threshold : float or None
        Least probability of a positive point (least decision value for models without probabilities);
        ``None``: as the model's ``predict`` decides.
    schema : Schema, optional
        Features and levels. Without it the model must have been fitted on the frame's own numeric
        columns, and every number that occurs in the frame is a level.
    rules : sequence of Rule
        What may not change, or only in one direction.
    positive : object
        Label of the positive class.

    Attributes
    ----------
    explained_rows_ : array of int
        Places in the frame of the rows that were explained; row ``i`` of the result is the row at
        ``explained_rows_[i]``. The result has the same list as ``result.problem["rows"]``.
    positive_rows_ : array of int
        Places of the rows that need no explanation, because the model already calls them positive.
    """

    model: Any
    max_changes: int = 3
    threshold: float | None = None
    schema: Schema | None = None
    rules: Sequence[Rule] = ()
    positive: object = 1

    def explain(
        self,
        frame: pd.DataFrame,
        time_limit: float | None = None,
        progress: Callable[[Round], None] | None = None,
    ) -> Result:
        """Find the fewest explanations for the rows that the model turns down.

        Every returned point is confirmed by the model's own prediction.

        Parameters
        ----------
        frame : DataFrame
            The rows; those that are positive already are set aside.
        time_limit : float, optional
            Seconds after which the best answer so far is returned, with its proved bound.
        progress : callable, optional
            Called with the state after every step.

        Raises
        ------
        InputError
            Frame, schema or rules cannot be used, or there is nothing to explain.
        UnsupportedModelError
            The model cannot be read.
        PredictionMismatchError
            The model disagrees with its own reading.
        """
        from oneformany.engine.solve import solve  # compiled parts are loaded when they are needed

        schema, source = self._columns(frame)
        codes = schema.encode(frame)
        reading = read_model(self.model, source, self.threshold, self.positive)
        accepted = reading.verdict(codes)
        if accepted.all():
            raise InputError(f"the model calls all {len(codes)} rows positive: there is nothing to explain")
        refused = np.flatnonzero(~accepted)
        _check_refused(reading, codes[refused], frame.index[refused])
        problem = Problem(
            codes[refused],
            schema.levels,
            reading.oracle,
            self.max_changes,
            allowed_moves(schema, self.rules) if self.rules else None,
        )
        result = solve(problem, time_limit=time_limit, progress=progress)
        _confirm(reading, result, schema)
        self.explained_rows_ = refused
        self.positive_rows_ = np.flatnonzero(accepted)
        asked = {
            **result.problem,
            "rows": refused.tolist(),
            "already_positive": self.positive_rows_.tolist(),
        }
        return replace(result, schema=schema, problem=asked)

    def _columns(self, frame: pd.DataFrame) -> tuple[Schema, Schema | Encoding]:
        if self.schema is not None:
            if not isinstance(self.schema, Schema):
                raise InputError(f"schema must be a Schema, not {type(self.schema).__name__}")
            return self.schema, self.schema
        if reader_for(self.model).reads == "rows":
            schema = infer_schema(frame)
            return schema, schema
        return own_columns(self.model, frame)


def _check_refused(reading: Reading, codes: IntArray, labels: pd.Index) -> None:
    """Refuse to go on when the model was misread: the oracle alone calls a row positive."""
    wrong = reading.oracle.positive(codes)
    if wrong.any():
        row = labels[int(np.argmax(wrong))]
        raise PredictionMismatchError(
            f"row {row}: the model turns it down, but its reading calls it positive; please report this model"
        )


def _confirm(reading: Reading, result: Result, schema: Schema) -> None:
    if not result.explanations:
        return
    points = np.array([explanation.point for explanation in result.explanations], dtype=np.int64)
    confirmed = reading.verdict(points)
    if not confirmed.all():
        place = int(np.argmin(confirmed))
        changed = result.explanations[place].changed
        words = ", ".join(
            f"{schema.names[f]} = {schema.features[f].levels[points[place, f]]}" for f in changed
        )
        raise PredictionMismatchError(
            f"explanation {place + 1} ({words}) is not positive by the model's own prediction; "
            "please report this model"
        )
